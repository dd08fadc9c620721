/* spans_report.c — see spans_report.h. */
#include "report/spans_report.h"

#include <string.h>

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
    cell[i++] = cell_if(is_span && span->has_gc, span->no_gc);
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
    const union spans_each_row values = {
        .label = cell_text(span->label),
        .subscript = cell_number(span->subscript),
        .start_ns = cell_number(start->time),
        .end_ns = cell_number(stop->time),
        .duration_ns = cell_number(stop->time - start->time),
        .thread = cell_if(start->has_thread, start->thread),
        .cap = cell_if(start->cap != HECTIC_CAP_NONE, start->cap),
        .end_thread = cell_if(stop->has_thread, stop->thread),
        .end_cap = cell_if(stop->cap != HECTIC_CAP_NONE, stop->cap),
        .across_threads = cell_number(span->across),
    };
    cells_after_reading(cell, values.cells, CELLS_OF(spans_each));
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
    sum->unfollowed += totals->unfollowed;
}

void spans_put_totals(struct json *json, const hectic_span_totals *totals)
{
    record_put_members(
        json, spans_totals, .span_count = cell_number(totals->spans),
        .across = cell_number(totals->across), .marker_count = cell_number(totals->markers),
        .message_count = cell_number(totals->messages), .unstarted = cell_number(totals->unstarted),
        .unstopped = cell_number(totals->unstopped), .unlisted = cell_number(totals->unlisted),
        .unfollowed = cell_number(totals->unfollowed));
}
