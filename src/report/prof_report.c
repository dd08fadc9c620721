/* prof_report.c — see prof_report.h. */
#include "report/prof_report.h"

#include "analysis/amount.h"

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
            amount_add(&report->total[c][i], report->own[c][i]);
            if (i > 0) amount_add(&report->total[c][report->node[i].parent], report->total[c][i]);
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

const struct table_column prof_columns[] = {
    {"section", "Section", CELL_SECTION, OPTIONAL},
    {"label", "Cost centre", CELL_TEXT, 0},
    {"module", "Module", CELL_TEXT, OPTIONAL | RANK(2)},
    {"location", "Source", CELL_TEXT, OPTIONAL | RANK(3)},
    {"caf", "CAF", CELL_FLAG, DATA_ONLY},
    {"own_ticks", "Ticks", CELL_COUNT, RANK(1)},
    {"own_ns", "Time", CELL_NS, RANK(6)},
    {"own_share", "Own", CELL_SHARE, 0},
    {"own_bar", "", CELL_BAR, RANK(4)},
    {"inherited_ticks", "Inh. ticks", CELL_COUNT, RANK(5)},
    {"inherited_ns", "Inh. time", CELL_NS, RANK(6)},
    {"inherited_share", "Inherited", CELL_SHARE, 0},
    {0},
};

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
    const struct cell cells[] = {
        cell_number(report->section),
        cell_text(frame->label),
        cell_text(frame->module),
        cell_text(frame->location),
        cell_number(frame->is_caf),
        cell_number(own[HECTIC_TIME_TICKS]),
        cell_number(own[HECTIC_TIME_NS]),
        cell_share(share),
        cell_share(share),
        cell_number(total[HECTIC_TIME_TICKS]),
        cell_number(total[HECTIC_TIME_NS]),
        cell_share(prof_share(total[report->weight], report->all)),
    };
    return rows->callback(rows->user, cells);
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

static void put_kinds(struct json *json, const char *key, const hectic_time_cap *cap)
{
    static const char *const names[HECTIC_TIME_KINDS][2] = {
        {"own_samples", "own_ns"},           {"gc_samples", "gc_ns"},
        {"idle_samples", "idle_ns"},         {"system_samples", "system_ns"},
        {"overhead_samples", "overhead_ns"}, {"dont_care_samples", "dont_care_ns"}};
    json_open(json, key, '{');
    if (!key) json_number(json, "cap", true, cap->cap);
    for (size_t kind = 0; kind < HECTIC_TIME_KINDS; kind++) {
        json_number(json, names[kind][0], true, cap->samples[kind]);
        json_number(json, names[kind][1], true, cap->ns[kind]);
    }
    json_close(json, '}');
}

void prof_report_put(struct json *json, const struct prof_report *report)
{
    const hectic_time_totals *totals = &report->totals;
    const bool is_ticks = report->source == HECTIC_TIME_COST_CENTRES;
    json_number(json, "section", true, report->section);
    json_text(json, "source", is_ticks ? "cost centres" : "call stacks");
    json_number(json, "samples", true, totals->samples);
    json_number(json, "ticks", is_ticks, totals->ticks);
    json_number(json, "interval_ns", totals->interval > 0, totals->interval);
    json_number(json, "first_ns", true, totals->first);
    json_number(json, "last_ns", true, totals->last);
    json_number(json, "holes", is_ticks, totals->holes);
    json_number(json, "omitted", true, report->warnings.omitted);
    put_kinds(json, "all", &totals->all);
    json_open(json, "caps", '[');
    for (uint32_t i = 0; i < totals->caps; i++)
        put_kinds(json, NULL, &totals->cap[i]);
    json_close(json, ']');
}
