/* baseline.h — the numbers of runs in a file, so that logs need not be kept. */
#ifndef HECTIC_SRC_COMPARE_BASELINE_H
#define HECTIC_SRC_COMPARE_BASELINE_H

#include "compare/run_numbers.h"

#include <stdio.h>

/* Does the file begin like a baseline? */
bool baseline_is(const char *path);

/* Calls `put` with the lines of a baseline. `options`: those that chose the numbers; empty: none.
 * Of heap bands, cost centres, markers, messages, spans and ticky counters, if they have more than
 * 300 numbers, those with one of at least a thousandth of the largest: a thousand numbers at most.
 * False: out of memory. */
bool baseline_write(const struct runs *runs, const char *options,
                    void (*put)(void *user, const char *line), void *user);

enum baseline_result {
    BASELINE_READ,
    BASELINE_WRONG,  /* a line is wrong */
    BASELINE_CUT,    /* the end is missing */
    BASELINE_FAILED, /* errno says why */
};

/* Adds the runs of a baseline, and sets *options to those that chose the numbers (NULL: they are
 * not known); free it in any case. *line is the number of the line that is wrong. */
enum baseline_result baseline_read(struct runs *runs, const char *path, char **options,
                                   size_t *line);

#endif
