/* export.c — hectic export: write profiles in the formats of other tools. */
#include "tool/verbs/export/export.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/verbs/export/tables/servers.h"
#include "tool/verbs/export/trace/trace_writer.h"

#include <stdlib.h>
#include <unistd.h>

/* --- The formats ------------------------------------------------------------------------------ */

/* The names of all of them. */
#define FORMATS(between)                                                                           \
    "perfetto" between "chrome" between "otlp" between "speedscope" between "pprof" between        \
    "folded" between "ctf" between "hp" between "prof" between "prof-json" between                 \
    "sqlite" between "parquet" between "clickhouse"

static const struct exporter exporters[] = {
    {
        .name = "hp",
        .suffix = ".hp",
        .takes = PROFILE_HEAP,
        .stream = hp_stream,
    },
    {
        .name = "prof",
        .suffix = ".prof",
        .takes = PROFILE_TIME,
        .options = EXPORT_HAS_CAP,
        .weight = WEIGHT_SAMPLES,
        .write = prof_write,
    },
    {
        .name = "prof-json",
        .suffix = ".prof.json",
        .takes = PROFILE_TIME,
        .options = EXPORT_HAS_CAP,
        .weight = WEIGHT_SAMPLES,
        .write = prof_json_write,
    },
    {
        .name = "speedscope",
        .suffix = ".speedscope.json",
        .takes = PROFILE_TIME | PROFILE_HEAP,
        .options = EXPORT_HAS_WEIGHT | EXPORT_HAS_CAP | EXPORT_HAS_EVERY | EXPORT_HAS_AT,
        .weight = WEIGHT_INTERVAL,
        .has_caps = true,
        .write = speedscope_write,
        .stream = speedscope_slices,
    },
    {
        .name = "pprof",
        .suffix = ".pb.gz",
        .takes = PROFILE_TIME | PROFILE_HEAP,
        .options = EXPORT_HAS_WEIGHT | EXPORT_HAS_CAP | EXPORT_HAS_AT,
        .weight = WEIGHT_INTERVAL,
        .is_binary = true,
        .write = pprof_write,
    },
    {
        .name = "folded",
        .suffix = ".folded",
        .takes = PROFILE_TIME | PROFILE_HEAP,
        .options = EXPORT_HAS_WEIGHT | EXPORT_HAS_CAP | EXPORT_HAS_AT,
        .weight = WEIGHT_SAMPLES,
        .write = folded_write,
    },
    {
        .name = "perfetto",
        .suffix = ".pftrace",
        .options = EXPORT_HAS_TRACE | EXPORT_HAS_INTERVAL,
        .is_binary = true,
        .trace = &perfetto_writer,
        .in_order = trace_export,
    },
    {
        .name = "chrome",
        .suffix = ".trace.json",
        .options = EXPORT_HAS_TRACE | EXPORT_HAS_INTERVAL,
        .trace = &chrome_writer,
        .in_order = trace_export,
    },
    {
        .name = "ctf",
        .suffix = ".ctf",
        .options = EXPORT_HAS_INTERVAL,
        .is_folder = true,
        .in_order = ctf_export,
    },
    {
        .name = "otlp",
        .suffix = ".otlp.jsonl",
        .options = EXPORT_HAS_INTERVAL | EXPORT_HAS_URL,
        .in_order = otlp_export,
    },
    {
        .name = "sqlite",
        .suffix = ".db",
        .tables = sqlite_tables,
    },
    {
        .name = "parquet",
        .suffix = ".parquet",
        .is_folder = true,
        .tables = parquet_tables,
    },
    {
        .name = "clickhouse",
        .suffix = ".clickhouse.sql",
        .options = EXPORT_HAS_SERVER,
        .tables = clickhouse_tables,
    },
    {0},
};

