/* comparison.h — the numbers of old runs compared with those of new ones. */
#ifndef HECTIC_SRC_COMPARE_COMPARISON_H
#define HECTIC_SRC_COMPARE_COMPARISON_H

#include "compare/number_classes.h"
#include "compare/rank_test.h"
#include "compare/run_numbers.h"

enum {
    CERTAIN_RUNS = 6,    /* on each side, at least: noisy numbers can be certain */
    INDICATIVE_RUNS = 4, /* likewise, indicative */
    SPREAD_RUNS = 3,     /* likewise: steady numbers of parallel programs can be certain */
};

/* What is known of the difference of a number, in the order of tables. */
enum certainty {
    DIFFERENCE_CERTAIN, /* a steady number, or one of the family that Holm's procedure corrects */
    DIFFERENCE_INDICATIVE, /* of the others, by the rate of false discoveries */
    DIFFERENCE_LARGE,      /* larger than equal runs usually differ, but there are too few runs */
    DIFFERENCE_ONE_SIDE,   /* the number is known on one side only */
    DIFFERENCE_NONE,
};

struct change {
    const char *name; /* of a run */
    hectic_column_kind kind;
    enum number_class class;
    struct sample old, new;
    double old_median, new_median; /* of the runs; of quantiles in sketches, those of all values */
    double hodges_lehmann;         /* the median of all differences; of noisy numbers by ranks */
    struct shift shift; /* new_median - old_median; its interval is that of Hodges and Lehmann,
                           or of the bootstrap (sketch.h) */
    double p;           /* corrected; of noisy numbers that were tested, otherwise 1 */
    enum certainty certainty;
    double share;  /* of the total time or memory: the difference; 0: there is no total */
    double weight; /* how much the difference matters */
    double *values;
};

struct comparison {
    size_t old_runs, new_runs;
    bool is_cut;           /* all runs of a side are cut: nothing is certain */
    bool is_parallel;      /* there are several caps: then less is steady */
    bool is_timed;         /* a timer may have caused collections */
    struct change *change; /* the certain ones first, then by weight */
    size_t count;
};

/* The runs have to outlive the comparison. False: out of memory. */
bool comparison_make(struct comparison *comparison, const struct runs *old, const struct runs *new);
void comparison_clear(struct comparison *comparison);

/* NULL: neither side has it. */
const struct change *comparison_find(const struct comparison *comparison, const char *name);

/* Are there enough runs to be certain of the difference of that number, or of the new runs? */
bool comparison_suffices(const struct comparison *comparison, const struct change *change,
                         bool new_only);

/* The difference as a part of the old value. False: that is 0. */
bool change_part(const struct change *change, double difference, double *part);

#endif
