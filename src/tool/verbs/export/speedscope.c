/* speedscope.c — speedscope's JSON. Stacks with their weights, joined over the time of the profile:
 * all caps, then each cap. With --every, joined over slices of time, in order, as calls that open
 * and close; then only the stacks of a slice are kept. */
#define _GNU_SOURCE /* qsort_r */
#include "base/array.h"
#include "numbers/saturating.h"
#include "render/units.h"
#include "tool/output/json.h"
#include "tool/verbs/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const units[] = {
    [PROFILE_SAMPLES] = "none", [PROFILE_NS] = "nanoseconds", [PROFILE_BYTES] = "bytes"};

/* --- Frames ----------------------------------------------------------------------------------- */

/* The frames that occur, in order of their first use. */
struct frames {
    uint32_t *number; /* from 1, by symbol, after those of the root and the others; 0: none */
    uint32_t numbers; /* that there is room for */
    uint32_t *node;   /* of each frame: a node with it */
    uint32_t count, capacity;
};

static void frames_clear(struct frames *frames)
{
    free(frames->number);
    free(frames->node);
}

/* Makes room for number[place] and another frame. */
static bool frames_grow(struct frames *frames, uint32_t place)
{
    if (place >= frames->numbers) {
        const size_t room = place + (size_t)place / 2 + 64;
        uint32_t *grown = realloc(frames->number, room * sizeof *grown);
        if (!grown) return false;
        memset(grown + frames->numbers, 0, (room - frames->numbers) * sizeof *grown);
        frames->number = grown;
        frames->numbers = (uint32_t)room;
    }
    if (!array_reserve(frames->node, frames->capacity, frames->count + 1)) return false;
    return true;
}

/* The number of a node's frame; UINT32_MAX: out of memory. */
static uint32_t frame_number(struct frames *frames, const hectic_stack_node *nodes, uint32_t node)
{
    const uint32_t symbol = nodes[node].symbol;
    const uint32_t place = symbol == HECTIC_NO_SYMBOL ? node != HECTIC_STACKS_ROOT : symbol + 2;
    if (!frames_grow(frames, place)) return UINT32_MAX;
    if (!frames->number[place]) {
        frames->node[frames->count] = node;
        frames->number[place] = ++frames->count;
    }
    return frames->number[place] - 1;
}

void speedscope_put_frame(struct json *json, const hectic_symbols *symbols,
                          const hectic_stack_node *node)
{
    char name[FRAME_NAME];
    json_open(json, NULL, '{');
    json_text(json, "name", frame_name(symbols, node, name));
    if (node->symbol != HECTIC_NO_SYMBOL) {
        const hectic_symbol symbol = hectic_symbols_get(symbols, node->symbol);
        const struct place place = place_of(symbol.location);
        if (place.file && place.file_length < sizeof name) {
            memcpy(name, place.file, place.file_length);
            name[place.file_length] = 0;
            json_text(json, "file", name);
        }
        if (place.line) json_number(json, "line", true, place.line);
        if (place.column) json_number(json, "col", true, place.column);
    }
    json_close(json, '}');
}

static void put_frames(struct json *json, const struct frames *frames,
                       const hectic_symbols *symbols, const hectic_stack_node *nodes)
{
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (uint32_t i = 0; i < frames->count; i++)
        speedscope_put_frame(json, symbols, &nodes[frames->node[i]]);
    json_close(json, ']');
    json_close(json, '}');
}

/* --- The file --------------------------------------------------------------------------------- */

void speedscope_put_heading(struct json *json)
{
    json_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(json, "exporter", "hectic " HECTIC_VERSION);
    json_number(json, "activeProfileIndex", true, 0);
}

/* --- Joined stacks ---------------------------------------------------------------------------- */

struct writer {
    struct json json;
    const struct profile *profile;
    const uint32_t *order; /* of nodes */
    uint32_t count;
    struct frames frames;
    uint32_t *path;
    bool failed;
};

