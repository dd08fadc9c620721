/* view.c — hectic view: a page that shows a log, served to a browser on this host. */
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/files/sink.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"
#include "tool/input/loop.h"
#include "tool/verbs/view/arriving.h"
#include "tool/verbs/view/report.h"
#include "tool/verbs/view/server.h"
#include "tool/verbs/view/threads.h"

#include "view/engine/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AGAIN_MS = 50 };

struct view_settings {
    uint64_t port;
    bool no_browser;
    struct report_settings report;
};

struct viewed {
    const char *path;
    struct arriving *bytes;
    bool has_failed; /* the rest is not read */
};

struct view {
    const struct view_settings *settings;
    struct viewed log[VIEW_LOGS];
    size_t logs;
    struct view_server *server;
    uv_loop_t loop;
    uv_timer_t timer;
    struct signal_watch signals;
    int code; /* of what was read */
};

/* --- Reading --------------------------------------------------------------------------------- */

static void end(struct view *view)
{
    signal_watch_close(&view->signals);
    if (!uv_is_closing((uv_handle_t *)&view->timer)) uv_close((uv_handle_t *)&view->timer, NULL);
}

static void on_signal(void *user)
{
    end(user);
}

/* Has a pipe or live source ended without a log? Then there is nothing to show. */
static bool end_without_log(struct view *view, size_t number)
{
    if (!arriving_has_ended(view->log[number].bytes)) return false;
    if (view_server_has_log(view->server, number)) return false;
    view->code = TOOL_UNUSABLE;
    end(view);
    return true;
}

/* Reads a part of a log. What was read stays visible if reading fails later. Returns after how many
 * ms the next part is to be read; UINT64_MAX: there is none. */
static uint64_t read_part(struct view *view, size_t number)
{
    struct viewed *log = &view->log[number];
    if (log->has_failed) return UINT64_MAX;
    if (view_server_is_asked(view->server, number)) return 1;
    switch (view_server_read(view->server, number, log->path)) {
    case HECTIC_VIEW_MORE: return 0;
    case HECTIC_VIEW_END: return end_without_log(view, number) ? UINT64_MAX : AGAIN_MS;
    case HECTIC_VIEW_FAILED:
        if (end_without_log(view, number)) return UINT64_MAX;
    }
    view->code = TOOL_DAMAGED;
    log->has_failed = true;
    arriving_drop(log->bytes);
    tool_message("%s: the rest is not read; the page shows what was read before",
                 tool_log_name(log->path));
    return UINT64_MAX;
}

static void on_timer(uv_timer_t *timer)
{
    struct view *view = timer->data;
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < view->logs; i++) {
        const uint64_t ms = read_part(view, i);
        if (ms < next) next = ms;
    }
    if (next < UINT64_MAX && !uv_is_closing((uv_handle_t *)timer))
        uv_timer_start(timer, on_timer, next, 0);
}

/* --- The verb -------------------------------------------------------------------------------- */

/* Serves until a signal. Returns the exit code. */
static int serve(struct view *view, const char *address)
{
    /* Not through a sink: reading live input in another thread would flush it. */
    if (printf("%s\n", address) < 0 || fflush(stdout) != 0) {
        tool_message("standard output: %s", strerror(errno));
        return TOOL_UNUSABLE;
    }
    if (!view->settings->no_browser) view_server_open_browser(view->server);
    uv_timer_init(&view->loop, &view->timer);
    view->timer.data = view;
    uv_timer_start(&view->timer, on_timer, 0, 0);
    signal_watch_start(&view->signals, &view->loop, on_signal, view);
    uv_run(&view->loop, UV_RUN_DEFAULT);
    return TOOL_OK;
}

static int open_and_serve(struct view *view)
{
    char address[SERVER_ADDRESS];
    if (!view_server_start(view->server, (uint16_t)view->settings->port, address))
        return TOOL_UNUSABLE;
    const int code = serve(view, address);
    return code == TOOL_OK ? view->code : code;
}

