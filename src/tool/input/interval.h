/* interval.h — the part of a log that an analysis is about. */
#ifndef HECTIC_INTERVAL_H
#define HECTIC_INTERVAL_H

#include "tool/input/process.h"

struct interval_settings {
    const char *from, *to;  /* as given: markers need the log */
    const char *between[2]; /* marker names, or "A..B" alone */
    struct process_choice process;
};
extern const struct tool_option interval_options[]; /* --from, --to, --between, --process */
extern const char interval_note[];

/* from <= t < to, ns. */
struct interval {
    uint64_t from, to;
};

/* The whole log is from 0 to UINT64_MAX. Makes `input` random where markers are looked for. Returns
 * the exit code, after a message. */
int interval_resolve(const struct interval_settings *settings, hectic_input *input,
                     const char *path, struct interval *interval);

/* Says so where nothing of the log lies in the interval, which is then TOOL_DAMAGED: an answer is
 * given all the same. The log has to have been opened without a `from`. */
int interval_check(const struct interval *interval, const hectic_log *log, const char *path);

#endif
