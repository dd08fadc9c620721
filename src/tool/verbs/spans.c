/* spans.c — hectic spans: durations of user-defined spans. */
#include "tool/output/table_verb.h"

#include <inttypes.h>
#include <string.h>

struct spans_settings {
    struct table_verb_settings base;
    bool each;
};

static const struct tool_option spans_options[] = {
    {"each", 0, NULL, "a row for each span, the longest first", NULL,
     offsetof(struct spans_settings, each), tool_set_flag},
    {0},
};

struct spans {
    const struct spans_settings *settings;
    const struct table_verb *base;
    struct table *table;
    hectic_spans *analysis[READING_PROCESSES]; /* of the current section */
    hectic_span_totals totals;                 /* of all sections */
};

/* Of the current process. */
static hectic_spans *analysis_of(const struct spans *spans)
{
    return spans->analysis[spans->base->reading.slot];
}

/* --- Labels ---------------------------------------------------------------------------------- */

static const struct table_column columns[] = {
    READING_COLUMNS,
    {"kind", "Kind", CELL_TEXT, RANK(1)},
    {"label", "Label", CELL_TEXT, 0},
    {"count", "Count", CELL_COUNT, 0},
    {"total_ns", "Total", CELL_NS, 0},
    {"total_bar", "", CELL_BAR, RANK(3)},
    {"open_ns", "Open", CELL_NS, RANK(4)},
    {"no_gc_ns", "Without GC", CELL_NS, RANK(3)},
    {"mean_ns", "Mean", CELL_NS, RANK(2)},
    {"p50_ns", "p50", CELL_NS, RANK(1)},
    {"p90_ns", "p90", CELL_NS, RANK(3)},
    {"p99_ns", "p99", CELL_NS, RANK(1)},
    {"max_ns", "Max", CELL_NS, RANK(1)},
    {"first_ns", "First", CELL_TIME, RANK(5)},
    {"last_ns", "Last", CELL_TIME, RANK(5)},
    {"unstarted", "Unstarted", CELL_COUNT, OPTIONAL | RANK(4)},
    {"unstopped", "Unstopped", CELL_COUNT, OPTIONAL | RANK(4)},
    {"across", "Across threads", CELL_COUNT, OPTIONAL | RANK(4)},
    {0},
};

static bool take(void *user, const hectic_span *span)
{
    struct spans *spans = user;
    struct cell cell[sizeof columns / sizeof *columns];
    const hectic_histogram *durations = span->durations;
    const bool has_durations = durations->count > 0;
    const uint64_t duration = spans->base->duration;
    const bool is_span = !span->is_marker;
    size_t i = 0;
    i += reading_cells(&spans->base->reading, cell);
    cell[i++] = cell_text(is_span ? "span" : "marker");
    cell[i++] = cell_text(span->label);
    cell[i++] = cell_number(span->count);
    cell[i++] = cell_if(is_span, span->total);
    cell[i++] = cell_share(is_span && duration ? (double)span->open / (double)duration : 0);
    cell[i++] = cell_if(is_span, span->open);
    cell[i++] = cell_if(is_span, span->no_gc);
    cell[i++] = cell_if(has_durations, has_durations ? durations->sum / durations->count : 0);
    static const double shares[] = {0.5, 0.9, 0.99, 1};
    for (size_t j = 0; j < sizeof shares / sizeof *shares; j++)
        cell[i++] = cell_if(has_durations, hectic_histogram_quantile(durations, shares[j]));
    cell[i++] = cell_if(span->has_times, span->first);
    cell[i++] = cell_if(span->has_times, span->last);
    cell[i++] = cell_if(is_span, span->unstarted);
    cell[i++] = cell_if(is_span, span->unstopped);
    cell[i++] = cell_if(is_span, span->across);
    return table_row(spans->table, spans->base->sink, cell);
}

/* --- Each span ------------------------------------------------------------------------------- */

static const struct table_column each_columns[] = {
    READING_COLUMNS,
    {"label", "Label", CELL_TEXT, 0},
    {"subscript", "Subscript", CELL_ID, OPTIONAL | RANK(2)},
    {"start_ns", "Start", CELL_TIME, 0},
    {"end_ns", "End", CELL_TIME, RANK(2)},
    {"duration_ns", "Duration", CELL_NS, 0},
    {"thread", "Thread", CELL_ID, RANK(1)},
    {"cap", "Cap", CELL_ID, RANK(3)},
    {"end_thread", "End thread", CELL_ID, RANK(3)},
    {"end_cap", "End cap", CELL_ID, RANK(4)},
    {"across_threads", "Across threads", CELL_FLAG, OPTIONAL | RANK(3)},
    {0},
};

