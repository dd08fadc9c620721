/* Loads and stores of the format's big-endian integers. */
#ifndef HECTIC_SRC_WIRE_H
#define HECTIC_SRC_WIRE_H

#include <stdint.h>
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

#endif
