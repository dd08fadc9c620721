/* flame.c — a profile as a flame graph of characters: a line for each depth, from the outermost
 * frame down, in which a frame is as wide as its share. */
#include "tool/cli/message.h"
#include "tool/verbs/prof/prof.h"

#include "numbers/saturating.h"
#include "tool/output/terminal_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_WIDTH = 80, DEPTH = 40 };

/* A frame in a line. */
struct cell_at {
    uint32_t node;
    uint64_t from; /* weight to the left of it */
};

struct level {
    struct cell_at *cell;
    size_t count;
};

struct flame {
    const struct prof_view *view;
    struct sink *sink;
    size_t width;
    bool is_colored;
    struct level level, next;
    bool hides; /* frames narrower than a column */
};

/* The first terminal column of a weight. */
static size_t column_at(const struct flame *flame, uint64_t weight)
{
    return (size_t)((double)weight / (double)flame->view->report.all * (double)flame->width + 0.5);
}

static size_t width_of(const struct flame *flame, const struct cell_at *cell)
{
    const uint64_t total = flame->view->report.total[flame->view->report.weight][cell->node];
    return column_at(flame, saturating_sum(cell->from, total)) - column_at(flame, cell->from);
}

static void put_spaces(struct sink *sink, size_t count)
{
    if (count == 0) return;
    memset(sink_room(sink, count), ' ', count);
    sink_fill(sink, count);
}

/* A color of the 256 that terminals have: warm ones, the same for the same module and label. */
static unsigned color_of(const struct prof_frame *frame)
{
    static const uint8_t colors[] = {130, 136, 166, 167, 172, 173, 178, 179, 202, 203,
                                     208, 209, 214, 215, 220, 221, 180, 174, 137, 143};
    uint32_t hash = 2166136261u;
    const char *const texts[] = {frame->module ? frame->module : "", frame->label};
    for (size_t i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c; c++)
            hash = (hash ^ (uint8_t)*c) * 16777619u;
    return colors[(hash ^ hash >> 15) % sizeof colors];
}

/* "|label 45%", as far as it fits. */
static bool put_cell(const struct flame *flame, const struct cell_at *cell, size_t width,
                     bool is_last)
{
    const struct prof_view *view = flame->view;
    struct prof_frame frame;
    prof_node(&view->report, cell->node, &frame);
    char share[16];
    const double percent =
        100 * prof_share(view->report.total[view->report.weight][cell->node], view->report.all);
    const size_t share_width = (size_t)snprintf(share, sizeof share, " %.0f%%", percent);
    const size_t length = strlen(frame.label);
    char *const text = malloc(terminal_text_bound(length));
    if (!text) return false;
    size_t used = 0, size = 0;
    if (width > 1) size = terminal_text_fit(frame.label, length, width - 1, text, &used);
    if (flame->is_colored) sink_print(flame->sink, "\033[30;48;5;%um", color_of(&frame));
    sink_text(flame->sink, "|", 1);
    sink_text(flame->sink, text, size);
    used++;
    if (used + share_width <= width) {
        sink_text(flame->sink, share, share_width);
        used += share_width;
    }
    if (flame->is_colored || !is_last) put_spaces(flame->sink, width - used);
    if (flame->is_colored) sink_text(flame->sink, "\033[0m", 4);
    free(text);
    return true;
}

static bool put_level(const struct flame *flame)
{
    size_t at = 0;
    for (size_t i = 0; i < flame->level.count; i++) {
        const struct cell_at *cell = &flame->level.cell[i];
        const size_t width = width_of(flame, cell), from = column_at(flame, cell->from);
        put_spaces(flame->sink, from - at);
        if (!put_cell(flame, cell, width, i + 1 == flame->level.count)) return false;
        at = from + width;
    }
    sink_text(flame->sink, "\n", 1);
    return !sink_failed(flame->sink);
}

/* Sets the frames below those of the line, as far as they are a column wide. */
static void descend(struct flame *flame)
{
    const struct prof_view *view = flame->view;
    const uint64_t *total = view->report.total[view->report.weight];
    struct level *next = &flame->next;
    next->count = 0;
    for (size_t i = 0; i < flame->level.count; i++) {
        struct cell_at cell = flame->level.cell[i];
        for (cell.node = view->child[cell.node]; cell.node; cell.node = view->next[cell.node]) {
            if (width_of(flame, &cell) > 0)
                next->cell[next->count++] = cell;
            else
                flame->hides = true;
            saturating_add(&cell.from, total[cell.node]);
        }
    }
    const struct level level = flame->level;
    flame->level = *next;
    *next = level;
}

static void put_legend(const struct flame *flame, uint64_t depth)
{
    const struct prof_view *view = flame->view;
    sink_print(flame->sink, "\nThe width is the share of the %s.",
               view->report.weight == HECTIC_TIME_NS             ? "time"
               : view->report.source == HECTIC_TIME_COST_CENTRES ? "program's ticks"
                                                                 : "samples");
    if (flame->hides)
        sink_print(flame->sink, " Frames under %.2g%% are not drawn.", 50.0 / (double)flame->width);
    sink_print(flame->sink, "\n");
    if (flame->level.count > 0)
        sink_print(flame->sink, "There are frames deeper than %" PRIu64 ": --depth N\n", depth);
}

bool prof_put_flame(const struct prof_view *view, struct sink *sink)
{
    if (view->report.all == 0) return true;
    struct flame flame = {
        .view = view,
        .sink = sink,
        .width = sink_is_terminal(sink) ? terminal_width() : PLAIN_WIDTH,
        .is_colored = sink_is_colored(sink),
    };
    /* A line has at most as many frames as columns. */
    flame.level.cell = malloc(flame.width * sizeof *flame.level.cell);
    flame.next.cell = malloc(flame.width * sizeof *flame.next.cell);
    bool done = flame.level.cell && flame.next.cell;
    const uint64_t depth = view->settings->depth ? view->settings->depth : DEPTH;
    if (done) {
        flame.level.cell[flame.level.count++] = (struct cell_at){HECTIC_STACKS_ROOT, 0};
        for (uint64_t i = 0; i <= depth && flame.level.count > 0 && done; i++) {
            done = put_level(&flame);
            descend(&flame);
        }
    }
    if (done)
        put_legend(&flame, depth);
    else if (!sink_failed(sink))
        tool_message("out of memory");
    free(flame.level.cell);
    free(flame.next.cell);
    return done;
}