static const struct exporter *exporter_by_name(const char *name)
{
    for (const struct exporter *e = exporters; e->name; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

/* The format with the longest suffix of that file; NULL: none. */
static const struct exporter *exporter_of_file(const char *path)
{
    const size_t length = strlen(path);
    const struct exporter *found = NULL;
    for (const struct exporter *e = exporters; e->name; e++) {
        const size_t suffix = strlen(e->suffix);
        if (suffix < length && strcmp(path + length - suffix, e->suffix) == 0 &&
            (!found || suffix > strlen(found->suffix)))
            found = e;
    }
    return found;
}

static void report_no_format(const char *out)
{
    char suffixes[256] = "";
    size_t length = 0;
    for (const struct exporter *e = exporters; e->name && length < sizeof suffixes; e++)
        length += (size_t)snprintf(suffixes + length, sizeof suffixes - length, "%s%s",
                                   length > 0 ? ", " : "", e->suffix);
    if (strcmp(out, "-") == 0)
        tool_usage_error("missing option: --format FORMAT (" FORMATS(", ") ")");
    else
        tool_usage_error("the suffix of \"%s\" is that of no format (%s): name one by --format",
                         out, suffixes);
}

/* --- Options ---------------------------------------------------------------------------------- */

static bool set_format(void *field, const char *argument)
{
    struct export_settings *settings = field;
    settings->to = exporter_by_name(argument);
    if (settings->to) return true;
    struct suggestion suggestion = {.word = argument};
    for (const struct exporter *e = exporters; e->name; e++)
        tool_suggest(&suggestion, e->name);
    tool_usage_error("unknown format \"%s\" for --format%s%s%s (formats: " FORMATS(", ") ")",
                     argument, suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
    return false;
}

/* Until 0.1, --to named the format, too, also beside a time; it still may, in this release. */
static void take_former_option(struct export_settings *settings)
{
    struct interval_settings *interval = &settings->interval;
    const char *to[] = {interval->to, interval->former_to};
    for (size_t i = 0; i < sizeof to / sizeof *to && !settings->to; i++) {
        settings->to = to[i] ? exporter_by_name(to[i]) : NULL;
        if (!settings->to) continue;
        interval->to = to[1 - i];
        if (!settings->output.quiet)
            tool_message("note: use --format %s: --to with a format will not be supported", to[i]);
    }
}

static const char weight_words[] = "interval elapsed samples"; /* as in enum export_weight */

static bool set_weight(void *field, const char *argument)
{
    const int weight = tool_choose(argument, weight_words);
    if (weight >= 0) *(enum export_weight *)field = (enum export_weight)(WEIGHT_INTERVAL + weight);
    return weight >= 0;
}

static const struct tool_option format_options[] = {
    {"format", 0, "FORMAT", FORMATS(", "), FORMATS(" "), 0, set_format},
    {"profile", 0, "N", "the Nth profile of several; time: samples of cap N", NULL,
     offsetof(struct export_settings, profile), tool_set_count},
    {"cap", 0, "N", NULL, NULL, offsetof(struct export_settings, cap), tool_set_cap},
    {"at", 0, "WHEN", "heap: peak (default), end, mean, or a time", "peak end mean",
     offsetof(struct export_settings, at), tool_set_text},
    {"weight", 0, "W", "time: interval, elapsed, samples; speedscope: slices", weight_words,
     offsetof(struct export_settings, weight), set_weight},
    {"every", 0, "T", NULL, NULL, offsetof(struct export_settings, every), tool_set_duration},
    {"min-duration", 0, "D", "perfetto, chrome: no slices shorter than D", NULL,
     offsetof(struct export_settings, shortest), tool_set_duration},
    {"table", 0, "T", "tables: only T,T; what is private, too", NULL,
     offsetof(struct export_settings, tables), tool_set_text},
    {"private", 0, NULL, NULL, NULL, offsetof(struct export_settings, has_private), tool_set_flag},
    {"url", 0, "U", "a server (clickhouse: or shards U,U); its database", NULL,
     offsetof(struct export_settings, clickhouse.url), tool_set_text},
    {"database", 0, "D", NULL, NULL, offsetof(struct export_settings, clickhouse.database),
     tool_set_text},
    {"cluster", 0, "C", "the cluster of the shards; where programs ran", NULL,
     offsetof(struct export_settings, clickhouse.cluster), tool_set_text},
    {"host", 0, "H", NULL, NULL, offsetof(struct export_settings, clickhouse.host), tool_set_text},
    {"keep-days", 0, "N", "then drop rows of programs that began before N days", NULL,
     offsetof(struct export_settings, clickhouse.keep_days), tool_set_amount},
    {0},
};

static bool has_interval(const struct interval_settings *interval)
{
    return interval->from || interval->to || interval->between[0];
}

/* Is every option one of the format? */
static bool check_options(const struct export_settings *settings)
{
    const struct {
        const char *option;
        bool is_given;
        unsigned needs;
    } given[] = {
        {"--at", settings->at != NULL, EXPORT_HAS_AT},
        {"--cap", settings->cap.is_set, EXPORT_HAS_CAP},
        {"--weight", settings->weight != WEIGHT_DEFAULT, EXPORT_HAS_WEIGHT},
        {"--every", settings->every > 0, EXPORT_HAS_EVERY},
        {"--profile", settings->profile > 0, EXPORT_HAS_PROFILES},
        {"--from, --to or --between", has_interval(&settings->interval),
         EXPORT_HAS_PROFILES | EXPORT_HAS_INTERVAL},
        {"--min-duration", settings->shortest > 0, EXPORT_HAS_TRACE},
        {"--table", settings->tables != NULL, EXPORT_HAS_TABLES},
        {"--private", settings->has_private, EXPORT_HAS_TABLES},
        {"--url", settings->clickhouse.url != NULL, EXPORT_HAS_SERVER | EXPORT_HAS_URL},
        {"--database", settings->clickhouse.database != NULL, EXPORT_HAS_SERVER},
        {"--cluster", settings->clickhouse.cluster != NULL, EXPORT_HAS_SERVER},
        {"--host", settings->clickhouse.host != NULL, EXPORT_HAS_SERVER},
        {"--keep-days", settings->clickhouse.keep_days > 0, EXPORT_HAS_SERVER},
    };
    const unsigned options =
        settings->to->options | (settings->to->tables     ? EXPORT_HAS_TABLES
                                 : settings->to->in_order ? 0
                                                          : EXPORT_HAS_PROFILES);
    if (settings->to->is_folder && strcmp(settings->output.path, "-") == 0) {
        tool_usage_error("--format %s writes a folder, not standard output", settings->to->name);
        return false;
    }
    const unsigned of_time = EXPORT_HAS_CAP | EXPORT_HAS_WEIGHT | EXPORT_HAS_EVERY;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].is_given && !(options & given[i].needs)) {
            tool_usage_error("%s cannot be combined with --format %s", given[i].option,
                             settings->to->name);
            return false;
        }
        if (given[i].is_given && settings->at && given[i].needs & of_time) {
            tool_usage_error("--at (of heap profiles) and %s (of time profiles) cannot be combined",
                             given[i].option);
            return false;
        }
    }
    return true;
}

