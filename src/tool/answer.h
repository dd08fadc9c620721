/* answer.h — verbs that read a log once and answer with a table. */
#ifndef HECTIC_ANSWER_H
#define HECTIC_ANSWER_H

#include "reading.h"
#include "table.h"

/* What such a verb can be told. */
struct answer_settings {
    struct interval_settings interval;
    struct table_settings table;
    struct output_settings output;
};
extern const struct option_group answer_groups[]; /* where the verb has no options beside them */

/* The exit codes of a verb that tells of `what`. */
#define ANSWER_EXITS(what)                                                                         \
    {                                                                                              \
        "The answer was printed; the log may have been cut short.",                                \
            "The log is damaged inside, or tells nothing of " what                                 \
            ", or nothing of it lies in the "                                                      \
            "interval: what could be told was.",                                                   \
            "The log cannot be read, or the output cannot be written."                             \
    }

/* Events of which there has to be one. */
struct answer_need {
    const char *what, *flag; /* "threads", "+RTS -ls" */
    uint16_t event[4];
    size_t events;
    bool whole; /* what is behind the interval is read, too */
};

struct answer {
    const struct answer_settings *settings;
    struct reading reading;
    struct sink *sink;
    uint64_t duration; /* of the log, in the interval, ns */
    bool refused;      /* `print` has said that the command line is wrong */
};

/* Opens the log at `path` and the sink, has `print` read and print, and says what was wrong. Where
 * `print` returns false without the sink having failed, memory was short. Returns the exit code. */
int answer_run(const char *path, const struct answer_settings *settings,
               const struct answer_need *need, bool (*print)(struct answer *, void *user),
               void *user);

#endif
