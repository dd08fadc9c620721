/* profile.c — see profile.h. */
#include "tool/verbs/export/profile.h"

#include "numbers/saturating.h"
#include "render/text.h"

#include <hectic/render.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The order of nodes ----------------------------------------------------------------------- */

struct named {
    const char *name, *module;
    uint32_t symbol;
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = compare_texts(x->name, y->name);
    if (order == 0) order = compare_texts(x->module, y->module);
    return order ? order : compare_numbers(x->symbol, y->symbol);
}

/* The position of each symbol in the order of names; NULL: out of memory. */
static uint32_t *rank_symbols(const hectic_symbols *symbols)
{
    const uint32_t count = hectic_symbols_count(symbols);
    struct named *named = malloc((count + 1) * sizeof *named);
    uint32_t *rank = named ? malloc((count + 1) * sizeof *rank) : NULL;
    if (rank) {
        for (uint32_t i = 0; i < count; i++) {
            const hectic_symbol symbol = hectic_symbols_get(symbols, i);
            named[i] = (struct named){symbol.name, symbol.module, i};
        }
        qsort(named, count, sizeof *named, compare_named);
        for (uint32_t i = 0; i < count; i++)
            rank[named[i].symbol] = i;
    }
    free(named);
    return rank;
}

struct child {
    uint32_t parent, rank, node;
};

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->parent != y->parent) return compare_numbers(x->parent, y->parent);
    if (x->rank != y->rank) return compare_numbers(x->rank, y->rank);
    return compare_numbers(x->node, y->node);
}

static void sum_up(struct tree *tree, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->nodes; i++) {
        tree->samples[i] = profile->count ? profile->count[i] : 0;
        tree->weight[i] = profile->weight[i];
    }
    for (uint32_t i = profile->nodes; i-- > 1;) {
        saturating_add(&tree->samples[profile->node[i].parent], tree->samples[i]);
        saturating_add(&tree->weight[profile->node[i].parent], tree->weight[i]);
    }
}

/* Sets tree->node to the order; `child` are the nodes but the root, sorted by parent. `first` and
 * `next` have room for all nodes. */
static void set_order(struct tree *tree, const struct profile *profile, const struct child *child,
                      uint32_t children, uint32_t *first, uint32_t *next)
{
    for (uint32_t i = children; i-- > 0;) {
        next[child[i].node] = first[child[i].parent];
        first[child[i].parent] = child[i].node;
    }
    uint32_t node = HECTIC_STACKS_ROOT;
    for (;;) {
        tree->node[tree->count++] = node;
        if (first[node]) {
            node = first[node];
            continue;
        }
        while (node != HECTIC_STACKS_ROOT && !next[node])
            node = profile->node[node].parent;
        if (node == HECTIC_STACKS_ROOT) return;
        node = next[node];
    }
}

static bool sort_nodes(struct tree *tree, const struct profile *profile)
{
    const size_t nodes = profile->nodes;
    uint32_t *rank = rank_symbols(profile->symbols);
    struct child *child = malloc(nodes * sizeof *child);
    uint32_t *links = calloc(nodes, 2 * sizeof *links);
    const bool has_memory = rank && child && links;
    if (has_memory) {
        const uint32_t symbols = hectic_symbols_count(profile->symbols);
        uint32_t children = 0;
        for (uint32_t i = 1; i < profile->nodes; i++) {
            const hectic_stack_node *node = &profile->node[i];
            if (tree->samples[i] > 0 || tree->weight[i] > 0)
                child[children++] = (struct child){
                    node->parent, node->symbol < symbols ? rank[node->symbol] : UINT32_MAX, i};
        }
        qsort(child, children, sizeof *child, compare_children);
        set_order(tree, profile, child, children, links, links + nodes);
    }
    free(rank);
    free(child);
    free(links);
    return has_memory;
}

bool tree_make(struct tree *tree, const struct profile *profile)
{
    const size_t nodes = profile->nodes;
    *tree = (struct tree){
        .node = malloc(nodes * sizeof *tree->node),
        .samples = malloc(nodes * sizeof *tree->samples),
        .weight = malloc(nodes * sizeof *tree->weight),
    };
    if (tree->node && tree->samples && tree->weight) {
        sum_up(tree, profile);
        if (sort_nodes(tree, profile)) return true;
    }
    tree_clear(tree);
    return false;
}

void tree_clear(struct tree *tree)
{
    free(tree->node);
    free(tree->samples);
    free(tree->weight);
    *tree = (struct tree){0};
}

/* --- Frames ----------------------------------------------------------------------------------- */

const char *frame_name(const hectic_symbols *symbols, const hectic_stack_node *node,
                       char text[FRAME_NAME])
{
    if (node->symbol == HECTIC_NO_SYMBOL) {
        snprintf(text, FRAME_NAME, "%s", node->depth == 0 ? "MAIN" : "(others)");
        return text;
    }
    const hectic_symbol symbol = hectic_symbols_get(symbols, node->symbol);
    const bool is_built_in = symbol.location && strcmp(symbol.location, "<built-in>") == 0;
    if (!symbol.module || !*symbol.module || symbol.is_caf || is_built_in)
        return hectic_symbol_text(&symbol, text, FRAME_NAME);
    const size_t length = (size_t)snprintf(text, FRAME_NAME, "%.*s.", FRAME_NAME, symbol.module);
    if (length < FRAME_NAME) hectic_symbol_text(&symbol, text + length, FRAME_NAME - length);
    return text;
}

/* The length without what exceeds FRAME_SHORT; a character is not divided. */
static size_t short_length(const char *text)
{
    return text_cut(text, strnlen(text, FRAME_SHORT + 1), FRAME_SHORT);
}

void shorten(const char *text, char to[FRAME_SHORT_ROOM])
{
    to[hectic_render_visible(text, short_length(text), to)] = 0;
    to[short_length(to)] = 0;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* A number of at least one digit; saturates. */
static const char *parse_number(const char *at, uint32_t *number)
{
    uint64_t value = 0;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value > UINT32_MAX ? value : 10 * value + (uint64_t)(*at - '0');
    *number = value > INT32_MAX ? INT32_MAX : (uint32_t)value;
    return at > digits ? at : NULL;
}

/* "LINE:COLUMN…" or "(LINE,COLUMN)…" */
static bool parse_position(const char *at, struct place *place)
{
    const bool is_range = *at == '(';
    at = parse_number(at + is_range, &place->line);
    if (!at || *at != (is_range ? ',' : ':')) return false;
    return parse_number(at + 1, &place->column) != NULL;
}

struct place place_of(const char *location)
{
    struct place place = {0};
    if (!location || *location == '<') return place;
    /* A file's name may contain colons. */
    const char *last = NULL;
    for (const char *colon = strchr(location, ':'); colon; colon = strchr(colon + 1, ':')) {
        struct place found = {0};
        if (colon > location && parse_position(colon + 1, &found)) {
            place = found;
            last = colon;
            break;
        }
    }
    place.file = location;
    place.file_length = last ? (size_t)(last - location) : strlen(location);
    return place;
}
