/* Functions that only some versions of GHC have. The symbols are weak: NULL if missing. Older
 * runtimes do not export some of them to shared objects. The runtime's headers are not included,
 * because their declarations are not weak. */
#include "optional.h"

#include <ghcversion.h> /* GHC includes it implicitly, other C compilers do not */

#include <pthread.h>
#include <stddef.h>

#define OPTIONAL __attribute__((weak))

extern void startHeapProfTimer(void) OPTIONAL;
extern void stopHeapProfTimer(void) OPTIONAL;
extern void requestHeapCensus(void) OPTIONAL;
extern bool performHeapProfile OPTIONAL; /* set by requestHeapCensus, if that is missing */
extern void setTraceFlag(unsigned flag, bool value) OPTIONAL;

#define SINCE_9_2 "needs GHC 9.2, or a program that is linked statically"

const char *optional_start_heap_profile(void)
{
    if (!startHeapProfTimer) return SINCE_9_2;
    startHeapProfTimer();
    return NULL;
}

const char *optional_stop_heap_profile(void)
{
    if (!stopHeapProfTimer) return SINCE_9_2;
    stopHeapProfTimer();
    return NULL;
}

const char *optional_heap_census(void)
{
    if (requestHeapCensus)
        requestHeapCensus();
    else if (&performHeapProfile)
        __atomic_store_n(&performHeapProfile, true, __ATOMIC_RELAXED);
    else
        return SINCE_9_2;
    return NULL;
}

/* --- Classes of events ------------------------------------------------------------------------ */

#if __GLASGOW_HASKELL__ >= 904
typedef uint8_t trace_switch;
#else
typedef int trace_switch;
#endif

/* Checked by the runtime before it emits an event. A shared runtime exports only TRACE_user. */
extern trace_switch TRACE_sched OPTIONAL, TRACE_gc OPTIONAL, TRACE_nonmoving_gc OPTIONAL,
    TRACE_spark_sampled OPTIONAL, TRACE_spark_full OPTIONAL, TRACE_user OPTIONAL,
    TRACE_cap OPTIONAL;

#define FIXED(name)                                                                                \
    "this program's runtime has no setTraceFlag, which came after GHC 9.14, and hides " name       \
    ": link the program statically, or choose classes at its start, as in +RTS -lsgu"

static const struct {
    trace_switch *on;
    const char *fixed;
} classes[CLASSES] = {
    [CLASS_SCHEDULER] = {&TRACE_sched, FIXED("TRACE_sched")},
    [CLASS_GC] = {&TRACE_gc, FIXED("TRACE_gc")},
    [CLASS_NONMOVING_GC] = {&TRACE_nonmoving_gc, FIXED("TRACE_nonmoving_gc")},
    [CLASS_SPARKS_SAMPLED] = {&TRACE_spark_sampled, FIXED("TRACE_spark_sampled")},
    [CLASS_SPARKS_FULL] = {&TRACE_spark_full, FIXED("TRACE_spark_full")},
    [CLASS_USER] = {&TRACE_user, FIXED("TRACE_user")},
    [CLASS_CAP] = {&TRACE_cap, FIXED("TRACE_cap")},
    [CLASS_INFO_TABLES] = {NULL, "this GHC cannot switch info tables: that needs setTraceFlag, "
                                 "which came after GHC 9.14"},
};

const char *optional_class_fixed(unsigned class_)
{
    return setTraceFlag || classes[class_].on ? NULL : classes[class_].fixed;
}

int optional_class_is_on(unsigned class_)
{
    return classes[class_].on ? *classes[class_].on != 0 : -1;
}

void optional_set_class(unsigned class_, bool on)
{
    if (setTraceFlag)
        setTraceFlag(class_, on);
    else if (classes[class_].on)
        __atomic_store_n(classes[class_].on, on, __ATOMIC_RELAXED);
}

/* --- Threads and buffers ---------------------------------------------------------------------- */

extern void *lookupThreadLabel(uint64_t id) OPTIONAL;
extern void flushAllCapsEventsBufs(void) OPTIONAL;
extern pthread_mutex_t eventBufMutex OPTIONAL;

const char *optional_thread_label(uint64_t id)
{
    return lookupThreadLabel ? lookupThreadLabel(id) : NULL;
}

bool optional_can_flush_at_rest(void)
{
    return flushAllCapsEventsBufs != NULL;
}

bool optional_flush_at_rest(void)
{
    if (flushAllCapsEventsBufs) flushAllCapsEventsBufs();
    return flushAllCapsEventsBufs != NULL;
}

void optional_lock_global_events(void)
{
    if (&eventBufMutex) pthread_mutex_lock(&eventBufMutex);
}

void optional_unlock_global_events(void)
{
    if (&eventBufMutex) pthread_mutex_unlock(&eventBufMutex);
}
