/* event.c — see event.h. */
#include "redact/event.h"

#include "base/map.h"
#include "format/fields.h"
#include "format/stack_wire.h"
#include "redact/text.h"

#include <hectic/read_events.h>
#include <stdlib.h>

enum {
    PAYLOAD_MAX = UINT16_MAX,
    IDS_MAX = 1 << 20, /* further ones are 0 */
    TIME_BITS = 60,    /* 36 years; text that damage makes a time is later */
    ROOM = PAYLOAD_MAX + 1 + HECTIC_MAX_FIELDS * (REPLACEMENT_MAX + 1),
};

/* The time of the day begins here: 2000-01-01 00:00:00 UTC. */
#define CLOCK_BEGIN INT64_C(946684800)
#define SECOND_NS   INT64_C(1000000000)

struct redactor {
    const hectic_redaction *redaction;
    hectic_redacted *redacted;
    redactor_changed changed;
    void *changed_user;
    map ids; /* of the operating system: numbered as they appear */
    bool has_clock;
    uint64_t clock_s, clock_ns; /* the first one */
    stack_wire_layout layout;
    bool is_tight;            /* a payload is too long: texts are removed instead of replaced */
    uint8_t list[ROOM];       /* arguments, with a NUL at the end */
    uint8_t payload[2][ROOM]; /* of an event; of the one that it replays */
};

redactor *redactor_new(const hectic_redaction *redaction, hectic_redacted *redacted)
{
    redactor *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *redacted = (hectic_redacted){0};
    r->redaction = redaction;
    r->redacted = redacted;
    return r;
}

void redactor_free(redactor *r)
{
    if (!r) return;
    map_clear(&r->ids);
    free(r);
}

void redactor_on_change(redactor *r, redactor_changed changed, void *user)
{
    r->changed = changed;
    r->changed_user = user;
}

uint64_t redactor_extra_bytes(const redactor *r)
{
    return r->redacted->extra_bytes;
}

/* --- Numbers --------------------------------------------------------------------------------- */

static uint64_t number_of_id(redactor *r, uint64_t id)
{
    if (id == 0) return 0;
    const uint64_t known = map_value_of(&r->ids, id);
    if (known) return known;
    const uint64_t next = r->ids.count + 1;
    return next <= IDS_MAX && map_set_value(&r->ids, id, next) ? next : 0;
}

/* The first time of the log becomes CLOCK_BEGIN; differences stay, up to a century. */
static void move_clock(redactor *r, uint64_t *seconds, uint64_t *ns)
{
    const int64_t most = INT64_C(1) << 32;
    if (!r->has_clock) {
        r->has_clock = true;
        r->clock_s = *seconds;
        r->clock_ns = *ns;
    }
    const bool is_later = *seconds >= r->clock_s;
    const uint64_t apart = is_later ? *seconds - r->clock_s : r->clock_s - *seconds;
    const int64_t near = apart < (uint64_t)most ? (int64_t)apart : most;
    /* The nanoseconds of a log are below 2^32. */
    int64_t time = (CLOCK_BEGIN + (is_later ? near : -near)) * SECOND_NS +
                   ((int64_t)(uint32_t)*ns - (int64_t)(uint32_t)r->clock_ns);
    if (time < 0) time = 0;
    if (time > (CLOCK_BEGIN + most) * SECOND_NS) time = (CLOCK_BEGIN + most) * SECOND_NS;
    *seconds = (uint64_t)(time / SECOND_NS);
    *ns = (uint64_t)(time % SECOND_NS);
}

static void redact_clock(redactor *r, hectic_treatment treatment, hectic_value *value, size_t count)
{
    const hectic_unit unit = value->field->unit;
    const uint64_t in_second = UINT64_C(100000000); /* of the units of HECTIC_UNIT_WALL_CLOCK */
    const bool has_ns = unit == HECTIC_UNIT_SECONDS && count > 1;
    uint64_t seconds = unit == HECTIC_UNIT_SECONDS ? value->number : value->number / in_second;
    uint64_t ns = unit != HECTIC_UNIT_SECONDS ? value->number % in_second * 10
                  : has_ns                    ? value[1].number
                                              : 0;
    if (treatment == HECTIC_DROP)
        seconds = ns = 0;
    else
        move_clock(r, &seconds, &ns);
    value->number = unit == HECTIC_UNIT_SECONDS ? seconds : seconds * in_second + ns / 10;
    if (has_ns) value[1].number = ns;
}

