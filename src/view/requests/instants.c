/* instants.c — the request instants: what happened on caps at single points of time. */
#include "view/engine/engine.h"

#include "timeline/range.h"

enum {
    INSTANTS_MAX = 1 << 12, /* more cannot be distinguished in a picture */
    READ_MAX = 1 << 21,     /* bytes of events that are read for it */
};

static const uint16_t instant_types[] = {
    HECTIC_EVENT_CREATE_THREAD,  HECTIC_EVENT_MIGRATE_THREAD,
    HECTIC_EVENT_THREAD_WAKEUP,  HECTIC_EVENT_CREATE_SPARK_THREAD,
    HECTIC_EVENT_REQUEST_SEQ_GC, HECTIC_EVENT_REQUEST_PAR_GC,
    HECTIC_EVENT_SPARK_CREATE,   HECTIC_EVENT_SPARK_DUD,
    HECTIC_EVENT_SPARK_OVERFLOW, HECTIC_EVENT_SPARK_RUN,
    HECTIC_EVENT_SPARK_STEAL,    HECTIC_EVENT_SPARK_FIZZLE,
    HECTIC_EVENT_SPARK_GC,       HECTIC_EVENT_SHUTDOWN,
};

struct instants {
    struct json *json;
    const hectic_timeline *timeline;
    size_t count;
};

static bool is_instant(const hectic_event *event)
{
    for (size_t i = 0; i < sizeof instant_types / sizeof *instant_types; i++)
        if (instant_types[i] == event->type) return event->declared->shape;
    return false;
}

/* The first field that is one. */
static const hectic_value *find(hectic_unit unit, const hectic_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (value[i].field->unit == unit) return &value[i];
    return NULL;
}

static bool take(void *user, const hectic_event *event)
{
    struct instants *s = user;
    hectic_value value[HECTIC_MAX_FIELDS];
    if (event->cap == HECTIC_CAP_NONE || !is_instant(event)) return true;
    const size_t count =
        hectic_shape_walk(event->declared->shape, event->payload, event->size, value, NULL);
    const hectic_value *thread = find(HECTIC_UNIT_THREAD, value, count);
    const hectic_value *cap = find(HECTIC_UNIT_CAP, value, count);
    const uint32_t number = thread ? (uint32_t)thread->number : 0;
    json_open(s->json, NULL, '{');
    json_number(s->json, "cap", true, event->cap);
    json_number(s->json, "time_ns", true, event->time);
    json_text(s->json, "event", event->declared->shape->name);
    json_number(s->json, "thread", thread, number);
    json_text(s->json, "label", thread ? hectic_timeline_label(s->timeline, number) : NULL);
    json_number(s->json, "other_cap", cap, cap ? cap->number : 0);
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
    for (size_t i = 0; i < sizeof instant_types / sizeof *instant_types; i++)
        type_set_add(&types, instant_types[i]);
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
