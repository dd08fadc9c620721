/* distributions.h — how long the pauses and the spans of each side were, over all of its runs. */
#ifndef HECTIC_COMPARE_DISTRIBUTIONS_H
#define HECTIC_COMPARE_DISTRIBUTIONS_H

#include "base/map.h"
#include "compare/run_numbers.h"
#include "numbers/histogram.h"
#include "results/several.h"
#include "tool/verbs/compare/stack_difference.h"

/* Spans of a label. */
struct span_durations {
    map_key key;
    char *label;
    hectic_histogram side[SIDES]; /* ns */
};

/* All zero is empty. Memory is at most that of 2 × DISTRIBUTION_LABELS histograms. */
enum { DISTRIBUTION_LABELS = 256 };
struct distributions {
    hectic_histogram pauses[SIDES]; /* ns: of all collections */
    map spans;
    bool omits_labels;             /* there are more of them */
    enum side side;                /* of the log that is read next */
    size_t pause, label, duration; /* places of columns */
};

/* The tables that are read for it. */
enum { DISTRIBUTION_TABLES = 2 };
void distribution_tables(struct distributions *distributions,
                         struct several_table table[DISTRIBUTION_TABLES]);

/* Adds what a baseline has of a run: sizes are known to a sixteenth. False: out of memory. */
bool distributions_add_run(struct distributions *distributions, const struct run *run);

/* The labels, those with the longest total time of a side first. An array of the map, valid until
 * it changes. */
struct span_durations *const *distribution_spans(const struct distributions *distributions);
void distributions_clear(struct distributions *distributions);

#endif
