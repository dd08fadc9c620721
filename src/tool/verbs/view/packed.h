/* packed.h — bytes in memory, as a report contains them: compressed by gzip, in base64. */
#ifndef HECTIC_VIEW_PACKED_H
#define HECTIC_VIEW_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed {
    uint8_t *bytes;
    size_t length, capacity;
    bool is_lost; /* out of memory */
};

void packed_add(struct packed *to, const void *bytes, size_t size);
void packed_clear(struct packed *bytes);

/* Reads the next bytes of what is compressed; 0: its end; below 0: failed. */
typedef ptrdiff_t (*packed_read)(void *user, void *buffer, size_t size);

/* What is read, compressed by gzip (without zlib, a copy); of length 0 if it would have more than
 * `most` bytes. */
struct packed packed_stream(packed_read read, void *user, size_t most);
struct packed packed_gzip(const void *bytes, size_t size);

/* The length of base64. */
static inline size_t packed_base64_length(size_t size)
{
    return (size + 2) / 3 * 4;
}

/* `text` has room for it. */
void packed_base64(const uint8_t *bytes, size_t size, char *text);

#endif
