/* table.c — the cost centres of a profile, or its functions. */
#include "tool/verbs/prof/prof.h"

#include <stdlib.h>

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

static bool put(struct prof_view *view, struct table *table, struct sink *sink,
                const struct prof_frame *frame, const uint64_t *own, const uint64_t *total)
{
    const double share = prof_share(own[view->weight], view->all);
    const struct cell cells[] = {
        cell_number(view->section),
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
        cell_share(prof_share(total[view->weight], view->all)),
    };
    view->rows++;
    return table_row(table, sink, cells);
}

/* The rows of the two nodes without a symbol. All stacks of cost centres are below MAIN. */
static bool put_nodes(struct prof_view *view, struct table *table, struct sink *sink)
{
    const hectic_time_cap *all = &view->totals.all;
    const uint64_t whole[] = {all->samples[HECTIC_TIME_OWN], all->ns[HECTIC_TIME_OWN]};
    for (uint32_t node = 0; node <= HECTIC_STACKS_OTHERS; node++) {
        uint64_t own[HECTIC_TIME_COLUMNS];
        for (uint32_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
            own[c] = view->own[c][node];
        if (own[HECTIC_TIME_TICKS] == 0) continue;
        struct prof_frame frame;
        prof_node(view, node, &frame);
        const bool is_main = node == HECTIC_STACKS_ROOT && view->source == HECTIC_TIME_COST_CENTRES;
        if (node == HECTIC_STACKS_ROOT && !is_main) frame.label = "(empty stack)";
        if (!put(view, table, sink, &frame, own, is_main ? whole : own)) return false;
    }
    return true;
}

bool prof_put_table(struct prof_view *view, struct table *table, struct sink *sink)
{
    size_t count;
    hectic_symbol_time *times = hectic_symbol_times(view->tree, view->symbols, &count);
    if (!times) {
        tool_message("out of memory");
        return false;
    }
    bool done = put_nodes(view, table, sink);
    for (size_t i = 0; i < count && done; i++) {
        const hectic_symbol symbol = hectic_symbols_get(view->symbols, times[i].symbol);
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN) continue;
        struct prof_frame frame;
        prof_symbol(view, times[i].symbol, &frame);
        done = put(view, table, sink, &frame, times[i].own, times[i].total) && !sink_failed(sink);
    }
    free(times);
    return done;
}
