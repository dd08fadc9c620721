/* live_log.h — a log that is still being written, read piece by piece or as a hectic_input. Open
 * logs are read concurrently. Signals (see signals.h) and limits end them.
 */
#ifndef HECTIC_LIVE_LOG_H
#define HECTIC_LIVE_LOG_H

#include "tool/cli/options.h"

struct live_log;

struct live_log_options {
    bool follow;             /* another log may follow the first, and a file may grow */
    bool quiet;              /* no messages about waiting */
    bool ends_at_end_marker; /* nothing after the first log is read */
    uint64_t wait;           /* ns, at most, until it begins, unless --wait is given; 0: no limit */
    uint64_t duration;       /* ns from its beginning, after which its input ends; 0: no limit */
};

/* Has it a scheme, such as unix:PATH or tcp:HOST:PORT? */
bool live_log_is(const char *text);

/* The same, or is it a pipe, a FIFO or a socket? */
bool live_log_may_be(const char *text);

/* Reports why source_open failed, with its errno. Returns the exit code: TOOL_UNUSABLE if the
 * system refused, or the program cannot be watched. */
int live_log_refused(const char *text, const char *message);

/* NULL after a message, with *code set to the exit code. */
struct live_log *live_log_open(const char *text, const struct live_log_options *options, int *code);

/* Waits for the next item. Bytes are valid until the next call. */
enum live_log_item { LIVE_LOG_BEGIN, LIVE_LOG_BYTES, LIVE_LOG_END };
enum live_log_item live_log_next(struct live_log *log, const uint8_t **bytes, size_t *length);

/* Ends the log when it has reached that time: see end_condition.h. */
void live_log_until(struct live_log *log, uint64_t to);

/* The last report of a log why it waits; false: none waits. Any thread may call it. */
bool live_log_waiting(char *text, size_t size);

/* If it is the last one, waits for a program that was started. */
void live_log_close(struct live_log *log);

/* The log as an input, which closes the log when it is freed. NULL after a message; then the log is
 * closed. */
hectic_input *live_log_input(struct live_log *log);

/* For an input that is such a log, before it is read; other inputs are not affected. The log ends
 * at a time, at a marker, at the limit of a filter, or now. */
void live_input_until(const hectic_input *input, uint64_t to);
void live_input_until_marker(const hectic_input *input, const char *name);
void live_input_limit(const hectic_input *input, const struct filter_settings *filter);
void live_input_end(const hectic_input *input);

/* The exit code of the process, unless it is TOOL_OK: then the verb's code counts. TOOL_USAGE:
 * there is no such source, or it is a program; TOOL_UNUSABLE: a log ended because it could not be
 * read or stored any further. */
int live_log_code(void);
void live_log_fail(int code); /* sets it */

/* Is it a live source, or a finished file? */
bool live_log_is_live(const char *source, bool follow);

#endif