static void put_stack(struct writer *w, uint32_t node)
{
    const hectic_stack_node *nodes = w->profile->node;
    uint32_t depth = 0;
    for (uint32_t at = node; at != HECTIC_STACKS_ROOT; at = nodes[at].parent)
        w->path[depth++] = at;
    if (depth == 0) w->path[depth++] = node;
    json_open(&w->json, NULL, '[');
    while (depth > 0) {
        const uint32_t frame = frame_number(&w->frames, nodes, w->path[--depth]);
        w->failed |= frame == UINT32_MAX;
        json_number(&w->json, NULL, true, frame);
    }
    json_close(&w->json, ']');
}

/* A profile of the weights of nodes; those from `end` on have none. */
static void put_joined(struct writer *w, const char *title, const uint64_t *weight, uint32_t end)
{
    struct json *json = &w->json;
    uint64_t total = 0;
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", title);
    json_text(json, "unit", units[w->profile->unit]);
    json_open(json, "samples", '[');
    for (uint32_t i = 0; i < w->count; i++)
        if (w->order[i] < end && weight[w->order[i]] > 0) put_stack(w, w->order[i]);
    json_close(json, ']');
    json_open(json, "weights", '[');
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t own = w->order[i] < end ? weight[w->order[i]] : 0;
        if (own > 0) json_number(json, NULL, true, own);
        saturating_add(&total, own);
    }
    json_close(json, ']');
    json_number(json, "startValue", true, 0);
    json_number(json, "endValue", true, total);
    json_close(json, '}');
}

static bool put_profiles(struct writer *w)
{
    const struct profile *profile = w->profile;
    char title[160];
    json_open(&w->json, NULL, '{');
    speedscope_put_heading(&w->json);
    json_text(&w->json, "name", about_name(profile->about));
    json_open(&w->json, "profiles", '[');
    snprintf(title, sizeof title, "%s%s", profile->title, profile->cap ? ", all caps" : "");
    put_joined(w, title, profile->weight, profile->nodes);
    for (uint32_t i = 0; i < profile->cap_end; i++) {
        if (!profile->cap[i].is_seen) continue;
        snprintf(title, sizeof title, "%s, cap %" PRIu32, profile->title, i);
        put_joined(w, title, profile->cap[i].weight, profile->cap[i].room);
    }
    json_close(&w->json, ']');
    put_frames(&w->json, &w->frames, profile->symbols, profile->node);
    json_close(&w->json, '}');
    json_end_line(&w->json);
    return !w->failed;
}

bool speedscope_write(struct sink *sink, const struct profile *profile)
{
    struct tree tree;
    if (!tree_make(&tree, profile)) return false;
    struct writer writer = {
        .json = json_for_tool(sink),
        .profile = profile,
        .order = tree.node,
        .count = tree.count,
        .path = malloc((profile->nodes + 1) * sizeof *writer.path),
    };
    const bool done = writer.path && put_profiles(&writer);
    free(writer.path);
    frames_clear(&writer.frames);
    tree_clear(&tree);
    return done;
}

/* --- Slices of time --------------------------------------------------------------------------- */

struct slices {
    struct export_run *export;
    struct json json;
    struct choice choice;
    hectic_time_samples *samples; /* of the section */
    struct about about;
    bool is_seen[HECTIC_TIME_SOURCES]; /* it has samples in the section */
    bool is_writing;                   /* a profile of the section is being written */
    hectic_time_source source;         /* with is_writing: of that profile */
    enum profile_unit unit;
    uint64_t first, slice; /* ns; the number of the slice */
    uint64_t at;           /* the weight so far */
    uint64_t *weight;      /* of each node, in the slice */
    uint32_t weights;      /* that there is room for */
    uint32_t *touched;     /* the nodes with a weight, in a buffer of as many */
    uint32_t count;
    uint32_t *open; /* the nodes of the calls that are open, outermost first */
    uint32_t depth, room;
    struct frames frames;
    const hectic_stack_node *nodes;
    bool failed; /* out of memory */
};

