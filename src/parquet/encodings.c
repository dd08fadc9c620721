/* encodings.c — see encodings.h. */
#include "parquet/encodings.h"

#include <string.h>

enum { GROUP = 8 };

static uint8_t *put_bits(uint8_t *to, uint64_t bits, unsigned count)
{
    for (unsigned bit = 0; bit < count; bit += 8)
        *to++ = (uint8_t)(bits >> bit);
    return to;
}

/* Appends numbers of `width` bits, the lowest bit first; the last byte is filled with zeros. */
static void pack(struct buffer *out, const uint64_t *number, size_t count, unsigned width)
{
    const size_t size = (count * width + 7) / 8;
    uint8_t *to = buffer_room(out, size);
    uint64_t bits = 0; /* those that wait, and how many these are */
    unsigned used = 0;
    if (!to || width == 0) return;
    for (size_t i = 0; i < count; i++) {
        bits |= number[i] << used;
        used += width;
        if (used < 64) continue;
        to = put_bits(to, bits, 64);
        used -= 64;
        bits = used > 0 ? number[i] >> (width - used) : 0;
    }
    put_bits(to, bits, used);
    out->size += size;
}

/* --- RLE ------------------------------------------------------------------------------------- */

void encode_run(struct buffer *out, uint64_t number, size_t count, unsigned width)
{
    buffer_add_varint(out, (uint64_t)count << 1);
    for (unsigned bit = 0; bit < width; bit += 8)
        buffer_add_byte(out, (uint8_t)(number >> bit));
}

/* Groups of eight; the last one is filled with zeros. */
static void encode_groups(struct buffer *out, const uint64_t *number, size_t count, unsigned width)
{
    static const uint8_t zeros[64];
    const size_t groups = (count + GROUP - 1) / GROUP;
    if (count == 0) return;
    buffer_add_varint(out, groups << 1 | 1);
    const size_t end = out->size + groups * width;
    pack(out, number, count, width);
    if (!out->failed) buffer_add(out, zeros, end - out->size);
}

static size_t run_length(const uint64_t *number, size_t count)
{
    size_t length = 1;
    while (length < count && number[length] == number[0])
        length++;
    return length;
}

void encode_runs(struct buffer *out, const uint64_t *number, size_t count, unsigned width)
{
    size_t begin = 0; /* of what is not written */
    for (size_t i = 0, length; i < count; i += length) {
        length = run_length(number + i, count - i);
        /* Groups before a run must be complete: it gives them its first numbers. */
        const size_t missing = (GROUP - (i - begin) % GROUP) % GROUP;
        if (length < missing + GROUP) continue;
        encode_groups(out, number + begin, i + missing - begin, width);
        encode_run(out, number[i], length - missing, width);
        begin = i + length;
    }
    encode_groups(out, number + begin, count - begin, width);
}

void encode_bits(struct buffer *out, const uint8_t *bit, size_t count)
{
    const size_t groups = (count + GROUP - 1) / GROUP;
    buffer_add_varint(out, groups << 1 | 1);
    uint8_t *to = buffer_room(out, groups);
    if (!to) return;
    memset(to, 0, groups);
    for (size_t i = 0; i < count; i++)
        to[i / GROUP] |= (uint8_t)(bit[i] << i % GROUP);
    out->size += groups;
}

void encode_flags(struct buffer *out, const uint64_t *flag, size_t count)
{
    pack(out, flag, count, 1);
}

/* --- Deltas ---------------------------------------------------------------------------------- */

enum { BLOCK = 128, PARTS = 4, PART = BLOCK / PARTS };

/* A block of deltas: the least one, and by how much the others are above it. */
static void encode_block(struct buffer *out, uint64_t *delta, size_t count)
{
    unsigned width[PARTS] = {0};
    int64_t least = (int64_t)delta[0];
    for (size_t i = 1; i < count; i++)
        if ((int64_t)delta[i] < least) least = (int64_t)delta[i];
    for (size_t i = 0; i < count; i++) {
        delta[i] -= (uint64_t)least;
        const unsigned bits = bits_of(delta[i]);
        if (bits > width[i / PART]) width[i / PART] = bits;
    }
    for (size_t i = count; i < BLOCK; i++)
        delta[i] = 0;
    buffer_add_varint(out, zigzag(least));
    for (size_t part = 0; part < PARTS; part++)
        buffer_add_byte(out, (uint8_t)width[part]);
    for (size_t part = 0; part * PART < count; part++)
        pack(out, delta + part * PART, PART, width[part]);
}

void encode_deltas(struct buffer *out, const uint64_t *number, size_t count)
{
    uint64_t delta[BLOCK];
    buffer_add_varint(out, BLOCK);
    buffer_add_varint(out, PARTS);
    buffer_add_varint(out, count);
    buffer_add_varint(out, zigzag(count > 0 ? (int64_t)number[0] : 0));
    for (size_t i = 1; i < count; i += BLOCK) {
        const size_t deltas = count - i < BLOCK ? count - i : BLOCK;
        for (size_t j = 0; j < deltas; j++)
            delta[j] = number[i + j] - number[i + j - 1];
        encode_block(out, delta, deltas);
    }
}
