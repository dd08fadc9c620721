/* interval.h — the part of a log to analyze. */
#ifndef HECTIC_INTERVAL_H
#define HECTIC_INTERVAL_H

#include "results/reading.h"
#include "tool/cli/verb.h"
#include "tool/input/process.h"

struct interval_settings {
    const char *from, *to;  /* unresolved: markers need the log */
    const char *former_to;  /* --to before the last one; only hectic export has a use for it */
    const char *between[2]; /* marker names, or "A..B" alone */
    const char *prefix;     /* of the names of --from and --to in messages; NULL: none */
    struct process_choice process;
};
extern const struct tool_option interval_options[]; /* --from, --to, --between */
extern const char interval_note[];
extern const struct tool_option process_options[]; /* --process */
extern const char process_note[];

/* Sets the interval; 0 to UINT64_MAX is the whole log. Markers make `input` random. Returns the
 * exit code, after a message. */
int interval_resolve(const struct interval_settings *settings, hectic_input *input,
                     const char *path, struct interval *interval);

/* Returns TOOL_DAMAGED, after a message, if the log has no event in the interval. The caller prints
 * its result nevertheless. Open the log without a `from`. */
int interval_check(const struct interval *interval, const hectic_log *log, const char *path);

#endif
