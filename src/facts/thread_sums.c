/* thread_sums.c — what the threads of a program did, in all: see threads.h. */
#include "numbers/saturating.h"

#include "facts/threads.h"

#include <string.h>

bool hectic_thread_is_runtime(const char *label)
{
    static const char *const names[] = {"TimerManager", "weak finalizer thread", "ProcessIOThread"};
    if (!label) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(label, names[i]) == 0) return true;
    return strncmp(label, "IOManager", strlen("IOManager")) == 0;
}

hectic_lock hectic_lock_of(hectic_thread_state state)
{
    switch (state) {
    case HECTIC_THREAD_MVAR:
    case HECTIC_THREAD_MVAR_READ: return HECTIC_LOCK_MVAR;
    case HECTIC_THREAD_STM: return HECTIC_LOCK_STM;
    default: return HECTIC_LOCKS;
    }
}

static void add_waits(hectic_lock_waits *waits, const hectic_thread *thread, uint64_t ns,
                      uint64_t own_ns)
{
    enum { RUNS_MIN = 10, PART = 20 };
    if (thread->runs < RUNS_MIN || ns == 0 || ns < own_ns / PART) return;
    waits->threads++;
    saturating_add(&waits->ns, ns);
    saturating_add(&waits->own_ns, own_ns);
    saturating_add(&waits->active_ns, thread->ns[HECTIC_THREAD_RUNNING]);
    saturating_add(&waits->active_ns, thread->ns[HECTIC_THREAD_FOREIGN]);
}

/* A tenth of the log so far. */
static uint64_t long_at(const hectic_thread_sums *sums, uint64_t now)
{
    return saturating_less(now, sums->from) / 10;
}

/* Adds a thread that was left at `thread->ended`; only the last ones are kept, not before `after`.
 */
static void leave(hectic_threads_left *left, const hectic_thread *thread, uint64_t begin,
                  uint64_t since, uint64_t after)
{
    enum { SOON = 8 };
    const uint64_t now = thread->ended, length = saturating_less(now, begin);
    if (saturating_less(now, left->from) > length / SOON || left->from < after)
        *left = (hectic_threads_left){.from = now};
    left->to = now;
    left->threads++;
    left->late += saturating_less(thread->born, begin) >= length / 2;
    if (since > left->since) left->since = since;
}

static void add_left(hectic_thread_sums *sums, const hectic_thread *thread)
{
    const hectic_lock lock = hectic_lock_of(thread->has_ended ? thread->unwoken : thread->state);
    const uint64_t since = thread->has_ended ? thread->unwoken_since : thread->since;
    leave(&sums->left, thread, sums->from, since, sums->last_born);
    if (lock == HECTIC_LOCKS || thread->runs == 0) return;
    const uint64_t wait = saturating_less(thread->ended, since);
    if (wait >= long_at(sums, thread->ended) && wait / 2 >= thread->longest_wait)
        leave(&sums->stuck[lock], thread, sums->from, since, 0);
}

/* The wait at the end, which nothing has ended. */
static uint64_t last_wait(const hectic_thread *thread, hectic_lock lock)
{
    const bool is_unwoken = thread->has_ended && hectic_lock_of(thread->unwoken) == lock;
    if (is_unwoken) return saturating_less(thread->ended, thread->unwoken_since);
    const bool waits = !thread->has_ended && hectic_lock_of(thread->state) == lock;
    return waits ? saturating_less(thread->ended, thread->since) : 0;
}

void hectic_thread_sums_add(hectic_thread_sums *sums, const hectic_thread *thread)
{
    enum { QUEUED_PART = 5 };
    uint64_t own_ns = 0, locked[HECTIC_LOCKS + 1] = {0};
    if (thread->has_born && thread->born > sums->last_born) sums->last_born = thread->born;
    if (hectic_thread_is_runtime(thread->label)) return;
    sums->threads++;
    saturating_add(&sums->yields, thread->yields);
    for (unsigned i = 0; i < HECTIC_THREAD_STATES; i++) {
        saturating_add(&sums->ns[i], thread->ns[i]);
        saturating_add(&locked[hectic_lock_of(i)], thread->ns[i]);
        if (i != HECTIC_THREAD_FOREIGN) saturating_add(&own_ns, thread->ns[i]);
    }
    if (thread->ns[HECTIC_THREAD_RUNNABLE] >= own_ns / QUEUED_PART)
        saturating_add(&sums->queued_ns, thread->ns[HECTIC_THREAD_RUNNABLE]);
    if (thread->ns[HECTIC_THREAD_RUNNING] > sums->most_running_ns)
        sums->most_running_ns = thread->ns[HECTIC_THREAD_RUNNING];
    uint64_t outside_ns = 0;
    for (unsigned i = 0; i < HECTIC_LOCKS; i++) {
        saturating_add(&outside_ns, thread->outside_ns[i]);
        const uint64_t others = saturating_less(locked[i], thread->outside_ns[i]);
        add_waits(&sums->waits[i], thread, saturating_less(others, last_wait(thread, i)), own_ns);
    }
    saturating_add(&sums->outside_ns, outside_ns);
    if (outside_ns == 0 && thread->longest_wait > sums->longest_wait)
        sums->longest_wait = thread->longest_wait;
    if (thread->ended > sums->end) sums->end = thread->ended;
    if (!thread->has_ended || thread->unwoken != HECTIC_THREAD_UNKNOWN ||
        saturating_less(thread->ended, thread->born) >= long_at(sums, thread->ended))
        add_left(sums, thread);
}
