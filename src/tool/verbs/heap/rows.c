/* rows.c — bands as CSV, and slices of time. */
#include "tool/cli/message.h"
#include "tool/verbs/heap/heap.h"

#include <stdlib.h>

/* --- Bands ----------------------------------------------------------------------------------- */

struct table *heap_csv_new(const struct heap_settings *settings, int *code)
{
    return table_new(NULL, heap_bands_columns, &settings->table, code);
}

static bool csv_row(const struct heap_view *view, struct table *table, const struct heap_row *row,
                    const char *label, bool is_sum)
{
    const hectic_heap_band_stats *stats = &row->stats;
    const hectic_heap_kind *kind = view->totals.kind;
    const hectic_symbol symbol = heap_symbol(view, is_sum ? HECTIC_STACKS_OTHERS : stats->node);
    const bool has_times = kind->has_times && !is_sum, is_line = view->totals.samples > 1;
    const bool has_line = view->totals.samples >= HECTIC_HEAP_LINE_POINTS && !is_sum;
    const bool has_at = view->settings->at != HEAP_AT_NONE &&
                        (view->settings->at != HEAP_AT_TIME || view->totals.has_at);
    const union heap_bands_row cells = {
        .section = cell_number(view->section),
        .profile = cell_number(view->number),
        .breakdown = cell_text(hectic_breakdown_text(kind->breakdown)),
        .label = cell_text(label),
        .module = cell_text(symbol.module),
        .location = cell_text(symbol.location),
        .type = cell_text(symbol.type),
        .closure = cell_text(symbol.closure),
        .at_bytes = cell_if(has_at, heap_at_bytes(view->settings, stats)),
        .peak_bytes = cell_number(stats->at_peak),
        .end_bytes = cell_number(stats->at_end),
        .mean_bytes = cell_rounded(stats->mean),
        .max_bytes = cell_if(!is_sum, stats->max),
        .max_ns = cell_if(has_times, stats->max_time),
        .first_ns = cell_if(has_times, stats->first),
        .last_ns = cell_if(has_times, stats->last),
        .samples = cell_if(!is_sum, stats->samples),
        .stddev_bytes = is_sum ? cell_unknown() : cell_rounded(stats->deviation),
        .growth_bytes = {.known = is_line, .share = stats->growth},
        .growth_fit = is_sum || !is_line ? cell_unknown() : cell_share(stats->growth_fit),
        .late_growth_bytes = {.known = has_line, .share = row->line.growth},
        .late_growth_fit = has_line ? cell_share(row->line.fit) : cell_unknown(),
        .suspect = cell_if(!is_sum, heap_is_suspect(view, row)),
    };
    return table_row(table, view->sink, cells.cells);
}

bool heap_csv_rows(const struct heap_view *view, struct table *table)
{
    const struct heap_rows *bands = &view->bands;
    bool good = true;
    for (size_t i = 0; i < bands->shown && good; i++) {
        char *label = heap_label(view, bands->row[i].stats.node);
        if (!label) tool_message("out of memory");
        good = label && csv_row(view, table, &bands->row[i], label, false);
        free(label);
    }
    if (good && bands->others.bands > 0)
        good = csv_row(view, table, &bands->others, "(others)", true);
    if (good && bands->excluded.bands > 0)
        good = csv_row(view, table, &bands->excluded, "(excluded)", true);
    return good;
}

/* --- Slices of time -------------------------------------------------------------------------- */

struct table *heap_slices_new(const struct heap_settings *settings, int *code)
{
    return table_new(NULL, heap_every_columns, &settings->table, code);
}

static bool slice_row(const struct heap_view *view, struct table *table, uint64_t from, uint64_t to,
                      const struct heap_row *row, const char *label, bool is_sum)
{
    const union heap_every_row cells = {
        .section = cell_number(view->section),
        .profile = cell_number(view->number),
        .from_ns = cell_number(from),
        .to_ns = cell_number(to),
        .label = cell_text(label),
        .mean_bytes = cell_rounded(row->stats.mean),
        .max_bytes = cell_if(!is_sum, row->stats.max),
        .end_bytes = cell_number(row->stats.at_end),
        .samples = cell_if(!is_sum, row->stats.samples),
    };
    return table_row(table, view->sink, cells.cells);
}

bool heap_slice_rows(const struct heap_view *view, struct table *table, uint64_t from, uint64_t to)
{
    const struct heap_rows *bands = &view->bands;
    bool good = true;
    for (size_t i = 0; i < bands->shown && good; i++) {
        char *label = heap_label(view, bands->row[i].stats.node);
        if (!label) tool_message("out of memory");
        good = label && slice_row(view, table, from, to, &bands->row[i], label, false);
        free(label);
    }
    if (good && bands->others.bands > 0)
        good = slice_row(view, table, from, to, &bands->others, "(others)", true);
    if (good && bands->excluded.bands > 0)
        good = slice_row(view, table, from, to, &bands->excluded, "(excluded)", true);
    return good;
}
