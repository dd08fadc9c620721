/* instants.c — the request instants: what happened on caps at single points of time. */
#include "view/engine.h"

#include "format/wire.h"
#include "timeline/range.h"

enum {
    INSTANTS_MAX = 1 << 12, /* more cannot be distinguished in a picture */
    READ_MAX = 1 << 21,     /* bytes of events that are read for it */
    NONE = -1,
};

/* Where the payload has the thread, and the other cap. */
static const struct kind {
    uint16_t type;
    int8_t thread, cap;
} kinds[] = {
    {HECTIC_EVENT_CREATE_THREAD, 0, NONE},     {HECTIC_EVENT_MIGRATE_THREAD, 0, 4},
    {HECTIC_EVENT_THREAD_WAKEUP, 0, 4},        {HECTIC_EVENT_CREATE_SPARK_THREAD, 0, NONE},
    {HECTIC_EVENT_REQUEST_SEQ_GC, NONE, NONE}, {HECTIC_EVENT_REQUEST_PAR_GC, NONE, NONE},
    {HECTIC_EVENT_SPARK_CREATE, NONE, NONE},   {HECTIC_EVENT_SPARK_DUD, NONE, NONE},
    {HECTIC_EVENT_SPARK_OVERFLOW, NONE, NONE}, {HECTIC_EVENT_SPARK_RUN, NONE, NONE},
    {HECTIC_EVENT_SPARK_STEAL, NONE, 0},       {HECTIC_EVENT_SPARK_FIZZLE, NONE, NONE},
    {HECTIC_EVENT_SPARK_GC, NONE, NONE},       {HECTIC_EVENT_SHUTDOWN, NONE, NONE},
};

struct instants {
    struct json *json;
    const hectic_timeline *timeline;
    size_t count;
};

static const struct kind *kind_of(const hectic_event *event)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == event->type) return &kinds[i];
    return NULL;
}

static bool take(void *user, const hectic_event *event)
{
    struct instants *s = user;
    const struct kind *kind = kind_of(event);
    if (!kind || !event->declared->shape || event->cap == HECTIC_CAP_NONE) return true;
    const bool has_thread = kind->thread >= 0 && event->size >= kind->thread + 4;
    const bool has_cap = kind->cap >= 0 && event->size >= kind->cap + 2;
    const uint32_t thread = has_thread ? load32(event->payload + kind->thread) : 0;
    json_open(s->json, NULL, '{');
    json_number(s->json, "cap", true, event->cap);
    json_number(s->json, "time_ns", true, event->time);
    json_text(s->json, "event", event->declared->shape->name);
    json_number(s->json, "thread", has_thread, thread);
    json_text(s->json, "label", has_thread ? hectic_timeline_label(s->timeline, thread) : NULL);
    json_number(s->json, "other_cap", has_cap, has_cap ? load16(event->payload + kind->cap) : 0);
    json_close(s->json, '}');
    return ++s->count < INSTANTS_MAX;
}

/* False: the events of the interval are too many. */
static bool is_short(const struct chunks *chunks, uint64_t from, uint64_t to)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < chunks->count && bytes <= READ_MAX; i++)
        if (chunks->chunk[i].first < to && chunks->chunk[i].last >= from)
            bytes += chunks->chunk[i].length;
    return bytes <= READ_MAX;
}

/* RANGE_STOPPED: there are more. */
static range_result read_instants(const hectic_view *v, const struct section *section,
                                  uint64_t from, uint64_t to, struct instants *instants)
{
    const struct chunks *chunks = &section->timeline->chunks;
    type_set types = {0};
    if (!is_short(chunks, from, to)) return RANGE_STOPPED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        type_set_add(&types, kinds[i].type);
    struct range *range =
        range_open(chunks, section->header, &v->timeline_source, from, to, &types);
    range_result result = range ? RANGE_MORE : RANGE_FAILED;
    while (result == RANGE_MORE)
        result = range_step(range, READ_MAX, take, instants);
    range_close(range);
    return result;
}

bool answer_instants(hectic_view *v, struct json *json)
{
    uint64_t from, to;
    const struct section *section = view_section(v);
    if (!section || !view_interval(v, section, &from, &to)) return false;
    struct instants instants = {json, section->timeline, 0};
    json_open(json, NULL, '{');
    json_open(json, "instants", '[');
    const range_result result = read_instants(v, section, from, to, &instants);
    json_close(json, ']');
    json_flag(json, "complete", true, result == RANGE_END);
    json_close(json, '}');
    return result != RANGE_FAILED || view_fail(v, "out of memory, or the log cannot be read");
}
