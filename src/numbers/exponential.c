/* exponential.c — see exponential.h. Defined by Prometheus:
 * https://prometheus.io/docs/specs/native_histograms/ */
#include "numbers/exponential.h"

#include <math.h>

enum { PARTS = 1 << HECTIC_EXPONENTIAL_SCHEMA };

/* The bucket number is 8 log2(seconds), rounded up. Logarithms are inexact, and 1 s, 2 s … must be
 * the last in their buckets, so the power of two is split off first, and the rest is compared. */
static int number_of(uint64_t ns)
{
    /* 2^(i/8), scaled to the range of frexp: from 1/2, below 1. */
    static const double limit[PARTS] = {
        0.5,
        0.5452538663326288,
        0.5946035575013605,
        0.6484197773255048,
        0.7071067811865476,
        0.7711054127039704,
        0.8408964152537145,
        0.9170040432046712,
    };
    int exponent, part = 0;
    const double rest = frexp((double)ns / 1e9, &exponent);
    while (part < PARTS && limit[part] < rest)
        part++;
    return (exponent - 1) * PARTS + part;
}

void hectic_exponential_add(hectic_exponential *exponential, uint64_t ns)
{
    if (ns == 0)
        exponential->zeros++;
    else
        exponential->bucket[number_of(ns) - HECTIC_EXPONENTIAL_FIRST]++;
}
