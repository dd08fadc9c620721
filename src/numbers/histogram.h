/* histogram.h — a histogram of numbers, in bounded memory.
 *
 * Numbers are counted in buckets, 64 for each power of two. Numbers below 128 are exact; for others
 * a quantile has an error of at most 1/128. Count, sum, minimum and maximum are exact. A histogram
 * takes half a kilobyte, and half a kilobyte for each power of two that occurs; at most 30 KB.
 *
 * All zeros is an empty histogram.
 */
#ifndef HECTIC_SRC_HISTOGRAM_H
#define HECTIC_SRC_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HECTIC_HISTOGRAM_PARTS 59

typedef struct hectic_histogram {
    uint64_t count;
    uint64_t sum; /* saturates at 2^64-1 */
    uint64_t min; /* 0 if empty */
    uint64_t max;
    uint64_t *part[HECTIC_HISTOGRAM_PARTS]; /* the counts of 64 buckets each; NULL: all zero */
} hectic_histogram;

/* Adds a number. False: out of memory; the histogram is unchanged. */
bool hectic_histogram_add(hectic_histogram *histogram, uint64_t number);

/* The same, for a number that occurs `count` times. */
bool histogram_add_many(hectic_histogram *histogram, uint64_t number, uint64_t count);

/* The least number that at least the fraction `share` (0 … 1) of all numbers do not exceed; never
 *  below min or above max, so 1 gives the exact max. 0 if empty. */
uint64_t hectic_histogram_quantile(const hectic_histogram *histogram, double share);

/* How many numbers are at most `limit`. Numbers less than 1/64 below the limit may not be counted.
 */
uint64_t hectic_histogram_within(const hectic_histogram *histogram, uint64_t limit);

/* Adds all numbers of another histogram. False: out of memory; some may have been added. */
bool hectic_histogram_merge(hectic_histogram *histogram, const hectic_histogram *other);

/* Frees its memory and makes it empty. */
void hectic_histogram_clear(hectic_histogram *histogram);

#endif
