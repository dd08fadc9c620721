/* hectic/exponential.h — how times are distributed, in buckets of one proportion, the same ones
 * everywhere.
 *
 * Times in ns are counted in buckets that are told apart by powers of 2^(1/8) seconds: bucket
 * number i holds what is above 2^((i-1)/8) s, and not above 2^(i/8) s. These are the buckets of
 * Prometheus' native histograms of schema 3, so such counts can be added up over programs. A bucket
 * is 9 % wide. Every time has a bucket, except 0, which is counted by itself.
 *
 * All zeros is an empty one. It takes 4 KB. hectic/histogram.h is finer, and takes more.
 */
#ifndef HECTIC_EXPONENTIAL_H
#define HECTIC_EXPONENTIAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HECTIC_EXPONENTIAL_SCHEMA  3
#define HECTIC_EXPONENTIAL_FIRST   (-239) /**< the number of the bucket of 1 ns */
#define HECTIC_EXPONENTIAL_BUCKETS 513    /**< up to that of 2^64 - 1 ns */

typedef struct hectic_exponential {
    uint64_t zeros;
    uint64_t bucket[HECTIC_EXPONENTIAL_BUCKETS]; /**< the first is number _FIRST */
} hectic_exponential;

/** Counts a time. */
void hectic_exponential_add(hectic_exponential *exponential, uint64_t ns);

#ifdef __cplusplus
}
#endif
#endif
