/* top.c — hectic top: the state of a running program, on the full screen. */
#define _GNU_SOURCE /* fallocate */
#include "tool/verbs/top/top.h"
#include "os/clock.h"
#include "read/file.h"
#include "read/spool.h"
#include "render/shell_word.h"
#include "source/source.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/input/live_log.h"
#include "tool/input/log_reading.h"
#include "tool/input/logs.h"
#include "tool/input/loop.h"
#include "tool/passes/live_lines.h"
#include "tool/verbs/top/top_screen.h"

#include <curses.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DRAW_MS = 20, /* changes within that time are drawn together */
    NOTE_SIZE = 256,
    NOTE_MS = 3000,         /* how long the answer to a key is shown, about */
    HELD_SHOWN = 16 * 1024, /* bytes of held messages that are printed at the end */
    HELD_MAX = 1 << 20,     /* bytes of them on the disk, about */
};

struct top_settings {
    uint64_t every, lag;
    bool follow;
    bool heap, prof; /* of a program that is started */
};

struct top {
    const struct top_settings *settings;
    struct live_lines *watching;
    struct watch_settings watch;
    struct history *history;
    struct view view;
    char waiting[NOTE_SIZE], note[NOTE_SIZE];
    uint64_t note_until;        /* in the time of the loop */
    const struct command *sent; /* the latest command, until it is answered */
    FILE *keys;
    int held;      /* file that gets stderr while the screen is shown; -1 */
    off_t dropped; /* bytes at its start that were freed */
    int standard_error;
    uv_loop_t loop;
    uv_timer_t interval_timer, draw_timer;
    uv_poll_t poll;
    uv_signal_t resized;
    struct signal_watch signals;
    source *source; /* NULL: it has ended */
    int code;
    bool drawing, stopped, out_of_memory;
};

/* --- Intervals -------------------------------------------------------------------------------- */

static void on_draw(uv_timer_t *timer);

static void draw_soon(struct top *t)
{
    if (t->drawing && !t->stopped && !uv_is_active((uv_handle_t *)&t->draw_timer))
        uv_timer_start(&t->draw_timer, on_draw, DRAW_MS, 0);
}

static void on_interval(void *user, const struct live_line *watched)
{
    struct top *t = user;
    if (!history_add(t->history, watched)) t->out_of_memory = true;
    draw_soon(t);
}

static void on_draw(uv_timer_t *timer)
{
    struct top *t = timer->data;
    screen_draw(&t->view, t->history);
}

static bool begin(const struct reading *reading)
{
    struct top *t = reading->user;
    t->out_of_memory |= !history_begin(t->history, reading->header, true);
    return live_lines_begin(t->watching, reading->header) && !t->out_of_memory;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct top *t = reading->user;
    for (size_t i = 0; i < count; i++)
        if (!live_lines_event(t->watching, &event[i]) || t->out_of_memory) return false;
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct top *t = reading->user;
    (void)now;
    const bool ended = live_lines_end(t->watching);
    t->out_of_memory |= !history_end(t->history);
    return ended && !t->out_of_memory;
}

/* An interval that is so long that all are kept, and that the last one is complete. */
static uint64_t interval_of_log(const struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    const uint64_t about = reading->duration / (HISTORY_MAX - 2) + 1;
    const uint64_t last = survey->sections ? survey->section[survey->sections - 1].last_time : 0;
    return last / (last / about + 1) + 1;
}

/* Reads a finished log into the history, which holds all of its intervals. */
static int read_log(struct top *t, const char *path)
{
    static const struct reader reader = {.begin = begin, .events = events, .end = end};
    static const struct output_settings output = {.quiet = true}, with_progress;
    struct log_reading log;
    struct reading *reading = &log.reading;
    const int code = log_reading_open(&log, path, &(struct interval_settings){0},
                                      READING_ONE_PROCESS, &with_progress);
    log.output = &output;
    if (code != TOOL_OK) {
        reading_close(reading);
        return code;
    }
    if (!t->settings->every) t->watch.every = interval_of_log(reading);
    t->watching = live_lines_new(&t->watch, stdout, tool_log_name(path));
    const bool whole = t->watching && log_reading_all(&log, &reader, t);
    t->code = whole ? log_reading_report(&log) : TOOL_UNUSABLE;
    t->out_of_memory |= !whole && t->watching && !live_lines_are_over(t->watching);
    reading_close(reading);
    return t->watching ? TOOL_OK : TOOL_UNUSABLE;
}

/* --- Messages to stderr ---------------------------------------------------------------------- */

