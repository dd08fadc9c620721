/* rows.c — bands as CSV, and slices of time. */
#include "tool/verbs/heap/heap.h"

#include <stdlib.h>

/* --- Bands ----------------------------------------------------------------------------------- */

static const struct table_column band_columns[] = {
    {"section", "", CELL_SECTION, 0},
    {"profile", "", CELL_ID, 0},
    {"breakdown", "", CELL_TEXT, 0},
    {"label", "", CELL_TEXT, 0},
    {"module", "", CELL_TEXT, 0},
    {"location", "", CELL_TEXT, 0},
    {"type", "", CELL_TEXT, 0},
    {"closure", "", CELL_TEXT, 0},
    {"at_bytes", "", CELL_BYTES, 0},
    {"peak_bytes", "", CELL_BYTES, 0},
    {"end_bytes", "", CELL_BYTES, 0},
    {"mean_bytes", "", CELL_BYTES, 0},
    {"max_bytes", "", CELL_BYTES, 0},
    {"max_ns", "", CELL_TIME, 0},
    {"first_ns", "", CELL_TIME, 0},
    {"last_ns", "", CELL_TIME, 0},
    {"samples", "", CELL_COUNT, 0},
    {"stddev_bytes", "", CELL_BYTES, 0},
    {"growth_bytes", "", CELL_GROWTH, 0},
    {"growth_fit", "", CELL_SHARE, 0},
    {"late_growth_bytes", "", CELL_GROWTH, 0},
    {"late_growth_fit", "", CELL_SHARE, 0},
    {"suspect", "", CELL_FLAG, 0},
    {0},
};

struct table *heap_csv_new(const struct heap_settings *settings, int *code)
{
    return table_new(NULL, band_columns, &settings->table, code);
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
    const struct cell cells[] = {
        cell_number(view->section),
        cell_number(view->number),
        cell_text(hectic_breakdown_text(kind->breakdown)),
        cell_text(label),
        cell_text(symbol.module),
        cell_text(symbol.location),
        cell_text(symbol.type),
        cell_text(symbol.closure),
        cell_if(has_at, heap_at_bytes(view->settings, stats)),
        cell_number(stats->at_peak),
        cell_number(stats->at_end),
        cell_rounded(stats->mean),
        cell_if(!is_sum, stats->max),
        cell_if(has_times, stats->max_time),
        cell_if(has_times, stats->first),
        cell_if(has_times, stats->last),
        cell_if(!is_sum, stats->samples),
        is_sum ? cell_unknown() : cell_rounded(stats->deviation),
        {.known = is_line, .share = stats->growth},
        is_sum || !is_line ? cell_unknown() : cell_share(stats->growth_fit),
        {.known = has_line, .share = row->line.growth},
        has_line ? cell_share(row->line.fit) : cell_unknown(),
        cell_if(!is_sum, heap_is_suspect(view, row)),
    };
    return table_row(table, view->sink, cells);
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

static const struct table_column slice_columns[] = {
    {"section", "Section", CELL_SECTION, OPTIONAL},
    {"profile", "Profile", CELL_ID, OPTIONAL},
    {"from_ns", "From", CELL_TIME, 0},
    {"to_ns", "To", CELL_TIME, RANK(3)},
    {"label", "Band", CELL_TEXT, 0},
    {"mean_bytes", "Mean", CELL_BYTES, 0},
    {"max_bytes", "Largest", CELL_BYTES, RANK(1)},
    {"end_bytes", "At end", CELL_BYTES, RANK(1)},
    {"samples", "Samples", CELL_COUNT, RANK(2)},
    {0},
};

struct table *heap_slices_new(const struct heap_settings *settings, int *code)
{
    return table_new(NULL, slice_columns, &settings->table, code);
}

static bool slice_row(const struct heap_view *view, struct table *table, uint64_t from, uint64_t to,
                      const struct heap_row *row, const char *label, bool is_sum)
{
    const struct cell cells[] = {
        cell_number(view->section),
        cell_number(view->number),
        cell_number(from),
        cell_number(to),
        cell_text(label),
        cell_rounded(row->stats.mean),
        cell_if(!is_sum, row->stats.max),
        cell_number(row->stats.at_end),
        cell_if(!is_sum, row->stats.samples),
    };
    return table_row(table, view->sink, cells);
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