/* {"type":"O","at":12,"frame":3}, of which there may be many millions: not member by member. */
static void put_call(struct slices *s, char type, uint32_t node)
{
    enum { ROOM = 128 };
    static const char head[] = "{\"type\":\"?\",\"at\":", middle[] = ",\"frame\":";
    const uint32_t frame = frame_number(&s->frames, s->nodes, node);
    char *const text = sink_room(s->export->sink, ROOM), *end = text;
    s->failed |= frame == UINT32_MAX;
    if (s->json.follows) *end++ = ',';
    memcpy(end, head, sizeof head - 1);
    end[sizeof "{\"type\":\"" - 1] = type;
    end += sizeof head - 1;
    end += hectic_render_u64(s->at, end);
    memcpy(end, middle, sizeof middle - 1);
    end += sizeof middle - 1;
    end += hectic_render_u64(frame, end);
    *end++ = '}';
    sink_fill(s->export->sink, (size_t)(end - text));
    s->json.follows = true;
}

static void close_calls(struct slices *s, uint32_t depth)
{
    while (s->depth > depth)
        put_call(s, 'C', s->open[--s->depth]);
}

/* Closes and opens calls until they are those of a stack. The empty stack is a call, too. */
static bool enter_stack(struct slices *s, uint32_t node)
{
    const uint32_t depth = node == HECTIC_STACKS_ROOT ? 1 : s->nodes[node].depth;
    if (depth > s->room) {
        uint32_t *grown = realloc(s->open, 2 * (size_t)depth * sizeof *grown);
        if (!grown) return false;
        s->open = grown;
        s->room = 2 * depth;
    }
    uint32_t common = depth, at = node;
    while (common > 0 && (common > s->depth || s->open[common - 1] != at)) {
        common--;
        at = s->nodes[at].parent;
    }
    close_calls(s, common);
    at = node;
    for (uint32_t i = depth; i-- > common; at = s->nodes[at].parent)
        s->open[i] = at;
    for (; s->depth < depth; s->depth++)
        put_call(s, 'O', s->open[s->depth]);
    return !s->failed;
}

/* In the order of the tree: an ancestor before its descendants, siblings by number. */
static int compare_stacks(const void *a, const void *b, void *nodes)
{
    const hectic_stack_node *node = nodes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t depth_x = node[x].depth, depth_y = node[y].depth;
    while (node[x].depth > depth_y)
        x = node[x].parent;
    while (node[y].depth > depth_x)
        y = node[y].parent;
    if (x == y) return (depth_x > depth_y) - (depth_x < depth_y);
    while (node[x].parent != node[y].parent) {
        x = node[x].parent;
        y = node[y].parent;
    }
    return x < y ? -1 : 1;
}

static bool end_slice(struct slices *s)
{
    s->nodes = hectic_stacks_nodes(hectic_time_samples_stacks(s->samples, s->source));
    qsort_r(s->touched, s->count, sizeof *s->touched, compare_stacks, (void *)(uintptr_t)s->nodes);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!enter_stack(s, s->touched[i])) return false;
        saturating_add(&s->at, s->weight[s->touched[i]]);
        s->weight[s->touched[i]] = 0;
    }
    s->count = 0;
    return true;
}

static bool grow_slice(struct slices *s, uint32_t node)
{
    if (node < s->weights) return true;
    const size_t room = node + (size_t)node / 2 + 64;
    uint64_t *weight = realloc(s->weight, room * sizeof *weight);
    if (!weight) return false;
    s->weight = weight;
    uint32_t *touched = realloc(s->touched, room * sizeof *touched);
    if (!touched) return false;
    s->touched = touched;
    memset(weight + s->weights, 0, (room - s->weights) * sizeof *weight);
    s->weights = (uint32_t)room;
    return true;
}

