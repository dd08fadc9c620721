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

enum { PIECE = 1 << 17 };

#ifdef HECTIC_ZLIB
#include <zlib.h>

typedef z_stream packer;

static bool packer_begin(packer *p)
{
    enum { GZIP = 16, WINDOW_BITS = 15, MEMORY = 9 };
    return deflateInit2(p, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

/* Compresses a piece; the last one is empty. */
static void packer_add(packer *p, struct packed *to, uint8_t *piece, size_t size)
{
    uint8_t out[PIECE];
    p->next_in = piece;
    p->avail_in = (uInt)size;
    do {
        p->next_out = out;
        p->avail_out = sizeof out;
        deflate(p, size > 0 ? Z_NO_FLUSH : Z_FINISH);
        packed_add(to, out, sizeof out - p->avail_out);
    } while (p->avail_out == 0 && !to->is_lost);
}

static void packer_end(packer *p)
{
    deflateEnd(p);
}

#else

typedef struct {
    char unused;
} packer;

static bool packer_begin(packer *p)
{
    (void)p;
    return true;
}

static void packer_add(packer *p, struct packed *to, const uint8_t *piece, size_t size)
{
    (void)p;
    packed_add(to, piece, size);
}

static void packer_end(packer *p)
{
    (void)p;
}
#endif

struct packed packed_stream(packed_read read, void *user, size_t most)
{
    struct packed packed = {0};
    packer p = {0};
    uint8_t piece[PIECE];
    ptrdiff_t size;
    if (!packer_begin(&p)) return (struct packed){.is_lost = true};
    do {
        size = read(user, piece, sizeof piece);
        if (size >= 0) packer_add(&p, &packed, piece, (size_t)size);
    } while (size > 0 && !packed.is_lost && packed.length <= most);
    packer_end(&p);
    const bool is_lost = packed.is_lost;
    if (size < 0 || is_lost || packed.length > most) packed_clear(&packed);
    packed.is_lost = is_lost;
    return packed;
}

struct piece {
    const uint8_t *at;
    size_t left;
};

static ptrdiff_t read_piece(void *user, void *buffer, size_t size)
{
    struct piece *from = user;
    if (size > from->left) size = from->left;
    if (size > 0) memcpy(buffer, from->at, size);
    from->at += size;
    from->left -= size;
    return (ptrdiff_t)size;
}

struct packed packed_gzip(const void *bytes, size_t size)
{
    return packed_stream(read_piece, &(struct piece){bytes, size}, SIZE_MAX);
}

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
