/* spans.c — hectic spans: how long what the program itself has named took. */
#include "answer.h"

#include <inttypes.h>

/* What is carried through the log. */
struct spans {
    const struct answer *answer;
    struct table *table;
    hectic_spans *analysis;
};

static const struct table_column columns[] = {
    {"kind", "Kind", CELL_TEXT, false},
    {"label", "Label", CELL_TEXT, false},
    {"count", "Count", CELL_COUNT, false},
    {"total_ns", "Total", CELL_NS, false},
    {"total_bar", "", CELL_BAR, false},
    {"open_ns", "Open", CELL_NS, false},
    {"no_gc_ns", "Without GC", CELL_NS, false},
    {"mean_ns", "Mean", CELL_NS, false},
    {"p50_ns", "50%", CELL_NS, false},
    {"p90_ns", "90%", CELL_NS, false},
    {"p99_ns", "99%", CELL_NS, false},
    {"max_ns", "Max", CELL_NS, false},
    {"first_ns", "First", CELL_TIME, false},
    {"last_ns", "Last", CELL_TIME, false},
    {"unstarted", "Unstarted", CELL_COUNT, true},
    {"unstopped", "Unstopped", CELL_COUNT, true},
    {0},
};

static bool take(void *user, const hectic_span *span)
{
    struct spans *spans = user;
    struct cell cell[sizeof columns / sizeof *columns];
    const hectic_histogram *durations = span->durations;
    const bool has_durations = durations->count > 0;
    const uint64_t duration = spans->answer->duration;
    const bool is_span = !span->is_marker;
    size_t i = 0;
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
    return table_row(spans->table, spans->answer->sink, cell);
}

static bool begin(void *user, const hectic_header *header)
{
    return user && header;
}

static bool event(void *user, const hectic_event *event)
{
    const struct spans *spans = user;
    return hectic_spans_event(spans->analysis, event);
}

static bool end(void *user, uint64_t now)
{
    const struct spans *spans = user;
    hectic_spans_end(spans->analysis, now);
    return true;
}

static void put_summary(const struct spans *spans)
{
    const struct table_settings *settings = &spans->answer->settings->table;
    const hectic_span_totals totals = hectic_spans_totals(spans->analysis);
    struct sink *sink = spans->answer->sink;
    if (settings->json)
        sink_print(sink,
                   ",\n\"span_count\":%" PRIu64 ",\"marker_count\":%" PRIu64
                   ",\"message_count\":%" PRIu64 ",\"unstarted\":%" PRIu64 ",\"unstopped\":%" PRIu64
                   ",\"unlisted\":%" PRIu64 "}\n",
                   totals.spans, totals.markers, totals.messages, totals.unstarted,
                   totals.unstopped, totals.unlisted);
    else if (!settings->csv)
        sink_print(sink, "\n%" PRIu64 " spans, %" PRIu64 " markers, %" PRIu64 " other messages\n",
                   totals.spans, totals.markers, totals.messages);
    const char *name = tool_log_name(spans->answer->reading.path);
    if (totals.unstarted > 0)
        tool_complain("%s: STOPs of spans that were not started: %" PRIu64, name, totals.unstarted);
    if (totals.unstopped > 0)
        tool_complain("%s: STARTs of spans that are not stopped: %" PRIu64, name, totals.unstopped);
    if (totals.unlisted > 0)
        tool_complain("%s: left out, since there are too many labels: %" PRIu64
                      " spans and markers",
                      name, totals.unlisted);
}

static bool print(struct answer *answer, void *user)
{
    static const struct reader reader = {begin, event, end, NULL};
    struct spans *spans = user;
    spans->answer = answer;
    spans->analysis = hectic_spans_new(answer->reading.interval.from, answer->reading.interval.to);
    if (!spans->analysis) return false;
    if (answer->settings->table.json) sink_text(answer->sink, "{", 1);
    if (!reading_all(&answer->reading, &reader, spans) ||
        !hectic_spans_each(spans->analysis, 0, take, spans) ||
        !table_end(spans->table, answer->sink))
        return false;
    put_summary(spans);
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    static const struct answer_need need = {"what the program said",
                                            "Debug.Trace.traceEventIO or traceMarkerIO, and "
                                            "+RTS -lu",
                                            {HECTIC_EVENT_USER_MSG, HECTIC_EVENT_USER_MARKER},
                                            2,
                                            false};
    (void)argc;
    struct answer_settings *told = settings;
    struct spans spans = {0};
    int code;
    told->table.is_member = true;
    table_default_sort(&told->table, "total");
    spans.table = table_new("spans", columns, &told->table, &code);
    if (spans.table) code = answer_run(argv[0], told, &need, print, &spans);
    hectic_spans_free(spans.analysis);
    table_free(spans.table);
    return code;
}

const struct verb verb_spans = {
    .name = "spans",
    .group = "Understand a run",
    .brief = "how long named parts took",
    .summary = "Tell how long what the program itself has named took",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "A span lasts from the user message \"START label\" to \"STOP label\" "
            "(Debug.Trace.traceEventIO), as for ghc-events-analyze. A number before the label "
            "(\"START 3 label\") is its subscript: the STOP with the same subscript belongs to "
            "it, and both count with the label. Spans do not belong to threads. Where a span is "
            "started again while it is open, a STOP ends the one that was started last.",
            "For each label: how many spans have ended; the time in them, all added; the time in "
            "which at least one was open, and how much of it without a collection, which is what "
            "ghc-events-analyze calls the total; the mean, percentiles and maximum of their "
            "durations; and STARTs and STOPs without the other, which are also told on standard "
            "error. Time in a span that is never stopped counts up to the end of the log.",
            "For the markers of each name (Debug.Trace.traceMarkerIO): how many there were, and "
            "what is told of durations is told of the times between one and the next.",
            "In an interval, times are clipped, and the durations are whole ones of the spans that "
            "ended in it. Percentiles are off by at most 1/128 of their value; all else is exact.",
            "JSON is one object: spans, with an object for each row, and counts.", NULL},
    .groups = answer_groups,
    .examples =
        (const struct example[]){
            {"hectic spans --sort total Main.eventlog", "what took longest, in all"},
            {"hectic spans --sort max --top 1 LOG", "the longest single span"},
            {"hectic spans --csv Main.eventlog >spans.csv", "for a spreadsheet"},
            {NULL, NULL}},
    .exits = ANSWER_EXITS("what the program said"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct answer_settings),
    .run = run,
};
