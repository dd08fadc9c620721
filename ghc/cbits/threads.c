#include "threads.h"

#include "optional.h"

#include <Rts.h>

#include <ghcversion.h>

#include <stdlib.h>
#include <string.h>

/* The beginning of the runtime's struct, since GHC 7.8 or earlier. */
struct capability {
    StgFunTable f;
    StgRegTable r;
    uint32_t no;
};

/* While the nonmoving collector marks, these lists contain the threads of the oldest generation.
 * Not exported to shared objects. */
extern StgTSO *nonmoving_old_threads __attribute__((weak));
extern StgTSO *nonmoving_threads __attribute__((weak));

/* The layout of objects differs in programs compiled with -prof. */
static bool is_of_this_kind(void)
{
#if defined(PROFILING)
    return rts_isProfiled();
#else
    return !rts_isProfiled();
#endif
}

threads_listing threads_are_listed(void)
{
    if (!is_of_this_kind()) return THREADS_HIDDEN;
    if (!RtsFlags.GcFlags.useNonmoving) return THREADS_LISTED;
    if (!&nonmoving_old_threads || !&nonmoving_threads) return THREADS_HIDDEN;
    return nonmoving_old_threads == END_TSO_QUEUE && nonmoving_threads == END_TSO_QUEUE
               ? THREADS_LISTED
               : THREADS_MARKED;
}

static bool is_alive(const StgTSO *tso)
{
    return tso->what_next != ThreadComplete && tso->what_next != ThreadKilled;
}

/* The status as in STOP_THREAD. */
static uint16_t status_of(const StgTSO *tso)
{
    enum { FOREIGN_CALL = 6, REASONS = 6 };
    switch (tso->why_blocked) {
    case NotBlocked:
    case ThreadMigrating: return 0;
    case BlockedOnCCall:
    case BlockedOnCCall_Interruptible: return FOREIGN_CALL;
    default: return (uint16_t)(REASONS + tso->why_blocked);
    }
}

static void set_label(gap_thread *thread, const StgTSO *tso)
{
    size_t length;
#if __GLASGOW_HASKELL__ >= 906
    if (!tso->label) return;
    thread->label = (const char *)tso->label->payload;
    length = tso->label->bytes;
#else
    thread->label = optional_thread_label(tso->id);
    if (!thread->label) return;
    length = strlen(thread->label);
#endif
    thread->label_length = (uint16_t)(length < UINT16_MAX / 2 ? length : UINT16_MAX / 2);
}

static gap_thread as_thread(const StgTSO *tso)
{
    const struct capability *cap = (const struct capability *)tso->cap;
    gap_thread thread = {.id = tso->id, .cap = (uint16_t)cap->no, .status = status_of(tso)};
    set_label(&thread, tso);
    return thread;
}

static int compare(const void *a, const void *b)
{
    const gap_thread *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Each generation promotes to the next one, the last to itself. They are an array, but the size of
 * an element depends on the kind of runtime. */
static const generation *next_generation(const generation *g)
{
    if (!g) return g0;
    return g->to == g ? NULL : g->to;
}

/* Writes live threads to `out`, unless it is NULL; returns their number. */
static size_t walk(gap_thread *out)
{
    size_t count = 0;
    for (const generation *g = NULL; (g = next_generation(g));)
        for (const StgTSO *tso = g->threads; tso != END_TSO_QUEUE; tso = tso->global_link) {
            if (!is_alive(tso)) continue;
            if (out) out[count] = as_thread(tso);
            count++;
        }
    return count;
}

gap_thread *threads_list(size_t *count)
{
    *count = walk(NULL);
    gap_thread *threads = malloc((*count + 1) * sizeof *threads);
    if (!threads) return NULL;
    walk(threads);
    qsort(threads, *count, sizeof *threads, compare);
    return threads;
}
