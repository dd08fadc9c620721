/* stacks.h — stacks as one tree, with weights: the common form of all profiles.
 *
 * A node is a stack: its symbol is the innermost frame, its parent is the stack without it. Each
 * node has one or more weights of its own (ticks, bytes …), in columns. Tables, trees, flame graphs
 * and exports are made from it.
 *
 * Nodes have indices; a parent's is smaller than those of its children, so a sum over subtrees is
 * one loop from the last node to the first. Memory depends on the number of nodes. May be used by
 * one thread at a time.
 */
#ifndef HECTIC_SRC_STACKS_H
#define HECTIC_SRC_STACKS_H

#include "profiles/symbols.h"

/* The first two nodes of every tree. Neither has a symbol. */
#define HECTIC_STACKS_ROOT   0u /* the empty stack */
#define HECTIC_STACKS_OTHERS 1u /* a child of the root, for stacks beyond the limit */

typedef struct hectic_stack_node {
    uint32_t symbol; /* its innermost frame; HECTIC_NO_SYMBOL: see above */
    uint32_t parent; /* of the root: itself */
    uint32_t depth;  /* number of frames */
} hectic_stack_node;

typedef struct hectic_stacks hectic_stacks;

/* A tree with `columns` weights for each node, of at most `limit` nodes (0: 1,000,000). NULL: out
 *  of memory. */
hectic_stacks *hectic_stacks_new(uint32_t columns, uint32_t limit);
void hectic_stacks_free(hectic_stacks *stacks);

/* The child of a node, added if it is new. HECTIC_STACKS_OTHERS if the limit is reached, `parent`
 *  is HECTIC_STACKS_OTHERS, or `symbol` is HECTIC_NO_SYMBOL. UINT32_MAX: out of memory. */
uint32_t hectic_stacks_child(hectic_stacks *stacks, uint32_t parent, uint32_t symbol);

/* The node of a stack of cost centres: `count` big-endian numbers of 32 bits, innermost first, as
 *  in HEAP_PROF_SAMPLE_COST_CENTRE. Their symbols are added if they are new. UINT32_MAX: out of
 *  memory. Stacks that occurred before are found by a hash of the whole. */
uint32_t hectic_stacks_cost_centres(hectic_stacks *stacks, hectic_symbols *symbols,
                                    const uint8_t *numbers, size_t count);

/* Number of nodes, including the first two. */
uint32_t hectic_stacks_count(const hectic_stacks *stacks);

/* All nodes. Valid until a node is added. */
const hectic_stack_node *hectic_stacks_nodes(const hectic_stacks *stacks);

/* Adds to a node's own weight; saturates. */
void hectic_stacks_add(hectic_stacks *stacks, uint32_t node, uint32_t column, uint64_t weight);

/* A node's own weight. */
uint64_t hectic_stacks_own(const hectic_stacks *stacks, uint32_t node, uint32_t column);

/* Sets all weights to 0. Nodes stay. */
void hectic_stacks_reset(hectic_stacks *stacks);

#endif