/* Messages to stderr, of hectic or of a program that it started, are held while the screen is
 * shown. The last of them are printed afterwards. */
static void hold_messages(struct top *t)
{
    spool kept;
    hectic_error error;
    t->held = spool_open(&kept, 0, &error) ? kept.fd : -1;
    t->standard_error = t->held >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    if (t->standard_error >= 0) dup2(t->held, STDERR_FILENO);
}

static off_t held_size(const struct top *t)
{
    struct stat status;
    return fstat(t->held, &status) == 0 ? status.st_size : 0;
}

static void drop_messages(struct top *t)
{
    if (t->held < 0) return;
    const off_t to = (held_size(t) - HELD_SHOWN) / 4096 * 4096;
    if (to - t->dropped < HELD_MAX) return;
    fallocate(t->held, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, t->dropped, to - t->dropped);
    t->dropped = to;
}

static void release_messages(struct top *t)
{
    char text[HELD_SHOWN];
    if (t->standard_error >= 0) {
        dup2(t->standard_error, STDERR_FILENO);
        close(t->standard_error);
    }
    const off_t size = held_size(t), from = size > HELD_SHOWN ? size - HELD_SHOWN : 0;
    const ssize_t length = file_pread(t->held, text, sizeof text, from);
    const char *begin = from > 0 && length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    begin = begin ? begin + 1 : text;
    stderr_buffer_begin();
    if (length > 0) stderr_buffer_write(begin, (size_t)(text + length - begin));
    close(t->held);
}

/* --- The loop -------------------------------------------------------------------------------- */

static void close_source(struct top *t)
{
    if (t->source) source_close(t->source);
    t->source = NULL;
    uv_timer_stop(&t->interval_timer);
}

static void stop(struct top *t)
{
    if (t->stopped) return;
    t->stopped = true;
    close_source(t);
    uv_close((uv_handle_t *)&t->interval_timer, NULL);
    uv_close((uv_handle_t *)&t->draw_timer, NULL);
    uv_close((uv_handle_t *)&t->poll, NULL);
    uv_close((uv_handle_t *)&t->resized, NULL);
    signal_watch_close(&t->signals);
}

/* Drops old messages, and a note that was shown long enough. */
static void clean_up(struct top *t)
{
    drop_messages(t);
    if (!t->note[0] || uv_now(&t->loop) < t->note_until) return;
    t->note[0] = 0;
    draw_soon(t);
}

static void on_interval_timer(uv_timer_t *timer);

static void go_on_if(struct top *t, bool go_on)
{
    if (!go_on || t->out_of_memory) {
        t->code = TOOL_UNUSABLE;
        stop(t);
    }
    if (t->stopped || !t->source) return;
    clean_up(t);
    const uint64_t every = t->watch.every ? t->watch.every : 1000000000;
    const uint64_t now = clock_ns(), due = live_lines_due(t->watching);
    uint64_t wait = every / 2;
    if (due < now + wait) wait = due > now ? due - now : 0;
    uv_timer_start(&t->interval_timer, on_interval_timer, wait / 1000000 + 1, 0);
}

static void on_interval_timer(uv_timer_t *timer)
{
    struct top *t = timer->data;
    go_on_if(t, live_lines_tick(t->watching, clock_ns()));
}

static void on_begin(void *user)
{
    struct top *t = user;
    const bool restarted = live_lines_restart(t->watching);
    t->out_of_memory |= !history_begin(t->history, NULL, false);
    go_on_if(t, restarted);
}

static const char log_has_ended[] = "the log has ended";

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct top *t = user;
    go_on_if(t, live_lines_bytes(t->watching, bytes, length, clock_ns()));
    t->view.over = live_lines_is_complete(t->watching);
    strcpy(t->waiting, t->view.over ? log_has_ended : "");
}

static void on_waiting(void *user, const char *text)
{
    struct top *t = user;
    snprintf(t->waiting, sizeof t->waiting, "%s", text ? text : "");
    t->view.over = false;
    draw_soon(t);
}

static void on_end(void *user, int error)
{
    struct top *t = user;
    const bool is_known = t->waiting[0];
    if (error)
        snprintf(t->waiting, sizeof t->waiting, "%s: %s", source_name(t->source),
                 source_error_text(error));
    else if (!is_known)
        strcpy(t->waiting, log_has_ended);
    if (error) {
        tool_message("%s", t->waiting);
        t->code = TOOL_UNUSABLE;
    }
    t->view.over = true;
    live_lines_end_bytes(t->watching, clock_ns());
    close_source(t);
    draw_soon(t);
    if (live_lines_has_log(t->watching)) return;
    if (!error && is_known) tool_message("%s", t->waiting);
    if (!error) tool_message("%s: it ended without a log", t->view.name);
    t->code = TOOL_UNUSABLE;
    stop(t);
}

