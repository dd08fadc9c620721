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
                    const char *label)
{
    const union heap_bands_row cells = heap_cells(view, row, label);
    return table_row(table, view->sink, cells.cells);
}

/* A sum of bands has what can be added. */
static bool csv_sum(const struct heap_view *view, struct table *table, const struct heap_row *row,
                    const char *label)
{
    const union heap_bands_row cells = {
        .section = cell_number(view->section),
        .profile = cell_number(view->number),
        .breakdown = cell_text(hectic_breakdown_text(view->totals.kind->breakdown)),
        .label = cell_text(label),
        .at_bytes = heap_at_cell(view, &row->stats),
        .peak_bytes = cell_number(row->stats.at_peak),
        .end_bytes = cell_number(row->stats.at_end),
        .mean_bytes = cell_rounded(row->stats.mean),
        .growth_bytes = cell_real(view->totals.samples > 1, row->stats.growth),
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
        good = label && csv_row(view, table, &bands->row[i], label);
        free(label);
    }
    if (good && bands->others.bands > 0) good = csv_sum(view, table, &bands->others, "(others)");
    if (good && bands->excluded.bands > 0)
        good = csv_sum(view, table, &bands->excluded, "(excluded)");
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