/* --- The verb --------------------------------------------------------------------------------- */

static int export_log(struct export_run *export, bool *done)
{
    const struct exporter *to = export->settings->to;
    const bool is_stream = !to->write || export->settings->every > 0;
    if (to->in_order) return to->in_order(export, done);
    return is_stream ? to->stream(export, done) : export_joined(export, done);
}

static int write_export(struct export_run *export)
{
    const struct export_settings *settings = export->settings;
    int code = settings->to->in_order ? TOOL_OK
                                      : file_reading_open(&export->reading, export->path,
                                                          &settings->interval, &settings->output);
    if (code == TOOL_OK) {
        export->sink = sink_open(&settings->output);
        code = TOOL_UNUSABLE;
    }
    if (export->sink) {
        bool done = false;
        if (settings->to->is_binary && sink_is_terminal(export->sink))
            tool_message("not writing bytes for %s to a terminal: name a file, or use a pipe",
                         settings->to->name);
        else
            code = export_log(export, &done);
        const int closed = sink_close(export->sink, done ? code : TOOL_UNUSABLE);
        if (done) code = closed;
    }
    file_reading_close(&export->reading);
    return code;
}

/* OUT is the last operand, unless -o names it, or a server is filled; the others are logs. */
static int write_tables(struct export_settings *own, int argc, char **argv)
{
    const bool has_server = own->to->options & EXPORT_HAS_SERVER;
    const bool is_operand = !own->output.path && !(has_server && own->clickhouse.url);
    if (is_operand) own->output.path = argv[argc - 1];
    if (is_operand && argc < 2) {
        if (has_server)
            tool_usage_error("--format %s needs --url URL, or OUT for statements", own->to->name);
        else
            tool_usage_error("missing operand: OUT");
        return TOOL_USAGE;
    }
    return check_options(own) ? own->to->tables(own, argc - is_operand, argv) : TOOL_USAGE;
}

