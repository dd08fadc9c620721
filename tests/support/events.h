/* Builds events for consumers of events. */
#ifndef HECTIC_TEST_EVENTS_H
#define HECTIC_TEST_EVENTS_H

#include "bytes.h"

enum { EVENT_SIZE_MAX = 4096 };

/* Writes a number in `bytes` bytes. */
static inline uint8_t *event_put(uint8_t *out, uint64_t number, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; number >>= 8)
        out[i] = (uint8_t)number;
    return out + bytes;
}

/* An event in the catalogue's newest shape, with its numbers in the order of the fields, then a
 * text if the shape has one. The payload is in `room` (EVENT_SIZE_MAX bytes), the type in `type`.
 */
static inline hectic_event event_make(uint8_t *room, hectic_event_type *type, uint64_t time,
                                      uint16_t cap, uint16_t number, const uint64_t *numbers,
                                      const char *text)
{
    static const size_t bytes[] = {
        [HECTIC_U8] = 1, [HECTIC_U16] = 2, [HECTIC_U32] = 4, [HECTIC_U64] = 8};
    const hectic_shape *shape = hectic_shape_by_number(number);
    assert_non_null(shape);
    uint8_t *out = room;
    for (size_t i = 0; i < shape->field_count; i++) {
        if (shape->field[i].wire <= HECTIC_U64) {
            out = event_put(out, *numbers++, bytes[shape->field[i].wire]);
        } else {
            memcpy(out, text, strlen(text));
            out += strlen(text);
        }
    }
    *type = (hectic_event_type){
        .number = number, .size = shape->variable ? HECTIC_VARIABLE : shape->size, .shape = shape};
    return (hectic_event){.time = time,
                          .payload = room,
                          .declared = type,
                          .type = number,
                          .size = (uint16_t)(out - room),
                          .cap = cap};
}

/* Passes an event to `consumer` by `feed`: EVENT(feed, consumer, time, cap, NAME, text, numbers…).
 */
#define EVENT(feed, consumer, time, cap, name, text, ...)                                          \
    do {                                                                                           \
        uint8_t room_[EVENT_SIZE_MAX];                                                             \
        hectic_event_type type_;                                                                   \
        const uint64_t numbers_[] = {__VA_ARGS__};                                                 \
        const hectic_event event_ =                                                                \
            event_make(room_, &type_, time, cap, HECTIC_EVENT_##name, numbers_, text);             \
        assert_true(feed(consumer, &event_));                                                      \
    } while (0)

/* The same event replayed: in a SYNC event without a cap. */
#define EVENT_REPLAYED(feed, consumer, when, of_cap, name, text, ...)                              \
    do {                                                                                           \
        uint8_t inside_[EVENT_SIZE_MAX], room_[EVENT_SIZE_MAX + 4];                                \
        hectic_event_type type_;                                                                   \
        const uint64_t numbers_[] = {__VA_ARGS__};                                                 \
        hectic_event event_ =                                                                      \
            event_make(inside_, &type_, when, of_cap, HECTIC_EVENT_##name, numbers_, text);        \
        memcpy(event_put(event_put(room_, event_.type, 2), event_.cap, 2), inside_, event_.size);  \
        type_ = (hectic_event_type){.number = HECTIC_EVENT_SYNC, .size = HECTIC_VARIABLE};         \
        event_.payload = room_;                                                                    \
        event_.size = (uint16_t)(event_.size + 4);                                                 \
        event_.type = HECTIC_EVENT_SYNC;                                                           \
        event_.cap = HECTIC_CAP_NONE;                                                              \
        assert_true(feed(consumer, &event_));                                                      \
    } while (0)

/* A header that declares events of the catalogue's newest shapes. */
static inline hectic_header *event_header(const uint16_t *numbers, size_t count)
{
    hectic_event_type types[16] = {0};
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++) {
        const hectic_shape *shape = hectic_shape_by_number(numbers[i]);
        types[i] = (hectic_event_type){.number = numbers[i],
                                       .size = shape->variable ? HECTIC_VARIABLE : shape->size,
                                       .description = "Type",
                                       .description_length = 4};
    }
    hectic_header *header = hectic_header_new(types, count);
    assert_non_null(header);
    return header;
}

#endif
