/* living_log.c — see living_log.h.
 *
 * All that are open share a loop. It runs while one of them is waited for. What comes of the others
 * meanwhile is kept: a piece in memory, the rest in a file without a name.
 */
#include "living_log.h"

#include "diagnostics.h"
#include "inputs.h"
#include "live/source.h"
#include "loop.h"
#include "reach.h"
#include "read/file.h"
#include "read/spool.h"
#include "signals.h"
#include "watching.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct living_log {
    struct living_log *next;
    struct living_log_options options;
    char *text;
    source *source; /* NULL: nothing more comes */
    bool begins;    /* a log, which has not been said yet */
    bool wanted;    /* it is waited for */
    bool any;       /* bytes have come */
    uint8_t *piece; /* what is given out next: [at, end) */
    size_t at, end;
    spool spool;         /* what comes after that; fd -1: none yet */
    uint64_t taken;      /* of it */
    struct reach *reach; /* NULL: only its own end ends it */
    uv_timer_t due;      /* for that */
    hectic_input *input; /* that it is read by; or NULL */
    int error;           /* a UV_E… number: why nothing came of it */
};

static struct living_log *logs; /* that are open; then there is a loop */
static uv_loop_t loop;
static struct signal_watch signals;
static int final_code = TOOL_OK;

int living_log_code(void)
{
    return final_code;
}

/* --- What it is ------------------------------------------------------------------------------ */

bool living_log_is(const char *text)
{
    return source_has_scheme(text);
}

