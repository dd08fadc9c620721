/* time_profile.h — where the time goes: the sums of a time profile.
 *
 * For an interval: the tree of stacks with the number of samples and the time of each, and what
 * each cap did. Memory is that of time_samples.h.
 */
#ifndef HECTIC_SRC_TIME_PROFILE_H
#define HECTIC_SRC_TIME_PROFILE_H

#include "profiles/time_samples.h"

/* The columns of the trees. */
enum hectic_time_column {
    HECTIC_TIME_TICKS, /* samples */
    HECTIC_TIME_NS,    /* the time between samples, ns: hectic_time_sample.since */
    HECTIC_TIME_COLUMNS,
};

typedef struct hectic_time_profile hectic_time_profile;

typedef struct hectic_time_profile_options {
    uint64_t from, to; /* ns: from <= t < to */
    bool has_cap;      /* only this cap */
    uint32_t cap;
    size_t symbol_limit; /* as for hectic_time_samples_new */
    uint32_t node_limit;
    hectic_time_sample_callback counts; /* NULL, or: does a sample of the interval count? Ticks and
                                           holes are those of all */
    hectic_time_sample_callback sample; /* NULL, or is called for each sample that counts */
    void *user;                         /* of both */
} hectic_time_profile_options;

/* What a cap did, or all caps. */
typedef struct hectic_time_cap {
    uint32_t cap;
    uint64_t samples[HECTIC_TIME_KINDS];
    uint64_t ns[HECTIC_TIME_KINDS];
} hectic_time_cap;

typedef struct hectic_time_totals {
    uint64_t samples;           /* in the interval */
    uint64_t ticks;             /* number of different ticks. Each counts where its first sample
                                   stands: that of its lowest cap */
    uint64_t first, last;       /* ns: times of the first and last sample */
    uint64_t interval;          /* ns between ticks, as the profile began; 0: unknown */
    uint64_t holes;             /* places where more than 4 ticks have passed without samples:
                                   profiling was off. Each counts at the sample after it */
    uint32_t caps;              /* with samples in the interval */
    const hectic_time_cap *cap; /* in order of their numbers; those from HECTIC_TIME_CAPS on are
                                   one. Valid until the next call */
    hectic_time_cap all;        /* the sum of all caps */
} hectic_time_totals;

/* NULL options: the whole section. NULL: out of memory. */
hectic_time_profile *hectic_time_profile_new(const hectic_time_profile_options *options);
void hectic_time_profile_free(hectic_time_profile *profile);

/* Takes the next event of a section. False: out of memory. */
bool hectic_time_profile_event(hectic_time_profile *profile, const hectic_event *event);

/* Sets all sums to 0 and begins a new interval: for consecutive parts of a run. */
void hectic_time_profile_restart(hectic_time_profile *profile, uint64_t from, uint64_t to);

/* False: out of memory. */
bool hectic_time_profile_totals(hectic_time_profile *profile, hectic_time_source source,
                                hectic_time_totals *totals);

const hectic_symbols *hectic_time_profile_symbols(const hectic_time_profile *profile);
/* With the columns of hectic_time_column. */
const hectic_stacks *hectic_time_profile_stacks(const hectic_time_profile *profile,
                                                hectic_time_source source);
hectic_time_warnings hectic_time_profile_warnings(const hectic_time_profile *profile);

/* A cost centre, over all stacks. */
typedef struct hectic_symbol_time {
    uint32_t symbol;
    uint64_t own[HECTIC_TIME_COLUMNS];   /* of stacks in which it is the innermost frame */
    uint64_t total[HECTIC_TIME_COLUMNS]; /* of stacks that contain it, each counted once. Stacks
                                            that are not the program's own, such as GC, count only
                                            for their innermost frame */
} hectic_symbol_time;

/* The symbols that have a weight in a tree with the columns of hectic_time_column, sorted by their
 *  own ticks, the largest first; then by their total ticks, then by index. The weights of
 * HECTIC_STACKS_ROOT (MAIN) and HECTIC_STACKS_OTHERS belong to no symbol. Sets *count. Free it with
 * free(). NULL: out of memory.
 */
hectic_symbol_time *hectic_symbol_times(const hectic_stacks *stacks, const hectic_symbols *symbols,
                                        size_t *count);

/* The same of a profile. */
hectic_symbol_time *hectic_time_profile_symbol_times(const hectic_time_profile *profile,
                                                     hectic_time_source source, size_t *count);

#endif
