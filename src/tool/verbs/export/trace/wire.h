/* wire.h — the encoding of protocol buffers, for messages of which very many are written. */
#ifndef HECTIC_EXPORT_WIRE_H
#define HECTIC_EXPORT_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };
enum { WIRE_VARINT_MAX = 10, WIRE_FIELD_MAX = 2 * WIRE_VARINT_MAX }; /* bytes */

/* Each function writes at `out`, where there is room, and returns the end of what it wrote. */

static inline uint8_t *wire_varint(uint8_t *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

static inline uint8_t *wire_tag(uint8_t *out, uint32_t field, enum wire_type type)
{
    return wire_varint(out, (uint64_t)field << 3 | type);
}

static inline uint8_t *wire_number(uint8_t *out, uint32_t field, uint64_t value)
{
    return wire_varint(wire_tag(out, field, WIRE_VARINT), value);
}

static inline uint8_t *wire_fixed64(uint8_t *out, uint32_t field, uint64_t value)
{
    out = wire_tag(out, field, WIRE_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        *out++ = (uint8_t)(value >> 8 * i);
    return out;
}

static inline uint8_t *wire_double(uint8_t *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return wire_fixed64(out, field, bits);
}

static inline uint8_t *wire_bytes(uint8_t *out, uint32_t field, const void *bytes, size_t size)
{
    out = wire_varint(wire_tag(out, field, WIRE_BYTES), size);
    memcpy(out, bytes, size);
    return out + size;
}

static inline uint8_t *wire_text(uint8_t *out, uint32_t field, const char *text)
{
    return wire_bytes(out, field, text, strlen(text));
}

/* Begins a message in a field, which wire_close ends: it begins there. */
static inline uint8_t *wire_open(uint8_t *out, uint32_t field)
{
    return wire_tag(out, field, WIRE_BYTES) + 1;
}

static inline uint8_t *wire_close(uint8_t *message, uint8_t *out)
{
    const size_t size = (size_t)(out - message);
    uint8_t length[WIRE_VARINT_MAX];
    if (size < 0x80) {
        message[-1] = (uint8_t)size;
        return out;
    }
    const size_t used = (size_t)(wire_varint(length, size) - length);
    memmove(message - 1 + used, message, size);
    memcpy(message - 1, length, used);
    return out + used - 1;
}

#endif
