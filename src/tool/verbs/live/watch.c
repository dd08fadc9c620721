/* watch.c — hectic watch: prints a line per second of a program. */
#include "os/clock.h"
#include "source/source.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/files/input_files.h"
#include "tool/input/live_log.h"
#include "tool/input/log_reading.h"
#include "tool/input/logs.h"
#include "tool/input/loop.h"
#include "tool/passes/live_lines.h"

#include <inttypes.h>
#include <string.h>

struct watch_verb_settings {
    struct watch_settings watch;
    bool follow;
};

/* --- A finished log, by its own time --------------------------------------------------------- */

static bool begin(const struct reading *reading)
{
    return live_lines_begin(reading->user, reading->header);
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!live_lines_event(reading->user, &event[i])) return false;
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    (void)now;
    return live_lines_end(reading->user);
}

static int watch_log(struct live_lines *watching, const char *path, bool quiet)
{
    static const struct reader reader = {.begin = begin, .events = events, .end = end};
    const struct output_settings output = {.quiet = quiet};
    struct log_reading log;
    const int code =
        log_reading_open(&log, path, &(struct interval_settings){0}, READING_ONE_PROCESS, &output);
    if (code != TOOL_OK) {
        reading_close(&log.reading);
        return code;
    }
    const bool whole = log_reading_all(&log, &reader, watching);
    const int code_of_lines = live_lines_report(watching);
    int found = whole ? log_reading_report(&log) : TOOL_OK;
    if (!whole && !live_lines_are_over(watching)) {
        tool_message("out of memory");
        found = TOOL_UNUSABLE;
    }
    reading_close(&log.reading);
    return code_of_lines == TOOL_OK ? found : code_of_lines;
}

/* --- A live source --------------------------------------------------------------------------- */

struct live_state {
    struct live_lines *watching;
    const struct watch_verb_settings *settings;
    uv_loop_t loop;
    uv_timer_t timer;
    struct signal_watch signals;
    source *source;    /* NULL: it has ended */
    bool end_reported; /* the end of the log was reported */
    bool failed;
};

static void stop(struct live_state *l)
{
    if (!l->source) return;
    source_close(l->source);
    l->source = NULL;
    uv_close((uv_handle_t *)&l->timer, NULL);
    signal_watch_close(&l->signals);
}

static void on_timer(uv_timer_t *timer);

/* Sets the timer to the next line, or to a check whether events still arrive. */
static void set_timer(struct live_state *l)
{
    const uint64_t every = l->settings->watch.every ? l->settings->watch.every : 1000000000;
    const uint64_t now = clock_ns(), due = live_lines_due(l->watching);
    uint64_t wait = every / 2;
    if (due < now + wait) wait = due > now ? due - now : 0;
    uv_timer_start(&l->timer, on_timer, wait / 1000000 + 1, 0);
}

static void stop_unless(struct live_state *l, bool is_running)
{
    if (!is_running) stop(l);
    if (l->source) set_timer(l);
}

static void on_timer(uv_timer_t *timer)
{
    struct live_state *l = timer->data;
    stop_unless(l, live_lines_tick(l->watching, clock_ns()));
}

static void on_signal(void *user)
{
    const struct live_state *l = user;
    source_finish(l->source);
}

static void on_begin(void *user)
{
    struct live_state *l = user;
    l->end_reported = false;
    stop_unless(l, live_lines_restart(l->watching));
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct live_state *l = user;
    stop_unless(l, live_lines_bytes(l->watching, bytes, length, clock_ns()));
    if (!l->source || !l->settings->follow || l->end_reported ||
        !live_lines_is_complete(l->watching))
        return;
    l->end_reported = true;
    if (!l->settings->watch.quiet)
        tool_message("%s: log ended; waiting for the next one", source_name(l->source));
}

static void on_waiting(void *user, const char *text)
{
    const struct live_state *l = user;
    if (text && !l->settings->watch.quiet) tool_message("%s", text);
}

static void on_end(void *user, int error)
{
    struct live_state *l = user;
    l->failed = error != 0;
    if (error) tool_message("%s: %s", source_name(l->source), source_error_text(error));
    stop(l);
}