static void on_signal(void *user)
{
    stop(user);
}

static void on_resized(uv_signal_t *handle, int number)
{
    struct top *t = handle->data;
    (void)number;
    screen_resize();
    draw_soon(t);
}

/* --- Keys ------------------------------------------------------------------------------------ */

static const struct command {
    int key;
    const char *name; /* namespace of the command */
    uint8_t id;
    const char *text;
} commands[] = {
    {'h', HECTIC_CONTROL_CORE, HECTIC_CONTROL_HEAP_CENSUS, "heap census"},
    {'s', HECTIC_CONTROL_CORE, HECTIC_CONTROL_START_HEAP_PROFILE, "heap profile on"},
    {'S', HECTIC_CONTROL_CORE, HECTIC_CONTROL_STOP_HEAP_PROFILE, "heap profile off"},
    {'p', HECTIC_CONTROL_CORE, HECTIC_CONTROL_START_PROFILE, "time profile on"},
    {'P', HECTIC_CONTROL_CORE, HECTIC_CONTROL_STOP_PROFILE, "time profile off"},
    {'f', HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_FLUSH, "flush"},
};

static void note(struct top *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows a note for a while. */
static void note(struct top *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->note, sizeof t->note, format, arguments);
    va_end(arguments);
    t->note_until = uv_now(&t->loop) + NOTE_MS;
}

/* The answer of a program is in its log: "hectic: NAMESPACE ID: done", or an error. */
static void on_event(void *user, const hectic_event *event)
{
    struct top *t = user;
    char wanted[NOTE_SIZE];
    if (!history_event(t->history, event)) t->out_of_memory = true;
    if (!t->sent || event->type != HECTIC_EVENT_LOG_MSG) return;
    const int head = snprintf(wanted, sizeof wanted, "hectic: %s %u: ", t->sent->name, t->sent->id);
    const char *text = (const char *)event->payload;
    if (event->size < (unsigned)head || memcmp(text, wanted, (size_t)head) != 0) return;
    note(t, "%s: %.*s", t->sent->text, (int)event->size - head, text + head);
    t->sent = NULL;
    draw_soon(t);
}

static void send_command(struct top *t, int key)
{
    const struct command *c = commands, *end = commands + sizeof commands / sizeof *commands;
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    t->view.commands = false;
    while (c < end && c->key != key)
        c++;
    if (c == end) return;
    const size_t length = hectic_control_encode(message, sizeof message, c->name, c->id);
    t->sent = t->source && source_send(t->source, message, length) ? c : NULL;
    if (t->sent)
        note(t, "sent: %s", c->text);
    else
        note(t, "not sent: the source takes no commands (unix: and tcp: do)");
}

/* Moves back or forth by some intervals. After the last one comes the whole run of a finished log;
 * otherwise the last one is the latest, which the screen follows. */
static void step(struct top *t, int64_t by)
{
    const uint64_t first = history_first(t->history);
    const uint64_t last = history_last(t->history) + (history_whole(t->history) != NULL);
    if (last == 0) return;
    const int64_t to = (int64_t)(t->view.shown ? t->view.shown : last) + by;
    t->view.shown = to >= (int64_t)last ? 0 : to < (int64_t)first ? first : (uint64_t)to;
}

static void scroll_by(struct top *t, int64_t by)
{
    const int64_t to = (int64_t)t->view.scrolled + by, most = t->view.scrolled_max;
    t->view.scrolled = (uint32_t)(to < 0 ? 0 : to > most ? most : to);
}

static void on_key(struct top *t, int key)
{
    struct view *view = &t->view;
    t->note[0] = 0;
    if (view->commands) {
        send_command(t, key);
        return;
    }
    if (view->help && key != 'q') {
        view->help = false;
        return;
    }
    switch (key) {
    case 'q': stop(t); break;
    case '?': view->help = true; break;
    case 'c': view->commands = true; break;
    case 'p': view->shown = view->shown ? 0 : history_last(t->history); break;
    case 's':
        view->order = (view->order + 1) % THREAD_SORTS;
        view->scrolled = 0;
        break;
    case 'v': view->panel = (view->panel + 1) % PANELS; break;
    case '[':
    case KEY_LEFT: step(t, -1); break;
    case ']':
    case KEY_RIGHT: step(t, 1); break;
    case '{': step(t, -10); break;
    case '}': step(t, 10); break;
    case KEY_HOME: step(t, -HISTORY_MAX - 1); break;
    case KEY_END: view->shown = 0; break;
    case KEY_UP: scroll_by(t, -1); break;
    case KEY_DOWN: scroll_by(t, 1); break;
    case KEY_PPAGE: scroll_by(t, -(int64_t)view->page); break;
    case KEY_NPAGE: scroll_by(t, view->page); break;
    default: break;
    }
}

