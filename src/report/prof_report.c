/* prof_report.c — see prof_report.h. */
#include "report/prof_report.h"

#include "numbers/saturating.h"

#include <stdlib.h>

/* --- Frames ---------------------------------------------------------------------------------- */

void prof_symbol(const struct prof_report *report, uint32_t index, struct prof_frame *frame)
{
    const hectic_symbol symbol = hectic_symbols_get(report->symbols, index);
    const bool has_label = symbol.name && !(symbol.is_caf && report->is_text);
    frame->label =
        has_label ? symbol.name : hectic_symbol_text(&symbol, frame->room, sizeof frame->room);
    frame->module = symbol.module;
    frame->location = symbol.location;
    frame->is_caf = symbol.is_caf;
}

void prof_node(const struct prof_report *report, uint32_t node, struct prof_frame *frame)
{
    static const char *const roots[] = {"MAIN", "(all stacks)"};
    *frame = (struct prof_frame){.label = "(beyond the limit)"};
    if (node == HECTIC_STACKS_ROOT) {
        const bool has_main = report->source == HECTIC_TIME_COST_CENTRES && !report->is_focused;
        frame->label = roots[!has_main];
        if (has_main) frame->module = "MAIN", frame->location = "<built-in>";
    } else if (node != HECTIC_STACKS_OTHERS) {
        prof_symbol(report, report->node[node].symbol, frame);
    }
}

/* --- Weights --------------------------------------------------------------------------------- */

static void add_weights(struct prof_report *report)
{
    for (uint32_t i = report->nodes; i-- > 0;) {
        const hectic_symbol symbol = hectic_symbols_get(report->symbols, report->node[i].symbol);
        const bool is_own = hectic_time_kind_of(&symbol) == HECTIC_TIME_OWN;
        for (uint32_t c = 0; c < HECTIC_TIME_COLUMNS; c++) {
            report->own[c][i] = is_own ? hectic_stacks_own(report->tree, i, c) : 0;
            saturating_add(&report->total[c][i], report->own[c][i]);
            if (i > 0)
                saturating_add(&report->total[c][report->node[i].parent], report->total[c][i]);
        }
    }
    report->all = report->total[report->weight][HECTIC_STACKS_ROOT];
}

bool prof_report_add(struct prof_report *report)
{
    bool done = true;
    report->node = hectic_stacks_nodes(report->tree);
    report->nodes = hectic_stacks_count(report->tree);
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++) {
        report->own[c] = calloc(report->nodes, sizeof *report->own[c]);
        report->total[c] = calloc(report->nodes, sizeof *report->total[c]);
        done &= report->own[c] && report->total[c];
    }
    if (done) add_weights(report);
    return done;
}

bool prof_report_set(struct prof_report *report, hectic_time_profile *profile)
{
    report->tree = hectic_time_profile_stacks(profile, report->source);
    report->symbols = hectic_time_profile_symbols(profile);
    report->warnings = hectic_time_profile_warnings(profile);
    return hectic_time_profile_totals(profile, report->source, &report->totals);
}

void prof_report_clear(struct prof_report *report)
{
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++) {
        free(report->own[c]);
        free(report->total[c]);
    }
}

bool prof_report_source(hectic_time_profile *profile, hectic_time_source *source)
{
    hectic_time_totals totals;
    *source = HECTIC_TIME_COST_CENTRES;
    if (!hectic_time_profile_totals(profile, *source, &totals)) return false;
    if (totals.samples == 0) *source = HECTIC_TIME_CALL_STACKS;
    return true;
}

/* --- The table ------------------------------------------------------------------------------- */

struct rows {
    const struct prof_report *report;
    prof_row_callback callback;
    void *user;
};

