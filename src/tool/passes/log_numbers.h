/* log_numbers.h — the numbers of logs (compare/run_numbers.h), for verbs that judge them. */
#ifndef HECTIC_LOG_NUMBERS_H
#define HECTIC_LOG_NUMBERS_H

#include "compare/number_sources.h"
#include "results/several.h"
#include "tool/cli/options.h"
#include "tool/input/interval.h"

enum { LOG_NUMBERS_MORE = 4 };

/* Which numbers of a log, and of which part of it. */
struct number_choice {
    bool wanted[NUMBER_SOURCES];
    const struct number_source *table;        /* another source; or NULL */
    const struct interval_settings *interval; /* NULL: the whole log */
    const struct several_table *more;         /* are read in the same pass */
    size_t more_count;                        /* LOG_NUMBERS_MORE at most */
};

/* Reads a log in one pass. A run is added for each section and process. Returns the exit code,
 * after messages. */
int log_numbers_read(struct runs *runs, const char *path, const struct number_choice *choice,
                     const struct output_settings *output);

#endif