bool living_log_may_be(const char *text)
{
    struct stat status;
    if (living_log_is(text)) return true;
    const int known = strcmp(text, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(text, &status);
    return known == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int living_log_refused(const char *text, const char *message)
{
    const bool is_usage = errno == 0 && !source_is_program(text);
    tool_complain("%s", message);
    return is_usage ? TOOL_USAGE : TOOL_UNUSABLE;
}

/* --- What comes ------------------------------------------------------------------------------ */

static void stop(struct living_log *log)
{
    if (!log->source) return;
    uv_timer_stop(&log->due);
    source_close(log->source);
    log->source = NULL;
}

/* What has come so far is used. */
static void cut(struct living_log *log, const char *why)
{
    tool_complain("%s: %s: the log ends here", tool_log_name(log->text), why);
    final_code = TOOL_UNUSABLE;
    stop(log);
}

static void cut_by_error(struct living_log *log, const hectic_error *error)
{
    tool_complain_error(log->text, error);
    cut(log, "what has come so far is used");
}

static bool append(struct living_log *log, const uint8_t *bytes, size_t length, hectic_error *error)
{
    if (log->spool.fd < 0 && !spool_open(&log->spool, tool_spool_limit(), error)) return false;
    return spool_write(&log->spool, bytes, length, error);
}

/* The next piece of what was kept. */
static void take_back(struct living_log *log)
{
    const ssize_t length =
        file_pread(log->spool.fd, log->piece, SOURCE_PIECE_MOST, (off_t)log->taken);
    if (length <= 0) cut(log, strerror(length < 0 ? errno : EIO));
    log->at = 0;
    log->end = length > 0 ? (size_t)length : 0;
    log->taken = length > 0 ? log->taken + (uint64_t)length : log->spool.size;
}

static bool is_empty(const struct living_log *log)
{
    return log->at == log->end && log->taken == log->spool.size;
}

/* What is read is not to be written to: it may be there only now. */
static bool may_read(const struct living_log *log)
{
    struct stat status;
    return !source_stat(log->source, &status) || inputs_may_read(&status);
}

static void on_begin(void *user)
{
    struct living_log *log = user;
    log->begins = true;
    if (may_read(log)) return;
    final_code = TOOL_UNUSABLE;
    stop(log);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct living_log *log = user;
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

/* A pipe that has a number here, as of <(…): it cannot be waited for again like a FIFO. */
static bool is_numbered(const char *text)
{
    return strcmp(text, "-") == 0 || strncmp(text, "/dev/", 5) == 0 ||
           strncmp(text, "/proc/", 6) == 0;
}

static void on_waiting(void *user, const char *text)
{
    const struct living_log *log = user;
    if (text && !log->options.quiet && !is_numbered(log->text)) tool_complain("%s", text);
}

static void on_end(void *user, int error)
{
    struct living_log *log = user;
    if (error && (log->any || !log->input))
        cut(log, uv_strerror(error));
    else
        log->error = error;
    stop(log);
}

static void on_signal(void *user)
{
    (void)user;
    for (const struct living_log *log = logs; log; log = log->next)
        if (log->source) source_finish(log->source);
}

/* --- Limits ---------------------------------------------------------------------------------- */

static void on_due(uv_timer_t *timer)
{
    stop(timer->data);
}

/* NULL after a message: then the log goes on. */
static struct reach *want_reach(struct living_log *log)
{
    if (!log->reach) log->reach = reach_new();
    if (!log->reach) tool_complain("out of memory");
    return log->reach;
}

void living_log_until(struct living_log *log, uint64_t to)
{
    if (to != UINT64_MAX && want_reach(log)) reach_until(log->reach, to);
}

/* Nothing behind what has been given out is wanted. */
static void end(struct living_log *log)
{
    stop(log);
    log->at = log->end;
    log->taken = log->spool.size;
}

/* Is what is given out now the last? */
static bool is_enough(void *user, const void *bytes, size_t length)
{
    enum { MS = 1000000 };
    struct living_log *log = user;
    if (!log->reach) return false;
    const uint64_t now = watching_now();
    if (reach_bytes(log->reach, bytes, length, now)) {
        if (reach_has_no_memory(log->reach)) cut(log, "out of memory");
        end(log);
        return true;
    }
    const uint64_t due = reach_due(log->reach);
    if (log->source && due != UINT64_MAX)
        uv_timer_start(&log->due, on_due, due > now ? (due - now) / MS + 1 : 0, 0);
    return false;
}

/* --- Waiting --------------------------------------------------------------------------------- */

static void resume_all(void)
{
    for (const struct living_log *log = logs; log; log = log->next)
        if (log->source) source_pause(log->source, false);
}

/* Until there is something to give out, or nothing comes any more. */
static void wait_for(struct living_log *log)
{
    log->wanted = true;
    resume_all();
    for (uv_run_mode how = UV_RUN_NOWAIT; is_empty(log) && log->source && !log->begins;
         how = UV_RUN_ONCE) {
        if (how == UV_RUN_ONCE) sink_flush_all(); /* whoever reads our output need not wait, too */
        if (uv_run(&loop, how) == 0 && how == UV_RUN_ONCE) break;
    }
    log->wanted = false;
}

/* Has bytes between `at` and `end`; false: it is over. */
static bool fill(struct living_log *log)
{
    if (is_empty(log) && log->source) wait_for(log);
    if (log->at == log->end && log->taken < log->spool.size) take_back(log);
    return log->at < log->end;
}

enum living_item living_log_next(struct living_log *log, const uint8_t **bytes, size_t *length)
{
    const bool more = fill(log);
    if (log->begins) {
        log->begins = false;
        return LIVING_BEGIN;
    }
    if (!more) return LIVING_END;
    *bytes = log->piece + log->at;
    *length = log->end - log->at;
    log->at = log->end;
    is_enough(log, *bytes, *length);
    return LIVING_BYTES;
}

/* --- Opened and closed ----------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct living_log *log = handle->data;
    reach_free(log->reach);
    if (log->spool.fd >= 0) close(log->spool.fd);
    free(log->piece);
    free(log->text);
    free(log);
}

void living_log_close(struct living_log *log)
{
    struct living_log **place = &logs;
    while (*place != log)
        place = &(*place)->next;
    *place = log->next;
    stop(log);
    uv_close((uv_handle_t *)&log->due, on_closed);
    if (logs) return;
    signal_watch_close(&signals);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* In the list, and with a loop; NULL after a message. */
static struct living_log *new_log(const char *text, const struct living_log_options *options)
{
    struct living_log *log = calloc(1, sizeof *log);
    diagnostics_begin();
    signals_end_input();
    if (log) {
        *log = (struct living_log){.options = *options, .spool = {.fd = -1}, .next = logs};
        log->text = strdup(text);
        log->piece = malloc(SOURCE_PIECE_MOST);
    }
    int error = UV_ENOMEM;
    if (!log || !log->text || !log->piece || (!logs && (error = loop_open(&loop)) != 0)) {
        tool_complain("%s: %s", text, uv_strerror(error));
        if (log) free(log->piece);
        if (log) free(log->text);
        free(log);
        return NULL;
    }
    if (!logs) signal_watch_start(&signals, &loop, on_signal, NULL);
    uv_timer_init(&loop, &log->due);
    log->due.data = log;
    return logs = log;
}

static source *open_source(struct living_log *log, char *message, size_t size)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end};
    const struct source_options options = {.once = !log->options.follow,
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
    close(fd); /* the source has its own */
    errno = error;
    return opened;
}

/* The file that holds the token is read, too. */
static bool may_read_token(const char *text)
{
    static const char option[] = ",token-file=";
    struct stat status;
    const char *path = strncmp(text, "tcp:", 4) == 0 ? strstr(text, option) : NULL;
    return !path || stat(path + sizeof option - 1, &status) != 0 || inputs_may_read(&status);
}

struct living_log *living_log_open(const char *text, const struct living_log_options *options,
                                   int *code)
{
    char message[512];
    struct living_log *log = new_log(text, options);
    *code = TOOL_UNUSABLE;
    if (!log) return NULL;
    if (options->ends_at_end_marker && !want_reach(log)) {
        living_log_close(log);
        return NULL;
    }
    if (options->ends_at_end_marker) reach_ends_at_end_marker(log->reach);
    log->source = open_source(log, message, sizeof message);
    if (!log->source)
        final_code = *code = living_log_refused(text, message);
    else if (*message)
        tool_complain("%s", message);
    if (log->source && may_read(log) && may_read_token(text)) {
        if (signals_have_come()) source_finish(log->source);
        *code = TOOL_OK;
        return log;
    }
    living_log_close(log);
    return NULL;
}

/* --- As an input ----------------------------------------------------------------------------- */

static ptrdiff_t read_input(void *user, void *buffer, size_t size, hectic_error *error)
{
    struct living_log *log = user;
    log->begins = false; /* there is but one */
    if (fill(log)) {
        const size_t length = log->end - log->at < size ? log->end - log->at : size;
        memcpy(buffer, log->piece + log->at, length);
        log->at += length;
        return (ptrdiff_t)length;
    }
    if (log->any || !(living_log_is(log->text) || signals_have_come())) return 0;
    *error = log->error ? (hectic_error){.kind = HECTIC_IO, .number = (uint64_t)-log->error}
                        : (hectic_error){.kind = HECTIC_HEADER_CUT};
    return -1;
}

static bool cut_input(void *user, const hectic_error *error)
{
    cut_by_error(user, error);
    return true;
}

static void close_input(void *user)
{
    living_log_close(user);
}

hectic_input *living_log_input(struct living_log *log)
{
    const hectic_reader reader = {log, read_input, cut_input, close_input};
    log->input = hectic_input_from_reader(&reader);
    if (log->input) {
        hectic_input_until(log->input, is_enough, log);
        return log->input;
    }
    tool_complain("out of memory");
    living_log_close(log);
    return NULL;
}

static struct living_log *log_of(const hectic_input *input)
{
    struct living_log *log = logs;
    while (log && log->input != input)
        log = log->next;
    return log;
}

void living_input_until(const hectic_input *input, uint64_t to)
{
    struct living_log *log = log_of(input);
    if (log) living_log_until(log, to);
}

void living_input_until_marker(const hectic_input *input, const char *name)
{
    struct living_log *log = log_of(input);
    if (log && want_reach(log)) reach_until_marker(log->reach, name);
}

void living_input_limit(const hectic_input *input, const struct filter_settings *filter)
{
    struct living_log *log = log_of(input);
    if (log && filter->limit > 0 && want_reach(log)) reach_limit(log->reach, filter);
}

void living_input_end(const hectic_input *input)
{
    struct living_log *log = log_of(input);
    if (log) end(log);
}
