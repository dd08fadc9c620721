/* pprof.c — the format of pprof: messages of pprof.proto, compressed by gzip. Concatenated messages
 * are a message with the fields of all, so each part is packed by itself. */
#include "pprof.pb-c.h"
#include "tool/verbs/export/compressed.h"
#include "tool/verbs/export/export.h"

#include <stdlib.h>

/* --- Parts ------------------------------------------------------------------------------------ */

struct output {
    ProtobufCBuffer base;
    struct compressed *to;
    const struct profile *profile;
    int64_t texts; /* written so far */
};

static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
    compressed_write(((struct output *)buffer)->to, bytes, length);
}

static void put(struct output *o, const Pprof__Profile *part)
{
    protobuf_c_message_pack_to_buffer(&part->base, &o->base);
}

/* Adds a text to the table; returns its index. Protobuf's texts are UTF-8. */
static int64_t put_text(struct output *o, const char *text, size_t length)
{
    char visible[FRAME_VISIBLE], *texts = visible;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    if (length >= FRAME_NAME) length = FRAME_NAME - 1;
    visible[hectic_render_visible(text, length, visible)] = 0;
    part.text = &texts;
    part.n_text = 1;
    put(o, &part);
    return o->texts++;
}

static int64_t put_string(struct output *o, const char *text)
{
    return put_text(o, text, strlen(text));
}

/* --- What the values are ---------------------------------------------------------------------- */

static int64_t signed_of(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static Pprof__ValueType value_type(struct output *o, const char *type, const char *unit)
{
    Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;
    value.type = put_string(o, type);
    value.unit = put_string(o, unit);
    return value;
}

static void put_sample_types(struct output *o)
{
    const struct profile *profile = o->profile;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    Pprof__ValueType type[2], *types[] = {&type[0], &type[1]};
    part.sample_type = types;
    if (profile->count) type[part.n_sample_type++] = value_type(o, "samples", "count");
    if (profile->unit == PROFILE_BYTES)
        type[part.n_sample_type++] = value_type(o, "inuse_space", "bytes");
    else if (profile->unit == PROFILE_NS)
        type[part.n_sample_type++] = value_type(o, "cpu", "nanoseconds");
    part.default_sample_type = types[part.n_sample_type - 1]->type;
    if (profile->interval) {
        part.period_type = types[part.n_sample_type - 1];
        part.period = signed_of(profile->unit == PROFILE_NS ? profile->interval : 1);
    }
    put(o, &part);
}

static void put_about(struct output *o)
{
    const struct profile *profile = o->profile;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings = &mapping;
    int64_t comment = put_string(o, profile->title);
    part.mapping = &mappings;
    part.n_mapping = 1;
    mapping.id = 1;
    mapping.file = put_string(o, about_name(profile->about));
    mapping.has_functions = mapping.has_files = mapping.has_lines = mapping.has_inlined = true;
    part.comment = &comment;
    part.n_comment = 1;
    part.time_ns = signed_of(about_wall_clock(profile->about, profile->first));
    part.duration_ns = signed_of(profile->last - profile->first);
    put(o, &part);
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* A frame's number is also those of its location and function: that of its symbol, after the root
 * and the others. */
static uint64_t frame_of(const struct profile *profile, uint32_t node)
{
    const uint32_t symbol = profile->node[node].symbol;
    return symbol == HECTIC_NO_SYMBOL ? 1 + (node != HECTIC_STACKS_ROOT) : 3 + (uint64_t)symbol;
}

static void put_frame(struct output *o, uint32_t node)
{
    const struct profile *profile = o->profile;
    const hectic_stack_node *at = &profile->node[node];
    const hectic_symbol symbol = hectic_symbols_get(profile->symbols, at->symbol);
    const struct place place = place_of(at->symbol == HECTIC_NO_SYMBOL ? NULL : symbol.location);
    char name[FRAME_NAME];
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
    Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
    Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    function.id = location.id = line.function = frame_of(profile, node);
    function.name = function.system_name = put_string(o, frame_name(profile->symbols, at, name));
    if (place.file) function.file = put_text(o, place.file, place.file_length);
    function.start_line = line.line = place.line;
    line.column = place.column;
    location.mapping = 1;
    location.line = &lines;
    location.n_line = 1;
    part.function = &functions;
    part.n_function = 1;
    part.location = &locations;
    part.n_location = 1;
    put(o, &part);
}

/* --- Samples ---------------------------------------------------------------------------------- */

static void put_sample(struct output *o, uint32_t node, uint64_t *path)
{
    const struct profile *profile = o->profile;
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    int64_t value[2];
    sample.location = path;
    sample.value = value;
    if (profile->count) value[sample.n_value++] = signed_of(profile->count[node]);
    if (profile->unit != PROFILE_SAMPLES)
        value[sample.n_value++] = signed_of(profile->weight[node]);
    for (uint32_t at = node; at != HECTIC_STACKS_ROOT; at = profile->node[at].parent)
        path[sample.n_location++] = frame_of(profile, at);
    if (node == HECTIC_STACKS_ROOT) path[sample.n_location++] = frame_of(profile, node);
    part.sample = &samples;
    part.n_sample = 1;
    put(o, &part);
}

static bool has_value(const struct profile *profile, uint32_t node)
{
    return profile->weight[node] > 0 || (profile->count && profile->count[node] > 0);
}

/* Each stack with a value, and each frame before the first stack that contains it. */
static bool put_samples(struct output *o)
{
    const struct profile *profile = o->profile;
    const size_t frames = (size_t)hectic_symbols_count(profile->symbols) + 3;
    uint64_t *path = malloc((profile->nodes + 1) * sizeof *path);
    bool *written = calloc(frames, sizeof *written);
    const bool has_memory = path && written;
    for (uint32_t i = 0; has_memory && i < profile->nodes; i++) {
        if (!has_value(profile, i)) continue;
        for (uint32_t at = i;; at = profile->node[at].parent) {
            bool *done = &written[frame_of(profile, at)];
            if (!*done && (at != HECTIC_STACKS_ROOT || i == at)) {
                put_frame(o, at);
                *done = true;
            }
            if (at == HECTIC_STACKS_ROOT) break;
        }
        put_sample(o, i, path);
    }
    free(path);
    free(written);
    return has_memory;
}

bool pprof_write(struct sink *sink, const struct profile *profile)
{
    struct output output = {{append}, compressed_new(sink), profile, 0};
    if (!output.to) return false;
    put_string(&output, "");
    put_sample_types(&output);
    put_about(&output);
    const bool has_memory = put_samples(&output);
    compressed_end(output.to);
    return has_memory;
}
