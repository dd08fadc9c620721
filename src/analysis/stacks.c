/* stacks.c — see hectic/stacks.h. */
#include <hectic/stacks.h>

#include "analysis/amount.h"
#include "format/wire.h"
#include "state/map.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1000000 };

struct edge {
    map_key key; /* parent and symbol */
    uint32_t node;
};

/* What comparing stacks needs of a node: little memory, since it may be anywhere. */
struct step {
    uint32_t number; /* of the cost centre, if it is one */
    uint32_t parent;
};

/* A stack of cost centres that occurred before. */
struct known {
    uint32_t hash;
    uint32_t node; /* 0: none */
};
enum { KNOWN_MIN = 1 << 8, PROBES = 16 };

struct hectic_stacks {
    uint32_t columns, limit;
    hectic_stack_node *node;
    struct step *step; /* of each node */
    uint64_t *weight;  /* of each node, `columns` numbers */
    uint32_t count, capacity;
    map edges;
    struct known *known; /* a hash table; NULL until needed */
    uint32_t known_count, known_slots;
    uint64_t omitted;
};

static bool grow(hectic_stacks *s)
{
    const size_t capacity = s->capacity ? 2 * (size_t)s->capacity : 64;
    hectic_stack_node *node = realloc(s->node, capacity * sizeof *node);
    if (!node) return false;
    s->node = node;
    struct step *step = realloc(s->step, capacity * sizeof *step);
    if (!step) return false;
    s->step = step;
    uint64_t *weight = realloc(s->weight, capacity * s->columns * sizeof *weight);
    if (!weight) return false;
    s->weight = weight;
    s->capacity = (uint32_t)capacity;
    return true;
}

static void append(hectic_stacks *s, uint32_t parent, uint32_t symbol, uint32_t depth)
{
    s->node[s->count] = (hectic_stack_node){symbol, parent, depth};
    s->step[s->count] = (struct step){0, parent};
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
    free(s->step);
    free(s->weight);
    free(s->known);
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

static uint32_t hash_of(const uint8_t *numbers, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ load32(numbers + 4 * i)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash ^ hash >> 32);
}

/* Does the node have these cost centres? */
static bool is_same(const hectic_stacks *s, uint32_t node, const uint8_t *numbers, size_t count)
{
    if (s->node[node].depth != count) return false;
    for (size_t i = 0; i < count; i++, node = s->step[node].parent)
        if (s->step[node].number != load32(numbers + 4 * i)) return false;
    return true;
}

/* The node of a stack that occurred before; 0: not found. */
static uint32_t find_known(const hectic_stacks *s, uint32_t hash, const uint8_t *numbers,
                           size_t count)
{
    if (s->known_slots == 0) return 0;
    for (uint32_t i = 0; i < PROBES; i++) {
        const struct known *known = &s->known[(hash + i) & (s->known_slots - 1)];
        if (known->node == 0) return 0;
        if (known->hash == hash && is_same(s, known->node, numbers, count)) return known->node;
    }
    return 0;
}

/* Hashes may be chosen to collide: then there is no place. */
static bool insert_known(struct known *slot, uint32_t slots, struct known known)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        struct known *place = &slot[(known.hash + i) & (slots - 1)];
        if (place->node) continue;
        *place = known;
        return true;
    }
    return false;
}

/* Notes the node of a stack. False: out of memory. */
static bool note_known(hectic_stacks *s, struct known known)
{
    if (2 * (uint64_t)s->known_count >= s->known_slots) {
        const uint32_t slots = s->known_slots ? 2 * s->known_slots : KNOWN_MIN;
        struct known *grown = calloc(slots, sizeof *grown);
        if (!grown) return false;
        s->known_count = 0;
        for (uint32_t i = 0; i < s->known_slots; i++)
            if (s->known[i].node) s->known_count += insert_known(grown, slots, s->known[i]);
        free(s->known);
        s->known = grown;
        s->known_slots = slots;
    }
    s->known_count += insert_known(s->known, s->known_slots, known);
    return true;
}

uint32_t hectic_stacks_cost_centres(hectic_stacks *s, hectic_symbols *symbols,
                                    const uint8_t *numbers, size_t count)
{
    if (count == 0) return HECTIC_STACKS_ROOT;
    const uint32_t hash = hash_of(numbers, count);
    uint32_t node = find_known(s, hash, numbers, count);
    if (node) return node;
    for (size_t i = count; i-- > 0;) {
        const uint32_t number = load32(numbers + 4 * i);
        node = hectic_stacks_child(
            s, node, hectic_symbols_index(symbols, HECTIC_SYMBOL_COST_CENTRE, number));
        if (node == UINT32_MAX || node == HECTIC_STACKS_OTHERS) return node;
        s->step[node].number = number;
    }
    return note_known(s, (struct known){hash, node}) ? node : UINT32_MAX;
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
    amount_add(&s->weight[(size_t)node * s->columns + column], weight);
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
        amount_add(&total[s->node[i].parent], total[i]);
}

void hectic_stacks_reset(hectic_stacks *s)
{
    memset(s->weight, 0, (size_t)s->count * s->columns * sizeof *s->weight);
}

uint64_t hectic_stacks_omitted(const hectic_stacks *s)
{
    return s->omitted;
}
