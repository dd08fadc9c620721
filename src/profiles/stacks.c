/* stacks.c — see stacks.h. */
#include "profiles/stacks.h"
#include <hectic/read_events.h>

#include "base/map.h"
#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1000000 };

struct edge {
    map_key key; /* parent and symbol */
    uint32_t node;
};

/* A stack of cost centres that occurred before. */
struct known {
    map_key key;
    uint32_t node;
};

struct hectic_stacks {
    uint32_t columns, limit;
    hectic_stack_node *node;
    uint64_t *weight; /* of each node, `columns` numbers */
    uint32_t count, capacity;
    map edges, known;
    uint64_t omitted;
};

static bool grow(hectic_stacks *s)
{
    const size_t capacity = s->capacity ? 2 * (size_t)s->capacity : 64;
    hectic_stack_node *node = realloc(s->node, capacity * sizeof *node);
    if (!node) return false;
    s->node = node;
    uint64_t *weight = realloc(s->weight, capacity * s->columns * sizeof *weight);
    if (!weight) return false;
    s->weight = weight;
    s->capacity = (uint32_t)capacity;
    return true;
}

static void append(hectic_stacks *s, uint32_t parent, uint32_t symbol, uint32_t depth)
{
    s->node[s->count] = (hectic_stack_node){symbol, parent, depth};
    memset(s->weight + (size_t)s->count * s->columns, 0, s->columns * sizeof *s->weight);
    s->count++;
}

hectic_stacks *hectic_stacks_new(uint32_t columns, uint32_t limit)
{
    hectic_stacks *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->columns = columns;
    s->limit = limit ? limit : LIMIT;
    s->edges = (map){.entry_size = sizeof(struct edge), .unsorted = true};
    s->known = (map){.entry_size = sizeof(struct known), .unsorted = true};
    if (!grow(s)) return hectic_stacks_free(s), NULL;
    append(s, HECTIC_STACKS_ROOT, HECTIC_NO_SYMBOL, 0);
    append(s, HECTIC_STACKS_ROOT, HECTIC_NO_SYMBOL, 1);
    return s;
}

void hectic_stacks_free(hectic_stacks *s)
{
    if (!s) return;
    free(s->node);
    free(s->weight);
    map_clear(&s->known);
    map_clear(&s->edges);
    free(s);
}

uint32_t hectic_stacks_child(hectic_stacks *s, uint32_t parent, uint32_t symbol)
{
    if (parent == HECTIC_STACKS_OTHERS || symbol == HECTIC_NO_SYMBOL)
        return s->omitted++, HECTIC_STACKS_OTHERS;
    const map_key key = {symbol, 1 + (uint64_t)parent};
    struct edge *edge = map_find(&s->edges, key);
    if (edge) return edge->node;
    if (s->count >= s->limit) return s->omitted++, HECTIC_STACKS_OTHERS;
    if (s->count == s->capacity && !grow(s)) return UINT32_MAX;
    edge = map_add(&s->edges, key);
    if (!edge) return UINT32_MAX;
    edge->node = s->count;
    append(s, parent, symbol, s->node[parent].depth + 1);
    return s->count - 1;
}

/* --- Stacks of cost centres ------------------------------------------------------------------ */

uint32_t hectic_stacks_cost_centres(hectic_stacks *s, hectic_symbols *symbols,
                                    const uint8_t *numbers, size_t count)
{
    if (count == 0) return HECTIC_STACKS_ROOT;
    struct known *known = map_find_bytes(&s->known, 0, numbers, 4 * count);
    if (known) return known->node;
    uint32_t node = HECTIC_STACKS_ROOT;
    for (size_t i = count; i-- > 0;) {
        const uint32_t number = hectic_number_at(&(hectic_numbers){numbers, (uint32_t)count}, i);
        node = hectic_stacks_child(
            s, node, hectic_symbols_index(symbols, HECTIC_SYMBOL_COST_CENTRE, number));
        if (node == UINT32_MAX || node == HECTIC_STACKS_OTHERS) return node;
    }
    known = map_add_bytes(&s->known, 0, numbers, 4 * count);
    if (!known) return UINT32_MAX;
    known->node = node;
    return node;
}

/* --- Answers --------------------------------------------------------------------------------- */

uint32_t hectic_stacks_count(const hectic_stacks *s)
{
    return s->count;
}

const hectic_stack_node *hectic_stacks_nodes(const hectic_stacks *s)
{
    return s->node;
}

void hectic_stacks_add(hectic_stacks *s, uint32_t node, uint32_t column, uint64_t weight)
{
    saturating_add(&s->weight[(size_t)node * s->columns + column], weight);
}

uint64_t hectic_stacks_own(const hectic_stacks *s, uint32_t node, uint32_t column)
{
    return s->weight[(size_t)node * s->columns + column];
}

void hectic_stacks_reset(hectic_stacks *s)
{
    memset(s->weight, 0, (size_t)s->count * s->columns * sizeof *s->weight);
}
