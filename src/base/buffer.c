/* buffer.c — see buffer.h. */
#include "base/buffer.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

uint8_t *buffer_room(struct buffer *buffer, size_t size)
{
    buffer->failed =
        buffer->failed || !array_reserve(buffer->bytes, buffer->capacity, buffer->size + size);
    return buffer->failed ? NULL : buffer->bytes + buffer->size;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
    uint8_t *room = buffer_room(buffer, size);
    if (!room || size == 0) return;
    memcpy(room, bytes, size);
    buffer->size += size;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

void buffer_add_varint(struct buffer *buffer, uint64_t number)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[size++] = (uint8_t)(number | 0x80);
    bytes[size++] = (uint8_t)number;
    buffer_add(buffer, bytes, size);
}

void buffer_add_u32(struct buffer *buffer, uint32_t number)
{
    const uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 24)};
    buffer_add(buffer, bytes, sizeof bytes);
}

void buffer_add_u64s(struct buffer *buffer, const uint64_t *number, size_t count)
{
    uint8_t *room = buffer_room(buffer, 8 * count);
    if (!room) return;
    for (size_t i = 0; i < count; i++, room += 8) {
        const uint64_t n = number[i];
        room[0] = (uint8_t)n, room[1] = (uint8_t)(n >> 8);
        room[2] = (uint8_t)(n >> 16), room[3] = (uint8_t)(n >> 24);
        room[4] = (uint8_t)(n >> 32), room[5] = (uint8_t)(n >> 40);
        room[6] = (uint8_t)(n >> 48), room[7] = (uint8_t)(n >> 56);
    }
    buffer->size += 8 * count;
}
