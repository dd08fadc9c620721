/* otlp_export.c — a log as traces, logs and metrics of OTLP: spans, messages and markers, and the
 * metrics of docs/metrics.md. */
#include "otlp/environment.h"
#include "otlp/program.h"
#include "otlp/server.h"
#include "results/identity.h"
#include "results/summary.h"
#include "tool/cli/message.h"
#include "tool/input/log_reading.h"
#include "tool/output/cells.h"
#include "tool/verbs/export/export.h"
#include "tool/verbs/export/otlp/otlp.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PATIENCE = 60000 }; /* ms */

struct otlp_export {
    const struct export_run *export;
    struct otlp_target target;
    struct otlp_server *server; /* NULL: requests are written */
    struct log_identity log;
    uint64_t *clock_zero;      /* of each section; see otlp_program_options */
    struct otlp_counts counts; /* of the processes that have ended */
    uint64_t refused;          /* items that the server refused, though it took the rest */
    bool has_failed;           /* a message has said so */
};

/* --- Requests -------------------------------------------------------------------------------- */

static bool put_line(void *self, enum otlp_signal signal, const struct buffer *request,
                     size_t items)
{
    struct sink *sink = ((struct otlp_export *)self)->export->sink;
    (void)items;
    return otlp_put_line(sink, signal, request) && !sink_failed(sink);
}

static bool send_request(void *self, enum otlp_signal signal, const struct buffer *request,
                         size_t items)
{
    struct otlp_export *to = self;
    const char *url = to->export->settings->clickhouse.url;
    struct delivery delivery = {0};
    (void)items;
    if (!otlp_server_send(to->server, otlp_paths[signal], request, &delivery)) {
        tool_message("%s: %s", url, otlp_server_error(to->server));
        to->has_failed = true;
    } else if (delivery.lost > 0 && to->refused == 0) {
        tool_message("%s: %s", url, otlp_server_error(to->server));
    }
    to->refused += delivery.lost;
    return !to->has_failed;
}

static void report_waiting(void *user, const char *url, const char *why)
{
    const struct otlp_export *to = user;
    if (!to->export->settings->output.quiet) tool_message("%s: %s; trying again", url, why);
}

/* --- Reading --------------------------------------------------------------------------------- */

/* What is kept for a process. */
struct kept {
    otlp_program *program;
    hectic_live_stats *live;
};

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    otlp_program_free(kept->program);
    hectic_live_stats_free(kept->live);
    *kept = (struct kept){0};
}

/* Of the process among those of all sections. */
static uint64_t process_number(const struct reading *reading)
{
    const bool has_several = reading->several && reading->part->process.has_capset;
    return (uint64_t)(reading->section - 1) << 32 |
           (has_several ? reading->part->process.capset + 1 : 0);
}

static bool begin(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    const struct otlp_export *to = reading->user;
    kept->program = otlp_program_new(
        &(struct otlp_program_options){.target = &to->target,
                                       .from = reading->interval.from,
                                       .to = reading->interval.to,
                                       .log = to->log.id,
                                       .process = process_number(reading),
                                       .clock_zero = to->clock_zero[reading->section - 1]});
    kept->live = hectic_live_stats_new();
    return kept->program && kept->live && hectic_live_stats_begin(kept->live, reading->header);
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = hectic_live_stats_event(kept->live, &event[i]) &&
               otlp_program_event(kept->program, &event[i]);
    return done;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    struct otlp_export *to = reading->user;
    const struct metrics_program metrics = {.name = "", .live_stats = kept->live, .is_log = true};
    const bool done = otlp_program_end(kept->program, now) &&
                      otlp_program_metrics(kept->program, &metrics, now) &&
                      otlp_program_flush(kept->program);
    const struct otlp_counts counts = otlp_program_counts(kept->program);
    to->counts.spans += counts.spans;
    to->counts.records += counts.records;
    to->counts.lacks_clock |= counts.lacks_clock;
    finish(reading);
    return done;
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

/* False: out of memory, or the log cannot be read. */
static bool find_clocks(struct otlp_export *to, hectic_log *log)
{
    const size_t sections = hectic_log_survey(log)->sections;
    hectic_summary *summary = malloc(sizeof *summary);
    to->clock_zero = calloc(sections + 1, sizeof *to->clock_zero);
    bool done = summary && to->clock_zero;
    for (size_t i = 0; i < sections && done; i++) {
        done = hectic_summarize_section(log, i, summary);
        if (done && !summary_clock_zero(summary, &to->clock_zero[i])) to->clock_zero[i] = 0;
        if (done) hectic_summary_clear(summary);
    }
    free(summary);
    return done;
}

static int read_log(struct otlp_export *to, struct log_reading *log, bool *done)
{
    hectic_log *read = log->reading.log;
    if (!log_identify(read, &to->log) || !find_clocks(to, read)) return TOOL_UNUSABLE;
    *done = log_reading_all(log, &reader, to);
    return *done ? log_reading_report(log) : TOOL_UNUSABLE;
}

/* After all was written or sent. */
static int report(const struct otlp_export *to, int code)
{
    struct export_run *export = (struct export_run *)(uintptr_t)to->export;
    if (to->counts.lacks_clock)
        export_note(export, "the log has no time of the day: its times begin in 1970");
    if (!to->server) return code;
    export_note(export, "sent: %s, %s", quantity(to->counts.spans, "span").text,
                quantity(to->counts.records, "message").text);
    if (to->refused == 0) return code;
    tool_message("%s: items that the server has refused: %" PRIu64,
                 export->settings->clickhouse.url, to->refused);
    return code == TOOL_OK ? TOOL_DAMAGED : code;
}

static void note(void *user, const char *text)
{
    export_note(user, "%s", text);
}

int otlp_export(struct export_run *export, bool *done)
{
    struct log_reading log;
    const struct export_settings *settings = export->settings;
    const char *url = settings->clickhouse.url;
    struct otlp_export to = {.export = export, .target = {url ? send_request : put_line, &to}};
    const struct otlp_access access = {
        .url = url, .patience = PATIENCE, .waits = report_waiting, .user = &to};
    otlp_environment_check(note, export);
    to.server = url ? otlp_server_new(&access) : NULL;
    if (url && !to.server) return tool_message("out of memory"), TOOL_UNUSABLE;
    int code = log_reading_open(&log, export->path, &settings->interval, READING_TO_INTERVAL,
                                &settings->output);
    if (code == TOOL_OK) {
        code = read_log(&to, &log, done);
        if (!*done && !to.has_failed && !sink_failed(export->sink)) tool_message("out of memory");
    }
    if (*done) code = report(&to, code);
    reading_close(&log.reading);
    otlp_server_free(to.server);
    free(to.clock_zero);
    return code;
}
