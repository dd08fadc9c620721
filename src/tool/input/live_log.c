/* live_log.c — see live_log.h.
 *
 * All open logs share a loop, which runs while a verb waits for one of them. Bytes of the others
 * are buffered meanwhile: one piece in memory, the rest in an unnamed file.
 */
#include "tool/input/live_log.h"

#include "os/clock.h"
#include "read/file.h"
#include "read/input.h"
#include "read/spool.h"
#include "source/source.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/files/input_files.h"
#include "tool/files/sink.h"
#include "tool/input/end_condition.h"
#include "tool/input/logs.h"
#include "tool/input/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct live_log {
    struct live_log *next;
    struct live_log_options options;
    char *text;
    source *source; /* NULL: it has ended */
    bool begins;    /* LIVE_LOG_BEGIN is to be returned */
    bool wanted;    /* the verb waits for it */
    bool any;       /* bytes have arrived */
    uint8_t *piece; /* the next bytes to return: [at, end) */
    size_t at, end;
    spool spool;                         /* the bytes after them; fd -1: none yet */
    uint64_t taken;                      /* bytes taken from the spool */
    struct end_condition *end_condition; /* NULL: no limit */
    uv_timer_t due;                      /* for that */
    uv_timer_t duration;                 /* for that of the options */
    int timers;                          /* that are not closed */
    hectic_input *input;                 /* of the log; or NULL */
    int error;                           /* a UV_E… number; or 0 */
};

static struct live_log *logs; /* open logs; if any, there is a loop */
static uv_loop_t loop;
static struct signal_watch signals;
static uv_timer_t output_check; /* see check_output */
static int final_code = TOOL_OK;

void live_log_fail(int code)
{
    final_code = code;
}

int live_log_code(void)
{
    return final_code;
}

/* --- Kinds ----------------------------------------------------------------------------------- */

bool live_log_is(const char *text)
{
    return source_has_scheme(text);
}

