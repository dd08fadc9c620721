/* logs.h — opens logs, and reports what is wrong with them. */
#ifndef HECTIC_LOGS_H
#define HECTIC_LOGS_H

#include "tool/cli/options.h"
#include "tool/cli/progress.h"

/* Opens LOG: a path, "-" for standard input, or a live source such as unix:PATH (live_log.h). NULL
 * after a message. */
hectic_input *tool_input_open(const char *path);

/* From now on, tool_input_open returns redacted inputs (redaction.h). */
struct redaction;
void tool_input_redact(struct redaction *redaction);

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

/* Reports "the log has no WHAT (NEED)"; if it was cut, that it may have lost them. */
void logs_report_none(const char *path, bool is_cut, const char *what, const char *need);

/* Is the error damage in compressed data after the header? Then the log is used up to there. */
bool tool_is_early_end(const hectic_error *error, const hectic_header *header);

/* Is the file at `path` a program instead of a log (ELF, or a script with #!)? Then prints a
 * message that names hectic run, and the process exits with TOOL_USAGE. */
bool logs_refuse_program_at(const char *path);

/* Reports damage that was skipped: "hectic: LOG: byte 123: …; skipped 5 bytes". */
void logs_report_damage(const char *path, const hectic_damage *damage);

/* Damaged places that are reported when they are met: of very many, only the first ones. */
struct losses {
    const char *path;
    bool is_verbose; /* all of them */
    uint64_t places; /* so far */
};
bool logs_shows_loss(struct losses *losses);                      /* counts a place */
void logs_report_lost(void *losses, const hectic_damage *damage); /* a hectic_lost_callback */
void logs_report_more_lost(const struct losses *losses);          /* that were not reported */

/* "and 3 more such places": those of `places` beyond the first ones that were shown. */
void logs_report_more(const char *path, uint64_t places, uint64_t shown);

/* Events of caps that belong to no process, or to one after the first `processes`. 0: nothing. */
void logs_report_left_out(const char *path, uint64_t events, unsigned processes);

/* Raises the number of files that may be open as far as is allowed: for verbs with many. */
void tool_raise_descriptor_limit(void);

#endif
