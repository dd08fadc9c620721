/* heap_json.c — see heap_json.h. */
#include "report/heap_json.h"

#include "analysis/amount.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 4096 };

char *heap_report_label(const struct heap_report *report, uint32_t node)
{
    static const char more[] = "\xe2\x80\xa6"; /* "…" */
    const size_t whole = hectic_band_text(report->stacks, report->symbols, node, NULL, 0);
    size_t length = whole < LABEL_MAX ? whole : LABEL_MAX;
    char *text = malloc(length + sizeof more);
    if (!text) return NULL;
    hectic_band_text(report->stacks, report->symbols, node, text, length + 1);
    if (length == whole) return text;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(text + length, more, sizeof more);
    return text;
}

/* --- Labels ---------------------------------------------------------------------------------- */

#define NODES (UINT64_C(1) << 32)

static bool put_frame(struct json *json, struct heap_labels *labels, uint64_t symbol)
{
    uint32_t number = ids_place(&labels->number_of, symbol);
    if (number == 0) {
        const size_t count = labels->number_of.count;
        if (count == labels->capacity) {
            const size_t capacity = count ? 2 * count : 64;
            uint64_t *grown = realloc(labels->symbol, capacity * sizeof *grown);
            if (!grown) return false;
            labels->symbol = grown;
            labels->capacity = capacity;
        }
        labels->symbol[count] = symbol;
        if (!ids_set(&labels->number_of, symbol, (uint32_t)count)) return false;
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

static void put_symbol(struct json *json, const hectic_symbol *symbol)
{
    json_text(json, "module", symbol->module);
    json_text(json, "location", symbol->location);
    json_text(json, "type", symbol->type);
    json_text(json, "closure", symbol->closure);
}

/* 2 · bytes · ns, which may need 128 bits, as bytes · seconds. */
static double byte_seconds(const hectic_heap_band_stats *stats)
{
    return ((double)stats->integral_high * 0x1p64 + (double)stats->integral_low) / 2e9;
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

static void put_line(struct json *json, const hectic_heap_line *line, bool known)
{
    json_real(json, "late_growth_bytes", known, line->growth);
    json_real(json, "late_growth_fit", known, line->fit);
}

bool heap_report_band(struct json *json, const struct heap_report *report,
                      struct heap_labels *labels, const hectic_heap_band_stats *stats,
                      const hectic_heap_line *line)
{
    const bool has_times = report->totals.kind->has_times, is_line = report->totals.samples > 1;
    const hectic_symbol symbol = heap_report_symbol(report, stats->node);
    json_open(json, NULL, '{');
    const bool done = put_stack(json, report, labels, stats->node);
    put_symbol(json, &symbol);
    json_number(json, "peak_bytes", true, stats->at_peak);
    json_number(json, "end_bytes", true, stats->at_end);
    json_number(json, "at_bytes", report->totals.has_at, stats->at);
    json_real(json, "mean_bytes", true, stats->mean);
    json_real(json, "byte_seconds", has_times, byte_seconds(stats));
    json_number(json, "max_bytes", true, stats->max);
    json_number(json, "max_ns", has_times, stats->max_time);
    json_number(json, "first_ns", has_times, stats->first);
    json_number(json, "last_ns", has_times, stats->last);
    json_number(json, "samples", true, stats->samples);
    json_real(json, "stddev_bytes", true, stats->deviation);
    json_real(json, "growth_bytes", is_line, stats->growth);
    json_real(json, "growth_fit", is_line, stats->growth_fit);
    put_line(json, line, has_lines(report));
    json_flag(json, "suspect", true, heap_report_is_suspect(report, line));
    put_course(json, "course_bytes", stats->course, report->totals.points);
    json_close(json, '}');
    return done;
}

void heap_report_add(struct heap_report_sum *sum, const hectic_heap_band_stats *stats)
{
    sum->bands++;
    amount_add(&sum->at_peak, stats->at_peak);
    amount_add(&sum->at_end, stats->at_end);
    sum->mean += stats->mean;
    sum->growth += stats->growth;
}

static void put_sum(struct json *json, const char *key, const struct heap_report_sum *sum)
{
    json_open(json, key, '{');
    json_number(json, "bands", true, sum->bands);
    json_number(json, "peak_bytes", true, sum->at_peak);
    json_number(json, "end_bytes", true, sum->at_end);
    json_real(json, "mean_bytes", true, sum->mean);
    json_real(json, "growth_bytes", true, sum->growth);
    json_close(json, '}');
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
    json_flag(json, "has_times", true, kind->has_times);
}

void heap_report_begin(struct json *json, const struct heap_report *report)
{
    const hectic_heap_totals *totals = &report->totals;
    const bool has_times = totals->kind->has_times, is_line = totals->samples > 1;
    json_open(json, NULL, '{');
    json_number(json, "profile", true, report->number);
    put_kind(json, totals->kind);
    json_number(json, "samples", true, totals->samples);
    json_number(json, "first_ns", has_times, totals->first);
    json_number(json, "last_ns", has_times, totals->last);
    json_number(json, "covered_ns", has_times, totals->covered);
    json_number(json, "gaps", true, totals->gaps);
    json_number(json, "peak_bytes", true, totals->peak);
    json_number(json, "peak_ns", has_times, totals->peak_time);
    json_number(json, "peak_sample", true, totals->peak_index);
    json_number(json, "end_bytes", true, totals->end);
    json_number(json, "at_bytes", totals->has_at, totals->at);
    json_number(json, "at_ns", totals->has_at, totals->at_time);
    json_real(json, "mean_bytes", true, totals->mean);
    json_real(json, "growth_bytes", is_line, totals->growth);
    json_real(json, "growth_fit", is_line, totals->growth_fit);
    const hectic_heap_line line = hectic_heap_line_of(totals, totals->course);
    put_line(json, &line, has_lines(report));
    json_flag(json, "is_steady", true, line.is_steady);
    json_number(json, "samples_per_point", true, totals->samples_per_point);
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

static void put_measure(struct json *json, const char *key, const struct heap_measure *measure)
{
    double fit;
    const double growth = heap_measure_growth(measure, &fit);
    const bool known = measure->count > 0, is_line = measure->count > 2;
    if (!known) {
        json_text(json, key, NULL);
        return;
    }
    json_open(json, key, '{');
    json_number(json, "count", true, measure->count);
    json_number(json, "max_bytes", true, measure->max);
    json_number(json, "max_ns", true, measure->max_time);
    json_number(json, "first_bytes", true, measure->first);
    json_number(json, "first_ns", true, measure->first_time);
    json_number(json, "end_bytes", true, measure->last);
    json_number(json, "end_ns", true, measure->last_time);
    json_real(json, "growth_bytes", is_line, growth);
    json_real(json, "growth_fit", is_line, fit);
    json_open(json, "course", '[');
    for (uint32_t i = 0; i < HEAP_COURSE; i++) {
        if (measure->bin[i].time == UINT64_MAX) continue;
        json_open(json, NULL, '{');
        json_number(json, "time_ns", true, measure->bin[i].time);
        json_number(json, "bytes", true, measure->bin[i].bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_generations(struct json *json, const struct heap_of_process *heap)
{
    json_open(json, "generations", '[');
    for (uint32_t i = 0; i < heap->generations; i++) {
        const struct heap_generation *generation = &heap->generation[i];
        const bool any = generation->collections > 0;
        json_open(json, NULL, '{');
        json_number(json, "generation", true, i);
        json_number(json, "collections", true, generation->collections);
        json_number(json, "copied_bytes", true, generation->copied);
        json_number(json, "max_copied_bytes", any, generation->most);
        json_number(json, "last_copied_bytes", any, generation->last);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void heap_report_sizes(struct json *json, const struct heap_sizes *sizes)
{
    static const char *const keys[HEAP_SIZE_KINDS] = {"live", "blocks", "heap_size"};
    json_open(json, "heaps", '[');
    for (uint32_t i = 0; i < sizes->heaps; i++) {
        json_open(json, NULL, '{');
        json_number(json, "capset", true, sizes->heap[i].capset);
        for (int kind = 0; kind < HEAP_SIZE_KINDS; kind++)
            put_measure(json, keys[kind], &sizes->heap[i].measure[kind]);
        put_generations(json, &sizes->heap[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void heap_report_warnings(struct json *json, const hectic_heap_warnings *warnings)
{
    json_open(json, "warnings", '{');
    json_number(json, "incomplete", true, warnings->incomplete);
    json_number(json, "outside", true, warnings->outside);
    json_number(json, "malformed", true, warnings->malformed);
    json_number(json, "omitted", true, warnings->omitted);
    json_flag(json, "has_retainers", true, warnings->has_retainers);
    json_close(json, '}');
}