/* To a server: no file is written. */
static int send_export(struct export_settings *own, int argc, char **argv)
{
    struct export_run export = {.path = argv[0], .settings = own};
    bool done = false;
    if (!check_options(own)) return TOOL_USAGE;
    if (argc > 1 || own->output.path) {
        tool_usage_error("OUT and --url cannot be combined");
        return TOOL_USAGE;
    }
    if (!server_otlp_check(own->clickhouse.url, "--url")) return TOOL_USAGE;
    return own->to->in_order(&export, &done);
}

static int export_any(struct export_settings *own, int argc, char **argv)
{
    const char *out = own->output.path ? own->output.path : argv[argc - 1];
    const struct exporter *by_name = own->to ? own->to : exporter_of_file(out);
    if (by_name && by_name->tables) {
        own->to = by_name;
        return write_tables(own, argc, argv);
    }
    if (own->to && own->to->options & EXPORT_HAS_URL && own->clickhouse.url)
        return send_export(own, argc, argv);
    if (argc > 2) {
        tool_usage_error("too many operands: a profile or trace is exported from one log");
        return TOOL_USAGE;
    }
    if (!tool_output_operand(&own->output, argc, argv)) return TOOL_USAGE;
    take_former_option(own);
    if (!own->to) own->to = exporter_of_file(own->output.path);
    if (!own->to) {
        report_no_format(own->output.path);
        return TOOL_USAGE;
    }
    if (!check_options(own)) return TOOL_USAGE;
    struct export_run export = {.path = argv[0], .settings = own};
    bool done = false;
    return own->to->is_folder ? own->to->in_order(&export, &done) : write_export(&export);
}

static int run(void *settings, int argc, char **argv)
{
    struct export_settings *own = settings;
    struct redaction redaction;
    if (!redaction_is_wanted(&own->redaction)) return export_any(own, argc, argv);
    int code = redaction_make(&own->redaction, "performance", &redaction);
    if (code != TOOL_OK) return code;
    tool_input_redact(&redaction);
    code = export_any(own, argc, argv);
    return code == TOOL_OK && redaction.losses.places > 0 ? TOOL_DAMAGED : code;
}

static const struct option_group groups[] = {
    {"What to write", format_options, 0,
     "Weights of "
     "stacks are samples times the interval between ticks (interval), the time since the cap's "
     "previous sample (elapsed), or the number of samples. Without an interval in the log, samples "
     "are counted. N counts the profiles with samples in the part of the log. T of --every is an "
     "interval with a unit; WHEN may also be marker:NAME."},
    {"What to write", interval_options, offsetof(struct export_settings, interval), interval_note},
    {"Output", output_options, offsetof(struct export_settings, output), NULL},
    {"Output", redaction_options, offsetof(struct export_settings, redaction), redaction_note},
    {"Output", input_options, 0, input_note},
    {0},
};

