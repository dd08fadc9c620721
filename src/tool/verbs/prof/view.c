/* view.c — the tree of a profile as it is printed: the program's own time, and perhaps a part of
 * the stacks. */
#include "tool/cli/message.h"
#include "tool/verbs/prof/prof.h"

#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(void)
{
    tool_message("out of memory");
    return false;
}

/* --- Focus ----------------------------------------------------------------------------------- */

/* Matches MODULE.LABEL. -1 after a message. */
static int matches(const hectic_symbols *symbols, uint32_t index, struct pattern *focus)
{
    const hectic_symbol symbol = hectic_symbols_get(symbols, index);
    char room[256];
    const char *label = symbol.name ? symbol.name : hectic_symbol_text(&symbol, room, sizeof room);
    const char *module = symbol.module ? symbol.module : "";
    const size_t size = strlen(module) + 1 + strlen(label);
    char *const text = malloc(size + 1);
    if (!text) return no_memory(), -1;
    snprintf(text, size + 1, "%s%s%s", module, symbol.module ? "." : "", label);
    const int result = pattern_match_label(focus, text);
    free(text);
    return result;
}

/* Sets is_match[] of all symbols. */
static bool match_all(const hectic_symbols *symbols, struct pattern *focus, bool *is_match)
{
    for (uint32_t i = 0; i < hectic_symbols_count(symbols); i++) {
        const int result = matches(symbols, i, focus);
        if (result < 0) return false;
        is_match[i] = result > 0;
    }
    return true;
}

/* Copies the stacks with a matching frame, from the outermost one on. */
static bool copy_matching(const hectic_stacks *stacks, const bool *is_match, uint32_t *copy,
                          hectic_stacks *to)
{
    const hectic_stack_node *node = hectic_stacks_nodes(stacks);
    for (uint32_t i = HECTIC_STACKS_OTHERS + 1; i < hectic_stacks_count(stacks); i++) {
        const uint32_t parent = copy[node[i].parent]; /* the root: outside of the focus */
        if (parent == HECTIC_STACKS_ROOT && !is_match[node[i].symbol]) continue;
        copy[i] = hectic_stacks_child(to, parent, node[i].symbol);
        if (copy[i] == UINT32_MAX) return no_memory();
        for (uint32_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
            hectic_stacks_add(to, copy[i], c, hectic_stacks_own(stacks, i, c));
    }
    return true;
}

static bool apply_focus(struct prof_view *view, const hectic_stacks *stacks, struct pattern *focus)
{
    view->focused = hectic_stacks_new(HECTIC_TIME_COLUMNS, hectic_stacks_count(stacks) + 1);
    bool *is_match =
        calloc((size_t)hectic_symbols_count(view->report.symbols) + 1, sizeof *is_match);
    uint32_t *copy = calloc(hectic_stacks_count(stacks), sizeof *copy);
    const bool done = view->focused && is_match && copy
                          ? match_all(view->report.symbols, focus, is_match) &&
                                copy_matching(stacks, is_match, copy, view->focused)
                          : no_memory();
    free(is_match);
    free(copy);
    return done;
}

/* --- Weights --------------------------------------------------------------------------------- */

struct child {
    uint64_t total;
    uint32_t node;
};

static int by_total(const void *a, const void *b)
{
    const struct child *const x = a, *const y = b;
    if (x->total != y->total) return x->total < y->total ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

/* Links the children of each node by descending weight. */
static bool link_children(struct prof_view *view)
{
    struct child *child = malloc(view->report.nodes * sizeof *child);
    if (!child) return no_memory();
    size_t count = 0;
    const uint64_t *total = view->report.total[view->report.weight];
    for (uint32_t i = 1; i < view->report.nodes; i++)
        if (total[i] > 0) child[count++] = (struct child){total[i], i};
    qsort(child, count, sizeof *child, by_total);
    for (size_t i = 0; i < count; i++) {
        uint32_t *first = &view->child[view->report.node[child[i].node].parent];
        view->next[child[i].node] = *first;
        *first = child[i].node;
    }
    free(child);
    return true;
}

bool prof_view_new(struct prof_view *view, hectic_time_profile *profile, struct pattern *focus)
{
    struct prof_report *report = &view->report;
    report->weight = view->settings->weight;
    report->is_text = prof_is_text(view->settings);
    report->is_focused = focus;
    if (!prof_report_set(report, profile)) return no_memory();
    if (focus && !apply_focus(view, report->tree, focus)) return false;
    if (focus) report->tree = view->focused;
    if (!prof_report_add(report)) return no_memory();
    view->child = calloc(report->nodes, sizeof *view->child);
    view->next = calloc(report->nodes, sizeof *view->next);
    return view->child && view->next ? link_children(view) : no_memory();
}

void prof_view_clear(struct prof_view *view)
{
    hectic_stacks_free(view->focused);
    free(view->child);
    free(view->next);
    prof_report_clear(&view->report);
}
