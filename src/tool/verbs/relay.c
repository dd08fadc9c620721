/* relay.c — hectic relay: many programs in, many readers out. */
#include "relay/http.h"
#include "source/token_file.h"
#include "tool/input/loop.h"
#include "tool/input/signals.h"
#include "tool/output/recording.h"
#include "tool/output/stderr_buffer.h"

#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PLACES_MAX = 64, MESSAGE_MAX = 1024 };

struct place_list {
    size_t count;
    const char *place[PLACES_MAX];
};

struct relay_settings {
    struct place_list from, listen;
    struct recording_settings recording;
    const char *token_file, *metrics;
    uint64_t state_limit;
    bool with_env, once, quiet;
};

/* --- Options --------------------------------------------------------------------------------- */

static bool add_place(void *field, const char *argument)
{
    struct place_list *list = field;
    if (list->count == PLACES_MAX) {
        tool_message("relay: more than %d places", PLACES_MAX);
        return false;
    }
    list->place[list->count++] = argument;
    return true;
}

static const struct tool_option place_options[] = {
    {"from", 'f', "[NAME=]SRC", "carry this program (again and again)", "@files",
     offsetof(struct relay_settings, from), add_place},
    {"listen", 'l', "PLACE", "serve readers here (again and again)", "@files",
     offsetof(struct relay_settings, listen), add_place},
    {"metrics", 'm', "HOST:PORT", "tell numbers for Prometheus, and logs, over HTTP", NULL,
     offsetof(struct relay_settings, metrics), tool_set_text},
    {"once", 0, NULL, "end when all programs have ended", NULL,
     offsetof(struct relay_settings, once), tool_set_flag},
    {"token-file", 0, "FILE", "who comes over TCP has to say what is in FILE", "@files",
     offsetof(struct relay_settings, token_file), tool_set_text},
    {"state-limit", 0, "SIZE", "memory for the state of each program (default 256Mi)", NULL,
     offsetof(struct relay_settings, state_limit), tool_set_amount},
    {"with-env", 0, NULL, "carry the programs' environments, too", NULL,
     offsetof(struct relay_settings, with_env), tool_set_flag},
    {"quiet", 'q', NULL, "no notes on who comes and goes", NULL,
     offsetof(struct relay_settings, quiet), tool_set_flag},
    {0},
};

/* --- Running --------------------------------------------------------------------------------- */

struct relaying {
    const struct relay_settings *settings;
    uv_loop_t loop;
    struct signal_watch signals;
    relay *relay;
    http *http; /* NULL: not wanted, or closed */
    record_counts recorded;
    char token[TOKEN_MAX + 1];
};

static void say(void *user, const char *text)
{
    const struct relaying *r = user;
    if (!r->settings->quiet) tool_message("%s", text);
}

/* Who can read the file can read the logs. */
static bool read_token(struct relaying *r)
{
    char message[MESSAGE_MAX];
    const char *path = r->settings->token_file;
    if (!path) return true;
    const bool is_read = token_read(path, r->token, message, sizeof message) == 0;
    if (*message) tool_message("%s", message);
    return is_read;
}

static void end(struct relaying *r)
{
    signal_watch_close(&r->signals);
    if (r->http) http_close(r->http);
    r->http = NULL;
    relay_end(r->relay, NULL, NULL);
}

static void on_over(void *user)
{
    end(user);
}

static void on_signal(void *user)
{
    end(user);
}

static bool open_all(struct relaying *r)
{
    char message[MESSAGE_MAX];
    const struct place_list *listen = &r->settings->listen, *from = &r->settings->from;
    for (size_t i = 0; i < listen->count; i++)
        if (!relay_listen(r->relay, listen->place[i], message, sizeof message)) {
            tool_message("%s", message);
            return false;
        }
    for (size_t i = 0; i < from->count; i++) {
        const bool is_there = relay_from(r->relay, from->place[i], message, sizeof message);
        if (*message) tool_message("%s", message);
        if (!is_there) return false;
    }
    return true;
}

static const char *token_of(const struct relaying *r)
{
    return r->token[0] ? r->token : NULL;
}

static bool open_http(struct relaying *r)
{
    char message[MESSAGE_MAX];
    if (!r->settings->metrics) return true;
    r->http =
        http_new(&r->loop, r->relay, r->settings->metrics, token_of(r), message, sizeof message);
    if (!r->http) {
        tool_message("%s", message);
        return false;
    }
    snprintf(message, sizeof message, "metrics at %s, port %u", r->settings->metrics,
             http_port(r->http));
    say(r, message);
    return true;
}

/* Each program and each reader is some. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Programs have tables of which little is used. As long as the system gives them, page by page and
 * when they are touched, that costs nothing; glibc would soon begin to take them from its heap. The
 * chunks that pass are smaller, and are not to be had from the system again and again. */