bool live_log_may_be(const char *text)
{
    struct stat status;
    if (live_log_is(text)) return true;
    const int known = strcmp(text, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(text, &status);
    return known == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int live_log_refused(const char *text, const char *message)
{
    const bool is_usage = errno == 0 && !source_is_program(text);
    tool_message("%s", message);
    return is_usage ? TOOL_USAGE : TOOL_UNUSABLE;
}

/* --- Input ----------------------------------------------------------------------------------- */

static void stop(struct live_log *log)
{
    if (!log->source) return;
    uv_timer_stop(&log->due);
    uv_timer_stop(&log->duration);
    source_close(log->source);
    log->source = NULL;
}

/* What has arrived so far is used. */
static void cut(struct live_log *log, const char *why)
{
    tool_message("%s: %s: the log ends here", tool_log_name(log->text), why);
    final_code = TOOL_UNUSABLE;
    stop(log);
}

static void cut_by_error(struct live_log *log, const hectic_error *error)
{
    tool_log_error(log->text, error);
    cut(log, "what has arrived so far is used");
}

static bool append(struct live_log *log, const uint8_t *bytes, size_t length, hectic_error *error)
{
    if (log->spool.fd < 0 && !spool_open(&log->spool, tool_spool_limit(), error)) return false;
    return spool_write(&log->spool, bytes, length, error);
}

/* Reads the next piece of the spool. */
static void read_spool(struct live_log *log)
{
    const ssize_t length =
        file_pread(log->spool.fd, log->piece, SOURCE_PIECE_MAX, (off_t)log->taken);
    if (length <= 0) cut(log, strerror(length < 0 ? errno : EIO));
    log->at = 0;
    log->end = length > 0 ? (size_t)length : 0;
    log->taken = length > 0 ? log->taken + (uint64_t)length : log->spool.size;
}

static bool is_empty(const struct live_log *log)
{
    return log->at == log->end && log->taken == log->spool.size;
}

/* The input must not be an output, too. It may exist only now. */
static bool may_read(const struct live_log *log)
{
    struct stat status;
    return !source_stat(log->source, &status) || input_files_may_read(&status);
}

static void on_duration(uv_timer_t *timer)
{
    const struct live_log *log = timer->data;
    if (log->source) source_finish(log->source);
}

static void on_begin(void *user)
{
    enum { MS = 1000000 };
    struct live_log *log = user;
    log->begins = true;
    if (log->options.duration > 0 && !uv_is_active((uv_handle_t *)&log->duration))
        uv_timer_start(&log->duration, on_duration, (log->options.duration + MS - 1) / MS, 0);
    if (may_read(log)) return;
    final_code = TOOL_UNUSABLE;
    stop(log);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct live_log *log = user;
    hectic_error error;
    log->any = true;
    if (log->wanted) source_pause(log->source, true);
    if (is_empty(log)) {
        memcpy(log->piece, bytes, length);
        log->at = 0;
        log->end = length;
    } else if (!append(log, bytes, length, &error)) {
        cut_by_error(log, &error);
    }
}

/* A descriptor of this process, such as <(…): it cannot be reopened like a FIFO. */
static bool is_numbered(const char *text)
{
    return strcmp(text, "-") == 0 || strncmp(text, "/dev/", 5) == 0 ||
           strncmp(text, "/proc/", 6) == 0;
}

/* Why the last log waits that has said so; "": it does not. */
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static char waiting_text[512];

static void set_waiting(const char *text)
{
    pthread_mutex_lock(&waiting_lock);
    snprintf(waiting_text, sizeof waiting_text, "%s", text ? text : "");
    pthread_mutex_unlock(&waiting_lock);
}

bool live_log_waiting(char *text, size_t size)
{
    pthread_mutex_lock(&waiting_lock);
    snprintf(text, size, "%s", waiting_text);
    pthread_mutex_unlock(&waiting_lock);
    return *text;
}

static void on_waiting(void *user, const char *text)
{
    const struct live_log *log = user;
    set_waiting(text);
    if (text && !log->options.quiet && !is_numbered(log->text)) tool_message("%s", text);
}

static void on_end(void *user, int error)
{
    struct live_log *log = user;
    set_waiting(NULL);
    if (!error && !log->any && signals_have_arrived()) error = SOURCE_INTERRUPTED;
    if (error == SOURCE_NO_LOG || error == SOURCE_INTERRUPTED) {
        tool_message("%s: %s", tool_log_name(log->text), source_error_text(error));
        final_code = TOOL_UNUSABLE;
        error = SOURCE_NO_LOG; /* one that has been reported */
    }
    if (error && error != SOURCE_NO_LOG && (log->any || !log->input))
        cut(log, uv_strerror(error));
    else
        log->error = error;
    stop(log);
}

static void on_signal(void *user)
{
    (void)user;
    for (const struct live_log *log = logs; log; log = log->next)
        if (log->source) source_finish(log->source);
}

/* If nobody reads the output any more, the process ends now: without events, it would not write. */
static void check_output(uv_timer_t *timer)
{
    if (sink_has_reader()) return;
    uv_timer_stop(timer);
    raise(SIGPIPE);
}

static void watch_output(void)
{
    enum { CHECK_MS = 500 };
    uv_timer_init(&loop, &output_check);
    uv_timer_start(&output_check, check_output, CHECK_MS, CHECK_MS);
    uv_unref((uv_handle_t *)&output_check);
}

/* --- Limits ---------------------------------------------------------------------------------- */

static void on_due(uv_timer_t *timer)
{
    stop(timer->data);
}

/* NULL after a message: then the log has no limit. */
static struct end_condition *need_end_condition(struct live_log *log)
{
    if (!log->end_condition) log->end_condition = end_condition_new();
    if (!log->end_condition) tool_message("out of memory");
    return log->end_condition;
}

void live_log_until(struct live_log *log, uint64_t to)
{
    if (to != UINT64_MAX && need_end_condition(log)) end_condition_until(log->end_condition, to);
}

/* Nothing after the returned bytes is needed. */
static void end(struct live_log *log)
{
    stop(log);
    log->at = log->end;
    log->taken = log->spool.size;
}

/* Are these the last bytes that are needed? */
static bool is_enough(void *user, const void *bytes, size_t length)
{
    enum { MS = 1000000 };
    struct live_log *log = user;
    if (!log->end_condition) return false;
    const uint64_t now = clock_ns();
    if (end_condition_bytes(log->end_condition, bytes, length, now)) {
        if (end_condition_has_no_memory(log->end_condition)) cut(log, "out of memory");
        end(log);
        return true;
    }
    const uint64_t due = end_condition_due(log->end_condition);
    if (log->source && due != UINT64_MAX)
        uv_timer_start(&log->due, on_due, due > now ? (due - now) / MS + 1 : 0, 0);
    return false;
}

/* --- Waiting --------------------------------------------------------------------------------- */

static void resume_all(void)
{
    for (const struct live_log *log = logs; log; log = log->next)
        if (log->source) source_pause(log->source, false);
}

/* Waits until there are bytes to return, or the source has ended. */
static void wait_for(struct live_log *log)
{
    log->wanted = true;
    resume_all();
    for (uv_run_mode how = UV_RUN_NOWAIT; is_empty(log) && log->source && !log->begins;
         how = UV_RUN_ONCE) {
        if (how == UV_RUN_ONCE) sink_flush_all(); /* readers of the output need not wait, too */
        if (uv_run(&loop, how) == 0 && how == UV_RUN_ONCE) break;
    }
    log->wanted = false;
}

/* False: the log has ended. */
static bool fill(struct live_log *log)
{
    if (is_empty(log) && log->source) wait_for(log);
    if (log->at == log->end && log->taken < log->spool.size) read_spool(log);
    return log->at < log->end;
}

enum live_log_item live_log_next(struct live_log *log, const uint8_t **bytes, size_t *length)
{
    const bool more = fill(log);
    if (log->begins) {
        log->begins = false;
        return LIVE_LOG_BEGIN;
    }
    if (!more) return LIVE_LOG_END;
    *bytes = log->piece + log->at;
    *length = log->end - log->at;
    log->at = log->end;
    is_enough(log, *bytes, *length);
    return LIVE_LOG_BYTES;
}

/* --- Opening and closing --------------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *handle)
{
    struct live_log *log = handle->data;
    if (--log->timers > 0) return;
    end_condition_free(log->end_condition);
    if (log->spool.fd >= 0) close(log->spool.fd);
    free(log->piece);
    free(log->text);
    free(log);
}

void live_log_close(struct live_log *log)
{
    struct live_log **place = &logs;
    while (*place != log)
        place = &(*place)->next;
    *place = log->next;
    stop(log);
    uv_close((uv_handle_t *)&log->due, on_timer_closed);
    uv_close((uv_handle_t *)&log->duration, on_timer_closed);
    if (logs) return;
    signal_watch_close(&signals);
    uv_close((uv_handle_t *)&output_check, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* Adds it to the list. NULL after a message. */
static struct live_log *new_log(const char *text, const struct live_log_options *options)
{
    struct live_log *log = calloc(1, sizeof *log);
    stderr_buffer_begin();
    signals_end_input();
    if (log) {
        *log =
            (struct live_log){.options = *options, .spool = {.fd = -1}, .timers = 2, .next = logs};
        log->text = strdup(text);
        log->piece = malloc(SOURCE_PIECE_MAX);
    }
    int error = UV_ENOMEM;
    if (!log || !log->text || !log->piece || (!logs && (error = loop_open(&loop)) != 0)) {
        tool_message("%s: %s", text, uv_strerror(error));
        if (log) free(log->piece);
        if (log) free(log->text);
        free(log);
        return NULL;
    }
    if (!logs) signal_watch_start(&signals, &loop, on_signal, NULL);
    if (!logs) watch_output();
    uv_timer_init(&loop, &log->due);
    uv_timer_init(&loop, &log->duration);
    log->due.data = log->duration.data = log;
    return logs = log;
}

static source *open_source(struct live_log *log, char *message, size_t size)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end};
    const uint64_t wait = tool_live_wait() ? tool_live_wait() : log->options.wait;
    const struct source_options options = {.once = !log->options.follow,
                                           .wait = wait,
                                           .name = strcmp(log->text, "-") ? log->text : NULL};
    char number[32];
    if (strcmp(log->text, "-") == 0 || !is_numbered(log->text) || log->options.follow)
        return source_open(&loop, log->text, &options, &calls, log, message, size);
    const int fd = open(log->text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(message, size, "%s: %s", log->text, strerror(errno));
        return NULL;
    }
    snprintf(number, sizeof number, "fd:%d", fd);
    source *opened = source_open(&loop, number, &options, &calls, log, message, size);
    const int error = errno;
    close(fd); /* the source has a duplicate */
    errno = error;
    return opened;
}

