/* amount.h — sums of times and sizes that a log tells, which may be anything up to 2^64-1. */
#ifndef HECTIC_SRC_AMOUNT_H
#define HECTIC_SRC_AMOUNT_H

#include <stdint.h>

/* Adds to a sum that stops at 2^64-1. Only the sums of logs that make no sense get there; they stay
 * there, so that the sums of parts of such a log still do not pass that of the whole. */
static inline void amount_add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum)) *sum = UINT64_MAX;
}

/* What is left of an amount without a part of it: 0 where the part is larger. */
static inline uint64_t amount_less(uint64_t amount, uint64_t part)
{
    return amount > part ? amount - part : 0;
}

#endif
