/* Emitting, for tests: random values for the fields of any event, and a writer that keeps its
 * input. */
#ifndef HECTIC_TEST_EMIT_H
#define HECTIC_TEST_EMIT_H

#include "bytes.h"

#include "format/event_bytes.h"

/* Values for an event's fields, with their memory. */
struct values {
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t count;
    uint8_t room[HECTIC_MAX_FIELDS][4 * 255 + 1];
};

/* The list of a U32S in native byte order; valid until this thread's next call. */
static inline const uint32_t *numbers_of(const hectic_value *value)
{
    static _Thread_local uint32_t numbers[255];
    for (size_t i = 0; i < value->number; i++)
        numbers[i] = load32(value->bytes + 4 * i);
    return numbers;
}

/* Calls the function of hectic/emit_events.h for an event with these values; texts must be
 * NUL-terminated. */
static inline bool emit_call(hectic_emit_cap *cap, uint16_t number, const hectic_value *value)
{
    switch (number) {
#include "emit_calls.h"
    default: return false;
    }
}

static inline bool emit_has_call(const hectic_shape *shape)
{
    return shape->class_ != HECTIC_CLASS_FRAMING && shape == hectic_shape_by_number(shape->number);
}

/* Letters, which are valid in UTF-8 and Latin-1; for BYTES and TEXTS any bytes. */
static inline void values_fill(struct values *v, const hectic_shape *shape, uint64_t *random,
                               size_t longest)
{
    v->count = shape->field_count;
    if (longest > sizeof v->room[0] - 1) longest = sizeof v->room[0] - 1;
    for (size_t i = 0; i < v->count; i++) {
        const hectic_wire wire = shape->field[i].wire;
        hectic_value *value = &v->value[i];
        *value = (hectic_value){.field = &shape->field[i], .bytes = v->room[i]};
        if (wire <= HECTIC_U64) {
            value->number = random_next(random) >> (64 - (8u << wire));
            continue;
        }
        value->length = (uint32_t)random_below(random, longest + 1);
        if (wire == HECTIC_U32S) {
            value->length &= ~3u;
            value->number = value->length / 4;
        }
        const bool text = wire == HECTIC_STRING || wire == HECTIC_TEXT || wire == HECTIC_LATIN1;
        for (uint32_t j = 0; j < value->length; j++)
            v->room[i][j] = (uint8_t)(text ? 'a' + random_below(random, 26) : random_next(random));
        v->room[i][value->length] = 0;
    }
    /* As the functions do: omits empty optional fields. */
    while (v->count > 0 && v->value[v->count - 1].field->optional &&
           v->value[v->count - 1].number == 0 && v->value[v->count - 1].length == 0)
        v->count--;
}

/* Encodes the payload of these values to `out`. */
static inline size_t values_payload(const struct values *v, uint16_t number,
                                    uint8_t out[HECTIC_EVENT_MAX])
{
    const hectic_event_type type = hectic_type_of(number);
    const size_t size = hectic_encode_fields(out, HECTIC_EVENT_MAX, &type, 0, v->value, v->count);
    const size_t before = type.size == HECTIC_VARIABLE ? 12 : 10;
    assert_true(size >= before && size <= HECTIC_EVENT_MAX);
    memmove(out, out + before, size - before);
    return size - before;
}

/* The end time in a block marker. */
static inline uint64_t event_block_end(const hectic_event *marker)
{
    return load64(marker->payload + 4);
}

/* A hectic_emit_writer into a struct bytes. */
static inline bool emit_keep(void *user, const void *bytes, size_t length)
{
    return bytes_write(user, bytes, length);
}
static const hectic_emit_writer emit_keeper = {.write = emit_keep};

#endif
