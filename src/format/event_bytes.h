/* Loads and stores of big-endian integers in headers and events. */
#ifndef HECTIC_SRC_EVENT_BYTES_H
#define HECTIC_SRC_EVENT_BYTES_H

#include <hectic/decoder.h>

#include <string.h>

static inline uint16_t load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap16(v);
#endif
    return v;
}

static inline uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline void store16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void store32(uint8_t *p, uint32_t v)
{
    store16(p, (uint16_t)(v >> 16));
    store16(p + 2, (uint16_t)v);
}

static inline void store64(uint8_t *p, uint64_t v)
{
    store32(p, (uint32_t)(v >> 32));
    store32(p + 4, (uint32_t)v);
}

/* The type and time of an event in a log, and the length of its payload if its size is variable. */
enum { EVENT_HEAD = 10, VARIABLE_HEAD = EVENT_HEAD + 2 };

static inline uint16_t event_type_at(const uint8_t *event)
{
    return load16(event);
}

static inline uint64_t event_time_at(const uint8_t *event)
{
    return load64(event + 2);
}

static inline uint16_t event_length_at(const uint8_t *event)
{
    return load16(event + EVENT_HEAD);
}

static inline void event_set_time(uint8_t *event, uint64_t time)
{
    store64(event + 2, time);
}

/* Sets *event to the view of the event of a declared type, and returns its size. */
static inline size_t event_view(const hectic_event_type *declared, const uint8_t *at, uint16_t cap,
                                hectic_event *event)
{
    const bool is_variable = declared->size == HECTIC_VARIABLE;
    const size_t head = is_variable ? VARIABLE_HEAD : EVENT_HEAD;
    *event = (hectic_event){.time = event_time_at(at),
                            .payload = at + head,
                            .declared = declared,
                            .type = declared->number,
                            .size = is_variable ? event_length_at(at) : declared->size,
                            .cap = cap};
    return head + event->size;
}

/* A block marker's size and end time. */
enum { MARKER_SIZE_AT = EVENT_HEAD, MARKER_END_AT = EVENT_HEAD + 4 };

static inline void marker_set_size(uint8_t *marker, size_t size)
{
    store32(marker + MARKER_SIZE_AT, (uint32_t)size);
}

static inline uint64_t marker_end_at(const uint8_t *marker)
{
    return load64(marker + MARKER_END_AT);
}

static inline void marker_set_end(uint8_t *marker, uint64_t time)
{
    store64(marker + MARKER_END_AT, time);
}

/* The four-byte marks of a header. */
enum {
    MARK_HEADER_BEGIN = 0x68647262, /* "hdrb" */
    MARK_HEADER_END = 0x68647265,   /* "hdre" */
    MARK_TYPES_BEGIN = 0x68657462,  /* "hetb" */
    MARK_TYPES_END = 0x68657465,    /* "hete" */
    MARK_TYPE_BEGIN = 0x65746200,   /* "etb\0" */
    MARK_TYPE_END = 0x65746500,     /* "ete\0" */
    MARK_DATA_BEGIN = 0x64617462,   /* "datb" */
};

static inline bool is_mark(const uint8_t *bytes, size_t size, uint32_t mark)
{
    return size >= sizeof mark && load32(bytes) == mark;
}

#endif
