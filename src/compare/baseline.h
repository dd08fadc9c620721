/* baseline.h — the numbers of runs as text, so that logs need not be kept. */
#ifndef HECTIC_SRC_COMPARE_BASELINE_H
#define HECTIC_SRC_COMPARE_BASELINE_H

#include "base/buffer.h"
#include "compare/run_numbers.h"

/* Adds the text of a baseline. `options`: those that chose the numbers; empty: none. Unless it has
 * all: of heap bands, cost centres, markers, messages, spans and ticky counters, if they have more
 * than 300 numbers, those with one of at least a thousandth of the largest: a thousand numbers at
 * most. False: out of memory. */
bool baseline_write(const struct runs *runs, const char *options, bool has_all, struct buffer *to);

enum baseline_result {
    BASELINE_READ,
    BASELINE_WRONG,  /* a line is wrong */
    BASELINE_CUT,    /* the end is missing */
    BASELINE_FAILED, /* out of memory; of a file: errno says why */
};

/* Adds the runs of a text, which is changed and has a 0 at its end, and sets *options to those that
 * chose the numbers (NULL: they are not known); free it in any case. *line is the number of the
 * line that is wrong. */
enum baseline_result baseline_parse(struct runs *runs, char *text, size_t size, char **options,
                                    size_t *line);

#endif