/* The token file is an input, too. */
static bool may_read_token(const char *text)
{
    static const char option[] = ",token-file=";
    struct stat status;
    const char *path = strncmp(text, "tcp:", 4) == 0 ? strstr(text, option) : NULL;
    return !path || stat(path + sizeof option - 1, &status) != 0 || input_files_may_read(&status);
}

/* A live log cannot be read again: an output that exists is refused before the source starts. */
static bool may_write_output(void)
{
    return !tool_output() || sink_may_replace(tool_output());
}

struct live_log *live_log_open(const char *text, const struct live_log_options *options, int *code)
{
    char message[512];
    *code = TOOL_USAGE;
    if (!live_log_is(text) && logs_refuse_program_at(text)) return NULL;
    *code = TOOL_UNUSABLE;
    struct live_log *log = new_log(text, options);
    if (!log) return NULL;
    if (options->ends_at_end_marker && !need_end_condition(log)) {
        live_log_close(log);
        return NULL;
    }
    if (options->ends_at_end_marker) end_condition_ends_at_end_marker(log->end_condition);
    log->source = open_source(log, message, sizeof message);
    if (!log->source)
        final_code = *code = live_log_refused(text, message);
    else if (*message)
        tool_message("%s", message);
    if (log->source && may_read(log) && may_read_token(text) && may_write_output()) {
        if (signals_have_arrived()) source_finish(log->source);
        *code = TOOL_OK;
        return log;
    }
    live_log_close(log);
    return NULL;
}