static bool take_one(void *user, const hectic_span_one *span)
{
    struct spans *spans = user;
    const hectic_span_end *start = &span->start, *stop = &span->stop;
    const struct interval *interval = &spans->base->reading.interval;
    if (!span->is_stopped || stop->time < interval->from || stop->time >= interval->to) return true;
    struct cell cell[sizeof each_columns / sizeof *each_columns];
    const struct cell values[] = {
        cell_text(span->label),
        cell_number(span->subscript),
        cell_number(start->time),
        cell_number(stop->time),
        cell_number(stop->time - start->time),
        cell_if(start->has_thread, start->thread),
        cell_if(start->cap != HECTIC_CAP_NONE, start->cap),
        cell_if(stop->has_thread, stop->thread),
        cell_if(stop->cap != HECTIC_CAP_NONE, stop->cap),
        cell_number(span->across),
    };
    memcpy(cell + reading_cells(&spans->base->reading, cell), values, sizeof values);
    return table_row(spans->table, spans->base->sink, cell) && !sink_failed(spans->base->sink);
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(void *user, const hectic_header *header)
{
    struct spans *spans = user;
    const struct interval *interval = &spans->base->reading.interval;
    spans->analysis[spans->base->reading.slot] = hectic_spans_new(
        interval->from, interval->to, spans->settings->each ? take_one : NULL, spans);
    return header && analysis_of(spans);
}

static bool event(void *user, const hectic_event *event)
{
    const struct spans *spans = user;
    return hectic_spans_event(analysis_of(spans), event);
}

static bool is_settled(const void *user)
{
    return hectic_spans_are_settled(analysis_of(user));
}

static bool end(void *user, uint64_t now)
{
    struct spans *spans = user;
    if (!hectic_spans_end(analysis_of(spans), now)) return false;
    if (!spans->settings->each && !hectic_spans_each(analysis_of(spans), now, take, spans))
        return false;
    const hectic_span_totals totals = hectic_spans_totals(analysis_of(spans));
    spans->totals.spans += totals.spans;
    spans->totals.markers += totals.markers;
    spans->totals.messages += totals.messages;
    spans->totals.across += totals.across;
    spans->totals.unstarted += totals.unstarted;
    spans->totals.unstopped += totals.unstopped;
    spans->totals.unlisted += totals.unlisted;
    hectic_spans_free(analysis_of(spans));
    spans->analysis[spans->base->reading.slot] = NULL;
    return true;
}

/* Reports warnings. */
static void report_warnings(const struct spans *spans)
{
    const struct reading *reading = &spans->base->reading;
    const hectic_span_totals *totals = &spans->totals;
    const char *name = tool_log_name(reading->path);
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
    if (totals->spans > 0 && hectic_log_survey(reading->log)->count[HECTIC_EVENT_RUN_THREAD] == 0)
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
        sink_print(sink,
                   ",\n\"span_count\":%" PRIu64 ",\"across\":%" PRIu64 ",\"marker_count\":%" PRIu64
                   ",\"message_count\":%" PRIu64 ",\"unstarted\":%" PRIu64 ",\"unstopped\":%" PRIu64
                   ",\"unlisted\":%" PRIu64 "}\n",
                   totals->spans, totals->across, totals->markers, totals->messages,
                   totals->unstarted, totals->unstopped, totals->unlisted);
    } else if (!settings->csv) {
        sink_print(sink, "\n%" PRIu64 " spans", totals->spans);
        if (totals->across > 0) sink_print(sink, " (%" PRIu64 " across threads)", totals->across);
        sink_print(sink, ", %" PRIu64 " markers, %" PRIu64 " other messages\n", totals->markers,
                   totals->messages);
    }
    report_warnings(spans);
}

static bool print(struct table_verb *base, void *user)
{
    static const struct reader reader = {begin, event, end, is_settled};
    struct spans *spans = user;
    spans->base = base;
    if (base->reading.several) table_show_processes(spans->table);
    if (base->settings->table.json) sink_text(base->sink, "{", 1);
    if (!reading_all(&base->reading, &reader, spans) || !table_end(spans->table, base->sink))
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
    table->is_member = true;
    const bool is_text = !table->json && !table->csv;
    if (given->each && is_text && !table->sort) table->sort = "duration";
    table_default_sort(table, given->each ? "duration" : "total");
    spans.table = table_new("spans", given->each ? each_columns : columns, table, &code);
    if (spans.table) code = table_verb_run(argv[0], &given->base, &need, print, &spans);
    for (size_t i = 0; i < READING_PROCESSES; i++)
        hectic_spans_free(spans.analysis[i]);
    table_free(spans.table);
    return code;
}

const struct verb verb_spans = {
    .name = "spans",
    .group = "Other verbs:",
    .brief = "durations of user spans",
    .summary = "Report durations of user-defined spans",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "A span lasts from the user message \"START label\" to \"STOP label\" "
            "(Debug.Trace.traceEventIO), as for ghc-events-analyze. A number before the label "
            "(\"START 3 label\") is its subscript: the STOP with the same subscript belongs to "
            "it, and both count with the label.",
            "A STOP ends the most recent open span of its label in its own thread, which is the "
            "one that runs on its cap. A START that its thread never stops, and a STOP without "
            "START in its thread, are paired with those of other threads in the same way; these "
            "spans are counted as across threads, and reported on standard error. Where the log "
            "does not record which threads ran (without +RTS -ls), the events of a cap are treated "
            "as those of one thread.",
            "For each label: how many spans ended; their total time; the time in "
            "which at least one was open, and the part of it without a collection, which "
            "ghc-events-analyze calls the total; the mean, percentiles and maximum of their "
            "durations; and the STARTs and STOPs without the other, which are also reported on "
            "standard error. A span that is never stopped counts up to the end of the log.",
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
    .columns = columns,
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
