/* spans_report.c — see spans_report.h. */
#include "report/spans_report.h"

#include <string.h>

const struct table_column spans_columns[] = {
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
_Static_assert(sizeof spans_columns / sizeof *spans_columns == SPANS_COLUMNS + 1,
               "SPANS_COLUMNS is their number");

const struct table_column spans_each_columns[] = {
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
_Static_assert(sizeof spans_each_columns / sizeof *spans_each_columns == SPANS_EACH_COLUMNS + 1,
               "SPANS_EACH_COLUMNS is their number");

void spans_put_cells(struct cell cell[SPANS_COLUMNS], const hectic_span *span, uint64_t duration)
{
    const hectic_histogram *durations = span->durations;
    const bool has_durations = durations->count > 0;
    const bool is_span = !span->is_marker;
    size_t i = READING_CELLS;
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
}

void spans_put_each_cells(struct cell cell[SPANS_EACH_COLUMNS], const hectic_span_one *span)
{
    const hectic_span_end *start = &span->start, *stop = &span->stop;
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
    memcpy(cell + READING_CELLS, values, sizeof values);
}

void spans_add_totals(hectic_span_totals *sum, const hectic_span_totals *totals)
{
    sum->spans += totals->spans;
    sum->markers += totals->markers;
    sum->messages += totals->messages;
    sum->across += totals->across;
    sum->unstarted += totals->unstarted;
    sum->unstopped += totals->unstopped;
    sum->unlisted += totals->unlisted;
}

void spans_put_totals(struct json *json, const hectic_span_totals *totals)
{
    json_number(json, "span_count", true, totals->spans);
    json_number(json, "across", true, totals->across);
    json_number(json, "marker_count", true, totals->markers);
    json_number(json, "message_count", true, totals->messages);
    json_number(json, "unstarted", true, totals->unstarted);
    json_number(json, "unstopped", true, totals->unstopped);
    json_number(json, "unlisted", true, totals->unlisted);
}
