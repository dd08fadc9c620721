/* progress.h — a progress bar on stderr. */
#ifndef HECTIC_TOOL_PROGRESS_H
#define HECTIC_TOOL_PROGRESS_H

#include "tool/cli/options.h"

/* A progress bar on stderr, if that is a terminal and the work takes long. It ends when output is
 * written to a terminal. */
struct progress {
    bool wanted, shown;
    uint64_t start, drawn; /* ns */
    double begin, share;   /* of the whole work: what updates are about; 0 and 0: all of it */
};
struct progress progress_start(const struct output_settings *settings);
void progress_update(void *progress, double done); /* for hectic_log_options */
/* Updates it by what has been read of the input, if that has a known size. */
void progress_input(struct progress *progress, const hectic_input *input);
void progress_end(struct progress *progress);
void progress_hide(void); /* the one that is shown */

/* A log is surveyed, the first half of the work; then all its events are read. */
void progress_survey(struct progress *progress);
void progress_pass(struct progress *progress);

#endif
