/* heap_json.c — see heap_json.h. */
#include "report/heap_json.h"

#include "base/array.h"
#include "numbers/saturating.h"
#include "render/text.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 4096 };

char *heap_report_label(const struct heap_report *report, uint32_t node)
{
    static const char more[] = "\xe2\x80\xa6"; /* "…" */
    const size_t whole = hectic_band_text(report->stacks, report->symbols, node, NULL, 0);
    const size_t length = whole < LABEL_MAX ? whole : LABEL_MAX;
    char *text = malloc(length + sizeof more);
    if (!text) return NULL;
    hectic_band_text(report->stacks, report->symbols, node, text, length + 2);
    if (length < whole) memcpy(text + text_cut(text, whole, length), more, sizeof more);
    return text;
}

/* --- Labels ---------------------------------------------------------------------------------- */

#define NODES (UINT64_C(1) << 32)

static bool put_frame(struct json *json, struct heap_labels *labels, uint64_t symbol)
{
    uint32_t number = (uint32_t)map_value_of(&labels->number_of, symbol);
    if (number == 0) {
        const size_t count = labels->number_of.count;
        if (!array_reserve(labels->symbol, labels->capacity, count + 1)) return false;
        labels->symbol[count] = symbol;
        if (!map_set_value(&labels->number_of, symbol, count + 1)) return false;
        number = (uint32_t)count + 1;
    }
    json_number(json, NULL, true, number - 1);
    return true;
}

/* The stack of a band, innermost first, as numbers of labels. */
static bool put_stack(struct json *json, const struct heap_report *report,
                      struct heap_labels *labels, uint32_t node)
{
    const hectic_stack_node *nodes = hectic_stacks_nodes(report->stacks);
    bool done = true;
    json_open(json, "stack", '[');
    if (node <= HECTIC_STACKS_OTHERS) done = put_frame(json, labels, NODES + node);
    for (; node > HECTIC_STACKS_OTHERS && done; node = nodes[node].parent)
        done = put_frame(json, labels, nodes[node].symbol);
    json_close(json, ']');
    return done;
}

static char *text_of(const struct heap_report *report, uint64_t symbol)
{
    if (symbol >= NODES) return heap_report_label(report, (uint32_t)(symbol - NODES));
    const size_t length = hectic_frame_text(report->symbols, (uint32_t)symbol, NULL, 0);
    char *text = malloc(length + 1);
    if (text) hectic_frame_text(report->symbols, (uint32_t)symbol, text, length + 1);
    return text;
}

static bool put_labels(struct json *json, const struct heap_report *report,
                       struct heap_labels *labels)
{
    bool done = true;
    json_open(json, "labels", '[');
    for (size_t i = 0; i < labels->number_of.count && done; i++) {
        char *text = text_of(report, labels->symbol[i]);
        if (text) json_text(json, NULL, text);
        done = text;
        free(text);
    }
    json_close(json, ']');
    map_clear(&labels->number_of);
    free(labels->symbol);
    *labels = (struct heap_labels){0};
    return done;
}

hectic_symbol heap_report_symbol(const struct heap_report *report, uint32_t node)
{
    const hectic_stack_node *nodes = hectic_stacks_nodes(report->stacks);
    const bool is_single = nodes[node].depth == 1 && node != HECTIC_STACKS_OTHERS;
    return hectic_symbols_get(report->symbols, is_single ? nodes[node].symbol : HECTIC_NO_SYMBOL);
}

/* A band that rises steadily is a suspect if these hold, too. */
static const double peak_share_least = 0.01;   /* of the line's rise, of the largest sample */
static const double growth_share_least = 0.05; /* of the growth of all growing bands */

bool heap_report_is_suspect(const struct heap_report *report, const hectic_heap_line *line)
{
    return line->is_steady && line->growth >= growth_share_least * report->growing &&
           line->rise >= peak_share_least * (double)report->totals.peak;
}

/* --- Profiles -------------------------------------------------------------------------------- */

