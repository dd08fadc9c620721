/* heap_profile.h — what fills the heap: statistics of the bands of heap profiles.
 *
 * For each profile of a section, and an interval of it: the samples, the largest one, and for each
 * band its size at the peak and at the end, mean, deviation, growth, and its course over time.
 *
 * Sums are exact integers. A mean over time weighs the time between two neighbouring samples with
 * the mean of both. Time between samples is a gap, and left out, if it is longer than 4 times the
 * period and 4 times the mean distance so far, in which a gap counts as that limit. (The first
 * distance is never a gap: samples may take longer than the period.) The time between two samples
 * belongs to the interval of the second, so that adjacent intervals add up exactly. A band that a
 * sample does not name is 0 in it.
 *
 * Memory is that of heap_samples.h, and for each band its course: at most `points` numbers.
 * When a profile has more samples, neighbouring points are joined in pairs: each point then is the
 * mean of 2, 4, 8 … samples. Bands beyond the limit are joined into one.
 */
#ifndef HECTIC_SRC_HEAP_PROFILE_H
#define HECTIC_SRC_HEAP_PROFILE_H

#include "profiles/heap_samples.h"

typedef struct hectic_heap_profile hectic_heap_profile;

/* A slice of time of a profile, below the count, is complete: the totals and bands are those of
 *  the slice, from <= t < to (ns). Return false to stop. */
typedef bool (*hectic_heap_slice_callback)(void *user, const hectic_heap_profile *profile,
                                           uint32_t number, uint64_t from, uint64_t to);

typedef struct hectic_heap_profile_options {
    hectic_heap_samples_options samples;
    uint64_t from, to; /* ns: from <= t < to (UINT64_MAX: without end); samples without times are
                          all inside */
    bool has_at;
    uint64_t at; /* ns: the latest sample of the interval at this time or before is kept whole */
    uint32_t points; /* of a course, an even number; 0: 256 */
    /* ns: answers are those of the latest slice of this length that has a sample; slices begin
     * with the interval. Those before it are passed to `slice`. 0: no slices. Profiles without
     * times have none. */
    uint64_t every;
    hectic_heap_slice_callback slice; /* or NULL */
    void *user;                       /* of `slice` */
} hectic_heap_profile_options;

/* Totals of a profile, in the interval. */
typedef struct hectic_heap_totals {
    const hectic_heap_kind *kind;
    uint64_t samples;
    uint64_t first, last;        /* ns: the least and the greatest time of a sample */
    uint64_t covered;            /* ns between samples, without gaps */
    uint64_t gaps;               /* number of gaps */
    uint64_t peak, peak_time;    /* the largest sample: bytes, ns */
    uint64_t peak_index;         /* of this sample in the profile */
    uint64_t end;                /* bytes: the last sample */
    bool has_at;                 /* there is such a sample */
    uint64_t at, at_time;        /* the sample at the requested time */
    double mean;                 /* bytes, over time */
    double growth, growth_fit;   /* as for a band */
    uint64_t samples_per_point;  /* of the courses */
    uint32_t points;             /* of the courses; the last may have fewer samples */
    const uint64_t *course;      /* mean bytes of each point */
    const uint64_t *course_time; /* ns: the time of the first sample of each point, or its index
                                    if samples have no times */
    uint32_t bands;              /* that hectic_heap_profile_each passes */
} hectic_heap_totals;

/* A band, in the interval. */
typedef struct hectic_heap_band_stats {
    uint32_t node;
    uint64_t at_peak, at_end, at;         /* bytes in these samples */
    uint64_t max, max_time;               /* bytes, ns: its own largest size */
    uint64_t first, last;                 /* ns: the first and last sample in which it is not 0 */
    uint64_t samples;                     /* in which it is not 0 */
    uint64_t integral_high, integral_low; /* 2 · bytes · ns over time, 128 bits; saturates */
    double mean;                          /* bytes over time; over samples if no time is covered */
    double deviation;       /* bytes: standard deviation over all samples of the profile */
    double growth;          /* bytes per second (per sample, without times): the slope of the
                               regression line over all samples; if the interval has the last one
                               of the section and more than two others, without it: when a program
                               ends, its heap is empty */
    double growth_fit;      /* its coefficient of determination, R²: 0 … 1; 0 for a constant */
    const uint64_t *course; /* as in the totals */
} hectic_heap_band_stats;

/* `options` may be NULL: the whole section. NULL: out of memory. */
hectic_heap_profile *hectic_heap_profile_new(const hectic_heap_profile_options *options);
void hectic_heap_profile_free(hectic_heap_profile *profile);

/* Takes the next event of a section. False: out of memory. */
bool hectic_heap_profile_event(hectic_heap_profile *profile, const hectic_event *event);

/* Number of profiles with at least one sample in the interval. */
uint32_t hectic_heap_profile_count(const hectic_heap_profile *profile);

/* Sets *totals to those of a profile, below the count; its pointers are valid until the next
 *  event. */
void hectic_heap_profile_totals(const hectic_heap_profile *profile, uint32_t number,
                                hectic_heap_totals *totals);

/* Sets the limits of the latest slice of a profile; those of the interval if it has no slices. */
void hectic_heap_profile_slice(const hectic_heap_profile *profile, uint32_t number, uint64_t *from,
                               uint64_t *to);

typedef bool (*hectic_heap_band_callback)(void *user, const hectic_heap_band_stats *band);

/* Calls `callback` for each band of a profile that is not 0 in the interval, nor in the last
 * sample before it if the time since then is in the interval; in order of nodes. Its arguments are
 * valid during the call. False: the callback returned false, or out of memory. */
bool hectic_heap_profile_each(const hectic_heap_profile *profile, uint32_t number,
                              hectic_heap_band_callback callback, void *user);

/* With fewer points nothing rises steadily. */
#define HECTIC_HEAP_LINE_POINTS 10

/* The line of a course after the first quarter of the time, without the last point: what happens
 *  at the start is no evidence of a leak, and the heap of the last sample is often empty. */
typedef struct hectic_heap_line {
    double growth;  /* bytes per second, or per sample without times */
    double fit;     /* R² */
    double rise;    /* bytes: of the line, from its beginning to its end */
    bool is_steady; /* it may be a leak: the fit is at least 0.6, and the mean of each quarter of
                       that time is above that of the quarter before, the last one by at least 15 %
                       of the rise from the first to the last */
} hectic_heap_line;

/* The line of a band's course, or that of the totals. */
hectic_heap_line hectic_heap_line_of(const hectic_heap_totals *totals, const uint64_t *course);

const hectic_symbols *hectic_heap_profile_symbols(const hectic_heap_profile *profile);
const hectic_stacks *hectic_heap_profile_stacks(const hectic_heap_profile *profile);
hectic_heap_warnings hectic_heap_profile_warnings(const hectic_heap_profile *profile);

#endif
