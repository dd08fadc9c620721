/* bands.c — the bands of a profile: chosen, sorted, and summed. */
#include "base/array.h"
#include "numbers/saturating.h"
#include "tool/cli/message.h"
#include "tool/input/pattern.h"
#include "tool/verbs/heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum { BANDS_SHOWN = 15 };

struct heap_report heap_report_of(const struct heap_view *view)
{
    return (struct heap_report){.number = view->number,
                                .totals = view->totals,
                                .symbols = view->symbols,
                                .stacks = view->stacks,
                                .growing = view->bands.growing};
}

char *heap_label(const struct heap_view *view, uint32_t node)
{
    const struct heap_report report = heap_report_of(view);
    return heap_report_label(&report, node);
}

hectic_symbol heap_symbol(const struct heap_view *view, uint32_t node)
{
    const struct heap_report report = heap_report_of(view);
    return heap_report_symbol(&report, node);
}

uint64_t heap_at_bytes(const struct heap_settings *settings, const hectic_heap_band_stats *stats)
{
    switch (settings->at) {
    case HEAP_AT_END: return stats->at_end;
    case HEAP_AT_TIME: return stats->at;
    case HEAP_AT_NONE:
    case HEAP_AT_PEAK: break;
    }
    return stats->at_peak;
}

uint64_t heap_at_total(const struct heap_view *view, uint64_t *time)
{
    const hectic_heap_totals *totals = &view->totals;
    switch (view->settings->at) {
    case HEAP_AT_END: *time = totals->last; return totals->end;
    case HEAP_AT_TIME: *time = totals->at_time; return totals->at;
    case HEAP_AT_NONE:
    case HEAP_AT_PEAK: break;
    }
    *time = totals->peak_time;
    return totals->peak;
}

struct cell heap_at_cell(const struct heap_view *view, const hectic_heap_band_stats *stats)
{
    const enum heap_at at = view->settings->at;
    return cell_if(at != HEAP_AT_NONE && (at != HEAP_AT_TIME || view->totals.has_at),
                   heap_at_bytes(view->settings, stats));
}

union heap_bands_row heap_cells(const struct heap_view *view, const struct heap_row *row,
                                const char *label)
{
    const struct heap_report report = heap_report_of(view);
    union heap_bands_row cells;
    heap_report_cells(&report, view->section, &row->stats, &row->line, label, &cells);
    cells.at_bytes = heap_at_cell(view, &row->stats);
    return cells;
}

/* --- Sparklines ------------------------------------------------------------------------------ */

/* The column of a point. With gaps, columns are equal parts of the time. */
static uint32_t column_of(const hectic_heap_totals *totals, uint32_t point, uint32_t width)
{
    const uint64_t *time = totals->course_time;
    const uint64_t first = time[0], last = time[totals->points - 1];
    if (totals->gaps == 0 || last <= first || !totals->kind->has_times)
        return (uint32_t)((uint64_t)point * width / totals->points);
    if (time[point] <= first) return 0;
    if (time[point] >= last) return width - 1;
    return (uint32_t)((double)(time[point] - first) / (double)(last - first) * width);
}

