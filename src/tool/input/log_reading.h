/* log_reading.h — opens the log of a reading (results/reading.h), and reports on it. */
#ifndef HECTIC_LOG_READING_H
#define HECTIC_LOG_READING_H

#include "results/reading.h"
#include "tool/cli/options.h"
#include "tool/cli/progress.h"
#include "tool/input/interval.h"

/* A reading, and what it is reported by. It stays in its place while it is open. */
struct log_reading {
    struct reading reading;
    const char *path;
    const struct output_settings *output;
    struct progress progress;
};

enum reading_extent {
    READING_TO_INTERVAL, /* everything up to the end of the interval */
    READING_TO_END,      /* everything up to the end of the log */
    READING_STATES,      /* the interval, and before it what determines the state of caps */
    READING_ONE_PROCESS, /* as the first; a log of several processes is refused */
};

/* Opens the log, and finds the processes that are chosen. Returns the exit code, after a message if
 * it is not TOOL_OK. Close the reading in any case. */
int log_reading_open(struct log_reading *log, const char *path,
                     const struct interval_settings *interval, enum reading_extent extent,
                     const struct output_settings *output);

/* Opens the log at a path for an interval, which is resolved; NULL in *log if that fails. Returns
 * the exit code, as above. */
int log_reading_open_log(const char *path, const struct interval_settings *settings,
                         enum reading_extent extent, struct interval *interval,
                         struct progress *progress, hectic_log **log);

/* reading_all, with a progress bar. */
bool log_reading_all(struct log_reading *log, const struct reader *reader, void *user);

/* Reports damage. Returns the exit code. */
int log_reading_report(const struct log_reading *log);

/* Does the log have events of one of these types? Otherwise prints a message. */
bool log_reading_has(const struct log_reading *log, const uint16_t *numbers, size_t count,
                     const char *what, const char *flag);

#endif