static bool waits(void *user, char *text, size_t size)
{
    (void)user;
    return live_log_waiting(text, size);
}

static bool is_file(const char *path)
{
    return strcmp(path, "-") != 0 && !live_log_is_live(path, false);
}

static hectic_view_source source_of(const struct viewed *log)
{
    return (hectic_view_source){
        .user = log->bytes,
        .name = is_file(log->path) ? log->path : NULL,
        .size = arriving_size(log->bytes),
        .grows = arriving_grows,
        .read = arriving_read,
        .waits = waits,
        .run = threads_run,
        .threads = threads_count(),
    };
}

/* Are the inputs logs? */
static bool read_first(struct view *view)
{
    for (size_t i = 0; i < view->logs; i++)
        if (view_server_read(view->server, i, view->log[i].path) == HECTIC_VIEW_FAILED)
            return false;
    return true;
}

static int view_bytes(struct view *view)
{
    hectic_view_source source[VIEW_LOGS];
    for (size_t i = 0; i < view->logs; i++)
        source[i] = source_of(&view->log[i]);
    view->server = view_server_new(source, view->logs);
    if (!view->server) return TOOL_UNUSABLE;
    const int error = loop_open(&view->loop);
    int code = TOOL_UNUSABLE;
    if (error)
        tool_message("%s", uv_strerror(error));
    else if (read_first(view))
        code = open_and_serve(view);
    if (!error) uv_loop_close(&view->loop);
    view_server_free(view->server);
    return code;
}

static bool open_logs(struct view *view, char **paths)
{
    for (size_t i = 0; i < view->logs; i++) {
        hectic_input *input = tool_input_open(paths[i]);
        view->log[i].path = paths[i];
        view->log[i].bytes = input ? arriving_open(input, paths[i], tool_spool_limit()) : NULL;
        if (!view->log[i].bytes) return false;
    }
    return true;
}

/* False after a message. */
static bool may_be_two(const struct view *view, char **paths)
{
    if (view->logs == 1) return true;
    for (size_t i = 0; i < view->logs; i++)
        if (!is_file(paths[i])) {
            tool_usage_error("%s: of two logs, both must be files", paths[i]);
            return false;
        }
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    struct view view = {.settings = settings, .logs = (size_t)argc};
    const struct report_settings *report = &view.settings->report;
    if (!may_be_two(&view, argv)) return TOOL_USAGE;
    if (report->output.path && (view.settings->port > 0 || view.settings->no_browser)) {
        tool_usage_error("--output cannot be combined with --port or --no-browser");
        return TOOL_USAGE;
    }
    const bool is_redacted = redaction_is_wanted(&report->redaction);
    if ((report->with_arguments || is_redacted || report->max_size) && !report->output.path) {
        tool_usage_error("%s requires --output", is_redacted              ? "--redact"
                                                 : report->with_arguments ? "--with-arguments"
                                                                          : "--max-size");
        return TOOL_USAGE;
    }
    if (report->with_arguments && is_redacted) {
        tool_usage_error("--with-arguments cannot be combined with --redact");
        return TOOL_USAGE;
    }
    if (report->output.path)
        return sink_may_replace(&report->output) ? report_write(report, argv, view.logs)
                                                 : TOOL_UNUSABLE;
    if (view.settings->port > UINT16_MAX) {
        tool_usage_error("invalid port %" PRIu64 " for --port (at most 65535)",
                         view.settings->port);
        return TOOL_USAGE;
    }
    signals_end_input();
    const int code = open_logs(&view, argv) ? view_bytes(&view) : TOOL_UNUSABLE;
    for (size_t i = 0; i < view.logs; i++)
        if (view.log[i].bytes) arriving_close(view.log[i].bytes);
    return code;
}