static void use_memory_sparingly(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

static int carry(struct relaying *r, const struct record_options *record)
{
    const struct relay_settings *s = r->settings;
    const struct relay_options options = {
        .with_env = s->with_env,
        .live_stats = s->metrics,
        .state_bytes = s->state_limit,
        .record = record,
        .token = token_of(r),
        .once = s->once,
        .note = say,
        .over = on_over,
        .user = r,
    };
    stderr_buffer_begin();
    allow_descriptors();
    use_memory_sparingly();
    signal_watch_start(&r->signals, &r->loop, on_signal, r);
    r->relay = relay_new(&r->loop, &options);
    if (!r->relay) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    const bool opened = open_http(r) && open_all(r);
    if (!opened) end(r);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    relay_free(r->relay);
    if (!opened) return TOOL_UNUSABLE;
    return r->recorded.failures > 0 ? TOOL_DAMAGED : TOOL_OK;
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct relaying r = {.settings = settings};
    if (r.settings->from.count == 0) {
        tool_message("relay: from where? --from unix:PATH, or --from listen:unix:PATH for programs "
                     "that connect");
        return TOOL_USAGE;
    }
    if (r.settings->listen.count == 0 && !r.settings->recording.directory && !r.settings->metrics) {
        tool_message("relay: and where to? --listen unix:PATH for readers, --record DIRECTORY, or "
                     "--metrics HOST:PORT");
        return TOOL_USAGE;
    }
    struct record_options record = recording_record_options(&r.settings->recording);
    record.state_bytes = r.settings->state_limit;
    record.all = &r.recorded;
    if (!read_token(&r) || (record.directory && !recording_prepare(&record))) return TOOL_UNUSABLE;
    signals_end_input();
    const int error = loop_open(&r.loop);
    if (error) {
        tool_message("%s", uv_strerror(error));
        return TOOL_UNUSABLE;
    }
    const int code = carry(&r, record.directory ? &record : NULL);
    uv_loop_close(&r.loop);
    return code;
}

const struct verb verb_relay = {
    .name = "relay",
    .group = "I run a service",
    .brief = "serve and record live logs, with metrics",
    .summary = "Carry the logs of living programs to readers that come and go",
    .usage = (const char *const[]){"--from SRC... [--listen PLACE]... [OPTION]...", NULL},
    .description =
        (const char *const[]){
            "Reads the logs of any number of programs, and serves them to any number of readers. A "
            "reader may come at any time, and gets a whole log: its header, what has been defined "
            "so far, then all events from then on. A reader that is too slow costs the others "
            "and the program nothing: it is told by a message in its log how many events it "
            "missed.",
            "A source, SRC, is a file that grows, fifo:PATH, unix:PATH or tcp:HOST:PORT, to which "
            "the relay connects again and again; run:COMMAND, a program that is started (see "
            "hectic watch) and ends with the relay; or listen:unix:PATH or listen:tcp:HOST:PORT, "
            "to which any number of programs connect.",
            "A PLACE is unix:PATH or tcp:HOST:PORT. With %n in a Unix socket's path each program "
            "has a socket of its own, by its name; without, a reader gets the program that came "
            "last, or the next one to come; over TCP it must not shut down its sending side before "
            "(as nc -N does), which would look as if it had gone. The name is given with NAME=SRC, "
            "or taken from the log. When a source has another log behind the first, that is a "
            "program of its own: the readers of the first get its end, and may come again.",
            "Unix sockets are open to their owner only. TCP is for this host only, unless there is "
            "a token, which who connects has to send first, as a line. Readers do with "
            "tcp:HOST:PORT,token-file=FILE as their source, another relay with the same behind "
            "--from, and programs that use hectic's library or package as their destination "
            "(HECTIC_EVENTLOG, in Haskell). Any other program on another host has a relay beside "
            "it, from which this one takes its log, or comes by ssh -L or -R. The programs' "
            "environments are left out of what leaves the relay.",
            "At most 256 readers of a program are there at a time; when one more comes, who takes "
            "nothing makes room. Who sends what is no eventlog, no command or no token, or does "
            "not begin within 10 seconds (5 for a token, or the first byte), is hung up on, which "
            "is noted. Where too many connect and do not begin, the address that has most of them "
            "loses its oldest. Nothing may stand before a command; nor before an eventlog that "
            "comes over TCP without a token.",
            "What a reader who connects has to know of a program (its threads and tasks that are "
            "alive, the definitions in its log) is kept once for all readers, in at most "
            "--state-limit bytes of memory, and in as much again for --record. Beyond that it is "
            "left out: this is noted, counted in the metrics, and told by a message in the logs of "
            "readers who connect later.",
            "If logs cannot be recorded in DIR, the relay does not start. If recording fails later "
            "(because the disk is full, for example), the relay reports it at once, goes on "
            "serving readers, and tries again each second; the next file begins with a message "
            "that says how many events are missing, and the exit code is 1. With --metrics, "
            "hectic_record_failing reports it, too.",
            "With --metrics, numbers about each program are at http://HOST:PORT/metrics, as "
            "Prometheus and its kin want them (OpenMetrics, the classic text, or the binary format "
            "with native histograms of pauses), and its log at /log/NAME, for as long as it lives. "
            "HTTP is for this host only, unless there is a token (Authorization: Bearer TOKEN).",
            "Notes go to stderr. Where nobody reads them they are dropped, and counted; the relay "
            "goes on.",
            "An interrupt, SIGTERM, SIGQUIT or SIGHUP (where that is not ignored) ends it: readers "
            "get what is left, and the end of the log.",
            NULL},
    .groups =
        (const struct option_group[]){{"Places, and who may come", place_options, 0, NULL},
                                      {"Recording", recording_options,
                                       offsetof(struct relay_settings, recording), recording_note},
                                      {0}},
    .examples =
        (const struct example[]){
            {"hectic relay -f listen:unix:in -l unix:out", "programs to one, readers to the other"},
            {"hectic relay -f unix:in -r /var/log/hectic", "keep what a service does"},
            {"hectic relay -f tcp:far:4242,token-file=token -l unix:out",
             "what a relay there carries"},
            {"hectic relay -f unix:in -m 127.0.0.1:9464", "let Prometheus watch it"},
            {NULL, NULL}},
    .exits = {"It was ended, or all programs have.",
              "The same, but a part of the logs could not be recorded.",
              "It cannot listen, read or record where it was told to."},
    .least = 0,
    .most = 0,
    .settings_size = sizeof(struct relay_settings),
    .run = run,
};
