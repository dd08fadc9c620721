/* flame.h — differential flame graphs. */
#ifndef HECTIC_COMPARE_FLAME_H
#define HECTIC_COMPARE_FLAME_H

#include "tool/cli/options.h"
#include "tool/files/sink.h"
#include "tool/verbs/compare/stack_difference.h"

#include <hectic/tables.h>

/* Of a stack: means over the runs of each side. */
struct flame_value {
    double own[SIDES], total[SIDES];
};

static inline double flame_own_difference(const struct flame_value *value)
{
    return value->own[SIDE_NEW] - value->own[SIDE_OLD];
}

static inline double flame_total_difference(const struct flame_value *value)
{
    return value->total[SIDE_NEW] - value->total[SIDE_OLD];
}

/* A profile of both sides. */
struct flame {
    char title[STACK_TITLE];
    hectic_column_kind unit; /* of values: NS, COUNT (ticks), BYTES */
    uint64_t runs[SIDES];
    const hectic_symbols *symbols;
    const hectic_stack_node *node;
    uint32_t *order; /* nodes that are not 0, each followed by its descendants, siblings by name */
    uint32_t count;
    struct flame_value *value; /* by node */
};

/* Of the first kind of profile that both sides have: cost centres, call stacks, heap profiles.
 * Time is in ns; in ticks if there are no times. The difference has to outlive it. Returns an exit
 * code; TOOL_UNUSABLE: there is none, or out of memory, after a message if `says`. Clear it in any
 * case. */
int flame_make(struct flame *flame, const struct stack_difference *stacks, bool says);
void flame_clear(struct flame *flame);

/* The name of a frame: as frame_name, of at most FRAME_NAME bytes. */
const char *flame_name(const struct flame *flame, uint32_t node, char *text);

/* --- Layout ---------------------------------------------------------------------------------- */

struct flame_box {
    uint32_t node;
    double x, width; /* pixels */
};

/* One side. Callers are above what they call. */
struct flame_layout {
    struct flame_box *box; /* a caller before what it calls */
    uint32_t count;
    uint32_t depth;    /* frames on top of each other */
    uint64_t left_out; /* too narrow, or too deep */
};

/* `scale`: pixels for each unit of values. False: out of memory. */
bool flame_layout_make(struct flame_layout *layout, const struct flame *flame, enum side side,
                       double scale);
void flame_layout_clear(struct flame_layout *layout);

/* --- Output ---------------------------------------------------------------------------------- */

/* Writes both sides as SVG; as an element of HTML if is_inline. False: out of memory. */
bool flame_put_svg(struct sink *sink, const struct flame *flame, bool is_inline);

/* speedscope's JSON: profiles "old", "new", "grown", "shrunk". False: out of memory. */
bool flame_put_speedscope(struct sink *sink, const struct flame *flame);

/* A format for each ending of a file's name. False after a message: there is none for it. */
bool flame_has_format(const char *path);

/* Writes the flame graph of these stacks to a file. Returns the exit code. */
int flame_write(const struct stack_difference *stacks, const struct output_settings *output);

#endif