/* Changes the value of a field; of a clock also that of the next one, its nanoseconds. */
static void redact_number(redactor *r, enum redact_kind kind, hectic_value *value, size_t count)
{
    const hectic_treatment treatment = (hectic_treatment)r->redaction->treatment[kind];
    if (treatment == HECTIC_KEEP || treatment == HECTIC_SHORTEN) return;
    if (kind == REDACT_CLOCK)
        redact_clock(r, treatment, value, count);
    else
        value->number = treatment == HECTIC_DROP ? 0 : number_of_id(r, value->number);
}

/* --- Binary messages ------------------------------------------------------------------------- */

static size_t copy_bytes(const uint8_t *bytes, size_t size, uint8_t *out)
{
    memmove(out, bytes, size);
    return size;
}

/* Of ghc-stack-profiler's messages, stacks and the numbers of definitions stay. Sets *kind, too. */
static size_t redact_data(redactor *r, const hectic_event *event, uint8_t *out,
                          enum redact_kind *kind, hectic_treatment *done)
{
    enum { TAG = 2, TEXT = 12 };
    size_t kept = 0;
    struct stack_wire wire;
    *done = HECTIC_KEEP;
    *kind = REDACT_DATA;
    switch (stack_wire_read(event, &r->layout, &wire)) {
    case STACK_WIRE_LOCATION:
    case STACK_WIRE_PART:
    case STACK_WIRE_LAST:
        *kind = REDACT_NOTHING;
        return copy_bytes(event->payload, event->size, out);
    case STACK_WIRE_STRING:
        *kind = REDACT_FRAMES;
        copy_bytes(event->payload, TEXT, out);
        {
            const size_t size =
                redact_text(r->redaction, REDACT_FRAMES, wire.text, wire.length, out + TEXT, done);
            if (*done != HECTIC_KEEP) store16(out + TEXT - 2, (uint16_t)size);
            return TEXT + size;
        }
    case STACK_WIRE_VERSION: kept = TAG; break;
    default: break;
    }
    if (r->redaction->treatment[REDACT_DATA] == HECTIC_KEEP || event->size == 0)
        return copy_bytes(event->payload, event->size, out);
    if (event->size > kept) *done = HECTIC_DROP;
    return copy_bytes(event->payload, kept, out);
}

/* --- Events ---------------------------------------------------------------------------------- */

static size_t redact_payload(redactor *r, const hectic_event *event, bool is_replayed,
                             uint8_t *out);

/* The event that a SYNC event replays. SIZE_MAX: none that is known. */
static size_t redact_replayed(redactor *r, const hectic_value *value, uint8_t *out)
{
    const hectic_event_type type = hectic_type_of((uint16_t)value[0].number);
    const bool is_known = type.shape && type.shape->class_ != HECTIC_CLASS_FRAMING;
    if (!is_known || type.number == HECTIC_EVENT_SYNC) return SIZE_MAX;
    const hectic_event replayed = {.declared = &type,
                                   .type = type.number,
                                   .payload = value[2].bytes,
                                   .size = (uint16_t)value[2].length,
                                   .cap = (uint16_t)value[1].number};
    if (hectic_shape_malformed(type.shape, replayed.payload, replayed.size)) return SIZE_MAX;
    const size_t size = redact_payload(r, &replayed, true, r->payload[1]);
    return size == SIZE_MAX ? size : copy_bytes(r->payload[1], size, out);
}

/* Writes a text, and sets *kind and *done. Returns its size. */
static size_t redact_bytes(redactor *r, const hectic_event *event, const hectic_value *value,
                           uint8_t *out, enum redact_kind *kind_of, hectic_treatment *done)
{
    const enum redact_kind kind = *kind_of = redact_kind_of(value->field);
    hectic_redaction tight;
    const hectic_redaction *redaction = r->redaction;
    if (r->is_tight && redaction->treatment[kind] == HECTIC_REPLACE) {
        tight = *redaction;
        tight.treatment[kind] = HECTIC_DROP;
        redaction = &tight;
    }
    if (kind == REDACT_DATA) return redact_data(r, event, out, kind_of, done);
    if (value->field->wire != HECTIC_TEXTS)
        return redact_text(redaction, kind, value->bytes, value->length, out, done);
    copy_bytes(value->bytes, value->length, r->list);
    size_t size = value->length;
    if (redaction->treatment[kind] != HECTIC_KEEP && size > 0 && r->list[size - 1] != '\0')
        r->list[size++] = '\0';
    return redact_texts(redaction, kind, r->list, size, out, done);
}