/* 2 · bytes · ns, which may need 128 bits, as bytes · seconds. */
static double byte_seconds(const hectic_heap_band_stats *stats)
{
    return ((double)stats->integral_high * 0x1p64 + (double)stats->integral_low) / 2e9;
}

static void take_point_of_course(const void *user, uint64_t index, struct cell *cells)
{
    const uint64_t *course = user;
    cells[0] = cell_number(course[index]);
}

static void put_course(struct json *json, const char *key, const uint64_t *course, uint32_t points)
{
    json_open(json, key, '[');
    for (uint32_t i = 0; i < points; i++)
        json_number(json, NULL, true, course[i]);
    json_close(json, ']');
}

static bool has_lines(const struct heap_report *report)
{
    return report->totals.samples >= HECTIC_HEAP_LINE_POINTS;
}

void heap_report_cells(const struct heap_report *report, size_t section,
                       const hectic_heap_band_stats *stats, const hectic_heap_line *line,
                       const char *label, union heap_bands_row *row)
{
    const hectic_heap_kind *kind = report->totals.kind;
    const hectic_symbol symbol = heap_report_symbol(report, stats->node);
    const bool is_line = report->totals.samples > 1, has_line = has_lines(report);
    *row = (union heap_bands_row){
        .section = cell_number(section),
        .profile = cell_number(report->number),
        .breakdown = cell_text(hectic_breakdown_text(kind->breakdown)),
        .label = cell_text(label),
        .module = cell_text(symbol.module),
        .location = cell_text(symbol.location),
        .type = cell_text(symbol.type),
        .closure = cell_text(symbol.closure),
        .at_bytes = cell_if(report->totals.has_at, stats->at),
        .peak_bytes = cell_number(stats->at_peak),
        .end_bytes = cell_number(stats->at_end),
        .mean_bytes = cell_rounded(stats->mean),
        .max_bytes = cell_number(stats->max),
        .max_ns = cell_if(kind->has_times, stats->max_time),
        .first_ns = cell_if(kind->has_times, stats->first),
        .last_ns = cell_if(kind->has_times, stats->last),
        .samples = cell_number(stats->samples),
        .stddev_bytes = cell_rounded(stats->deviation),
        .growth_bytes = cell_real(is_line, stats->growth),
        .growth_fit = cell_real(is_line, stats->growth_fit),
        .late_growth_bytes = cell_real(has_line, line->growth),
        .late_growth_fit = cell_real(has_line, line->fit),
        .suspect = cell_number(heap_report_is_suspect(report, line)),
    };
}

bool heap_report_band(struct json *json, const struct heap_report *report,
                      struct heap_labels *labels, const hectic_heap_band_stats *stats,
                      const hectic_heap_line *line)
{
    const bool has_times = report->totals.kind->has_times, is_line = report->totals.samples > 1;
    const hectic_symbol symbol = heap_report_symbol(report, stats->node);
    json_open(json, NULL, '{');
    const bool done = put_stack(json, report, labels, stats->node);
    const struct cell_rows course = {take_point_of_course, stats->course};
    const bool has_at = report->totals.has_at, has_line = has_lines(report);
    record_put_members(
        json, heap_band, .module = cell_text(symbol.module), .location = cell_text(symbol.location),
        .type = cell_text(symbol.type), .closure = cell_text(symbol.closure),
        .peak_bytes = cell_number(stats->at_peak), .end_bytes = cell_number(stats->at_end),
        .at_bytes = cell_if(has_at, stats->at), .mean_bytes = cell_real(true, stats->mean),
        .byte_seconds = cell_real(has_times, byte_seconds(stats)),
        .max_bytes = cell_number(stats->max), .max_ns = cell_if(has_times, stats->max_time),
        .first_ns = cell_if(has_times, stats->first), .last_ns = cell_if(has_times, stats->last),
        .samples = cell_number(stats->samples), .stddev_bytes = cell_real(true, stats->deviation),
        .growth_bytes = cell_real(is_line, stats->growth),
        .growth_fit = cell_real(is_line, stats->growth_fit),
        .late_growth_bytes = cell_real(has_line, line->growth),
        .late_growth_fit = cell_real(has_line, line->fit),
        .suspect = cell_number(heap_report_is_suspect(report, line)),
        .course_bytes = cell_array(true, report->totals.points, &course));
    json_close(json, '}');
    return done;
}