uint32_t heap_draw(const struct heap_view *view, const uint64_t *course,
                   uint64_t value[SPARKLINE_WIDTH])
{
    const hectic_heap_totals *totals = &view->totals;
    const uint32_t width = totals->points < view->columns ? totals->points : view->columns;
    double sum[SPARKLINE_WIDTH] = {0};
    uint32_t count[SPARKLINE_WIDTH] = {0};
    for (uint32_t i = 0; i < totals->points; i++) {
        const uint32_t column = column_of(totals, i, width);
        sum[column] += (double)course[i];
        count[column]++;
    }
    for (uint32_t i = 0; i < SPARKLINE_WIDTH; i++) {
        const double mean = count[i] ? sum[i] / count[i] : 0;
        value[i] = !count[i] ? SPARKLINE_NONE : mean < 0x1p63 ? (uint64_t)mean : UINT64_C(1) << 63;
    }
    return width;
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* Adds what can be added. */
static void add_row(struct heap_row *sum, const struct heap_row *row)
{
    const hectic_heap_band_stats *stats = &row->stats;
    sum->bands++;
    saturating_add(&sum->stats.at_peak, stats->at_peak);
    saturating_add(&sum->stats.at_end, stats->at_end);
    saturating_add(&sum->stats.at, stats->at);
    sum->stats.mean += stats->mean;
    sum->stats.growth += stats->growth;
    for (uint32_t i = 0; i < SPARKLINE_WIDTH; i++)
        if (row->drawn[i] == SPARKLINE_NONE)
            sum->drawn[i] = SPARKLINE_NONE;
        else
            saturating_add(&sum->drawn[i], row->drawn[i]);
}

/* --- Choice ---------------------------------------------------------------------------------- */

struct chooser {
    struct heap_view *view;
    const struct label_choice *choice;
    bool failed; /* after a message */
};

static bool is_chosen(struct chooser *chooser, uint32_t node)
{
    if (!chooser->choice->include && !chooser->choice->exclude) return true;
    char *label = heap_label(chooser->view, node);
    if (!label) tool_out_of_memory();
    const int chosen = label_is_chosen(chooser->choice, label);
    chooser->failed |= chosen < 0;
    free(label);
    return chosen > 0;
}

static bool append(struct heap_rows *bands, const struct heap_row *row)
{
    if (!array_reserve(bands->row, bands->capacity, bands->count + 1)) return false;
    bands->row[bands->count++] = *row;
    return true;
}

/* For JSON: the library's is valid only during the callback. */
static bool copy_course(struct heap_row *row, const uint64_t *course, uint32_t points)
{
    uint64_t *copy = malloc(points * sizeof *copy + 1);
    if (copy) memcpy(copy, course, points * sizeof *copy);
    row->stats.course = copy;
    return copy != NULL;
}

static bool take(void *user, const hectic_heap_band_stats *stats)
{
    struct chooser *chooser = user;
    const struct heap_view *view = chooser->view;
    struct heap_rows *bands = &chooser->view->bands;
    struct heap_row row = {.stats = *stats, .bands = 1};
    row.stats.course = NULL;
    row.line = hectic_heap_line_of(&view->totals, stats->course);
    heap_draw(view, stats->course, row.drawn);
    if (row.line.growth > 0) bands->growing += row.line.growth;
    const bool chosen = is_chosen(chooser, stats->node);
    if (chooser->failed) return false;
    if (!chosen) {
        add_row(&bands->excluded, &row);
        return true;
    }
    if (view->settings->table.json && !copy_course(&row, stats->course, view->totals.points))
        return false;
    return append(bands, &row);
}

static bool fulfils(const struct heap_view *view, const struct heap_row *row, bool *failed)
{
    char *label = heap_label(view, row->stats.node);
    if (!label) return tool_message("out of memory"), *failed = true, false;
    const union heap_bands_row cells = heap_cells(view, row, label);
    const bool passes = where_passes(view->where, cells.cells, failed);
    free(label);
    return passes;
}

/* Keeps the bands that fulfil --where, which may ask what is known when all are there. False after
 * a message. */
static bool apply_where(struct heap_view *view)
{
    struct heap_rows *bands = &view->bands;
    bool failed = false;
    size_t kept = 0, i = 0;
    for (; i < bands->count && !failed; i++) {
        if (fulfils(view, &bands->row[i], &failed)) {
            bands->row[kept++] = bands->row[i];
            continue;
        }
        add_row(&bands->excluded, &bands->row[i]);
        free((uint64_t *)bands->row[i].stats.course);
    }
    if (failed) return false;
    bands->count = kept;
    return true;
}

/* --- Order ----------------------------------------------------------------------------------- */

static double key_of(const struct heap_settings *settings, const hectic_heap_band_stats *stats)
{
    switch (settings->sort) {
    case HEAP_SORT_END: return (double)stats->at_end;
    case HEAP_SORT_MEAN: return stats->mean;
    case HEAP_SORT_GROWTH: return stats->growth;
    case HEAP_SORT_DEVIATION: return stats->deviation;
    case HEAP_SORT_FIT: return stats->growth_fit;
    case HEAP_SORT_MAX: return (double)stats->max;
    case HEAP_SORT_SIZE:
    case HEAP_SORT_NAME: break;
    }
    return (double)heap_at_bytes(settings, stats);
}

static int by_node(const struct heap_row *a, const struct heap_row *b)
{
    return a->stats.node < b->stats.node ? -1 : a->stats.node > b->stats.node;
}

static int by_key(const void *a, const void *b)
{
    const struct heap_row *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return by_node(x, y);
}

/* Names that are numbers (eras) come in the order of the numbers. */
static int by_name(const void *a, const void *b)
{
    const struct heap_row *x = a, *y = b;
    const size_t x_digits = strspn(x->name, "0123456789"), y_digits = strspn(y->name, "0123456789");
    const bool are_numbers = x_digits && !x->name[x_digits] && y_digits && !y->name[y_digits];
    if (are_numbers && x_digits != y_digits) return x_digits < y_digits ? -1 : 1;
    const int order = strcmp(x->name, y->name);
    return order ? order : by_node(x, y);
}

static void reverse(struct heap_row *row, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const struct heap_row other = row[i];
        row[i] = row[count - 1 - i];
        row[count - 1 - i] = other;
    }
}