static void begin_profile(struct slices *s, const hectic_time_sample *sample)
{
    char title[64] = ", all caps";
    const struct export_settings *settings = s->export->settings;
    s->is_writing = true;
    s->source = sample->source;
    s->unit = export_unit(s->export, sample->interval);
    s->first = sample->time;
    if (settings->cap.is_set) snprintf(title, sizeof title, ", cap %" PRIu32, settings->cap.number);
    s->json = json_for_tool(s->export->sink);
    json_open(&s->json, NULL, '{');
    speedscope_put_heading(&s->json);
    json_open(&s->json, "profiles", '[');
    json_open(&s->json, NULL, '{');
    json_text(&s->json, "type", "evented");
    char name[128];
    snprintf(name, sizeof name, "%s%s, in order of time", export_source_title(s->source), title);
    json_text(&s->json, "name", name);
    json_text(&s->json, "unit", units[s->unit]);
    json_number(&s->json, "startValue", true, 0);
    json_open(&s->json, "events", '[');
}

static void end_profile(struct slices *s)
{
    const hectic_symbols *symbols = hectic_time_samples_symbols(s->samples);
    close_calls(s, 0);
    json_close(&s->json, ']');
    json_number(&s->json, "endValue", true, s->at);
    json_close(&s->json, '}');
    json_close(&s->json, ']');
    json_text(&s->json, "name", about_name(&s->about));
    put_frames(&s->json, &s->frames, symbols, s->nodes);
    json_close(&s->json, '}');
    json_end_line(&s->json);
    s->is_writing = false;
}

static bool take_sample(void *user, const hectic_time_sample *sample)
{
    struct slices *s = user;
    if (!export_wants(s->export, sample)) return true;
    if (!s->is_seen[sample->source]) {
        s->is_seen[sample->source] = true;
        const bool is_chosen = choice_add(&s->choice, s->export->reading.section,
                                          export_source_title(sample->source), sample->time);
        if (choice_is_unclear(&s->choice)) return false;
        if (is_chosen) begin_profile(s, sample);
    }
    if (!s->is_writing || sample->source != s->source) return true;
    const uint64_t slice = saturating_less(sample->time, s->first) / s->export->settings->every;
    if (slice != s->slice && !end_slice(s)) return false;
    s->slice = slice;
    if (!grow_slice(s, sample->node)) return false;
    const uint64_t weight = export_weight_of(s->export, s->unit, sample);
    if (weight == 0) return true;
    if (s->weight[sample->node] == 0) s->touched[s->count++] = sample->node;
    saturating_add(&s->weight[sample->node], weight);
    return !sink_failed(s->export->sink);
}

static bool begin(void *user, const hectic_header *header)
{
    struct slices *s = user;
    hectic_time_samples_free(s->samples);
    about_clear(&s->about);
    memset(s->is_seen, 0, sizeof s->is_seen);
    s->samples = hectic_time_samples_new(1, 0, 0, take_sample, s);
    return header && s->samples;
}

static bool event(void *user, const hectic_event *event)
{
    struct slices *s = user;
    return about_event(&s->about, event) && hectic_time_samples_event(s->samples, event);
}

static bool end(void *user)
{
    struct slices *s = user;
    s->export->begun |= s->about.begun;
    if (!s->is_writing) return true;
    const bool has_memory = end_slice(s);
    end_profile(s);
    const hectic_time_warnings warnings = hectic_time_samples_warnings(s->samples);
    export_note_time(s->export, &warnings, hectic_time_samples_symbols(s->samples));
    return has_memory && !s->failed;
}

int speedscope_slices(struct export_run *export, bool *done)
{
    static const struct file_reader reader = {.begin = begin, .event = event, .end = end};
    struct slices slices = {.export = export, .choice = {.wanted = export->settings->profile}};
    int code = file_reading_run(&export->reading, &reader, &slices);
    code = export_chosen(export, &slices.choice, PROFILE_TIME, code, done);
    hectic_time_samples_free(slices.samples);
    about_clear(&slices.about);
    frames_clear(&slices.frames);
    free(slices.weight);
    free(slices.touched);
    free(slices.open);
    return code;
}
