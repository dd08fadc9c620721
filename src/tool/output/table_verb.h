/* answer.h — verbs that read a log once and answer with a table. */
#ifndef HECTIC_TABLE_VERB_H
#define HECTIC_TABLE_VERB_H

#include "tool/input/reading.h"
#include "tool/output/table.h"

/* What such a verb can be told. */
struct table_verb_settings {
    struct interval_settings interval;
    struct table_settings table;
    struct output_settings output;
};
extern const struct option_group
    table_verb_groups[]; /* where the verb has no options beside them */

/* A parser of options: a length of time above 0, in ns. */
bool table_verb_set_every(void *field, const char *argument);

/* The exit codes of a verb that tells of `what`. */
#define TABLE_VERB_EXITS(what)                                                                     \
    {                                                                                              \
        "The answer was printed; the log may have been cut short.",                                \
            "The log is damaged inside, or tells nothing of " what                                 \
            ", or nothing of it lies in the "                                                      \
            "interval: what could be told was.",                                                   \
            "The log cannot be read, or the output cannot be written."                             \
    }

/* Events of which there has to be one. */
struct table_verb_need {
    const char *what, *flag; /* "threads", "+RTS -ls" */
    uint16_t event[4];
    size_t events;
    bool whole; /* what is behind the interval is read, too */
};

struct table_verb {
    const struct table_verb_settings *settings;
    struct reading reading;
    struct sink *sink;
    uint64_t duration; /* of the log, in the interval, ns */
    bool refused;      /* `print` has said that the command line is wrong */
};

/* Opens the log at `path` and the sink, has `print` read and print, and says what was wrong. Where
 * `print` returns false without the sink having failed, memory was short. Returns the exit code. */
int table_verb_run(const char *path, const struct table_verb_settings *settings,
                   const struct table_verb_need *need,
                   bool (*print)(struct table_verb *, void *user), void *user);

#endif