static bool put(const struct rows *rows, const struct prof_frame *frame, const uint64_t *own,
                const uint64_t *total)
{
    const struct prof_report *report = rows->report;
    const double share = prof_share(own[report->weight], report->all);
    const union prof_row cells = {
        .section = cell_number(report->section),
        .label = cell_text(frame->label),
        .module = cell_text(frame->module),
        .location = cell_text(frame->location),
        .caf = cell_number(frame->is_caf),
        .own_ticks = cell_number(own[HECTIC_TIME_TICKS]),
        .own_ns = cell_number(own[HECTIC_TIME_NS]),
        .own_share = cell_share(share),
        .own_bar = cell_share(share),
        .inherited_ticks = cell_number(total[HECTIC_TIME_TICKS]),
        .inherited_ns = cell_number(total[HECTIC_TIME_NS]),
        .inherited_share = cell_share(prof_share(total[report->weight], report->all)),
    };
    return rows->callback(rows->user, cells.cells);
}

/* The rows of the two nodes without a symbol. All stacks of cost centres are below MAIN. */
static bool put_nodes(const struct rows *rows)
{
    const struct prof_report *report = rows->report;
    const hectic_time_cap *all = &report->totals.all;
    const uint64_t whole[] = {all->samples[HECTIC_TIME_OWN], all->ns[HECTIC_TIME_OWN]};
    for (uint32_t node = 0; node <= HECTIC_STACKS_OTHERS; node++) {
        uint64_t own[HECTIC_TIME_COLUMNS];
        for (uint32_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
            own[c] = report->own[c][node];
        if (own[HECTIC_TIME_TICKS] == 0) continue;
        struct prof_frame frame;
        prof_node(report, node, &frame);
        const bool is_main =
            node == HECTIC_STACKS_ROOT && report->source == HECTIC_TIME_COST_CENTRES;
        if (node == HECTIC_STACKS_ROOT && !is_main) frame.label = "(empty stack)";
        if (!put(rows, &frame, own, is_main ? whole : own)) return false;
    }
    return true;
}

bool prof_report_rows(const struct prof_report *report, prof_row_callback callback, void *user,
                      bool *is_lost)
{
    const struct rows rows = {report, callback, user};
    size_t count;
    hectic_symbol_time *times = hectic_symbol_times(report->tree, report->symbols, &count);
    *is_lost = !times;
    if (!times) return false;
    bool done = put_nodes(&rows);
    for (size_t i = 0; i < count && done; i++) {
        const hectic_symbol symbol = hectic_symbols_get(report->symbols, times[i].symbol);
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN) continue;
        struct prof_frame frame;
        prof_symbol(report, times[i].symbol, &frame);
        done = put(&rows, &frame, times[i].own, times[i].total);
    }
    free(times);
    return done;
}

/* --- Sums ------------------------------------------------------------------------------------ */

static void put_samples(struct cell *cells, const hectic_time_cap *cap)
{
    for (size_t kind = 0; kind < HECTIC_TIME_KINDS; kind++) {
        cells[2 * kind] = cell_number(cap->samples[kind]);
        cells[2 * kind + 1] = cell_number(cap->ns[kind]);
    }
}
_Static_assert(CELLS_OF(prof_samples) == 2 * HECTIC_TIME_KINDS, "samples and time of each kind");

static void take_cap(const void *user, uint64_t index, struct cell *cells)
{
    const hectic_time_totals *totals = user;
    cells[0] = cell_number(totals->cap[index].cap);
    put_samples(cells + 1, &totals->cap[index]);
}

void prof_report_put(struct json *json, const struct prof_report *report)
{
    const hectic_time_totals *totals = &report->totals;
    const bool is_ticks = report->source == HECTIC_TIME_COST_CENTRES;
    const struct cell_rows caps = {take_cap, totals};
    union prof_samples_row all;
    put_samples(all.cells, &totals->all);
    record_put_members(
        json, prof_totals, .section = cell_number(report->section),
        .source = cell_text(is_ticks ? "cost centres" : "call stacks"),
        .samples = cell_number(totals->samples), .ticks = cell_if(is_ticks, totals->ticks),
        .interval_ns = cell_if(totals->interval > 0, totals->interval),
        .first_ns = cell_number(totals->first), .last_ns = cell_number(totals->last),
        .holes = cell_if(is_ticks, totals->holes), .omitted = cell_number(report->warnings.omitted),
        .all = all.of, .caps = cell_array(true, totals->caps, &caps));
}