const struct verb verb_export = {
    .name = "export",
    .group = "Other verbs:",
    .brief = "files for other tools",
    .summary = "Write a trace, profile or tables for another tool",
    .usage =
        (const char *const[]){"--format FORMAT [OPTION]... LOG OUT",
                              "--format sqlite|parquet|clickhouse [OPTION]... LOG... [OUT]", NULL},
    .description =
        (const char *const[]){
            "Writes a trace of LOG, or a heap or time profile, to OUT (- for standard output). "
            "Without --format, the suffix of OUT determines the format. The formats, their "
            "suffixes, and what they take:",
            "perfetto (.pftrace): a trace for ui.perfetto.dev. Tracks of caps have the threads "
            "that ran, collections and the waits for them; tracks of threads have states, with "
            "arrows from the thread that woke another one, and spans. Spans that overlap without "
            "one containing the other are in tracks of their own. Collections with their "
            "statistics, markers, messages, sizes of the heap, rates of allocation and sparks, "
            "bands of heap profiles, and samples of time profiles with their stacks follow. "
            "Texts that are not UTF-8 are escaped. Memory does not depend on the length of the "
            "log; each thread takes 16 bytes.",
            "chrome (.trace.json): the same as JSON, for chrome://tracing, Firefox Profiler, "
            "speedscope and others.",
            "ctf (.ctf): all events with their fields in the Common Trace Format 1.8, for "
            "babeltrace2, Trace Compass and others. OUT is a folder, which has a stream for each "
            "cap; of a log with several sections, a folder for each. --force replaces the folder "
            "of a trace, and no other.",
            "hp (.hp): GHC's file of a heap profile with all samples, for hp2ps. User markers "
            "become marks. Numbers of stacks are those of this file. Times are those of the log, "
            "while GHC counts CPU time. The samples of -hbdrag and other selections by biography "
            "have no times in the log; they are numbered.",
            "prof (.prof), prof-json (.prof.json): GHC's reports of a time profile (+RTS -P, -pj). "
            "A log has neither entries nor allocation: they are N/A, or null.",
            "speedscope (.speedscope.json): a time or heap profile for www.speedscope.app. A time "
            "profile has the sums of stacks over the whole time, of all caps and of each cap; with "
            "--every, the sums over slices of that length, in order of time.",
            "pprof (.pb.gz): a time or heap profile for go tool pprof and others.",
            "folded (.folded): a time or heap profile as lines of stacks, for flamegraph.pl and "
            "others; values are samples, or bytes.",
            "otlp (.otlp.jsonl): the OpenTelemetry protocol: spans as traces, messages and markers "
            "as "
            "logs, and the metrics of hectic relay with a histogram of the spans of each label, as "
            "lines of JSON; with --url, as protocol buffers over HTTP. A span belongs to the "
            "innermost one of its thread that is open. After a message traceparent "
            "00-TRACE-SPAN-FLAGS, the innermost span belongs to that trace. OTEL_SERVICE_NAME, "
            "OTEL_RESOURCE_ATTRIBUTES and OTEL_EXPORTER_OTLP_HEADERS are used. While a server is "
            "away, the export tries again, for a minute.",
            "sqlite (.db): the tables of hectic sql of one log or several, or of folders of logs, "
            "as "
            "a database of SQLite, with indices and the views. Each table has a column log, the "
            "path of the log; columns_of_tables describes all columns. Events are not in it, but "
            "for --table events,ev_GC_START. Columns with what a log tells about its user are "
            "left out, but for --private: arguments, environment, payloads, ids of processes and "
            "of kernel threads, the program's path, and the time of the day. Labels and messages "
            "are there.",
            "parquet (.parquet): the same tables, and events, as files of Apache Parquet for "
            "DuckDB, "
            "Spark, Trino, pandas, Polars and others: OUT/TABLE/log=LOG/part-0.parquet, so that "
            "log, "
            "the path, is a column there, too. Other logs can be added to OUT later. Tables "
            "without rows have a file with their columns.",
            "clickhouse (.clickhouse.sql): the same tables as statements for clickhouse-client; "
            "with "
            "--url, in a database of ClickHouse, over HTTP. Rows of all logs are in one table, "
            "with columns "
            "log, host, day and sequence. What is exported again replaces itself. Of several "
            "URLs, a log goes to one; --cluster makes tables that read all of them. User and "
            "password are those of CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or of ~/.netrc. While "
            "a server is away, the export tries again, for a minute. See docs/fleet.md.",
            "A time profile is that of GHC's profiler, or of ghc-stack-profiler's messages. A heap "
            "profile is exported as it was in one sample (--at), except as hp. If the log has "
            "both, the time profile is exported, and --at selects the heap profile. A log without "
            "HEAP_PROF_BEGIN, of a late reader, may not have the breakdown of its heap profile, "
            "and no option names it: labels are exported as they are in the log.",
            NULL},
    .groups = groups,
    .examples =
        (const struct example[]){
            {"hectic export --format perfetto LOG main.pftrace", "for ui.perfetto.dev"},
            {"hectic export --format speedscope LOG main.speedscope.json", "for speedscope"},
            {"hectic export --format hp LOG main.hp", "for hp2ps"},
            {"hectic export --format pprof --at end LOG heap.pb.gz", "the heap at the end"},
            {"hectic export --format hp --from 1s --to 2s LOG part.hp",
             "a second of the heap profile"},
            {"hectic export --format sqlite runs/ runs.db", "tables of a folder of logs"},
            {"hectic export --format parquet runs/ tables/", "the same for DuckDB, Spark, pandas"},
            {"hectic export --format folded LOG - | flamegraph.pl > flame.svg", "a flame graph"},
            {NULL, NULL}},
    .exits = {"OUT was written. LOG may be cut short.",
              "LOG is damaged (OUT has what could be read), or has no such profile: OUT was not "
              "written.",
              "LOG cannot be read, or OUT cannot be written."},
    .least = 1,
    .most = 10000,
    .settings_size = sizeof(struct export_settings),
    .run = run,
};