static void sort(struct heap_view *view, size_t count)
{
    struct heap_rows *bands = &view->bands;
    const bool by_names = view->settings->sort == HEAP_SORT_NAME;
    for (size_t i = 0; i < count; i++) {
        struct heap_row *row = &bands->row[i];
        row->key = key_of(view->settings, &row->stats);
        if (by_names) row->name = heap_label(view, row->stats.node);
        if (by_names && !row->name) tool_out_of_memory();
    }
    if (count > 0) qsort(bands->row, count, sizeof *bands->row, by_names ? by_name : by_key);
    /* Names are ascending, sizes descending. */
    if (view->settings->ascending) reverse(bands->row, count);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* The largest at any time first. */
static int by_own_peak(const void *a, const void *b)
{
    const struct heap_row *x = a, *y = b;
    if (x->stats.max != y->stats.max) return x->stats.max > y->stats.max ? -1 : 1;
    return by_node(x, y);
}

static size_t most_shown(const struct heap_settings *settings)
{
    const bool is_data = settings->table.json || settings->table.csv;
    if (settings->bands > 0) return settings->bands < SIZE_MAX ? (size_t)settings->bands : SIZE_MAX;
    return is_data || settings->at != HEAP_AT_NONE ? SIZE_MAX : BANDS_SHOWN;
}

/* Bands that were never as large as this part of the heap are not shown by default. */
enum { NOISE = 1000 };

/* Sorts the rows; the first ones are shown. By size, these are the bands that were largest at any
 * time: one that is gone when the heap is largest may be what fills it before. */
static void choose_shown(struct heap_view *view)
{
    const struct heap_settings *settings = view->settings;
    struct heap_rows *bands = &view->bands;
    const size_t count = bands->count, most = most_shown(settings);
    const bool is_default = settings->bands == 0 && most < SIZE_MAX;
    const bool by_size = settings->sort == HEAP_SORT_SIZE && settings->at == HEAP_AT_NONE &&
                         !settings->ascending && count > 0;
    bands->shown = count < most ? count : most;
    if (by_size) qsort(bands->row, count, sizeof *bands->row, by_own_peak);
    while (is_default && by_size && bands->shown > 1 &&
           bands->row[bands->shown - 1].stats.max < view->totals.peak / NOISE)
        bands->shown--;
    /* A line for a single other band would save nothing. */
    if (is_default && count == bands->shown + 1) bands->shown = count;
    sort(view, by_size ? bands->shown : count);
}

bool heap_rows_take(struct heap_view *view, const hectic_heap_profile *profile,
                    const struct label_choice *choice)
{
    struct heap_rows *bands = &view->bands;
    struct chooser chooser = {view, choice, false};
    *bands = (struct heap_rows){0};
    if (!hectic_heap_profile_each(profile, view->number, take, &chooser)) {
        if (!chooser.failed) tool_message("out of memory");
        return false;
    }
    if (view->where && !apply_where(view)) return false;
    choose_shown(view);
    for (size_t i = bands->shown; i < bands->count; i++)
        add_row(&bands->others, &bands->row[i]);
    return true;
}

void heap_rows_clear(struct heap_rows *bands)
{
    for (size_t i = 0; i < bands->count; i++) {
        free(bands->row[i].name);
        free((uint64_t *)bands->row[i].stats.course);
    }
    free(bands->row);
    *bands = (struct heap_rows){0};
}
