/* histogram.c — see histogram.h.
 *
 * Part 0 counts the numbers 0 … 63, part p from 1 on those in [2^(p+5), 2^(p+6)) in 64 equal
 * buckets. */
#include "numbers/histogram.h"

#include "numbers/saturating.h"

#include <stdlib.h>

enum { BITS = 6, BUCKETS = 1 << BITS };

static unsigned part_of(uint64_t number)
{
    return number < BUCKETS ? 0 : 64 - BITS - (unsigned)__builtin_clzll(number);
}

/* The binary logarithm of the width of a bucket of part p. */
static unsigned shift_of(unsigned part)
{
    return part > 0 ? part - 1 : 0;
}

static uint64_t *part_new(hectic_histogram *histogram, unsigned part)
{
    if (!histogram->part[part]) histogram->part[part] = calloc(BUCKETS, sizeof(uint64_t));
    return histogram->part[part];
}

static void widen(hectic_histogram *histogram, uint64_t least, uint64_t greatest)
{
    if (histogram->count == 0 || least < histogram->min) histogram->min = least;
    if (histogram->count == 0 || greatest > histogram->max) histogram->max = greatest;
}

bool hectic_histogram_add(hectic_histogram *histogram, uint64_t number)
{
    return histogram_add_many(histogram, number, 1);
}

bool histogram_add_many(hectic_histogram *histogram, uint64_t number, uint64_t count)
{
    const unsigned part = part_of(number);
    uint64_t *bucket = count > 0 ? part_new(histogram, part) : NULL;
    if (!bucket) return count == 0;
    bucket[number >> shift_of(part) & (BUCKETS - 1)] += count;
    widen(histogram, number, number);
    saturating_add(&histogram->sum,
                   (double)number * (double)count < 0x1p63 ? number * count : UINT64_MAX);
    histogram->count += count;
    return true;
}

static uint64_t first_of(unsigned part, unsigned bucket)
{
    return (uint64_t)(bucket + (part > 0 ? BUCKETS : 0)) << shift_of(part);
}

/* The distance from a bucket's first number to its last. */
static uint64_t width_of(unsigned part)
{
    return (UINT64_C(1) << shift_of(part)) - 1;
}

static uint64_t middle(unsigned part, unsigned bucket)
{
    return first_of(part, bucket) + width_of(part) / 2;
}

static uint64_t between(uint64_t number, uint64_t least, uint64_t greatest)
{
    return number < least ? least : number > greatest ? greatest : number;
}

/* The number of values in a share of `count`, rounded up, ignoring rounding errors such as 0.07 > 7
 * / 100. */
static uint64_t rank_of(uint64_t count, double share)
{
    const double exact = share * (double)count * (1 - 1e-12);
    if (exact >= (double)count) return count;
    const uint64_t rank = exact > 0 ? (uint64_t)exact : 0;
    return rank + ((double)rank < exact || rank == 0);
}

uint64_t hectic_histogram_quantile(const hectic_histogram *histogram, double share)
{
    const uint64_t rank = rank_of(histogram->count, share);
    if (rank >= histogram->count) return histogram->max;
    uint64_t passed = 0;
    for (unsigned part = 0; part < HECTIC_HISTOGRAM_PARTS; part++)
        for (unsigned i = 0; i < BUCKETS && histogram->part[part]; i++)
            if ((passed += histogram->part[part][i]) >= rank)
                return between(middle(part, i), histogram->min, histogram->max);
    return histogram->max;
}

uint64_t hectic_histogram_within(const hectic_histogram *histogram, uint64_t limit)
{
    if (limit >= histogram->max) return histogram->count;
    uint64_t within = 0;
    for (unsigned part = 0; part < HECTIC_HISTOGRAM_PARTS; part++)
        for (unsigned i = 0; i < BUCKETS && histogram->part[part]; i++)
            if (first_of(part, i) + width_of(part) <= limit) within += histogram->part[part][i];
    return within;
}

bool hectic_histogram_merge(hectic_histogram *histogram, const hectic_histogram *other)
{
    if (other->count == 0) return true;
    for (unsigned part = 0; part < HECTIC_HISTOGRAM_PARTS; part++) {
        if (!other->part[part]) continue;
        uint64_t *bucket = part_new(histogram, part);
        if (!bucket) return false;
        for (unsigned i = 0; i < BUCKETS; i++)
            bucket[i] += other->part[part][i];
    }
    widen(histogram, other->min, other->max);
    saturating_add(&histogram->sum, other->sum);
    histogram->count += other->count;
    return true;
}

void hectic_histogram_clear(hectic_histogram *histogram)
{
    for (unsigned part = 0; part < HECTIC_HISTOGRAM_PARTS; part++)
        free(histogram->part[part]);
    *histogram = (hectic_histogram){0};
}
