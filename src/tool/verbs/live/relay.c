/* relay.c — hectic relay: serves the logs of many programs to many clients. */
#include "relay/http.h"
#include "source/token_file.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/input/logs.h"
#include "tool/input/loop.h"
#include "tool/input/redaction.h"
#include "tool/passes/recording.h"
#include "tool/verbs/relay/storing.h"
#include "tool/verbs/view/page.h"

#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>

enum { PLACES_MAX = 64, MESSAGE_MAX = 1024 };

struct place_list {
    size_t count;
    const char *place[PLACES_MAX];
};

struct relay_settings {
    struct place_list from, listen;
    struct recording_settings recording;
    struct storing_settings storing;
    const char *token_file, *metrics;
    uint64_t state_limit;
    struct redaction_settings redaction;
    bool redacts_streams;
    bool with_env, once, quiet;
};

/* --- Options --------------------------------------------------------------------------------- */

static bool add_place(void *field, const char *argument)
{
    struct place_list *list = field;
    if (list->count == PLACES_MAX) {
        tool_usage_error("too many addresses (at most %d)", PLACES_MAX);
        return false;
    }
    list->place[list->count++] = argument;
    return true;
}

static const struct tool_option place_options[] = {
    {"from", 'f', "[NAME=]SRC", "read from SRC (repeatable)", "@sources",
     offsetof(struct relay_settings, from), add_place},
    {"listen", 'l', "ADDRESS", "serve clients at ADDRESS (repeatable)", "@sources",
     offsetof(struct relay_settings, listen), add_place},
    {"metrics", 'm', "HOST:PORT", "export metrics and logs over HTTP, for Prometheus", NULL,
     offsetof(struct relay_settings, metrics), tool_set_text},
    {"once", 0, NULL, "exit when all sources have ended; no messages", NULL,
     offsetof(struct relay_settings, once), tool_set_flag},
    {"quiet", 'q', NULL, NULL, NULL, offsetof(struct relay_settings, quiet), tool_set_flag},
    {"token-file", 0, "FILE", "require TCP clients to present the token in FILE", "@files",
     offsetof(struct relay_settings, token_file), tool_set_text},
    {"state-limit", 0, "SIZE", "memory for a program's live state (default 256Mi)", NULL,
     offsetof(struct relay_settings, state_limit), tool_set_amount},
    {"with-env", 0, NULL, "also serve the environments of programs", NULL,
     offsetof(struct relay_settings, with_env), tool_set_flag},
    {"redact-streams", 0, NULL, "redact what clients receive, as recordings", NULL,
     offsetof(struct relay_settings, redacts_streams), tool_set_flag},
    {0},
};

/* --- Running --------------------------------------------------------------------------------- */

struct relay_run {
    const struct relay_settings *settings;
    uv_loop_t loop;
    struct signal_watch signals;
    relay *relay;
    http *http; /* NULL: none, or closed */
    record_counts recorded;
    struct redaction redaction;
    struct storing storing;
    char *page; /* of hectic view; NULL: none */
    char token[TOKEN_MAX + 1];
};

static void note(void *user, const char *text)
{
    const struct relay_run *r = user;
    if (!r->settings->quiet) tool_message("%s", text);
}

/* Everybody who can read the file can read the logs. */
static bool read_token(struct relay_run *r)
{
    char message[MESSAGE_MAX];
    const char *path = r->settings->token_file;
    if (!path) return true;
    const bool is_read = token_read(path, r->token, message, sizeof message) == 0;
    if (*message) tool_message("%s", message);
    return is_read;
}

static void end(struct relay_run *r)
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

static bool open_all(struct relay_run *r)
{
    char message[MESSAGE_MAX];
    const struct place_list *listen = &r->settings->listen, *from = &r->settings->from;
    for (size_t i = 0; i < listen->count; i++)
        if (!relay_listen(r->relay, listen->place[i], message, sizeof message)) {
            tool_message("%s", message);
            return false;
        }
    for (size_t i = 0; i < from->count; i++) {
        const bool is_open = relay_from(r->relay, from->place[i], message, sizeof message);
        if (*message) tool_message("%s", message);
        if (!is_open) return false;
    }
    return true;
}

static const char *token_of(const struct relay_run *r)
{
    return r->token[0] ? r->token : NULL;
}

static bool open_http(struct relay_run *r)
{
    char message[MESSAGE_MAX];
    if (!r->settings->metrics) return true;
    r->http =
        http_new(&r->loop, r->relay, r->settings->metrics, token_of(r), message, sizeof message);
    if (!r->http) {
        tool_message("%s", message);
        return false;
    }
    size_t length = 0;
    r->page = page_read(&length);
    http_set_page(r->http, r->page, length);
    snprintf(message, sizeof message, "metrics at %s, port %u", r->settings->metrics,
             http_port(r->http));
    note(r, message);
    return true;
}

/* Large tables are used sparsely. Memory from mmap costs only the pages that are touched, but glibc
 * would soon raise the limit from which it uses mmap. The chunks that pass are smaller, and stay in
 * the heap. */
