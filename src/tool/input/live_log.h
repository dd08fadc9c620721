/* live_log.h — a log that is still being written, which a verb takes piece by piece, or has as an
 * input like any other. Logs that are open at the same time are read at the same time. Signals end
 * them (see signals.h), and so do limits.
 */
#ifndef HECTIC_LIVE_LOG_H
#define HECTIC_LIVE_LOG_H

#include "tool/cli/tool.h"

struct live_log;

struct live_log_options {
    bool follow;             /* another log may follow the first, and a file may grow */
    bool quiet;              /* it is not said what is waited for */
    bool ends_at_end_marker; /* nothing after the first log is read */
    uint64_t duration;       /* ns from its beginning, after which its input ends; 0: no limit */
};

/* Is it unix:PATH, tcp:HOST:PORT or the like, and not just a path? */
bool live_log_is(const char *text);

/* Is it that, or something else that may still be written: a pipe, a FIFO, a socket? */
bool live_log_may_be(const char *text);

/* Says why source_open has refused a text, with errno as it left it. Returns the exit code: what
 * the system refused, or a program that cannot be watched, is no fault of usage. */
int live_log_refused(const char *text, const char *message);

/* NULL after a message, with *code set to the exit code. */
struct live_log *live_log_open(const char *text, const struct live_log_options *options, int *code);

/* Waits for the next item. Bytes are valid up to the next call. */
enum live_log_item { LIVE_LOG_BEGIN, LIVE_LOG_BYTES, LIVE_LOG_END };
enum live_log_item live_log_next(struct live_log *log, const uint8_t **bytes, size_t *length);

/* The log ends when it has come to that time: see reach.h. */
void live_log_until(struct live_log *log, uint64_t to);

/* Waits for a program that was started, if it is the last. */
void live_log_close(struct live_log *log);

/* The log as an input, which closes it when it is freed. NULL after a message; then it is closed.
 */
hectic_input *live_log_input(struct live_log *log);

/* Of an input that is such a log, before it is read; without effect on others. It ends when it has
 * come to a time, to a marker, to as many events as the filter is limited to; or now. */
void live_input_until(const hectic_input *input, uint64_t to);
void live_input_until_marker(const hectic_input *input, const char *name);
void live_input_limit(const hectic_input *input, const struct filter_settings *filter);
void live_input_end(const hectic_input *input);

/* The exit code of the process, unless it is TOOL_OK: then the verb's code counts. TOOL_USAGE:
 * there is no such source, or it is a program; TOOL_UNUSABLE: a log ended because it could not be
 * read or stored any further. */
int live_log_code(void);
void live_log_fail(int code); /* sets it */

#endif
