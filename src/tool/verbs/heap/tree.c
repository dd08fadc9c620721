/* tree.c — cost-centre stacks as a tree: what each subtree holds in one sample. */
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/verbs/heap/heap.h"

#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 12, LABEL_SIZE = 1024 };

static const double share_least = 0.01; /* smaller subtrees are folded into one line */

/* A node, and the sums of its subtree. */
struct branch {
    uint64_t own, total, end;
    double growth;
    uint64_t bands;       /* of its subtree */
    uint32_t first, next; /* child, sibling; the largest first; 0: none (0 is the root) */
};

struct tree {
    const struct heap_view *view;
    const hectic_stack_node *node;
    struct table *table;
    struct branch *branch;
    uint32_t count;
    bool is_data;
    uint64_t depth; /* the most */
};

/* --- Sums ------------------------------------------------------------------------------------ */

struct ordered {
    uint64_t total;
    uint32_t node;
};

static int by_total(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->total != y->total) return x->total < y->total ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

/* Links the children of each branch, the largest first. */
static bool link_children(struct tree *tree)
{
    struct ordered *ordered = malloc(tree->count * sizeof *ordered);
    if (!ordered) return false;
    for (uint32_t i = 0; i < tree->count; i++)
        ordered[i] = (struct ordered){tree->branch[i].total, i};
    qsort(ordered, tree->count, sizeof *ordered, by_total);
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t node = ordered[i].node;
        if (node == HECTIC_STACKS_ROOT || tree->branch[node].bands == 0) continue;
        struct branch *parent = &tree->branch[tree->node[node].parent];
        tree->branch[node].next = parent->first;
        parent->first = node;
    }
    free(ordered);
    return true;
}