static void on_keys(uv_poll_t *poll, int status, int events)
{
    struct top *t = poll->data;
    int waiting = 0, key;
    (void)events;
    /* Readable without data: the terminal is gone. */
    if (status < 0 || ioctl(fileno(t->keys), FIONREAD, &waiting) != 0 || waiting == 0) {
        stop(t);
        return;
    }
    while (!t->stopped && (key = screen_key()) != ERR)
        on_key(t, key);
    draw_soon(t);
}

/* --- The verb -------------------------------------------------------------------------------- */

/* Returns the exit code. */
static int open_source(struct top *t, const char *text)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end};
    const struct source_options options = {.once = !t->settings->follow,
                                           .wait = tool_live_wait(),
                                           .heap = t->settings->heap,
                                           .prof = t->settings->prof};
    char message[512];
    t->watching = live_lines_new(&t->watch, stdout, t->view.name);
    if (!t->watching) return TOOL_UNUSABLE;
    t->source = source_open(&t->loop, text, &options, &calls, t, message, sizeof message);
    if (!t->source) return live_log_refused(text, message);
    if (*message) tool_message("%s", message);
    return TOOL_OK;
}

/* Opens all handles of the loop before the screen; they are closed before it, too. */
static void open_loop(struct top *t)
{
    uv_timer_init(&t->loop, &t->interval_timer);
    uv_timer_init(&t->loop, &t->draw_timer);
    int error = uv_poll_init(&t->loop, &t->poll, fileno(t->keys));
    if (!error) error = uv_signal_init(&t->loop, &t->resized);
    t->interval_timer.data = t->draw_timer.data = t->poll.data = t->resized.data = t;
    signal_watch_start(&t->signals, &t->loop, on_signal, t);
    if (!error) error = uv_signal_start(&t->resized, on_resized, SIGWINCH);
    if (!error) error = uv_poll_start(&t->poll, UV_READABLE | UV_DISCONNECT, on_keys);
    if (!error) return;
    tool_message("cannot wait for keys: %s", uv_strerror(error));
    exit(TOOL_UNUSABLE);
}

static int show(struct top *t, const char *text)
{
    const bool is_live = live_log_is_live(text, t->settings->follow);
    int code = is_live ? TOOL_OK : read_log(t, text);
    if (code != TOOL_OK) return code;
    signals_end_input();
    const int error = loop_open(&t->loop);
    if (error) {
        tool_message("%s", uv_strerror(error));
        return TOOL_UNUSABLE;
    }
    open_loop(t);
    if (is_live && (code = open_source(t, text)) != TOOL_OK) {
        t->code = code;
        stop(t);
    } else if (!screen_open(t->keys)) {
        t->code = TOOL_UNUSABLE;
        stop(t);
    } else {
        t->drawing = true;
        hold_messages(t);
        go_on_if(t, true);
        draw_soon(t);
    }
    while (!t->stopped && uv_run(&t->loop, UV_RUN_ONCE))
        continue;
    screen_close();
    uv_run(&t->loop, UV_RUN_DEFAULT); /* waits for a program that it started */
    uv_loop_close(&t->loop);
    if (t->held >= 0) release_messages(t);
    if (t->out_of_memory) tool_message("out of memory");
    code = t->watching ? live_lines_report(t->watching) : TOOL_OK;
    return t->code != TOOL_OK ? t->code : code;
}

/* Where keys come from: the terminal, opened anew, since waiting for it sets O_NONBLOCK, and the
 * shell's next command has the same open file description as our stdin and stdout. */
