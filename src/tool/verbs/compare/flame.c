/* flame.c — see flame.h: what is drawn, and where. */
#include "tool/verbs/compare/flame.h"

#include "base/text.h"
#include "numbers/nth_element.h"
#include "numbers/saturating.h"
#include "tool/cli/message.h"
#include "tool/verbs/export/profile.h"

#include <stdlib.h>
#include <string.h>

/* --- Values ---------------------------------------------------------------------------------- */

/* The next kind that both sides have. STACK_KINDS: there is none. */
static unsigned next_kind(const struct stack_difference *stacks, unsigned kind)
{
    while (kind < STACK_KINDS &&
           (stacks->kind[kind].runs[SIDE_OLD] == 0 || stacks->kind[kind].runs[SIDE_NEW] == 0))
        kind++;
    return kind;
}

static bool has_any(const struct stack_difference *stacks, enum side side)
{
    for (unsigned i = 0; i < STACK_KINDS; i++)
        if (stacks->kind[i].runs[side] > 0) return true;
    return false;
}

static void complain(const struct stack_difference *stacks)
{
    static const char *const names[SIDES] = {"old", "new"};
    bool is_missing = false;
    for (enum side side = SIDE_OLD; side < SIDES; side++) {
        if (has_any(stacks, side)) continue;
        is_missing = true;
        tool_message("no profile in the %s runs: build with ghc -prof, and run with +RTS -p -l "
                     "(time) or +RTS -hc -l (heap)",
                     names[side]);
    }
    if (!is_missing) tool_message("the old and the new runs have profiles of different kinds");
}

/* Which one is drawn, if both sides have several. */
static void note_others(const struct stack_difference *stacks, unsigned drawn)
{
    char title[STACK_TITLE], other[STACK_TITLE];
    stack_kind_title(title, drawn);
    for (unsigned kind = drawn; (kind = next_kind(stacks, kind + 1)) < STACK_KINDS;) {
        stack_kind_title(other, kind);
        tool_message("--flame shows %s; both sides also have %s", title, other);
    }
}

static uint64_t sum_of(const hectic_stacks *stacks, uint32_t column)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < hectic_stacks_count(stacks); i++)
        saturating_add(&sum, hectic_stacks_own(stacks, i, column));
    return sum;
}

/* Times, unless the events of a side have none. */
static enum stack_weight weight_of(const struct stack_sums *sums)
{
    for (enum side side = SIDE_OLD; side < SIDES; side++)
        if (sum_of(sums->stacks, stack_column(side, STACK_NS)) == 0) return STACK_TICKS;
    return STACK_NS;
}

static void set_values(struct flame *flame, const struct tree *tree, uint64_t *const own[SIDES])
{
    const uint64_t *const total[SIDES] = {tree->samples, tree->weight};
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t node = tree->node[i];
        for (enum side side = SIDE_OLD; side < SIDES; side++) {
            const double runs = (double)flame->runs[side];
            flame->value[node].own[side] = (double)own[side][node] / runs;
            flame->value[node].total[side] = (double)total[side][node] / runs;
        }
    }
}

/* False: out of memory. */
static bool add_up(struct flame *flame, const struct stack_sums *sums, enum stack_weight weight)
{
    const uint32_t nodes = hectic_stacks_count(sums->stacks);
    uint64_t *const values = malloc(SIDES * (size_t)nodes * sizeof *values);
    uint64_t *const own[SIDES] = {values, values ? values + nodes : NULL};
    struct tree tree = {0};
    if (!values) return false;
    for (uint32_t i = 0; i < nodes; i++)
        for (enum side side = SIDE_OLD; side < SIDES; side++)
            own[side][i] = hectic_stacks_own(sums->stacks, i, stack_column(side, weight));
    const struct profile profile = {.symbols = flame->symbols,
                                    .node = flame->node,
                                    .nodes = nodes,
                                    .count = own[SIDE_OLD],
                                    .weight = own[SIDE_NEW]};
    flame->value = calloc(nodes, sizeof *flame->value);
    const bool done = flame->value && tree_make(&tree, &profile);
    if (done) {
        set_values(flame, &tree, own);
        flame->order = tree.node;
        flame->count = tree.count;
        tree.node = NULL;
    }
    tree_clear(&tree);
    free(values);
    return done;
}

int flame_make(struct flame *flame, const struct stack_difference *stacks, bool says)
{
    const unsigned kind = next_kind(stacks, 0);
    *flame = (struct flame){.count = 0};
    if (kind == STACK_KINDS) {
        if (says) complain(stacks);
        return TOOL_UNUSABLE;
    }
    if (says) note_others(stacks, kind);
    const struct stack_sums *sums = &stacks->kind[kind];
    const enum stack_weight weight = kind < HECTIC_TIME_SOURCES ? weight_of(sums) : STACK_BYTES;
    stack_kind_title(flame->title, kind);
    flame->unit = kind >= HECTIC_TIME_SOURCES ? HECTIC_COLUMN_BYTES
                  : weight == STACK_TICKS     ? HECTIC_COLUMN_COUNT
                                              : HECTIC_COLUMN_NS;
    memcpy(flame->runs, sums->runs, sizeof flame->runs);
    flame->symbols = sums->symbols;
    flame->node = hectic_stacks_nodes(sums->stacks);
    if (add_up(flame, sums, weight)) return TOOL_OK;
    tool_message("out of memory");
    return TOOL_UNUSABLE;
}