/* --- As an input ----------------------------------------------------------------------------- */

static ptrdiff_t read_input(void *user, void *buffer, size_t size, hectic_error *error)
{
    struct live_log *log = user;
    log->begins = false; /* there is only one */
    if (fill(log)) {
        const size_t length = log->end - log->at < size ? log->end - log->at : size;
        memcpy(buffer, log->piece + log->at, length);
        log->at += length;
        return (ptrdiff_t)length;
    }
    if (log->any || !(log->error || live_log_is(log->text) || signals_have_arrived())) return 0;
    *error = log->error ? (hectic_error){.kind = HECTIC_IO, .number = (uint64_t)-log->error}
                        : (hectic_error){.kind = HECTIC_HEADER_TRUNCATED};
    return -1;
}

static bool cut_input(void *user, const hectic_error *error)
{
    cut_by_error(user, error);
    return true;
}

static void close_input(void *user)
{
    live_log_close(user);
}

hectic_input *live_log_input(struct live_log *log)
{
    const hectic_reader reader = {log, read_input, cut_input, close_input};
    log->input = hectic_input_from_reader(&reader);
    if (log->input) {
        input_until(log->input, is_enough, log);
        return log->input;
    }
    tool_message("out of memory");
    live_log_close(log);
    return NULL;
}

static struct live_log *log_of(const hectic_input *input)
{
    struct live_log *log = logs;
    while (log && log->input != input)
        log = log->next;
    return log;
}

void live_input_until(const hectic_input *input, uint64_t to)
{
    struct live_log *log = log_of(input);
    if (log) live_log_until(log, to);
}

void live_input_until_marker(const hectic_input *input, const char *name)
{
    struct live_log *log = log_of(input);
    if (log && need_end_condition(log)) end_condition_until_marker(log->end_condition, name);
}

void live_input_limit(const hectic_input *input, const struct filter_settings *filter)
{
    struct live_log *log = log_of(input);
    if (log && filter->limit > 0 && need_end_condition(log))
        end_condition_limit(log->end_condition, filter);
}

void live_input_end(const hectic_input *input)
{
    struct live_log *log = log_of(input);
    if (log) end(log);
}

bool live_log_is_live(const char *source, bool follow)
{
    struct stat status;
    if (follow || source_has_scheme(source)) return true;
    const int known =
        strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(source, &status);
    return known == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}