static FILE *open_keys(const char *source)
{
    const char *path = strcmp(source, "-") != 0 ? ttyname(STDIN_FILENO) : NULL;
    const int fd = open(path ? path : "/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "r");
}

static int run_on(const struct top_settings *settings, const char *source)
{
    if (!live_log_is(source) && logs_refuse_program_at(source)) return TOOL_USAGE;
    struct top t = {.settings = settings, .held = -1, .standard_error = -1};
    if (isatty(STDOUT_FILENO)) t.keys = open_keys(source);
    if (!t.keys) {
        char *word = shell_word(source);
        if (!word) tool_out_of_memory();
        tool_message("top needs a terminal (hectic watch %s prints lines)", word);
        free(word);
        return TOOL_UNUSABLE;
    }
    t.watch = (struct watch_settings){.every = t.settings->every,
                                      .lag = t.settings->lag,
                                      .quiet = true,
                                      .take = on_interval,
                                      .see = on_event,
                                      .user = &t};
    t.view = (struct view){.name = tool_log_name(source), .waiting = t.waiting, .note = t.note};
    t.history = history_new();
    if (!t.history) tool_message("out of memory");
    const int code = t.history ? show(&t, source) : TOOL_UNUSABLE;
    fclose(t.keys);
    live_lines_free(t.watching);
    history_free(t.history);
    return code;
}

int top_run(const char *source, bool heap, bool prof)
{
    return run_on(&(struct top_settings){.heap = heap, .prof = prof}, source);
}

static int run(void *given, int argc, char **argv)
{
    (void)argc;
    return run_on(given, argv[0]);
}

static const struct tool_option verb_options[] = {
    {"every", 'n', "TIME", "length of an interval (default 1s; of a log, 1/300)", NULL,
     offsetof(struct top_settings, every), tool_set_duration},
    {"lag", 0, "TIME", "wait for events of other caps (default 1s to 5s)", NULL,
     offsetof(struct top_settings, lag), tool_set_duration},
    {"follow", 'f', NULL, "wait for a file to grow, and for the next log", NULL,
     offsetof(struct top_settings, follow), tool_set_flag},
    {0},
};

const struct verb verb_top = {
    .name = "top",
    .group = "It leaks memory",
    .brief = "heap, GC, threads on a full screen",
    .summary = "Show a running program on the full screen",
    .usage = (const char *const[]){"[OPTION]... SOURCE", NULL},
    .description =
        (const char *const[]){
            "SOURCE is a live source or a finished log, as for hectic watch: a FIFO, - for "
            "stdin, unix:PATH or tcp:HOST:PORT for a socket that the program serves, fd:N, a "
            "file, which --follow reads while it grows, or run:COMMAND, which starts a program. "
            "The end of its output to stderr is printed after the screen is closed.",
            "From top to bottom: the program, its run time, and the age of its latest event; its "
            "allocation rate, heap and collections in the last interval; its threads by state; for "
            "each cap the part of the interval in which it ran threads (mut), was in a collection "
            "(gc), and was stopped and waited (wait) for one to begin, to end, or without taking "
            "part in it; graphs of the heap, live and reserved, and of the longest pauses; bands "
            "of the latest sample of a heap profile, with their growth and their course over the "
            "intervals; the cost centres of a time profile, with their share of the program's own "
            "time in the last 5 s; user-defined spans (see hectic spans) with their rate, median "
            "and 99th percentile in the interval; the latest messages; the threads. The top line "
            "counts events that were late, dropped by the program, or damaged. A small terminal "
            "shows less.",
            "Sizes are in units of 1024: K, M and G are KiB, MiB and GiB. Counts are in units "
            "of 1000.",
            "Keys: q quits. ? explains the keys. p pauses and resumes. [ and ], or left and right, "
            "step through the last 300 intervals, { and } by ten; Home and End. s sorts the "
            "threads: the busiest of the interval, the newest, the longest blocked; up, down and "
            "the page keys scroll them. v shows the heap profile alone, then the time profile, the "
            "spans and messages, and all of them again. c sends a command to a program that "
            "accepts commands (see hectic ctl): h for a heap census, s and S to start and stop "
            "heap profiling, p and P time profiling, f for a flush. The answer is in the bottom "
            "line.",
            "A finished log is shown with the totals of its whole run; stepping back shows its "
            "intervals. Without a terminal, use hectic watch.",
            "Any other signal that can be caught, such as SIGPIPE, ends it as SIGTERM does. The "
            "terminal is restored, also if hectic is in the background then.",
            NULL},
    .groups = (const struct option_group[]){{"Options", verb_options, 0, NULL},
                                            {"Options", wait_options, 0, NULL},
                                            {0}},
    .examples =
        (const struct example[]){
            {"hectic top unix:/run/my.sock", "a program that serves its log"},
            {"hectic top Main.eventlog", "a finished log"},
            {"hectic top run:'./myprog -v'", "start a program, and show it"},
            {"hectic top --follow Main.eventlog", "a log that is being written"},
            {NULL, NULL}},
    .exits = {"Success.", "The log is damaged.",
              "The log cannot be read, or there is no terminal."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct top_settings),
    .run = run,
};
