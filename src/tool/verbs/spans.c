/* spans.c — hectic spans: durations of user-defined spans. */
#include "read/decode/running.h"
#include "report/spans_report.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/passes/table_verb.h"

#include <inttypes.h>

struct spans_settings {
    struct table_verb_settings base;
    bool each, raw;
};

static const struct tool_option spans_options[] = {
    {"each", 0, NULL, "a row for each span, the longest first", NULL,
     offsetof(struct spans_settings, each), tool_set_flag},
    {"raw", 0, NULL, "a label for each number: request 234, not request #", NULL,
     offsetof(struct spans_settings, raw), tool_set_flag},
    {0},
};

struct spans {
    const struct spans_settings *settings;
    const struct table_verb *base;
    struct table *table;
    hectic_span_totals totals; /* of all sections */
};

/* Reports warnings. */
static void report_warnings(const struct spans *spans)
{
    const struct reading *reading = spans->base->reading;
    const hectic_span_totals *totals = &spans->totals;
    const char *name = tool_log_name(spans->base->log.path);
    if (totals->across > 0)
        tool_message("%s: spans started by one thread and stopped by another: %" PRIu64, name,
                     totals->across);
    if (totals->unstarted > 0)
        tool_message("%s: STOPs without START: %" PRIu64, name, totals->unstarted);
    if (totals->unstopped > 0)
        tool_message("%s: STARTs without STOP: %" PRIu64, name, totals->unstopped);
    if (totals->unlisted > 0)
        tool_message("%s: too many labels: %" PRIu64 " spans and markers were ignored", name,
                     totals->unlisted);
    if (totals->unfollowed > 0)
        tool_message("%s: too many spans were open: %" PRIu64
                     " STARTs were ignored, and their STOPs count as STOPs without START",
                     name, totals->unfollowed);
    if (totals->spans > 0 && hectic_log_survey(reading->log)->count[RUNNING_EVIDENCE] == 0)
        tool_message("%s: note: the log does not record which threads ran (+RTS -ls): spans are "
                     "paired by cap",
                     name);
}

static void put_summary(const struct spans *spans)
{
    const struct table_settings *settings = &spans->base->settings->table;
    const hectic_span_totals *totals = &spans->totals;
    struct sink *sink = spans->base->sink;
    if (settings->json) {
        struct json json = json_on_sink(sink);
        sink_text(sink, ",\n", 2);
        spans_put_totals(&json, totals);
        sink_print(sink, "}\n");
    } else if (!settings->csv && !settings->where) {
        sink_print(sink, "\n%s", quantity(totals->spans, "span").text);
        if (totals->across > 0)
            sink_print(sink, " (%s across threads)", printed(CELL_COUNT, totals->across).text);
        sink_print(sink, ", %s, %s\n", quantity(totals->markers, "marker").text,
                   quantity(totals->messages, "other message").text);
    }
    report_warnings(spans);
}

static bool print(struct table_verb *base, void *user)
{
    struct spans *spans = user;
    struct table_rows rows;
    spans->base = base;
    if (!spans_rows(base->reading, table_rows(&rows, base, spans->table), spans->settings->each,
                    spans->settings->raw, &spans->totals) ||
        !table_end(spans->table, base->sink))
        return false;
    put_summary(spans);
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {"user messages",
                                                "Debug.Trace.traceEventIO or traceMarkerIO, and "
                                                "+RTS -lu",
                                                {HECTIC_EVENT_USER_MSG, HECTIC_EVENT_USER_MARKER},
                                                2,
                                                true};
    (void)argc;
    struct spans_settings *given = settings;
    struct table_settings *table = &given->base.table;
    struct spans spans = {.settings = given};
    int code;
    table->is_member = table->is_first = true;
    const bool is_text = !table->json && !table->csv;
    if (given->each && is_text && !table->sort) table->sort = "duration";
    table_default_sort(table, given->each ? "duration" : "total");
    spans.table =
        table_new("spans", given->each ? spans_each_columns : spans_columns, table, &code);
    if (spans.table) code = table_verb_run(argv[0], &given->base, &need, print, &spans);
    table_free(spans.table);
    return code;
}

const struct verb verb_spans = {
    .name = "spans",
    .group = "Other verbs:",
    .brief = "durations of user spans",
    .summary = "Report durations of spans: traceEventIO \"START x\" to \"STOP x\"",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "A span lasts from the user message \"START label\" to \"STOP label\" "
            "(Debug.Trace.traceEventIO), as for ghc-events-analyze. A number before the label "
            "(\"START 3 label\") is its subscript: the STOP with the same subscript belongs to "
            "it, and both count with the label. So is a number at the end of a label, behind a "
            "space or another character that is no letter: spans of \"START request 234\" are "
            "listed as \"request #\". --raw keeps such labels as they are.",
            "In Haskell: bracket_ (traceEventIO \"START request 234\") (traceEventIO \"STOP "
            "request "
            "234\") action. Messages are recorded with +RTS -l.",
            "A STOP ends the most recent open span of its label in its own thread, which is the "
            "one that runs on its cap. A START that its thread never stops, and a STOP without "
            "START in its thread, are paired with those of other threads in the same way; these "
            "spans are counted as across threads, and reported on standard error. Where the log "
            "does not record which threads ran (without +RTS -ls), the events of a cap are treated "
            "as those of one thread.",
            "For each label: how many spans ended; their total time; the time in "
            "which at least one was open, and the part of it without a collection, which "
            "ghc-events-analyze calls the total (a cap whose thread the system does not run stays "
            "in a collection after its leader: wait end in hectic stat); the mean, percentiles and "
            "maximum of their "
            "durations; and the STARTs and STOPs without the other, which are also reported on "
            "standard error. A span that is never stopped counts up to the end of the log, or to "
            "where events are missing.",
            "With --each, a row for each span that has ended: when it was started and stopped, by "
            "which thread, and on which cap. Text is sorted, the longest first, and all rows are "
            "kept in memory for that; --limit N keeps only N. CSV and JSON are written as spans "
            "end, unless --sort or --limit is given.",
            "For the markers of each name (Debug.Trace.traceMarkerIO): their number, and "
            "the same statistics of the times between consecutive ones.",
            "In an interval, times are clipped; durations are those of the whole spans that "
            "ended in it. Pairs do not depend on the interval. Percentiles are within "
            "1/128 of their value; everything else is exact.",
            "JSON is one object: spans, with an object for each row, and counts.", NULL},
    .columns = spans_columns,
    .groups =
        (const struct option_group[]){
            {"Which part", interval_options,
             offsetof(struct spans_settings, base) + offsetof(struct table_verb_settings, interval),
             interval_note},
            {"Which part", process_options,
             offsetof(struct spans_settings, base) + offsetof(struct table_verb_settings, interval),
             process_note},
            {"Table", spans_options, 0, NULL},
            {"Table", table_options,
             offsetof(struct spans_settings, base) + offsetof(struct table_verb_settings, table),
             table_note},
            {"Output", color_options,
             offsetof(struct spans_settings, base) + offsetof(struct table_verb_settings, output),
             NULL},
            {"Output", output_options,
             offsetof(struct spans_settings, base) + offsetof(struct table_verb_settings, output),
             NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic spans --sort total Main.eventlog", "what took longest in total"},
            {"hectic spans --each --limit 10 LOG", "the ten longest spans"},
            {"hectic spans --each --csv Main.eventlog >spans.csv", "every span, for a spreadsheet"},
            {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("user messages"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct spans_settings),
    .run = run,
};
