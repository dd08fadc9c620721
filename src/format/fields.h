/* Fields of payloads that the catalogue describes, at places that are known only at run time: see
 * hectic_shape_walk. The fields of a known event are read by hectic/read_events.h. */
#ifndef HECTIC_SRC_FIELDS_H
#define HECTIC_SRC_FIELDS_H

#include "format/event_bytes.h"

#include <hectic/catalogue.h>

/* An integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t field_load(const uint8_t *at, unsigned width)
{
    switch (width) {
    case 1: return *at;
    case 2: return load16(at);
    case 4: return load32(at);
    default: return load64(at);
    }
}

static inline void field_store(uint8_t *at, unsigned width, uint64_t number)
{
    switch (width) {
    case 1: *at = (uint8_t)number; break;
    case 2: store16(at, (uint16_t)number); break;
    case 4: store32(at, (uint32_t)number); break;
    default: store64(at, number); break;
    }
}

/* Is an event malformed of which hectic_shape_walk has found `count` fields, in `used` bytes of
 * `size`? An optional field may be absent. */
static inline bool fields_are_malformed(const hectic_shape *shape, size_t count, size_t used,
                                        size_t size)
{
    return count < shape->field_count && !(shape->field[count].optional && used == size);
}

/* Changes a field of `payload` that hectic_shape_walk has found there. */
static inline void field_set(uint8_t *payload, const hectic_value *value, uint64_t number)
{
    field_store(payload + (value->bytes - payload), value->length, number);
}

/* Number `i` of a HECTIC_U32S. */
static inline uint32_t field_number(const hectic_value *list, size_t i)
{
    return load32(list->bytes + 4 * i);
}

static inline void field_set_number(uint8_t *payload, const hectic_value *list, size_t i,
                                    uint32_t number)
{
    store32(payload + (list->bytes - payload) + 4 * i, number);
}

#endif
