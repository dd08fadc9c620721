/* buffer.h — bytes in memory. */
#ifndef HECTIC_SRC_BASE_BUFFER_H
#define HECTIC_SRC_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empty if all zero. After a failure, nothing is added any more. */
struct buffer {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed; /* out of memory */
};

/* Room for further bytes, at the end; add what was used to `size`. NULL: out of memory. */
uint8_t *buffer_room(struct buffer *buffer, size_t size);
void buffer_add(struct buffer *buffer, const void *bytes, size_t size);
void buffer_free(struct buffer *buffer);

static inline void buffer_add_byte(struct buffer *buffer, uint8_t byte)
{
    if (buffer->size < buffer->capacity && !buffer->failed)
        buffer->bytes[buffer->size++] = byte;
    else
        buffer_add(buffer, &byte, 1);
}

/* Seven bits in each byte, the lowest first. */
void buffer_add_varint(struct buffer *buffer, uint64_t number);

/* The lowest byte first. */
void buffer_add_u32(struct buffer *buffer, uint32_t number);
void buffer_add_u64s(struct buffer *buffer, const uint64_t *number, size_t count);

/* 0, -1, 1, -2 … as 0, 1, 2, 3 … */
static inline uint64_t zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

#endif