static bool make_tree(struct tree *tree)
{
    const struct heap_rows *bands = &tree->view->bands;
    tree->branch = calloc(tree->count, sizeof *tree->branch);
    if (!tree->branch) return false;
    for (size_t i = 0; i < bands->count; i++) {
        const hectic_heap_band_stats *stats = &bands->row[i].stats;
        struct branch *branch = &tree->branch[stats->node];
        branch->own = branch->total = heap_at_bytes(tree->view->settings, stats);
        branch->end = stats->at_end;
        branch->growth = stats->growth;
        branch->bands = 1;
    }
    /* A parent's index is smaller than those of its children. */
    for (uint32_t i = tree->count; i-- > 1;) {
        const struct branch *branch = &tree->branch[i];
        struct branch *parent = &tree->branch[tree->node[i].parent];
        saturating_add(&parent->total, branch->total);
        saturating_add(&parent->end, branch->end);
        parent->growth += branch->growth;
        parent->bands += branch->bands;
    }
    return link_children(tree);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static bool put_row(const struct tree *tree, const char *label, uint32_t depth,
                    const struct branch *branch, const hectic_symbol *symbol)
{
    const struct heap_view *view = tree->view;
    const uint64_t all = tree->branch[HECTIC_STACKS_ROOT].total;
    const struct cell cells[] = {
        cell_number(view->section),
        cell_number(view->number),
        cell_number(depth),
        cell_text(label),
        cell_number(branch->total),
        cell_part(branch->total, all),
        cell_number(branch->own),
        cell_number(branch->end),
        {.known = view->totals.samples > 1, .share = branch->growth},
        cell_text(symbol && symbol->module ? symbol->module : ""),
        cell_text(symbol && symbol->location ? symbol->location : ""),
    };
    return table_row(tree->table, view->sink, cells);
}

static bool node_row(const struct tree *tree, uint32_t node)
{
    const uint32_t depth = tree->node[node].depth;
    const uint32_t indent = tree->is_data ? 0 : depth;
    char label[LABEL_SIZE + 64];
    hectic_symbol symbol = hectic_symbols_get(tree->view->symbols, tree->node[node].symbol);
    memset(label, ' ', sizeof label);
    char *name = label + (indent < 32 ? indent : 32);
    if (node == HECTIC_STACKS_ROOT)
        snprintf(name, LABEL_SIZE, "%s",
                 tree->view->totals.kind->breakdown == HECTIC_BREAKDOWN_COST_CENTRE ? "MAIN"
                                                                                    : "(all)");
    else if (node == HECTIC_STACKS_OTHERS)
        snprintf(name, LABEL_SIZE, "(others)");
    else
        hectic_symbol_text(&symbol, name, LABEL_SIZE);
    /* Data has whole names. */
    const bool is_name = tree->is_data && symbol.name && !symbol.is_caf;
    return put_row(tree, is_name ? symbol.name : label, depth, &tree->branch[node], &symbol);
}

static bool is_folded(const struct tree *tree, uint32_t node)
{
    const struct branch *root = &tree->branch[HECTIC_STACKS_ROOT];
    const struct branch *branch = &tree->branch[node];
    if (tree->node[node].depth > tree->depth) return true;
    return !tree->is_data && (double)branch->total < share_least * (double)root->total &&
           (double)branch->end < share_least * (double)root->end;
}

/* One line for the folded children of a node. */
static bool folded_row(const struct tree *tree, uint32_t parent)
{
    struct branch sum = {0};
    uint64_t folded = 0;
    for (uint32_t node = tree->branch[parent].first; node; node = tree->branch[node].next) {
        const struct branch *branch = &tree->branch[node];
        if (!is_folded(tree, node)) continue;
        saturating_add(&sum.total, branch->total);
        saturating_add(&sum.end, branch->end);
        sum.growth += branch->growth;
        sum.bands += branch->bands;
        folded++;
    }
    if (folded == 0) return true;
    const uint32_t depth = tree->node[parent].depth + 1;
    const bool is_deep = depth > tree->depth;
    char label[128];
    snprintf(label, sizeof label, "%*s(%s)", tree->is_data ? 0 : (int)(depth < 32 ? depth : 32), "",
             quantity(sum.bands, is_deep ? "deeper stack" : "smaller stack").text);
    return put_row(tree, label, depth, &sum, NULL);
}

/* The tree in preorder. `open`: nodes whose children are being printed. */
static bool put_rows(const struct tree *tree, uint32_t *open)
{
    size_t depth = 0;
    bool good = node_row(tree, HECTIC_STACKS_ROOT);
    uint32_t node = tree->branch[HECTIC_STACKS_ROOT].first;
    open[depth++] = HECTIC_STACKS_ROOT;
    while (good && depth > 0) {
        while (node && is_folded(tree, node))
            node = tree->branch[node].next;
        if (node) {
            good = node_row(tree, node);
            open[depth++] = node;
            node = tree->branch[node].first;
        } else {
            good = folded_row(tree, open[--depth]);
            node = tree->branch[open[depth]].next;
            if (open[depth] == HECTIC_STACKS_ROOT) break;
        }
    }
    return good;
}

struct table *heap_tree_new(const struct heap_settings *settings, int *code)
{
    struct table *table = table_new(NULL, heap_tree_columns, &settings->table, code);
    if (table) table_cut_texts(table);
    return table;
}

bool heap_tree_rows(const struct heap_view *view, struct table *table)
{
    const struct table_settings *form = &view->settings->table;
    struct tree tree = {
        .view = view,
        .node = hectic_stacks_nodes(view->stacks),
        .table = table,
        .count = hectic_stacks_count(view->stacks),
        .is_data = form->csv || form->json,
    };
    tree.depth = view->settings->depth ? view->settings->depth : tree.is_data ? UINT64_MAX : DEPTH;
    uint32_t *open = malloc((size_t)tree.count * sizeof *open);
    const bool has_memory = open && make_tree(&tree);
    if (!has_memory) tool_message("out of memory");
    const bool good = has_memory && put_rows(&tree, open);
    free(tree.branch);
    free(open);
    return good;
}
