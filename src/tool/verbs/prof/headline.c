/* headline.c — the sums of a profile, and what to do next. */
#include "render/units.h"
#include "tool/verbs/prof/prof.h"

#include "numbers/saturating.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/output/verdict_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum_of(const uint64_t by_kind[HECTIC_TIME_KINDS])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HECTIC_TIME_KINDS; i++)
        saturating_add(&sum, by_kind[i]);
    return sum;
}

static const uint64_t *weights_of(const struct prof_view *view, const hectic_time_cap *cap)
{
    return view->report.weight == HECTIC_TIME_TICKS ? cap->samples : cap->ns;
}

/* The share of a kind in what the caps did. */
static double share_of(const struct prof_view *view, const hectic_time_cap *cap,
                       hectic_time_kind kind)
{
    const uint64_t *weights = weights_of(view, cap);
    return prof_share(weights[kind], sum_of(weights));
}

/* --- Text ------------------------------------------------------------------------------------ */

static const char *const kind_titles[HECTIC_TIME_KINDS] = {
    "the program", "GC", "idle", "runtime system", "profiling", "DONT_CARE"};

static void put_shares(const struct prof_view *view, struct sink *sink)
{
    enum { WIDTH = 80 };
    size_t width = 0;
    for (int kind = 0; kind < HECTIC_TIME_KINDS; kind++) {
        char text[64];
        const double share = share_of(view, &view->report.totals.all, (hectic_time_kind)kind);
        if (kind > 0 && share == 0) continue;
        const size_t length =
            (size_t)snprintf(text, sizeof text, "%s %.1f%%", kind_titles[kind], 100 * share);
        const bool is_new_line = width + 3 + length > WIDTH;
        sink_print(sink, "%s%s", width == 0 ? "" : is_new_line ? ",\n" : ", ", text);
        width = (width == 0 || is_new_line ? 0 : width + 2) + length;
    }
    sink_print(sink, "\n");
}

static bool put_caps(const struct prof_view *view, struct sink *sink)
{
    enum { ROWS = 64 };
    const struct table_settings settings = {.limit = ROWS};
    int code;
    struct table *table = table_new(NULL, prof_caps_columns, &settings, &code);
    bool done = table != NULL;
    for (uint32_t i = 0; i < view->report.totals.caps && done; i++) {
        const hectic_time_cap *cap = &view->report.totals.cap[i];
        struct cell cells[2 + HECTIC_TIME_KINDS] = {cell_number(cap->cap),
                                                    cell_number(sum_of(cap->samples))};
        for (int kind = 0; kind < HECTIC_TIME_KINDS; kind++)
            cells[2 + kind] = cell_share(share_of(view, cap, (hectic_time_kind)kind));
        done = table_row(table, sink, cells);
    }
    done = done && table_end(table, sink);
    table_free(table);
    return done;
}

static void put_warnings(const struct prof_view *view, struct sink *sink)
{
    const hectic_time_totals *totals = &view->report.totals;
    if (totals->holes > 0)
        sink_print(sink, "Profiling was off %s in between.\n",
                   quantity(totals->holes, "time").text);
    if (view->focused)
        sink_print(
            sink, "In focus: %.1f%% of the program's %s.\n",
            100 * prof_share(view->report.all, weights_of(view, &totals->all)[HECTIC_TIME_OWN]),
            view->report.weight == HECTIC_TIME_TICKS ? "samples" : "time");
}

bool prof_put_headline(const struct prof_view *view, struct sink *sink)
{
    const hectic_time_totals *totals = &view->report.totals;
    char interval[UNITS_ROOM];
    units_put(interval, (double)totals->interval, UNITS_TIME, UNITS_TWO, false);
    if (view->report.section > 1) sink_print(sink, "\nSection %zu\n", view->report.section);
    if (view->report.source == HECTIC_TIME_CALL_STACKS)
        sink_print(sink, "%s", quantity(totals->samples, "call stack").text);
    else
        sink_print(sink, "%s", quantity(totals->ticks, "tick").text);
    if (totals->interval > 0) sink_print(sink, " of %s", interval);
    sink_print(sink, ", %s, %.3fs to %.3fs\n", quantity(totals->caps, "cap").text,
               (double)totals->first / 1e9, (double)totals->last / 1e9);
    if (view->report.source == HECTIC_TIME_COST_CENTRES) put_shares(view, sink);
    const bool has_caps = totals->caps > 1 && view->report.source == HECTIC_TIME_COST_CENTRES;
    if (has_caps) {
        sink_print(sink, "\n");
        if (!put_caps(view, sink)) return false;
    }
    put_warnings(view, sink);
    sink_print(sink, "\n");
    return true;
}

static const struct {
    hectic_time_kind kind;
    double share; /* from which it is worth looking at */
    const char *text, *command;
} advice[] = {
    {HECTIC_TIME_GC, 0.2, "of the time is garbage collection", "hectic info LOG"},
    {HECTIC_TIME_SYSTEM, 0.3,
     "of the caps' time is the runtime system's: stopping caps for GC, scheduling",
     "hectic stat LOG"},
    {HECTIC_TIME_IDLE, 0.3, "of the caps' time is idle", "hectic threads LOG"},
};

static void put_command(const char *command, const char *log, struct sink *sink)
{
    char *text = command_for_log(command, log, NULL);
    sink_print(sink, ":\n  ");
    sink_visible(sink, text, strlen(text));
    sink_print(sink, "\n");
    free(text);
}

void prof_put_next(const struct prof_view *view, const char *log, struct sink *sink)
{
    sink_print(sink, "\n");
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        const double share = share_of(view, &view->report.totals.all, advice[i].kind);
        if (share < advice[i].share) continue;
        sink_print(sink, "%.0f%% %s", 100 * share, advice[i].text);
        put_command(advice[i].command, log, sink);
    }
    sink_print(sink, "Next: who calls them (or --stacks, --flame, --every 1s)");
    put_command("hectic prof --tree LOG", log, sink);
}

/* --- JSON ------------------------------------------------------------------------------------ */

bool prof_put_members(const struct prof_view *view, struct sink *sink)
{
    struct json json = json_on_sink(sink);
    prof_report_put(&json, &view->report);
    sink_print(sink, ",\n");
    return !sink_failed(sink);
}
