/* prof.c — GHC's report of a time profile, in the layout of +RTS -P. The log has neither entries
 * nor allocation: they are N/A. Stacks have numbers of this file, as the log has none. */
#include "tool/verbs/export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char unknown_place[] = "<no location info>";

/* The columns of a frame. */
struct columns {
    char label[FRAME_SHORT_ROOM], module[FRAME_SHORT_ROOM], place[FRAME_SHORT_ROOM];
};

static void describe(struct columns *columns, const struct profile *profile, uint32_t node)
{
    const hectic_stack_node *at = &profile->node[node];
    const hectic_symbol symbol = hectic_symbols_get(profile->symbols, at->symbol);
    if (at->symbol == HECTIC_NO_SYMBOL) {
        char name[FRAME_NAME];
        shorten(frame_name(profile->symbols, at, name), columns->label);
        shorten(at->depth == 0 ? "MAIN" : "", columns->module);
        shorten(at->depth == 0 ? "<built-in>" : unknown_place, columns->place);
        return;
    }
    char name[FRAME_NAME];
    shorten(symbol.name ? symbol.name : hectic_symbol_text(&symbol, name, sizeof name),
            columns->label);
    shorten(symbol.module ? symbol.module : "", columns->module);
    shorten(symbol.location ? symbol.location : unknown_place, columns->place);
}

/* GHC leaves out what the runtime itself did. */
static bool is_own(const struct profile *profile, uint32_t node)
{
    const uint32_t index = profile->node[node].symbol;
    if (index == HECTIC_NO_SYMBOL) return true;
    const hectic_symbol symbol = hectic_symbols_get(profile->symbols, index);
    return hectic_time_kind_of(&symbol) == HECTIC_TIME_OWN;
}

/* Columns of the terminal, about: characters. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void put_padded(struct sink *sink, const char *text, int width)
{
    const int own = width_of(text);
    sink_text(sink, text, strlen(text));
    sink_print(sink, "%*s ", width > own ? width - own : 0, "");
}

struct widths {
    int label, module, place, number;
};

static void widen(int *width, int to)
{
    if (to > *width) *width = to;
}

static void widen_for(struct widths *widths, const struct columns *columns, int indent)
{
    widen(&widths->label, indent + width_of(columns->label));
    widen(&widths->module, width_of(columns->module));
    widen(&widths->place, width_of(columns->place));
}

/* --- The heading ------------------------------------------------------------------------------ */

static void put_argument(struct sink *sink, const char *argument)
{
    char cut[FRAME_NAME], text[FRAME_VISIBLE];
    snprintf(cut, sizeof cut, "%s", argument);
    text[hectic_render_visible(cut, strlen(cut), text)] = 0;
    sink_print(sink, " %s", text);
}

/* "prog +RTS -p -RTS args": the runtime's options come first. */
static void put_command(struct sink *sink, const struct about *about)
{
    sink_print(sink, "\t  ");
    put_argument(sink, about_name(about));
    for (int pass = 0; pass < 2; pass++) {
        struct argument argument = {0};
        sink_print(sink, "%s", pass == 0 ? " +RTS" : " -RTS");
        about_next(about, &argument);
        while (argument.text && about_next(about, &argument))
            if (argument.is_rts == (pass == 0)) put_argument(sink, argument.text);
    }
    sink_print(sink, "\n\n");
}

static void put_heading(struct sink *sink, const struct profile *profile, uint64_t ticks)
{
    char date[32];
    const uint32_t caps = profile->caps ? profile->caps : 1;
    const double seconds = (double)ticks * (double)profile->interval / 1e9 / caps;
    sink_print(sink, "\t%s Time and Allocation Profiling Report  (Final)\n\n",
               about_date(profile->about, profile->last, date));
    put_command(sink, profile->about);
    if (profile->interval)
        sink_print(sink,
                   "\ttotal time  = %11.2f secs   (%" PRIu64 " ticks @ %" PRIu64 " us, %" PRIu32
                   " processor%s)\n",
                   seconds, ticks, profile->interval / 1000, caps, caps > 1 ? "s" : "");
    else
        sink_print(sink,
                   "\ttotal time  = %11s secs   (%" PRIu64 " ticks, %" PRIu32 " processor%s)\n",
                   "N/A", ticks, caps, caps > 1 ? "s" : "");
    sink_print(sink, "\ttotal alloc = %11s bytes  (excludes profiling overheads)\n\n", "N/A");
}

/* --- Cost centres ----------------------------------------------------------------------------- */

struct cost {
    uint64_t ticks;
    uint32_t node; /* one with this symbol */
};

