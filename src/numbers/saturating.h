/* saturating.h — saturating arithmetic on times and sizes of a log, which may have any value up to
 * 2^64-1. */
#ifndef HECTIC_SRC_SATURATING_H
#define HECTIC_SRC_SATURATING_H

#include <stdbool.h>
#include <stdint.h>

/* Adds to a sum that saturates at 2^64-1. Only sums of invalid logs reach it; saturation ensures
 * that the sums of parts of such a log do not exceed that of the whole. */
static inline void saturating_add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum)) *sum = UINT64_MAX;
}

static inline uint64_t saturating_sum(uint64_t a, uint64_t b)
{
    saturating_add(&a, b);
    return a;
}

/* Subtracts a part from an amount; 0 if the part is larger. */
static inline uint64_t saturating_less(uint64_t amount, uint64_t part)
{
    return amount > part ? amount - part : 0;
}

/* Is a time in the interval from <= t < to? With UINT64_MAX as `to`, the interval has no end. */
static inline bool time_is_inside(uint64_t time, uint64_t from, uint64_t to)
{
    return time >= from && (time < to || to == UINT64_MAX);
}

/* The start of the slice that a time lies in. Slices of that length begin with `from`; 0: there is
 * only one. */
static inline uint64_t slice_of(uint64_t from, uint64_t every, uint64_t time)
{
    return every > 0 && time > from ? from + (time - from) / every * every : from;
}

/* Its end, which is that of the interval at the latest. */
static inline uint64_t slice_end(uint64_t slice, uint64_t every, uint64_t to)
{
    const uint64_t end = every > 0 ? saturating_sum(slice, every) : to;
    return end < to ? end : to;
}

#endif
