/* stacks.c — see hectic/stacks.h. */
#include <hectic/stacks.h>

#include "format/wire.h"
#include "state/map.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1000000 };

struct edge {
    map_key key; /* parent and symbol */
    uint32_t node;
};

/* A stack of cost centres that occurred before. */
struct recent {
    uint64_t hash;
    uint32_t node; /* 0: none */
};
enum { RECENT = 1 << 14 };

struct hectic_stacks {
    uint32_t columns, limit;
    hectic_stack_node *node;
    uint64_t *weight; /* of each node, `columns` numbers */
    uint32_t count, capacity;
    map edges;
    struct recent *recent; /* by hash; NULL until needed */
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
    free(s->recent);
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

static uint64_t hash_of(const uint8_t *numbers, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ load32(numbers + 4 * i)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Does the node have these cost centres? */
static bool is_same(const hectic_stacks *s, const hectic_symbols *symbols, uint32_t node,
                    const uint8_t *numbers, size_t count)
{
    if (s->node[node].depth != count) return false;
    for (size_t i = 0; i < count; i++, node = s->node[node].parent)
        if (hectic_symbols_get(symbols, s->node[node].symbol).number != load32(numbers + 4 * i))
            return false;
    return true;
}

uint32_t hectic_stacks_cost_centres(hectic_stacks *s, hectic_symbols *symbols,
                                    const uint8_t *numbers, size_t count)
{
    const uint64_t hash = hash_of(numbers, count);
    if (count == 0) return HECTIC_STACKS_ROOT;
    if (!s->recent) s->recent = calloc(RECENT, sizeof *s->recent);
    if (!s->recent) return UINT32_MAX;
    struct recent *recent = &s->recent[hash % RECENT];
    if (recent->node && recent->hash == hash && is_same(s, symbols, recent->node, numbers, count))
        return recent->node;
    uint32_t node = HECTIC_STACKS_ROOT;
    for (size_t i = count; i-- > 0 && node != UINT32_MAX && node != HECTIC_STACKS_OTHERS;) {
        const uint32_t number = load32(numbers + 4 * i);
        node = hectic_stacks_child(
            s, node, hectic_symbols_index(symbols, HECTIC_SYMBOL_COST_CENTRE, number));
    }
    if (node > HECTIC_STACKS_OTHERS && node != UINT32_MAX) *recent = (struct recent){hash, node};
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

static void add_to(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum)) *sum = UINT64_MAX;
}

void hectic_stacks_add(hectic_stacks *s, uint32_t node, uint32_t column, uint64_t weight)
{
    add_to(&s->weight[(size_t)node * s->columns + column], weight);
}

uint64_t hectic_stacks_own(const hectic_stacks *s, uint32_t node, uint32_t column)
{
    return s->weight[(size_t)node * s->columns + column];
}

void hectic_stacks_totals(const hectic_stacks *s, uint32_t column, uint64_t *total)
{
    for (uint32_t i = 0; i < s->count; i++)
        total[i] = hectic_stacks_own(s, i, column);
    for (uint32_t i = s->count; i-- > 1;)
        add_to(&total[s->node[i].parent], total[i]);
}

void hectic_stacks_reset(hectic_stacks *s)
{
    memset(s->weight, 0, (size_t)s->count * s->columns * sizeof *s->weight);
}

uint64_t hectic_stacks_omitted(const hectic_stacks *s)
{
    return s->omitted;
}
