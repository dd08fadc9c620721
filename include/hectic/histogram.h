/* hectic/histogram.h — how numbers are distributed, in bounded memory.
 *
 * Numbers are counted in buckets, 64 to each power of two: numbers below 128 exactly, others so
 * that what a quantile gives is off by at most 1/128 of it. The count, the sum, the least and the
 * greatest are exact. A histogram takes half a kilobyte, and as much again for each power of two
 * that is met; at most 30 KB.
 *
 * All zeros is an empty histogram.
 */
#ifndef HECTIC_HISTOGRAM_H
#define HECTIC_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HECTIC_HISTOGRAM_PARTS 59

typedef struct hectic_histogram {
    uint64_t count;
    uint64_t sum; /**< stops at 2^64-1 */
    uint64_t min; /**< 0 while it is empty */
    uint64_t max;
    uint64_t *part[HECTIC_HISTOGRAM_PARTS]; /**< the counts, of 64 buckets each; NULL: none yet */
} hectic_histogram;

/** Counts a number. False: no memory; nothing has changed. */
bool hectic_histogram_add(hectic_histogram *histogram, uint64_t number);

/** The least number that at least `share` (0 … 1) of all numbers do not exceed; never below min or
 *  above max, so that 1 gives the exact max. 0 where it is empty. */
uint64_t hectic_histogram_quantile(const hectic_histogram *histogram, double share);

/** How many numbers are not above a limit; a number that is less than 1/64 of itself below it may
 *  be missing. */
uint64_t hectic_histogram_within(const hectic_histogram *histogram, uint64_t limit);

/** Adds all the numbers of another. False: no memory; some may have been added. */
bool hectic_histogram_merge(hectic_histogram *histogram, const hectic_histogram *other);

/** Frees what it holds and makes it empty. */
void hectic_histogram_clear(hectic_histogram *histogram);

#ifdef __cplusplus
}
#endif
#endif
