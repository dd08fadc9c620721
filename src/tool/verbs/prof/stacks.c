/* stacks.c — the stacks of a profile that have the most samples. */
#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/verbs/prof/prof.h"

#include "tool/output/json.h"
#include "tool/output/terminal_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACKS = 10, /* in text, without --limit */
    FRAMES = 12, /* of each, without --wide */
    PLAIN_WIDTH = 80,
};

struct hot {
    uint64_t own;
    uint32_t node;
};

static int by_own(const void *a, const void *b)
{
    const struct hot *const x = a, *const y = b;
    if (x->own != y->own) return x->own < y->own ? 1 : -1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The nodes with a weight, the largest first. NULL after a message. */
static struct hot *hottest(const struct prof_view *view, size_t *count)
{
    struct hot *hot = malloc(view->report.nodes * sizeof *hot);
    *count = 0;
    if (!hot) {
        tool_message("out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < view->report.nodes; i++)
        if (view->report.own[view->report.weight][i] > 0)
            hot[(*count)++] = (struct hot){view->report.own[view->report.weight][i], i};
    qsort(hot, *count, sizeof *hot, by_own);
    return hot;
}

/* The next frame of a stack, outwards; the empty stack is one frame. False: there is none. */
static bool next_frame(const struct prof_view *view, uint32_t *node)
{
    *node = view->report.node[*node].parent;
    return *node != HECTIC_STACKS_ROOT;
}

/* --- Text ------------------------------------------------------------------------------------ */

static void put_frame(const struct prof_view *view, struct sink *sink, uint32_t node, size_t width)
{
    struct prof_frame frame;
    prof_node(&view->report, node, &frame);
    const char *const texts[] = {frame.label, frame.module, frame.location};
    const size_t longest[] = {width / 2, width / 4, width};
    sink_print(sink, "  ");
    for (size_t i = 0, used = 2; i < 3 && used + 4 < width; i++) {
        if (!texts[i]) continue;
        const size_t length = strlen(texts[i]), room = width - used - 2;
        char *const out = malloc(terminal_text_bound(length));
        if (!out) return;
        size_t shown;
        const size_t size =
            terminal_text_fit(texts[i], length, longest[i] < room ? longest[i] : room, out, &shown);
        sink_print(sink, "%s", i ? "  " : "");
        sink_text(sink, out, size);
        free(out);
        used += shown + (i ? 2 : 0);
    }
    sink_print(sink, "\n");
}

static void put_as_text(const struct prof_view *view, struct sink *sink, uint32_t node)
{
    const bool is_wide = view->settings->table.wide;
    const size_t terminal = sink_is_terminal(sink) ? terminal_width() : PLAIN_WIDTH;
    const size_t width = is_wide ? SIZE_MAX / 2 : terminal;
    const uint64_t ticks = view->report.own[HECTIC_TIME_TICKS][node];
    const bool is_ticks = view->report.source == HECTIC_TIME_COST_CENTRES;
    sink_print(sink, "%.1f%%  %s\n",
               100 * prof_share(view->report.own[view->report.weight][node], view->report.all),
               quantity(ticks, is_ticks ? "tick" : "sample").text);
    const uint32_t depth = view->report.node[node].depth;
    uint32_t shown = 0;
    do {
        put_frame(view, sink, node, width);
    } while (next_frame(view, &node) && (++shown < FRAMES || is_wide));
    if (shown == FRAMES && depth > FRAMES)
        sink_print(sink, "  (%" PRIu32 " more)\n", depth - FRAMES);
}

/* --- JSON and CSV ---------------------------------------------------------------------------- */

static void put_as_json(const struct prof_view *view, struct json *json, uint32_t node)
{
    json_open(json, NULL, '{');
    json_number(json, "own_ticks", true, view->report.own[HECTIC_TIME_TICKS][node]);
    json_number(json, "own_ns", true, view->report.own[HECTIC_TIME_NS][node]);
    json_real(json, "own_share", true,
              prof_share(view->report.own[view->report.weight][node], view->report.all));
    json_open(json, "frames", '[');
    do {
        struct prof_frame frame;
        char room[REPEATED_ROOM];
        prof_node(&view->report, node, &frame);
        json_open(json, NULL, '{');
        json_text(json, "label", repeated_text(frame.label, room));
        json_text(json, "module", repeated_text(frame.module, room));
        json_text(json, "location", repeated_text(frame.location, room));
        json_close(json, '}');
    } while (next_frame(view, &node));
    json_close(json, ']');
    json_close(json, '}');
}

/* "inner;outer", for CSV. NULL: no memory. */
static char *joined(const struct prof_view *view, uint32_t node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    const char *separator = "";
    do {
        struct prof_frame frame;
        char room[REPEATED_ROOM];
        prof_node(&view->report, node, &frame);
        fprintf(out, "%s%s", separator, repeated_text(frame.label, room));
        separator = ";";
    } while (next_frame(view, &node));
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static bool put_as_row(const struct prof_view *view, struct table *table, struct sink *sink,
                       uint32_t node)
{
    char *text = joined(view, node);
    if (!text) {
        tool_message("out of memory");
        return false;
    }
    const union prof_stacks_row cells = {
        .section = cell_number(view->report.section),
        .own_ticks = cell_number(view->report.own[HECTIC_TIME_TICKS][node]),
        .own_ns = cell_number(view->report.own[HECTIC_TIME_NS][node]),
        .own_share =
            cell_share(prof_share(view->report.own[view->report.weight][node], view->report.all)),
        .depth = cell_number(view->report.node[node].depth),
        .stack = cell_text(text),
    };
    const bool done = table_row(table, sink, cells.cells);
    free(text);
    return done;
}

bool prof_put_stacks(const struct prof_view *view, struct table *table, struct sink *sink)
{
    const struct table_settings *settings = &view->settings->table;
    size_t count;
    struct hot *hot = hottest(view, &count);
    if (!hot) return false;
    const bool is_text = prof_is_text(view->settings);
    const uint64_t limit = settings->limit ? settings->limit : is_text ? STACKS : UINT64_MAX;
    struct json json = json_on_sink(sink);
    if (settings->json) json_open(&json, "stacks", '[');
    bool done = true;
    for (size_t i = 0; i < count && i < limit && done; i++) {
        if (settings->json) {
            sink_print(sink, "\n");
            put_as_json(view, &json, hot[i].node);
        } else if (settings->csv) {
            done = put_as_row(view, table, sink, hot[i].node);
        } else {
            put_as_text(view, sink, hot[i].node);
        }
        done &= !sink_failed(sink);
    }
    if (settings->json) json_close(&json, ']');
    if (is_text && count > limit)
        sink_print(sink, "(%s: --limit N)\n", quantity(count - (size_t)limit, "more stack").text);
    free(hot);
    return done;
}
