/* exponential.h — a histogram of times with fixed exponential buckets.
 *
 * Bucket number i counts the times above 2^((i-1)/8) s and not above 2^(i/8) s. These are the
 * buckets of Prometheus' native histograms with schema 3, so counts can be added over programs. A
 * bucket is 9 % wide. Every time except 0, which is counted separately, has a bucket.
 *
 * All zeros is an empty histogram. Its size is 4 KB. histogram.h is more precise, and
 * larger.
 */
#ifndef HECTIC_SRC_EXPONENTIAL_H
#define HECTIC_SRC_EXPONENTIAL_H

#include <stdint.h>

#define HECTIC_EXPONENTIAL_SCHEMA  3
#define HECTIC_EXPONENTIAL_FIRST   (-239) /* the number of the bucket of 1 ns */
#define HECTIC_EXPONENTIAL_BUCKETS 513    /* up to the bucket of 2^64 - 1 ns */

typedef struct hectic_exponential {
    uint64_t zeros;
    uint64_t bucket[HECTIC_EXPONENTIAL_BUCKETS]; /* the first is number _FIRST */
} hectic_exponential;

/* Counts a time in ns. */
void hectic_exponential_add(hectic_exponential *exponential, uint64_t ns);

#endif
