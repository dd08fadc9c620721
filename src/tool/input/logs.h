/* logs.h — opens logs, and reports what is wrong with them. */
#ifndef HECTIC_LOGS_H
#define HECTIC_LOGS_H

#include "tool/cli/options.h"

/* A progress bar on stderr, if that is a terminal and the work takes long. It ends when output is
 * written to a terminal. */
struct progress {
    bool wanted, shown;
    uint64_t start, drawn; /* ns */
    double begin, share;   /* of the whole work: what updates are about; 0 and 0: all of it */
    uint64_t steps;        /* of a pass */
};
struct progress progress_start(const struct output_settings *settings);
void progress_update(void *progress, double done); /* for hectic_log_options */
void progress_end(struct progress *progress);
void progress_hide(void); /* the one that is shown */

/* A log is surveyed, the first half of the work; then all its events are read: a step for each. */
void progress_survey(struct progress *progress);
void progress_pass(struct progress *progress);
static inline void progress_step(struct progress *progress, uint64_t steps)
{
    if (progress->wanted && ++progress->steps % 65536 == 0)
        progress_update(progress, (double)progress->steps / (double)(steps + 1));
}

/* Opens LOG: a path, "-" for standard input, or a live source such as unix:PATH (live_log.h). NULL
 * after a message. */
hectic_input *tool_input_open(const char *path);

/* Opens a log on `input`, which it owns from now on, and makes the first pass. NULL after a
 * message.
 */
hectic_log *tool_log_open(hectic_input *input, const char *path, uint64_t from, uint64_t to,
                          struct progress *progress);

/* The same, for an interval: see interval_from in hectic/log.h. */
hectic_log *tool_log_open_interval(hectic_input *input, const char *path, uint64_t from,
                                   uint64_t to, struct progress *progress);

/* Reports damage, a truncated end, and the error with which reading ended. Returns the exit code.
 */
int tool_log_report(const hectic_log *log, const char *path, hectic_result last,
                    const struct output_settings *settings);

/* Why a log may have no end marker; `is_cut_off`: its compressed data end early. */
const char *tool_end_missing(bool is_cut_off);

/* Reports that a log has no end marker, if stderr is a terminal or with --verbose. */
void tool_note_unfinished(const char *path, const struct output_settings *settings, bool is_cut_off,
                          uint64_t tail);

/* Is it a regular file, which can be opened again? */
bool tool_input_is_file(const char *path);

/* Reports which part before `to` of sections without an end marker does not count, because events
 * of other caps are missing. */
void tool_note_coverage(const hectic_log *log, const char *path, uint64_t to,
                        const struct output_settings *settings);

/* Reports that the input has ended without a whole header. */
void tool_report_no_header(const char *path, const hectic_decoder *decoder);

/* Is the error damage in compressed data after the header? Then the log is used up to there. */
bool tool_is_early_end(const hectic_error *error, const hectic_header *header);

/* Is the file at `path` a program instead of a log (ELF, or a script with #!)? Then prints a
 * message that names hectic run, and the process exits with TOOL_USAGE. */
bool logs_refuse_program_at(const char *path);

/* Reports damage that was skipped: "hectic: LOG: byte 123: …; skipped 5 bytes". */
void logs_report_damage(const char *path, const hectic_damage *damage);

/* Raises the number of files that may be open as far as is allowed: for verbs with many. */
void tool_raise_descriptor_limit(void);

#endif
