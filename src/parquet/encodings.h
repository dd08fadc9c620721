/* encodings.h — the values of a page as bytes. */
#ifndef HECTIC_SRC_PARQUET_ENCODINGS_H
#define HECTIC_SRC_PARQUET_ENCODINGS_H

#include "base/buffer.h"

/* The bits that a number needs: 0 … 64. */
static inline unsigned bits_of(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* RLE: runs of equal numbers, and groups of eight of `width` bits each. */
void encode_runs(struct buffer *out, const uint64_t *number, size_t count, unsigned width);

/* `count` times the number. */
void encode_run(struct buffer *out, uint64_t number, size_t count, unsigned width);

/* DELTA_BINARY_PACKED. */
void encode_deltas(struct buffer *out, const uint64_t *number, size_t count);

/* RLE of bits: groups alone. */
void encode_bits(struct buffer *out, const uint8_t *bit, size_t count);

/* PLAIN, of flags: a bit each. */
void encode_flags(struct buffer *out, const uint64_t *flag, size_t count);

#endif