static void count_one(redactor *r, const hectic_event *event, const hectic_value *value,
                      enum redact_kind kind, hectic_treatment done, bool is_changed)
{
    if (kind != REDACT_NOTHING) r->redacted->count[kind][done]++;
    if (is_changed && r->changed) r->changed(r->changed_user, event, value->field);
}

/* Writes a field; SIZE_MAX: the event is to be omitted. */
static size_t put_field(redactor *r, const hectic_event *event, const hectic_value *values,
                        size_t i, uint8_t *out)
{
    const hectic_value *value = &values[i];
    hectic_treatment done = HECTIC_KEEP;
    enum redact_kind kind;
    size_t size;
    switch (value->field->wire) {
    case HECTIC_U8:
    case HECTIC_U16:
    case HECTIC_U32:
    case HECTIC_U64: field_store(out, value->length, value->number); return value->length;
    case HECTIC_U32S: return copy_bytes(value->bytes - 1, 1 + (size_t)value->length, out);
    default: break;
    }
    if (event->type == HECTIC_EVENT_SYNC) return redact_replayed(r, values, out);
    size = redact_bytes(r, event, value, out, &kind, &done);
    const bool is_changed = size != value->length || memcmp(out, value->bytes, size) != 0;
    if (value->length > 0) count_one(r, event, value, kind, done, is_changed);
    if (value->field->wire == HECTIC_STRING) out[size++] = '\0';
    return size;
}

/* Numbers first, since one field may be part of another. */
static void redact_numbers(redactor *r, const hectic_event *event, hectic_value *value,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const enum redact_kind kind = redact_kind_of(value[i].field);
        if (value[i].field->wire >= HECTIC_STRING || kind == REDACT_NOTHING) continue;
        const hectic_value before[2] = {value[i], i + 1 < count ? value[i + 1] : value[i]};
        redact_number(r, kind, &value[i], count - i);
        const bool is_changed = value[i].number != before[0].number ||
                                (i + 1 < count && value[i + 1].number != before[1].number);
        count_one(r, event, &value[i], kind, (hectic_treatment)r->redaction->treatment[kind],
                  is_changed);
    }
}

/* Returns its size, or SIZE_MAX to omit the event. */
static size_t redact_payload(redactor *r, const hectic_event *event, bool is_replayed, uint8_t *out)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used, size = 0;
    const hectic_shape *shape = event->declared->shape;
    const size_t count = hectic_shape_walk(shape, event->payload, event->size, value, &used);
    r->redacted->extra_bytes += event->size - used;
    redact_numbers(r, event, value, count);
    for (size_t i = 0; i < count; i++) {
        const size_t of_field = put_field(r, event, value, i, out + size);
        if (of_field == SIZE_MAX) return of_field;
        size += of_field;
    }
    if (size <= PAYLOAD_MAX - (is_replayed ? 4 : 0) || r->is_tight) return size;
    r->is_tight = true;
    size = redact_payload(r, event, is_replayed, out);
    r->is_tight = false;
    return size;
}

/* Most events have numbers only, which say nothing. */
static bool is_harmless(const hectic_shape *shape)
{
    if (shape->variable) return false;
    for (size_t i = 0; i < shape->field_count; i++)
        if (redact_kind_of(&shape->field[i]) != REDACT_NOTHING) return false;
    return true;
}

static bool has_impossible_time(const hectic_event *event)
{
    hectic_event_block_marker marker = {0};
    if (event->type == HECTIC_EVENT_BLOCK_MARKER) hectic_read_block_marker(event, &marker);
    return event->time >> TIME_BITS || marker.end_time >> TIME_BITS;
}

bool redactor_event(void *redactor, hectic_event *event)
{
    struct redactor *r = redactor;
    const hectic_shape *shape = event->declared->shape;
    if (!shape || has_impossible_time(event)) {
        r->redacted->unknown_events++;
        return false;
    }
    if (is_harmless(shape)) {
        r->redacted->extra_bytes += event->size - shape->size;
        event->size = shape->size;
        return true;
    }
    const size_t size = redact_payload(r, event, false, r->payload[0]);
    if (size > PAYLOAD_MAX) {
        r->redacted->unknown_events++;
        return false;
    }
    event->payload = r->payload[0];
    event->size = (uint16_t)size;
    return true;
}
