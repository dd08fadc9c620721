/* flame_speedscope.c — the stacks of both sides, and their differences, as speedscope's JSON. That
 * has no negative weights: what has grown and what has shrunk are two profiles. */
#include "tool/output/json.h"
#include "tool/verbs/compare/flame.h"
#include "tool/verbs/export/export.h"

#include <stdlib.h>

struct writer {
    struct json json;
    const struct flame *flame;
    uint32_t *path; /* of the present stack, outermost frame first */
};

static double weight_old(const struct flame_value *value)
{
    return value->own[SIDE_OLD];
}

static double weight_new(const struct flame_value *value)
{
    return value->own[SIDE_NEW];
}

static double weight_grown(const struct flame_value *value)
{
    return flame_own_difference(value);
}

static double weight_shrunk(const struct flame_value *value)
{
    return -flame_own_difference(value);
}

/* The first two frames are those of the nodes without a symbol. */
static uint32_t frame_of(const hectic_stack_node *node, uint32_t at)
{
    return at <= HECTIC_STACKS_OTHERS ? at : node[at].symbol + 2;
}

/* The path is that of the node before, in the order of the tree: only its end differs. */
static void put_stack(struct writer *w, uint32_t node)
{
    const hectic_stack_node *nodes = w->flame->node;
    const uint32_t depth = nodes[node].depth;
    json_open(&w->json, NULL, '[');
    if (depth == 0) json_number(&w->json, NULL, true, HECTIC_STACKS_ROOT);
    for (uint32_t i = 0; i < depth; i++)
        json_number(&w->json, NULL, true, frame_of(nodes, w->path[i]));
    json_close(&w->json, ']');
}

static void put_number(struct json *json, const char *key, double number)
{
    if (number < 0x1p53 && number == (double)(uint64_t)number)
        json_number(json, key, true, (uint64_t)number);
    else
        json_real(json, key, true, number);
}

static const char *unit_of(const struct flame *flame)
{
    return flame->unit == HECTIC_COLUMN_NS      ? "nanoseconds"
           : flame->unit == HECTIC_COLUMN_BYTES ? "bytes"
                                                : "none";
}

static void put_samples(struct writer *w, double (*weight)(const struct flame_value *value))
{
    const struct flame *flame = w->flame;
    json_open(&w->json, "samples", '[');
    for (uint32_t i = 0; i < flame->count; i++) {
        const uint32_t node = flame->order[i], depth = flame->node[node].depth;
        if (depth > 0) w->path[depth - 1] = node;
        if (weight(&flame->value[node]) > 0) put_stack(w, node);
    }
    json_close(&w->json, ']');
}

static void put_profile(struct writer *w, const char *name,
                        double (*weight)(const struct flame_value *value))
{
    const struct flame *flame = w->flame;
    double sum = 0;
    json_open(&w->json, NULL, '{');
    json_text(&w->json, "type", "sampled");
    json_text(&w->json, "name", name);
    json_text(&w->json, "unit", unit_of(flame));
    put_samples(w, weight);
    json_open(&w->json, "weights", '[');
    for (uint32_t i = 0; i < flame->count; i++) {
        const double own = weight(&flame->value[flame->order[i]]);
        if (own <= 0) continue;
        put_number(&w->json, NULL, own);
        sum += own;
    }
    json_close(&w->json, ']');
    json_number(&w->json, "startValue", true, 0);
    put_number(&w->json, "endValue", sum);
    json_close(&w->json, '}');
}

static void put_frames(struct json *json, const struct flame *flame)
{
    json_open(json, "frames", '[');
    for (uint32_t i = 0; i <= HECTIC_STACKS_OTHERS; i++)
        speedscope_put_frame(json, flame->symbols, &flame->node[i]);
    for (uint32_t i = 0; i < hectic_symbols_count(flame->symbols); i++)
        speedscope_put_frame(json, flame->symbols, &(hectic_stack_node){.symbol = i});
    json_close(json, ']');
}

static void put_all(struct writer *w)
{
    struct json *json = &w->json;
    json_open(json, NULL, '{');
    speedscope_put_heading(json);
    json_text(json, "name", w->flame->title);
    json_open(json, "profiles", '[');
    put_profile(w, "old", weight_old);
    put_profile(w, "new", weight_new);
    put_profile(w, "grown", weight_grown);
    put_profile(w, "shrunk", weight_shrunk);
    json_close(json, ']');
    json_open(json, "shared", '{');
    put_frames(json, w->flame);
    json_close(json, '}');
    json_close(json, '}');
    json_end_line(json);
}

bool flame_put_speedscope(struct sink *sink, const struct flame *flame)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < flame->count; i++)
        if (flame->node[flame->order[i]].depth > depth) depth = flame->node[flame->order[i]].depth;
    struct writer writer = {.json = json_for_tool(sink),
                            .flame = flame,
                            .path = malloc(((size_t)depth + 1) * sizeof *writer.path)};
    const bool has_memory = writer.path;
    if (has_memory) put_all(&writer);
    free(writer.path);
    return has_memory;
}