static void tune_malloc(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

/* Each program has a waiting thread. Linux 6.16 and later keep the waiting threads of a process in
 * a hash table with few slots for each CPU: to wake one, the kernel would search a long chain. */
static void tune_waiting(void)
{
#ifdef __linux__
    /* <linux/prctl.h> has the names since 6.16; an older kernel rejects the call. */
    enum { FUTEX_HASH = 78, FUTEX_HASH_SET_SLOTS = 1, SLOTS = 4096 };
    prctl(FUTEX_HASH, FUTEX_HASH_SET_SLOTS, SLOTS, 0, 0);
#endif
}

static bool is_redacted(const struct relay_settings *settings)
{
    return settings->redacts_streams || redaction_is_wanted(&settings->redaction);
}

static int serve(struct relay_run *r, const struct record_options *record)
{
    const struct relay_settings *s = r->settings;
    const struct relay_options options = {
        .with_env = s->with_env,
        .live_stats = s->metrics,
        .state_bytes = s->state_limit,
        .record = record,
        .redaction = is_redacted(s) ? &r->redaction.rules : NULL,
        .redacts_streams = s->redacts_streams,
        .store = r->storing.store,
        .otlp = r->storing.otlp.sender ? &r->storing.otlp : NULL,
        .token = token_of(r),
        .once = s->once,
        .note = note,
        .over = on_over,
        .user = r,
    };
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
    free(r->page);
    if (!opened) return TOOL_UNUSABLE;
    return r->recorded.failures > 0 ? TOOL_DAMAGED : TOOL_OK;
}

/* Rows that are lost are no messages about connections. */
static void note_storing(void *user, const char *text)
{
    (void)user;
    tool_message("%s", text);
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct relay_run r = {.settings = settings};
    if (r.settings->from.count == 0) {
        tool_usage_error("missing option: --from SRC (--from listen:unix:PATH for programs that "
                         "connect)");
        return TOOL_USAGE;
    }
    if (r.settings->listen.count == 0 && !r.settings->recording.directory && !r.settings->metrics &&
        !r.settings->storing.urls && !r.settings->storing.otlp) {
        tool_usage_error("missing option: --listen ADDRESS, --record DIR, --metrics HOST:PORT, "
                         "--clickhouse URL or --otlp URL");
        return TOOL_USAGE;
    }
    if (is_redacted(r.settings) && !r.settings->recording.directory && !r.settings->metrics &&
        !r.settings->storing.urls && !r.settings->storing.otlp && !r.settings->redacts_streams) {
        tool_usage_error("--redact requires --record, --metrics, --clickhouse, --otlp or "
                         "--redact-streams");
        return TOOL_USAGE;
    }
    int code = redaction_make(&r.settings->redaction, "performance", &r.redaction);
    if (code != TOOL_OK) return code;
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
    stderr_buffer_begin();
    tool_raise_descriptor_limit();
    tune_malloc();
    tune_waiting();
    code = storing_open(&r.storing, &r.settings->storing, note_storing, NULL);
    if (code == TOOL_OK) code = serve(&r, record.directory ? &record : NULL);
    if (!storing_close(&r.storing) && code == TOOL_OK) code = TOOL_DAMAGED;
    uv_loop_close(&r.loop);
    return code;
}

const struct verb verb_relay = {
    .name = "relay",
    .group = "I run a service",
    .brief = "serve and record live logs, with metrics",
    .summary = "Serve and record the logs of running programs",
    .usage = (const char *const[]){"--from SRC... [--listen ADDRESS]... [OPTION]...", NULL},
    .description =
        (const char *const[]){
            "Reads the logs of any number of programs and serves them to any number of clients. "
            "Clients can attach and detach at any time. Each client receives a complete log: the "
            "header, a replay of the live state, then all events from then on. A client that is "
            "too slow does not delay the program or other clients; a message in its log "
            "counts the events that it missed.",
            "SRC is a growing file, fifo:PATH, unix:PATH or tcp:HOST:PORT, to which the relay "
            "reconnects; run:COMMAND, a program that the relay starts (see hectic-watch(1)) and "
            "that ends with it; or listen:unix:PATH or listen:tcp:HOST:PORT, to which any number "
            "of programs connect.",
            "ADDRESS is unix:PATH or tcp:HOST:PORT. If the path of a Unix socket contains %n, each "
            "program has its own socket, with its name for %n. Otherwise a client receives the "
            "program that connected last, or the next one. A TCP client must not shut down its "
            "sending side before that (as nc -N does): that is taken for a disconnect. The name "
            "of a program is given by NAME=SRC or read from the log. If a source has a second "
            "log after the first, it is a program of its own: clients of the first reach the end "
            "of their log and may reconnect.",
            "Unix sockets are accessible to their owner only. TCP is limited to this host unless "
            "--token-file is given; then each TCP client must send the token first, as a line. "
            "Readers, and another relay's --from, do that with tcp:HOST:PORT,token-file=FILE; so "
            "do programs that use hectic's library or package, as their destination "
            "(HECTIC_EVENTLOG in Haskell). For other programs on another host, run a relay there, "
            "or forward the port with ssh -L or -R. Environments of programs are not served.",
            "A program has at most 256 clients at a time; if one more connects, a client that "
            "does not read is disconnected. A peer that sends something other than an eventlog, a "
            "command or a token, or does not begin within 10 seconds (5 for a token, or for the "
            "first byte), is disconnected and reported. If too many peers connect without "
            "beginning, the oldest connection of the address with most of them is closed. No "
            "bytes may precede a command, or an eventlog that arrives over TCP without a token.",
            "The live state of a program (threads and tasks that are alive, definitions) is stored "
            "once for all clients, in at most --state-limit bytes, and in as much again for "
            "--record. State beyond that is omitted; this is reported, counted in the metrics, and "
            "noted by a message in the logs of clients that connect later.",
            "A recorded file begins with the events of all caps from one time on, as the log of a "
            "client does, so it may become longer than --record-size by a flush. A flush that is "
            "longer than that itself is divided; the next file then begins with a message that "
            "counts the events of the flush that earlier files have.",
            "With --redact, recordings are redacted as hectic redact does it, and so are metrics, "
            "rows and items of OTLP, which keep the time of the day. What clients and pages "
            "receive is redacted with --redact-streams only.",
            "If DIR cannot be written, the relay does not start. If recording fails later (for "
            "example, because the disk is full), the relay reports it at once, continues to serve "
            "clients, and retries every second; the next file begins with a message that counts "
            "the missing events, and the exit "
            "status is 1. The metrics hectic_record_failing and hectic_record_removed_files_total "
            "report that and removed files, too.",
            "With --metrics, metrics of each program are at http://HOST:PORT/metrics (OpenMetrics, "
            "the classic text format, or the binary format with native histograms of pauses), and "
            "its log is at /log/NAME while it runs. The page of hectic-view(1) is at /view/NAME/: "
            "it shows the program from the time when the page is first opened. The pages of up to "
            "8 programs can be open at a time. Meanwhile their logs are stored in unlinked files "
            "in $TMPDIR; the log of a page that has been closed for two minutes is deleted. HTTP "
            "is limited to this host unless --token-file is given (Authorization: Bearer TOKEN; "
            "the page asks for the token).",
            "With --clickhouse, rows of the programs' logs are stored in ClickHouse while they are "
            "written: the same rows as hectic export --format clickhouse stores of their "
            "recordings, under the same id of the log, so that nothing is there twice. By default, "
            "these are all tables but sums, which are known only when a log ends. While the server "
            "is away, rows wait in a spool on disk, which the next relay sends, too; when that is "
            "full, new rows are dropped, reported, and counted in the metrics, and the exit status "
            "is 1. See docs/fleet.md.",
            "With --otlp, the spans, messages and metrics of programs are sent to a receiver of "
            "OTLP, "
            "such as a collector of OpenTelemetry, while they run: the same items as hectic export "
            "--format otlp makes of their recordings, under the same ids. Messages are sent as "
            "they "
            "are. While the receiver is away, items wait in memory and then in the spool; what it "
            "refuses, or finds no room there, is dropped, reported, and counted in the metrics, "
            "and the exit status is 1. See docs/export.md.",
            "Diagnostics go to stderr. If stderr is not read, they are dropped and counted.",
            "SIGINT, SIGTERM, SIGQUIT or SIGHUP (unless it is ignored) stops the relay: clients "
            "receive the remaining events. The logs of clients, and recorded ones, end with an end "
            "marker only if the program wrote one: not when it was killed, or still runs.",
            NULL},
    .groups =
        (const struct option_group[]){{"Addresses", place_options, 0, NULL},
                                      {"Recordings, rows in ClickHouse, OTLP", recording_options,
                                       offsetof(struct relay_settings, recording), recording_note},
                                      {"Recordings, rows in ClickHouse, OTLP", redaction_options,
                                       offsetof(struct relay_settings, redaction), redaction_note},
                                      {"Recordings, rows in ClickHouse, OTLP", storing_options,
                                       offsetof(struct relay_settings, storing), storing_note},
                                      {0}},
    .examples =
        (const struct example[]){
            {"hectic relay -f listen:unix:in -l unix:out", "serve several programs"},
            {"hectic relay -f unix:in -r /var/log/hectic", "record a service"},
            {"hectic relay -f tcp:far:4242,token-file=token -l unix:out",
             "from a relay on another host"},
            {"hectic relay -f unix:in -m 127.0.0.1:9464", "export metrics to Prometheus"},
            {"hectic relay -f unix:in --clickhouse http://127.0.0.1:8123", "store rows"},
            {NULL, NULL}},
    .exits =
        {"The relay was interrupted, or all sources have ended.",
         "The same, but a part of the logs could not be recorded, or rows or items were lost.",
         "Listening at an address failed, or a source cannot be read, or a DIR cannot be written."},
    .least = 0,
    .most = 0,
    .settings_size = sizeof(struct relay_settings),
    .run = run,
};
