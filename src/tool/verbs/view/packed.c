/* packed.c — see packed.h. */
#include "tool/verbs/view/packed.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void packed_add(struct packed *to, const void *bytes, size_t size)
{
    to->is_lost = to->is_lost || !array_reserve(to->bytes, to->capacity, to->length + size);
    if (to->is_lost) return;
    if (size > 0) memcpy(to->bytes + to->length, bytes, size);
    to->length += size;
}

void packed_clear(struct packed *p)
{
    free(p->bytes);
    *p = (struct packed){0};
}

#ifdef HECTIC_ZLIB
#include <zlib.h>

struct packed packed_gzip(const void *bytes, size_t size)
{
    enum { GZIP = 16, WINDOW_BITS = 15, MEMORY = 9 };
    struct packed packed = {.is_lost = true};
    z_stream stream = {0};
    if (size > UINT32_MAX / 2 ||
        deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return packed;
    const size_t most = deflateBound(&stream, size);
    packed.bytes = malloc(most);
    stream.next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not change them */
    stream.avail_in = (uInt)size;
    stream.next_out = packed.bytes;
    stream.avail_out = (uInt)most;
    packed.is_lost = !packed.bytes || deflate(&stream, Z_FINISH) != Z_STREAM_END;
    packed.length = packed.capacity = packed.is_lost ? 0 : most - stream.avail_out;
    deflateEnd(&stream);
    return packed;
}

#else

struct packed packed_gzip(const void *bytes, size_t size)
{
    struct packed packed = {0};
    packed_add(&packed, bytes, size);
    return packed;
}
#endif

void packed_base64(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t rest = size - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (rest > 2 ? bytes[i + 2] : 0);
        *text++ = digits[group >> 18];
        *text++ = digits[group >> 12 & 63];
        *text++ = rest > 1 ? digits[group >> 6 & 63] : '=';
        *text++ = rest > 2 ? digits[group & 63] : '=';
    }
}
