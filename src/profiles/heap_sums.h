/* heap_sums.h — the sums of a heap profile: heap_profile.c adds them up, heap_stats.c makes the
 * statistics of them.
 *
 * A value in an integral has half of the time to the sample before and half of the time to the
 * next: a sample is added when the next one comes. Answers before that add the latest sample to a
 * copy. */
#ifndef HECTIC_SRC_HEAP_SUMS_H
#define HECTIC_SRC_HEAP_SUMS_H

#include "numbers/saturating.h"
#include "numbers/uint256.h"

#include "profiles/heap_profile.h"

struct band {
    uint32_t node;
    uint128 integral;       /* 2 * bytes * ns */
    uint128 sum;            /* of bytes */
    uint128_sum squares;    /* of bytes * bytes */
    uint128_sum moments;    /* of time * bytes */
    uint64_t max, max_time; /* bytes, ns */
    uint64_t first, last;   /* ns */
    uint64_t samples;
    uint64_t point;   /* the sum of the current point */
    uint64_t *course; /* the sums of the points before it */
};

struct value {
    uint32_t band;
    uint64_t bytes;
};

/* The bands of a sample. */
struct values {
    struct value *value;
    uint32_t count, capacity;
};

struct profile {
    const hectic_heap_kind *kind;
    struct band *band;
    uint64_t *scratch; /* for each band; 0 while it is not in use */
    uint32_t bands, capacity;
    uint32_t *shown; /* the bands of the slice for which is_shown holds; as many as `capacity` */
    uint32_t shown_count;
    uint32_t *place; /* by node: the index of its band, plus 1 */
    uint32_t places;
    struct band total;
    uint64_t count;    /* of samples, inside of the interval or not */
    uint64_t previous; /* the greatest time of a sample so far */
    uint64_t distances, distance;
    /* The latest sample, which is not added yet. */
    struct values latest;
    uint64_t latest_time, latest_total, latest_before; /* ns to the sample before, if inside */
    bool latest_inside;
    /* Inside of the interval. */
    uint64_t slice; /* where it begins; of the interval until then, what follows is of the slice */
    uint64_t samples, first, last, covered, gaps;
    uint128 times;
    uint128_sum time_squares;
    struct values peak, at, end; /* end: unless it is the latest */
    uint64_t peak_total, peak_time, peak_index;
    uint64_t at_total, at_time, end_total;
    bool has_at;
    uint32_t point;     /* of the course: the current one */
    uint64_t per_point; /* samples */
    uint64_t *point_time, *mean_course;
};

struct hectic_heap_profile {
    hectic_heap_profile_options options;
    hectic_heap_samples *samples;
    struct profile **profile; /* by number in order of beginning; NULL: no samples yet */
    uint32_t profiles;
    uint32_t bands_left;
    uint64_t omitted;
};

/* Bands that are not 0 in the interval, or are there only because of the time since the sample
 * before it. */
static inline bool band_is_shown(const struct band *band)
{
    return band->samples > 0 || band->integral.high > 0 || band->integral.low > 0;
}

/* Adds the latest sample's bytes. */
static inline void band_add(struct band *band, const struct profile *p, uint64_t bytes,
                            uint64_t weight)
{
    const uint64_t time = p->latest_time;
    uint128_add_saturated(&band->integral, uint128_product(bytes, weight));
    if (!p->latest_inside) return;
    uint128_add(&band->sum, (uint128){bytes, 0});
    uint128_sum_add(&band->squares, uint128_product(bytes, bytes));
    uint128_sum_add(&band->moments, uint128_product(bytes, time));
    if (bytes > band->max) {
        band->max = bytes;
        band->max_time = time;
    }
    if (band->samples++ == 0) band->first = time;
    band->last = time;
    saturating_add(&band->point, bytes);
}

/* Where the slice of a profile ends. */
static inline uint64_t end_of_slice(const hectic_heap_profile *h, const struct profile *p)
{
    return slice_end(p->slice, h->options.every, h->options.to);
}

#endif