void heap_report_add(struct heap_report_sum *sum, const hectic_heap_band_stats *stats)
{
    sum->bands++;
    saturating_add(&sum->at_peak, stats->at_peak);
    saturating_add(&sum->at_end, stats->at_end);
    sum->mean += stats->mean;
    sum->growth += stats->growth;
}

static void put_sum(struct json *json, const char *key, const struct heap_report_sum *sum)
{
    record_put(json, key, heap_sum, .bands = cell_number(sum->bands),
               .peak_bytes = cell_number(sum->at_peak), .end_bytes = cell_number(sum->at_end),
               .mean_bytes = cell_real(true, sum->mean),
               .growth_bytes = cell_real(true, sum->growth));
}

static void put_kind(struct json *json, const hectic_heap_kind *kind)
{
    static const char *const selectors[] = {"module",      "closure_description", "type",
                                            "cost_centre", "cost_centre_stack",   "retainer",
                                            "biography"};
    const char flag[] = {kind->flag, 0};
    json_text(json, "breakdown", hectic_breakdown_text(kind->breakdown));
    json_text(json, "flag", kind->flag ? flag : NULL);
    json_number(json, "period_ns", kind->period > 0, kind->period);
    json_open(json, "selectors", '{');
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
        if (kind->selector[i][0]) json_text(json, selectors[i], kind->selector[i]);
    json_close(json, '}');
}

void heap_report_begin(struct json *json, const struct heap_report *report)
{
    const hectic_heap_totals *totals = &report->totals;
    const bool has_times = totals->kind->has_times, is_line = totals->samples > 1;
    json_open(json, NULL, '{');
    json_number(json, "profile", true, report->number);
    put_kind(json, totals->kind);
    const hectic_heap_line line = hectic_heap_line_of(totals, totals->course);
    const bool has_at = totals->has_at, has_line = has_lines(report);
    record_put_members(
        json, heap_profile, .has_times = cell_number(has_times),
        .samples = cell_number(totals->samples), .first_ns = cell_if(has_times, totals->first),
        .last_ns = cell_if(has_times, totals->last),
        .covered_ns = cell_if(has_times, totals->covered), .gaps = cell_number(totals->gaps),
        .peak_bytes = cell_number(totals->peak), .peak_ns = cell_if(has_times, totals->peak_time),
        .peak_sample = cell_number(totals->peak_index), .end_bytes = cell_number(totals->end),
        .at_bytes = cell_if(has_at, totals->at), .at_ns = cell_if(has_at, totals->at_time),
        .mean_bytes = cell_real(true, totals->mean),
        .growth_bytes = cell_real(is_line, totals->growth),
        .growth_fit = cell_real(is_line, totals->growth_fit),
        .late_growth_bytes = cell_real(has_line, line.growth),
        .late_growth_fit = cell_real(has_line, line.fit), .is_steady = cell_number(line.is_steady),
        .samples_per_point = cell_number(totals->samples_per_point));
    put_course(json, has_times ? "course_ns" : "course_sample", totals->course_time,
               totals->points);
    put_course(json, "course_bytes", totals->course, totals->points);
    json_number(json, "band_count", true, totals->bands);
    json_open(json, "bands", '[');
}

bool heap_report_end(struct json *json, const struct heap_report *report,
                     struct heap_labels *labels, const struct heap_report_sum *others,
                     const struct heap_report_sum *excluded)
{
    json_close(json, ']');
    const bool done = put_labels(json, report, labels);
    put_sum(json, "others", others);
    put_sum(json, "excluded", excluded);
    json_close(json, '}');
    return done;
}

