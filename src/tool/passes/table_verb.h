/* table_verb.h — verbs that read a log once and print a table. */
#ifndef HECTIC_TABLE_VERB_H
#define HECTIC_TABLE_VERB_H

#include "results/rows.h"
#include "tool/input/log_reading.h"
#include "tool/output/table.h"

/* The options that all of them have. */
struct table_verb_settings {
    struct interval_settings interval;
    struct table_settings table;
    struct output_settings output;
};
extern const struct option_group table_verb_groups[]; /* for verbs without further options */

/* The exit codes of a verb that lists `what`. */
#define TABLE_VERB_EXITS(what)                                                                     \
    {                                                                                              \
        "Success; the log may be truncated.",                                                      \
            "The log is damaged, has no events of " what ", or "                                   \
            "lies outside of the interval; the rest was printed.",                                 \
            "The log cannot be read, or the output cannot be written."                             \
    }

/* Events that the verb needs, at least one of them. */
struct table_verb_need {
    const char *what, *flag; /* "threads", "+RTS -ls" */
    uint16_t event[4];
    size_t events;
    enum reading_extent extent;
};

struct table_verb {
    const struct table_verb_settings *settings;
    struct log_reading log;
    struct reading *reading; /* of it */
    struct sink *sink;
    uint64_t duration; /* of the log, in the interval, ns */
    bool refused;      /* a usage error, which `print` has reported */
};

/* Takes the rows of a reading into a table of the verb. */
struct table_rows {
    struct row_taker taker;
    struct table_verb *base;
    struct table *table;
};
const struct row_taker *table_rows(struct table_rows *rows, struct table_verb *base,
                                   struct table *table);

/* Opens the log at `path` and the sink, calls `print`, which reads and prints, and reports errors.
 * If `print` returns false and the sink has not failed, it ran out of memory. Returns the exit
 * code. */
int table_verb_run(const char *path, const struct table_verb_settings *settings,
                   const struct table_verb_need *need,
                   bool (*print)(struct table_verb *, void *user), void *user);

#endif