static int watch_live(struct live_lines *watching, const char *text,
                      const struct watch_verb_settings *settings)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end};
    struct live_state l = {.watching = watching, .settings = settings};
    const struct source_options options = {.once = !settings->follow, .wait = tool_live_wait()};
    char message[512];
    stderr_buffer_begin();
    signals_end_input();
    const int error = loop_open(&l.loop);
    if (error) {
        tool_message("%s", uv_strerror(error));
        return TOOL_UNUSABLE;
    }
    l.source = source_open(&l.loop, text, &options, &calls, &l, message, sizeof message);
    if (!l.source) {
        const int code = live_log_refused(text, message);
        uv_loop_close(&l.loop);
        return code;
    }
    if (*message) tool_message("%s", message);
    struct stat status;
    const bool may_read = !source_stat(l.source, &status) || input_files_may_read(&status);
    uv_timer_init(&l.loop, &l.timer);
    l.timer.data = &l;
    signal_watch_start(&l.signals, &l.loop, on_signal, &l);
    set_timer(&l);
    l.failed = !may_read;
    if (!may_read) stop(&l);
    uv_run(&l.loop, UV_RUN_DEFAULT);
    uv_loop_close(&l.loop);
    live_lines_end_bytes(watching, clock_ns());
    const int code = live_lines_report(watching);
    const bool nothing = code == TOOL_OK && !l.failed && !live_lines_has_log(watching);
    if (nothing)
        tool_message("%s: %s", tool_log_name(text),
                     signals_have_arrived() ? source_error_text(SOURCE_INTERRUPTED)
                                            : "it ended without a log");
    return l.failed || nothing ? TOOL_UNUSABLE : code;
}

/* --- The verb -------------------------------------------------------------------------------- */

static int run(void *given, int argc, char **argv)
{
    (void)argc;
    const struct watch_verb_settings *settings = given;
    if (settings->watch.json && settings->watch.csv) {
        tool_usage_error("--json and --csv cannot be combined");
        return TOOL_USAGE;
    }
    if (!live_log_is(argv[0]) && logs_refuse_program_at(argv[0])) return TOOL_USAGE;
    struct live_lines *watching = live_lines_new(&settings->watch, stdout, tool_log_name(argv[0]));
    if (!watching) return TOOL_UNUSABLE;
    const int code = live_log_is_live(argv[0], settings->follow)
                         ? watch_live(watching, argv[0], settings)
                         : watch_log(watching, argv[0], settings->watch.quiet);
    live_lines_free(watching);
    return code;
}

static const struct tool_option verb_options[] = {
    {"follow", 'f', NULL, "wait for a file to grow, and for the next log", NULL,
     offsetof(struct watch_verb_settings, follow), tool_set_flag},
    {"quiet", 'q', NULL, "no messages on stderr", NULL,
     offsetof(struct watch_verb_settings, watch.quiet), tool_set_flag},
    {0},
};

const struct verb verb_watch = {
    .name = "watch",
    .group = "I run a service",
    .brief = "heap, GC and threads for each second",
    .summary = "Print a line per second of a running program",
    .usage = (const char *const[]){"[OPTION]... SOURCE", NULL},
    .description =
        (const char *const[]){
            "SOURCE is a FIFO, - for standard input, unix:PATH or tcp:HOST:PORT for a socket at "
            "which the program serves its log, fd:N, or a file; with --follow, the file is read "
            "while it grows. hectic run starts a program and watches it.",
            "tcp:HOST:PORT,token-file=FILE, in every verb that connects, sends the first line of "
            "FILE first, at each connection: hectic relay can require such a token.",
            "In every verb that reads logs, SOURCE may also be run:COMMAND, which starts a Haskell "
            "program with its eventlog enabled, as hectic run does. COMMAND is split into words as "
            "by a shell, with quotes, variables and patterns, but without pipes, redirections and "
            "$( ); words between +RTS and -RTS are passed to its runtime. The output of the "
            "program goes to stderr; it has the standard input of hectic unless that is a "
            "terminal. If the verb ends first, the program is interrupted, as by Ctrl-C, and "
            "terminated if it still runs 5 s later. A signal that ends the input of the verb "
            "interrupts the program, too; what it writes to its log within the 5 s is read.",
            "A line reports one second of the program, by the clock of its log, and is printed as "
            "soon as events of the next second arrive. If no events arrive for a long time, a line "
            "reports the state so far. If the program was already running, the first line is that "
            "of the first whole second. Without --follow, a file is read as it is: the lines are "
            "those of the whole log, and a period without events is one line.",
            "watch exits when the log ends; with --follow it waits for the next log, as after a "
            "restart of the program. Ctrl-C ends it after a last line.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Lines (K, M, G of bytes: powers of 1024)", watch_options,
             offsetof(struct watch_verb_settings, watch), watch_columns_note},
            {"Lines (K, M, G of bytes: powers of 1024)", verb_options, 0, NULL},
            {"Lines (K, M, G of bytes: powers of 1024)", wait_options, 0, NULL},
            {0}},
    .legend = watch_legend,
    .examples =
        (const struct example[]){
            {"hectic watch unix:/run/my.sock", "a program that serves its log"},
            {"hectic watch --follow Main.eventlog", "a log that is being written"},
            {"hectic watch --csv run:'./myprog -v' >lines", "start a program"},
            {"hectic watch --csv --every 100ms LOG", "intervals of 0.1s, for a spreadsheet"},
            {"hectic watch --json --limit 1 tcp:localhost:4242 | jq .live_bytes", "one number"},
            {NULL, NULL}},
    .exits = {"The log ended, or Ctrl-C was pressed, or --limit was reached.",
              "The log is damaged inside; what could be read was used.",
              "There is no log, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct watch_verb_settings),
    .run = run,
};
