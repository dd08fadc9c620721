/* Encodes events: the inverse of the decoder. */
#include "format/event_bytes.h"

#include <hectic/encoder.h>

/* Copies that allow NULL with length 0, and return the end of the output. */
static uint8_t *put(uint8_t *out, const void *bytes, size_t length)
{
    if (length > 0) memcpy(out, bytes, length);
    return out + length;
}

static uint8_t *put16(uint8_t *out, uint16_t value)
{
    store16(out, value);
    return out + 2;
}

static uint8_t *put32(uint8_t *out, uint32_t value)
{
    store32(out, value);
    return out + 4;
}

static uint8_t *put64(uint8_t *out, uint64_t value)
{
    store64(out, value);
    return out + 8;
}

size_t hectic_encode_header(uint8_t *out, size_t capacity, const hectic_event_type *types,
                            size_t count)
{
    enum { FRAME = 5 * 4, TYPE_FRAME = 4 + 2 + 2 + 4 + 4 + 4 };
    size_t needed = FRAME;
    for (size_t i = 0; i < count; i++)
        needed += TYPE_FRAME + (size_t)types[i].description_length + types[i].extra_length;
    if (needed > capacity) return needed;

    out = put32(out, MARK_HEADER_BEGIN);
    out = put32(out, MARK_TYPES_BEGIN);
    for (size_t i = 0; i < count; i++) {
        const hectic_event_type *type = &types[i];
        out = put32(out, MARK_TYPE_BEGIN);
        out = put16(out, type->number);
        out = put16(out, type->size);
        out = put32(out, type->description_length);
        out = put(out, type->description, type->description_length);
        out = put32(out, type->extra_length);
        out = put(out, type->extra, type->extra_length);
        out = put32(out, MARK_TYPE_END);
    }
    out = put32(out, MARK_TYPES_END);
    out = put32(out, MARK_HEADER_END);
    put32(out, MARK_DATA_BEGIN);
    return needed;
}

/* The size before a payload: type, time, and length if it is variable. */
static size_t prefix_size(const hectic_event_type *declared)
{
    return declared->size == HECTIC_VARIABLE ? 12 : 10;
}

static uint8_t *put_prefix(uint8_t *out, const hectic_event_type *declared, uint64_t time,
                           size_t size)
{
    out = put16(out, declared->number);
    out = put64(out, time);
    return declared->size == HECTIC_VARIABLE ? put16(out, (uint16_t)size) : out;
}

size_t hectic_encode_event(uint8_t *out, size_t capacity, const hectic_event *event)
{
    const hectic_event_type *declared = event->declared;
    if (declared->size != HECTIC_VARIABLE && declared->size != event->size) return 0;
    size_t needed = prefix_size(declared) + event->size;
    if (needed > capacity) return needed;
    out = put_prefix(out, declared, event->time, event->size);
    put(out, event->payload, event->size);
    return needed;
}

/* The encoded size of an integer; 0 for other fields. */
static size_t integer_width(hectic_wire wire)
{
    switch (wire) {
    case HECTIC_U8: return 1;
    case HECTIC_U16: return 2;
    case HECTIC_U32: return 4;
    case HECTIC_U64: return 8;
    default: return 0;
    }
}

enum { UNENCODABLE = 65536 }; /* one more than the maximum size of a payload */

static size_t field_size(hectic_wire wire, const hectic_value *value)
{
    size_t width = integer_width(wire);
    if (width > 0) return width == 8 || value->number >> 8 * width == 0 ? width : UNENCODABLE;
    if (value->length >= UNENCODABLE) return UNENCODABLE;
    switch (wire) {
    case HECTIC_STRING:
        if (value->length > 0 && memchr(value->bytes, 0, value->length)) return UNENCODABLE;
        return value->length + (size_t)1;
    case HECTIC_U32S:
        if (value->length % 4 != 0 || value->length / 4 > UINT8_MAX) return UNENCODABLE;
        return value->length + (size_t)1;
    default: return value->length;
    }
}

static uint8_t *put_field(uint8_t *out, hectic_wire wire, const hectic_value *value)
{
    switch (wire) {
    case HECTIC_U8: *out = (uint8_t)value->number; return out + 1;
    case HECTIC_U16: return put16(out, (uint16_t)value->number);
    case HECTIC_U32: return put32(out, (uint32_t)value->number);
    case HECTIC_U64: return put64(out, value->number);
    case HECTIC_STRING:
        out = put(out, value->bytes, value->length);
        *out = 0;
        return out + 1;
    case HECTIC_U32S: *out++ = (uint8_t)(value->length / 4); break;
    default: break;
    }
    return put(out, value->bytes, value->length);
}

size_t hectic_encode_fields(uint8_t *out, size_t capacity, const hectic_event_type *declared,
                            uint64_t time, const hectic_value *value, size_t count)
{
    const hectic_shape *shape = declared->shape;
    if (!shape || count > shape->field_count) return 0;
    if (count < shape->field_count && !shape->field[count].optional) return 0;

    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += field_size(shape->field[i].wire, &value[i]);
    size_t size = declared->size == HECTIC_VARIABLE ? used : declared->size;
    if (used > size || size > UINT16_MAX) return 0;

    size_t needed = prefix_size(declared) + size;
    if (needed > capacity) return needed;
    out = put_prefix(out, declared, time, size);
    for (size_t i = 0; i < count; i++)
        out = put_field(out, shape->field[i].wire, &value[i]);
    memset(out, 0, size - used);
    return needed;
}

size_t hectic_encode_block_marker(uint8_t *out, size_t capacity, uint64_t time, uint32_t size,
                                  uint64_t end_time, uint16_t cap)
{
    if (capacity < HECTIC_BLOCK_MARKER_SIZE) return HECTIC_BLOCK_MARKER_SIZE;
    out = put16(out, HECTIC_EVENT_BLOCK_MARKER);
    out = put64(out, time);
    out = put32(out, size);
    out = put64(out, end_time);
    put16(out, cap);
    return HECTIC_BLOCK_MARKER_SIZE;
}

size_t hectic_encode_data_end(uint8_t *out, size_t capacity)
{
    if (capacity >= 2) store16(out, HECTIC_DATA_END);
    return 2;
}

hectic_event_type hectic_type_of(uint16_t number)
{
    const hectic_shape *shape = hectic_shape_by_number(number);
    if (!shape) return (hectic_event_type){0};
    return (hectic_event_type){
        .number = number,
        .size = shape->variable ? HECTIC_VARIABLE : shape->size,
        .description_length = (uint32_t)strlen(shape->label),
        .description = shape->label,
        .shape = shape,
    };
}