/* --- The runtime's sizes --------------------------------------------------------------------- */

/* Takes the points of a course, in order: bins without a value have none. */
struct heap_points {
    const struct heap_measure *measure;
    uint32_t bin[HEAP_COURSE];
    uint32_t count;
};

static struct heap_points points_of(const struct heap_measure *measure)
{
    struct heap_points points = {.measure = measure};
    for (uint32_t i = 0; i < HEAP_COURSE; i++)
        if (measure->bin[i].time != UINT64_MAX) points.bin[points.count++] = i;
    return points;
}

static void take_point(const void *user, uint64_t index, struct cell *cells)
{
    const struct heap_points *points = user;
    const uint32_t bin = points->bin[index];
    cells[0] = cell_number(points->measure->bin[bin].time);
    cells[1] = cell_number(points->measure->bin[bin].bytes);
}

static struct heap_measure_cells measure_cells(const struct heap_measure *measure,
                                               const struct heap_points *points,
                                               struct cell_rows *rows)
{
    double fit;
    const double growth = heap_measure_growth(measure, &fit);
    const bool known = measure->count > 0, is_line = measure->count > 2;
    *rows = (struct cell_rows){take_point, points};
    return (struct heap_measure_cells){
        .count = cell_if(known, measure->count),
        .max_bytes = cell_if(known, measure->max),
        .max_ns = cell_if(known, measure->max_time),
        .first_bytes = cell_if(known, measure->first),
        .first_ns = cell_if(known, measure->first_time),
        .end_bytes = cell_if(known, measure->last),
        .end_ns = cell_if(known, measure->last_time),
        .growth_bytes = cell_real(is_line, growth),
        .growth_fit = cell_real(is_line, fit),
        .course = cell_array(known, points->count, rows),
    };
}

static void take_generation(const void *user, uint64_t index, struct cell *cells)
{
    const struct heap_of_process *heap = user;
    const struct heap_generation *generation = &heap->generation[index];
    const bool any = generation->collections > 0;
    const union heap_generation_row row = {
        .generation = cell_number(index),
        .collections = cell_number(generation->collections),
        .copied_bytes = cell_number(generation->copied),
        .max_copied_bytes = cell_if(any, generation->most),
        .last_copied_bytes = cell_if(any, generation->last),
    };
    memcpy(cells, row.cells, sizeof row);
}

void heap_report_sizes(struct json *json, const struct heap_sizes *sizes)
{
    json_open(json, "heaps", '[');
    for (uint32_t i = 0; i < sizes->heaps; i++) {
        const struct heap_of_process *heap = &sizes->heap[i];
        struct heap_measure_cells cells[HEAP_SIZE_KINDS];
        struct heap_points points[HEAP_SIZE_KINDS];
        struct cell_rows rows[HEAP_SIZE_KINDS], generations = {take_generation, heap};
        for (int kind = 0; kind < HEAP_SIZE_KINDS; kind++) {
            points[kind] = points_of(&heap->measure[kind]);
            cells[kind] = measure_cells(&heap->measure[kind], &points[kind], &rows[kind]);
        }
        const union heap_of_process_row row = {
            .capset = cell_number(heap->capset),
            .live = cells[0],
            .blocks = cells[1],
            .heap_size = cells[2],
            .generations = cell_array(true, heap->generations, &generations),
        };
        cells_put(json, heap_of_process_columns, row.cells, false);
    }
    json_close(json, ']');
}

void heap_report_warnings(struct json *json, const hectic_heap_warnings *warnings)
{
    record_put(json, "warnings", heap_warnings, .incomplete = cell_number(warnings->incomplete),
               .outside = cell_number(warnings->outside),
               .malformed = cell_number(warnings->malformed),
               .omitted = cell_number(warnings->omitted),
               .has_retainers = cell_number(warnings->has_retainers));
}