void flame_clear(struct flame *flame)
{
    free(flame->order);
    free(flame->value);
    *flame = (struct flame){.count = 0};
}

const char *flame_name(const struct flame *flame, uint32_t node, char *text)
{
    return node == HECTIC_STACKS_ROOT ? "all"
                                      : frame_name(flame->symbols, &flame->node[node], text);
}

/* --- Layout ---------------------------------------------------------------------------------- */

enum { BOXES_MAX = 20000, DEPTH_MAX = 500 };
static const double narrowest = 0.1; /* pixels */

/* Widths as whole numbers, to be ranked. */
static uint64_t parts_of_pixel(double width)
{
    return (uint64_t)(width * 1024);
}

/* The width of boxes that are not drawn any more: those of a caller are never narrower than what
 * it calls, so that all callers of a box are drawn. False: out of memory. */
static bool find_least(const struct flame_layout *layout, double *least)
{
    uint64_t *const widths = malloc(((size_t)layout->count + 1) * sizeof *widths);
    if (!widths) return false;
    for (uint32_t i = 0; i < layout->count; i++)
        widths[i] = parts_of_pixel(layout->box[i].width);
    *least = layout->count > BOXES_MAX
                 ? ((double)value_at_rank(widths, layout->count, BOXES_MAX) + 1) / 1024
                 : 0;
    if (*least < narrowest) *least = narrowest;
    free(widths);
    return true;
}

static bool drop_narrow(struct flame_layout *layout)
{
    double least;
    uint32_t kept = 0;
    if (!find_least(layout, &least)) return false;
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->box[i].width >= least) layout->box[kept++] = layout->box[i];
    layout->left_out += layout->count - kept;
    layout->count = kept;
    return true;
}

/* Boxes of a stack begin where its caller's do, one after the other; what the caller does itself
 * is at its end. */
static void place_boxes(struct flame_layout *layout, const struct flame *flame, enum side side,
                        double scale)
{
    double begin[DEPTH_MAX + 2] = {0}; /* of the next box, by depth */
    for (uint32_t i = 0; i < flame->count; i++) {
        const uint32_t node = flame->order[i], depth = flame->node[node].depth;
        const double width = flame->value[node].total[side] * scale;
        if (width <= 0) continue;
        if (depth > DEPTH_MAX) {
            layout->left_out++;
            continue;
        }
        layout->box[layout->count++] = (struct flame_box){node, begin[depth], width};
        begin[depth + 1] = begin[depth];
        begin[depth] += width;
    }
}

bool flame_layout_make(struct flame_layout *layout, const struct flame *flame, enum side side,
                       double scale)
{
    *layout =
        (struct flame_layout){.box = malloc(((size_t)flame->count + 1) * sizeof *layout->box)};
    if (!layout->box) return false;
    place_boxes(layout, flame, side, scale);
    if (!drop_narrow(layout)) return false;
    for (uint32_t i = 0; i < layout->count; i++) {
        const uint32_t depth = flame->node[layout->box[i].node].depth;
        if (depth >= layout->depth) layout->depth = depth + 1;
    }
    return true;
}

void flame_layout_clear(struct flame_layout *layout)
{
    free(layout->box);
    *layout = (struct flame_layout){0};
}

/* --- Files ----------------------------------------------------------------------------------- */

typedef bool flame_writer(struct sink *sink, const struct flame *flame);

static bool put_svg_file(struct sink *sink, const struct flame *flame)
{
    return flame_put_svg(sink, flame, false);
}

/* NULL: no format ends like that. */
static flame_writer *writer_of(const char *path)
{
    static const struct {
        const char *end;
        flame_writer *write;
    } formats[] = {{".svg", put_svg_file}, {".json", flame_put_speedscope}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (text_ends(path, formats[i].end) && strcmp(path, formats[i].end) != 0)
            return formats[i].write;
    }
    return NULL;
}

bool flame_has_format(const char *path)
{
    if (writer_of(path)) return true;
    tool_usage_error("--flame %s: the name has to end with .svg, or .json (for speedscope)", path);
    return false;
}

int flame_write(const struct stack_difference *stacks, const struct output_settings *output)
{
    struct flame flame;
    int code = flame_make(&flame, stacks, true);
    struct sink *sink = code == TOOL_OK ? sink_open(output) : NULL;
    if (!sink) code = TOOL_UNUSABLE;
    if (sink && !writer_of(output->path)(sink, &flame)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    if (sink) code = sink_close(sink, code);
    flame_clear(&flame);
    return code;
}
