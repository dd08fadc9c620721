/* tree.c — the tree of a profile: each stack below its callers. In text, subtrees under 1 % are one
 * row, and calls without a branch are one row. */
#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/verbs/prof/prof.h"

#include "numbers/saturating.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDED = 100, INDENT_MAX = 24, LABEL_MAX = 1024 };

struct tree {
    const struct prof_view *view;
    struct table *table;
    struct sink *sink;
    bool is_text;
    uint64_t depth;  /* of rows, at most */
    uint32_t *level; /* of each node that begins a row: the number of rows above it */
};

/* The node that the row of `node` ends with, in text: as long as there is one child, and nothing
 * else. */
static uint32_t end_of_row(const struct tree *tree, uint32_t node)
{
    const struct prof_view *view = tree->view;
    if (!tree->is_text || node == HECTIC_STACKS_ROOT) return node;
    while (view->report.own[view->report.weight][node] == 0 && view->child[node] &&
           !view->next[view->child[node]])
        node = view->child[node];
    return node;
}

/* Writes "  caller > callee", or "  caller > … > callee" if there are frames in between. */
static void write_label(const struct tree *tree, uint32_t node, uint32_t end, char *text)
{
    const struct prof_view *view = tree->view;
    const uint32_t indent = tree->level[node] < INDENT_MAX ? tree->level[node] : INDENT_MAX;
    struct prof_frame outer, inner;
    prof_node(&view->report, node, &outer);
    prof_node(&view->report, end, &inner);
    const bool is_pair = view->report.node[end].parent == node;
    if (node == end)
        snprintf(text, LABEL_MAX, "%*s%s", (int)indent, "", outer.label);
    else
        snprintf(text, LABEL_MAX, "%*s%s > %s%s", (int)indent, "", outer.label,
                 is_pair ? "" : "… > ", inner.label);
}

/* A row without a symbol has no module; text shows a blank, since "unknown" would be wrong. */
static struct cell text_or_blank(const struct tree *tree, bool is_symbol, const char *text)
{
    return cell_text(text || is_symbol || !tree->is_text ? text : "");
}

static bool put_cells(const struct tree *tree, uint32_t node, const char *label,
                      const struct prof_frame *frame, const uint64_t own[HECTIC_TIME_COLUMNS],
                      const uint64_t total[HECTIC_TIME_COLUMNS])
{
    const struct prof_view *view = tree->view;
    const enum hectic_time_column weight = view->report.weight;
    const bool is_node = node != UINT32_MAX, is_symbol = is_node && node > HECTIC_STACKS_OTHERS;
    const union prof_tree_row cells = {
        .section = cell_number(view->report.section),
        .node = cell_if(is_node, node),
        .parent = cell_if(is_node && node > 0, is_node ? view->report.node[node].parent : 0),
        .depth = cell_if(is_node, is_node ? view->report.node[node].depth : 0),
        .inherited_share = cell_share(prof_share(total[weight], view->report.all)),
        .own_share = cell_share(prof_share(own[weight], view->report.all)),
        .inherited_ticks = cell_number(total[HECTIC_TIME_TICKS]),
        .inherited_ns = cell_number(total[HECTIC_TIME_NS]),
        .own_ticks = cell_number(own[HECTIC_TIME_TICKS]),
        .own_ns = cell_number(own[HECTIC_TIME_NS]),
        .label = cell_text(label),
        .module = text_or_blank(tree, is_symbol, frame->module),
        .location = text_or_blank(tree, is_symbol, frame->location),
        .caf = cell_number(frame->is_caf),
    };
    return table_row(tree->table, tree->sink, cells.cells) && !sink_failed(tree->sink);
}

static bool put_node(const struct tree *tree, uint32_t node, uint32_t end)
{
    const struct prof_view *view = tree->view;
    char text[LABEL_MAX];
    struct prof_frame frame;
    prof_node(&view->report, end, &frame);
    uint64_t own[HECTIC_TIME_COLUMNS], total[HECTIC_TIME_COLUMNS];
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++) {
        own[c] = view->report.own[c][end];
        total[c] = view->report.total[c][end];
    }
    if (tree->is_text) write_label(tree, node, end, text);
    return put_cells(tree, end, tree->is_text ? text : frame.label, &frame, own, total);
}

/* One row for a node and the siblings after it. */
static bool put_folded(const struct tree *tree, uint32_t node, uint32_t level)
{
    if (!tree->is_text) return true;
    uint64_t count = 0, total[HECTIC_TIME_COLUMNS] = {0};
    for (; node; node = tree->view->next[node], count++)
        for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
            saturating_add(&total[c], tree->view->report.total[c][node]);
    char text[100];
    const int indent = (int)(level < INDENT_MAX ? level : INDENT_MAX);
    snprintf(text, sizeof text, "%*s(%" PRIu64 " more)", indent, "", count);
    const uint64_t own[HECTIC_TIME_COLUMNS] = {0};
    return put_cells(tree, UINT32_MAX, text, &(const struct prof_frame){0}, own, total);
}

/* Are a node and the siblings after it folded? */
static bool is_folded(const struct tree *tree, uint32_t node, uint32_t level)
{
    const struct prof_view *view = tree->view;
    if (level > tree->depth) return true;
    const bool is_alone = !view->next[node] && !view->child[node];
    return tree->is_text && !is_alone &&
           view->report.total[view->report.weight][node] < view->report.all / FOLDED;
}

/* Writes the rows, each before those of its children. */
static bool put_rows(struct tree *tree)
{
    const struct prof_view *view = tree->view;
    for (uint32_t at = HECTIC_STACKS_ROOT, next;; at = next) {
        uint32_t node = end_of_row(tree, at), level = tree->level[at] + 1;
        if (!put_node(tree, at, node)) return false;
        /* Its first child, or else the next sibling of itself or of a node above it. */
        for (next = view->child[node]; !next || is_folded(tree, next, level);) {
            if (next && !put_folded(tree, next, level)) return false;
            if (node == HECTIC_STACKS_ROOT) return true;
            next = view->next[node];
            if (next) level = tree->level[node];
            node = view->report.node[node].parent;
        }
        tree->level[next] = level;
    }
}

bool prof_put_tree(const struct prof_view *view, struct table *table, struct sink *sink)
{
    struct tree tree = {view,
                        table,
                        sink,
                        prof_is_text(view->settings),
                        view->settings->depth ? view->settings->depth : UINT64_MAX,
                        calloc(view->report.nodes, sizeof *tree.level)};
    if (!tree.level) {
        tool_message("out of memory");
        return false;
    }
    const bool done = put_rows(&tree);
    free(tree.level);
    return done;
}