static int compare_costs(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    if (x->ticks != y->ticks) return x->ticks < y->ticks ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

/* The ticks of each symbol, the most first. The root and the others are symbols of their own. */
static struct cost *sum_costs(const struct profile *profile, const struct tree *tree, size_t *count)
{
    const uint32_t symbols = hectic_symbols_count(profile->symbols);
    struct cost *cost = calloc((size_t)symbols + 2, sizeof *cost);
    if (!cost) return NULL;
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t node = tree->node[i], symbol = profile->node[node].symbol;
        struct cost *to = &cost[symbol < symbols ? symbol : symbols + (node != HECTIC_STACKS_ROOT)];
        if (!is_own(profile, node)) continue;
        to->node = node;
        to->ticks += profile->count[node];
    }
    qsort(cost, (size_t)symbols + 2, sizeof *cost, compare_costs);
    for (*count = 0; *count < (size_t)symbols + 2 && cost[*count].ticks > 0;)
        ++*count;
    return cost;
}

static bool put_costs(struct sink *sink, const struct profile *profile, const struct tree *tree,
                      uint64_t ticks)
{
    size_t count;
    struct cost *cost = sum_costs(profile, tree, &count);
    struct columns *columns = cost ? malloc(sizeof *columns) : NULL;
    struct widths widths = {11, 6, 3, 0}; /* as wide as the headings */
    for (size_t i = 0; columns && i < count; i++) {
        describe(columns, profile, cost[i].node);
        widen_for(&widths, columns, 0);
    }
    if (columns) {
        put_padded(sink, "COST CENTRE", widths.label);
        put_padded(sink, "MODULE", widths.module);
        put_padded(sink, "SRC", widths.place);
        sink_print(sink, "%6s %6s  %5s %9s\n\n", "%time", "%alloc", "ticks", "bytes");
    }
    for (size_t i = 0; columns && i < count; i++) {
        describe(columns, profile, cost[i].node);
        put_padded(sink, columns->label, widths.label);
        put_padded(sink, columns->module, widths.module);
        put_padded(sink, columns->place, widths.place);
        sink_print(sink, "%6.1f %6s  %5" PRIu64 " %9s\n", percent(cost[i].ticks, ticks), "N/A",
                   cost[i].ticks, "N/A");
    }
    sink_print(sink, "\n\n");
    const bool has_memory = columns != NULL;
    free(columns);
    free(cost);
    return has_memory;
}

/* --- The tree --------------------------------------------------------------------------------- */

static int indent_of(const struct profile *profile, uint32_t node)
{
    return (int)profile->node[node].depth;
}

static bool put_tree(struct sink *sink, const struct profile *profile, const struct tree *tree,
                     uint64_t ticks, uint64_t inherited_by_root)
{
    struct columns *columns = malloc(sizeof *columns);
    struct widths widths = {11, 6, 3, 3};
    if (!columns) return false;
    char number[24];
    for (uint32_t i = 0; i < tree->count; i++) {
        describe(columns, profile, tree->node[i]);
        widen_for(&widths, columns, indent_of(profile, tree->node[i]));
        widen(&widths.number, snprintf(number, sizeof number, "%" PRIu32, tree->node[i]));
    }
    sink_print(sink, "%-*s %-*s %-*s %-*s %11s  %12s   %12s\n", widths.label, "", widths.module, "",
               widths.place, "", widths.number, "", "", "individual", "inherited");
    put_padded(sink, "COST CENTRE", widths.label);
    put_padded(sink, "MODULE", widths.module);
    put_padded(sink, "SRC", widths.place);
    sink_print(sink, "%-*s %11s  %5s %6s   %5s %6s  %5s %9s\n\n", widths.number, "no.", "entries",
               "%time", "%alloc", "%time", "%alloc", "ticks", "bytes");
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t node = tree->node[i];
        if (!is_own(profile, node)) continue;
        const int indent = indent_of(profile, node);
        describe(columns, profile, node);
        sink_print(sink, "%*s", indent, "");
        put_padded(sink, columns->label, widths.label - indent);
        put_padded(sink, columns->module, widths.module);
        put_padded(sink, columns->place, widths.place);
        sink_print(
            sink, "%*" PRIu32 " %11s  %5.1f  %5s   %5.1f  %5s  %5" PRIu64 " %9s\n", widths.number,
            node, "N/A", percent(profile->count[node], ticks), "N/A",
            percent(node == HECTIC_STACKS_ROOT ? inherited_by_root : tree->samples[node], ticks),
            "N/A", profile->count[node], "N/A");
    }
    free(columns);
    return true;
}

bool prof_write(struct sink *sink, const struct profile *profile)
{
    struct tree tree;
    if (!tree_make(&tree, profile)) return false;
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < tree.count; i++)
        if (is_own(profile, tree.node[i])) ticks += profile->count[tree.node[i]];
    put_heading(sink, profile, ticks);
    const bool has_memory =
        put_costs(sink, profile, &tree, ticks) && put_tree(sink, profile, &tree, ticks, ticks);
    tree_clear(&tree);
    return has_memory;
}
