/* What some GHCs offer and others do not. The names are weak: where the linker does not find one,
 * it is NULL. Older runtimes have some of them, but hide them from shared objects. The runtime's
 * headers are not included, since they declare what they have, and not weakly. */
#include "optional.h"

#include <stddef.h>

#define OPTIONAL __attribute__((weak))

extern void startHeapProfTimer(void) OPTIONAL;
extern void stopHeapProfTimer(void) OPTIONAL;
extern void requestHeapCensus(void) OPTIONAL;
extern bool performHeapProfile OPTIONAL; /* what requestHeapCensus sets, where that is missing */
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

const char *optional_set_class(unsigned flag, bool on)
{
    if (!setTraceFlag)
        return "this GHC cannot switch classes while a program runs: it needs setTraceFlag, which "
               "came after GHC 9.14; choose them at the start, as in +RTS -lsgu";
    setTraceFlag(flag, on);
    return NULL;
}
