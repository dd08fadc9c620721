/* Emits every event of GHC's runtime once, to a log at argv[1], each with plausible values. */
#include <hectic/emit.h>
#include <hectic/emit_events.h>

#include <stdlib.h>

/* The functions made from the catalogue, by the event's number. */
static const uint32_t *numbers_of(const hectic_value *value)
{
    static const uint32_t numbers[] = {1, 2};
    (void)value;
    return numbers;
}

static bool emit_call(hectic_emit_cap *cap, uint16_t number, const hectic_value *value)
{
    switch (number) {
#include "emit_calls.h"
    default: return false;
    }
}

/* A text that is also a number, as info tables need. */
static hectic_value plausible(const hectic_field *field, size_t i)
{
    static const char text[] = "7";
    hectic_value value = {.field = field, .bytes = (const uint8_t *)text};
    if (field->optional) return (hectic_value){.field = field};
    switch (field->wire) {
    case HECTIC_U8:
    case HECTIC_U16:
    case HECTIC_U32:
    case HECTIC_U64: value.number = i + 1; break;
    case HECTIC_U32S: value.number = 2; break;
    default: value.length = sizeof text - 1;
    }
    return value;
}

int main(int argc, char **argv)
{
    hectic_emitter *e = hectic_emitter_new(NULL);
    if (argc < 2 || !e) return EXIT_FAILURE;
    const hectic_destination file = {.path = argv[1]};
    if (hectic_emitter_start(e, &file) != HECTIC_EMIT_OK) return EXIT_FAILURE;
    hectic_emit_cap *cap = hectic_emitter_cap(e, 0);
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (const hectic_shape *end = shape + count; shape < end; shape++) {
        if (hectic_shape_by_number(shape->number) != shape) continue;
        hectic_value value[HECTIC_MAX_FIELDS];
        for (size_t i = 0; i < shape->field_count; i++)
            value[i] = plausible(&shape->field[i], i);
        emit_call(cap, shape->number, value);
        hectic_emit_user_marker(cap, shape->name);
    }
    hectic_emitter_free(e);
    return EXIT_SUCCESS;
}
