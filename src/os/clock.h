/* clock.h — the monotonic clock. */
#ifndef HECTIC_SRC_BASE_CLOCK_H
#define HECTIC_SRC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_ns(void);

static inline uint64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

/* For pthread_cond_timedwait. */
static inline struct timespec clock_timespec(uint64_t ms)
{
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}

#endif
