/* living_log.c — see living_log.h. */
#include "living_log.h"

#include "diagnostics.h"
#include "endings.h"
#include "live/source.h"

#include <signal.h>

struct living_log {
    source *source; /* NULL: it is over */
    struct endings endings;
    const struct living_log_calls *calls;
    void *user;
    bool quiet;
    int code;
    int ended_by; /* a signal, which ends the command as well */
};

bool living_log_is(const char *text)
{
    return source_has_scheme(text);
}

int living_log_refused(const char *text)
{
    return source_is_program(text) ? TOOL_UNUSABLE : TOOL_USAGE;
}

static void stop(struct living_log *log)
{
    source_close(log->source);
    log->source = NULL;
    endings_close(&log->endings);
}

/* A source may have something to end, too: so it is closed in any case. */
static void on_signal(uv_signal_t *handle, int number)
{
    struct living_log *log = handle->data;
    const bool answers = number == SIGINT && log->calls->interrupts;
    if (answers && source_interrupt(log->source)) return;
    if (!answers) log->ended_by = number;
    stop(log);
}

static void on_begin(void *user)
{
    struct living_log *log = user;
    log->code = log->calls->begin(log->user);
    if (log->code != TOOL_OK) stop(log);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct living_log *log = user;
    log->code = log->calls->bytes(log->user, bytes, length);
    if (log->code != TOOL_OK || (log->calls->is_over && log->calls->is_over(log->user))) stop(log);
}

static void on_waiting(void *user, const char *text)
{
    const struct living_log *log = user;
    if (text && !log->quiet) tool_complain("%s", text);
}

static void on_end(void *user, int error)
{
    struct living_log *log = user;
    if (error) {
        tool_complain("%s: %s", source_name(log->source), uv_strerror(error));
        log->code = TOOL_UNUSABLE;
    }
    stop(log);
}

int living_log_read(const char *text, bool follow, bool quiet, const struct living_log_calls *calls,
                    void *user)
{
    static const struct source_calls own = {on_begin, on_bytes, on_waiting, on_end};
    struct living_log log = {.calls = calls, .user = user, .quiet = quiet};
    char message[512];
    uv_loop_t loop;
    diagnostics_begin();
    const int error = uv_loop_init(&loop);
    if (error) {
        tool_complain("%s", uv_strerror(error));
        return TOOL_UNUSABLE;
    }
    endings_start(&log.endings, &loop, on_signal, &log);
    log.source = source_open(&loop, text, &(struct source_options){.once = !follow}, &own, &log,
                             message, sizeof message);
    if (!log.source) {
        log.code = living_log_refused(text);
        tool_complain("%s", message);
        stop(&log);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    if (log.ended_by) diagnostics_end();
    if (log.ended_by) raise(log.ended_by);
    return log.code;
}