static const struct tool_option server_options[] = {
    {"port", 'p', "N", "listen at this port (default: any)", NULL,
     offsetof(struct view_settings, port), tool_set_count},
    {"no-browser", 0, NULL, "print the address only", NULL,
     offsetof(struct view_settings, no_browser), tool_set_flag},
    {0},
};

static const struct tool_option report_options[] = {
    {"output", 'o', "FILE", "write a report: one file with the page and the run", "@files",
     offsetof(struct view_settings, report.output.path), tool_set_text},
    {"force", 0, NULL, "replace FILE if it exists", NULL,
     offsetof(struct view_settings, report.output.force), tool_set_flag},
    {"max-size", 0, "SIZE", "of FILE: holds the log if it fits (default 10M)", NULL,
     offsetof(struct view_settings, report.max_size), tool_set_amount},
    {"with-arguments", 0, NULL, "include arguments, environment, paths", NULL,
     offsetof(struct view_settings, report.with_arguments), tool_set_flag},
    {0},
};

const struct verb verb_view = {
    .name = "view",
    .group = "See what happened in a run",
    .brief = "show a log in a browser",
    .summary = "Show a log in a browser: pictures and statistics of any interval",
    .usage =
        (const char *const[]){"[OPTION]... LOG", "[OPTION]... OLD NEW", "-o REPORT [OPTION]... LOG",
                              "-o REPORT [OPTION]... OLD NEW", NULL},
    .description =
        (const char *const[]){
            "Serves a page that shows the log, to browsers on this host, and prints its address, "
            "which contains a random token; on a desktop, it also opens the page. Anyone who "
            "knows the address can read the log until the command ends.",
            "The page appears while the log is read. A file, pipe or live source may grow: the "
            "page shows what has arrived.",
            "LOG may also be unix:PATH, tcp:HOST:PORT, fifo:PATH or fd:N, for the log of a running "
            "program, or run:COMMAND, which starts one (see hectic watch). Everything but an "
            "uncompressed file is stored in an unlinked file in $TMPDIR.",
            "With OLD and NEW, two files, the page has both runs below each other, on one axis of "
            "time from the beginning of each, and a pane with what hectic compare says about them, "
            "or about the selection.",
            "SIGINT (Ctrl-C), SIGTERM, SIGQUIT or SIGHUP ends the command.",
            "With -o, it writes a report instead: one HTML file of at most --max-size bytes. Any "
            "browser shows it; hectic and a network are not needed. It holds the log, compressed, "
            "so that everything works as in the page. If the log is too large for that, it holds "
            "pictures of the whole run, which become coarse when they are enlarged, and the tables "
            "of the whole run; what does not fit is left out, and the report lists it. With OLD "
            "and "
            "NEW, it has both logs, and what hectic compare says about the whole runs.",
            "A report is made of the redacted log: for a team, unless --redact (for performance) "
            "or --redact-for says otherwise. So it has labels and messages, but neither the "
            "arguments and the environment of the program nor directories, but those that tell OLD "
            "from NEW. With --with-arguments, nothing is redacted.",
            NULL},
    .groups = (const struct option_group[]){{"Server", server_options, 0, NULL},
                                            {"Report", report_options, 0, NULL},
                                            {"Report", redaction_options,
                                             offsetof(struct view_settings, report.redaction),
                                             redaction_note},
                                            {"Input", input_options, 0, input_note},
                                            {0}},
    .examples =
        (const struct example[]){{"hectic view Main.eventlog", "open the address that it prints"},
                                 {"hectic view unix:Main.sock", "a running program"},
                                 {"hectic view old.eventlog new.eventlog", "what has changed"},
                                 {"hectic view -o report.html Main.eventlog", "a file to send"},
                                 {NULL, NULL}},
    .exits =
        {"The command was interrupted, or the report was written.",
         "Reading failed after the page was shown, or the report lacks damaged parts of the log.",
         "The log cannot be read, the server does not start, or the report cannot be written."},
    .least = 1,
    .most = VIEW_LOGS,
    .settings_size = sizeof(struct view_settings),
    .run = run,
};
