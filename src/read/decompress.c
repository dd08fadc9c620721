#include "read/decompress.h"

#include <stdlib.h>
#include <string.h>
#ifdef HECTIC_ZLIB
#define ZLIB_CONST /* next_in */
#include <zlib.h>
#endif
#ifdef HECTIC_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

struct decompress_kind {
    const char *name;
    uint8_t magic[DECOMPRESS_MAGIC_SIZE];
    size_t magic_length;
    uint8_t first_mask; /* mask of the significant bits of magic[0] */
    bool (*open)(decompressor *u);
    void (*close)(decompressor *u);
    hectic_error_kind (*step)(decompressor *u, decompress_step *s);
};

#ifdef HECTIC_ZLIB
static bool gzip_open(decompressor *u)
{
    z_stream *z = u->state = calloc(1, sizeof *z);
    if (z && inflateInit2(z, 15 + 16) == Z_OK) return true;
    free(z);
    return false;
}

static void gzip_close(decompressor *u)
{
    inflateEnd(u->state);
    free(u->state);
}

static hectic_error_kind gzip_step(decompressor *u, decompress_step *s)
{
    z_stream *z = u->state;
    /* Zeros may pad the last block of a medium: gzip skips them, too. */
    if (u->between)
        while (s->used < s->in_size && s->in[s->used] == 0)
            s->used++;
    z->next_in = s->in + s->used;
    z->avail_in = (uInt)(s->in_size - s->used);
    z->next_out = s->out;
    z->avail_out = (uInt)s->out_size;
    const int result = inflate(z, Z_NO_FLUSH);
    s->used = s->in_size - z->avail_in;
    s->made = s->out_size - z->avail_out;
    switch (result) {
    case Z_BUF_ERROR: return HECTIC_OK; /* no progress */
    case Z_OK: u->between = false; return HECTIC_OK;
    case Z_STREAM_END:
        u->between = true; /* a further member may follow */
        return inflateReset(z) == Z_OK ? HECTIC_OK : HECTIC_NO_MEMORY;
    case Z_MEM_ERROR: return HECTIC_NO_MEMORY;
    default: u->why = z->msg; return HECTIC_COMPRESSION;
    }
}
#endif

#ifdef HECTIC_ZSTD
/* The size of a block header, and of the input that libzstd requires at the beginning of a frame.
 */
enum { ZSTD_BLOCK_HEAD = 3, ZSTD_FRAME_BEGIN = 5 };

static bool zstd_open(decompressor *u)
{
    u->state = ZSTD_createDStream();
    u->wanted = ZSTD_FRAME_BEGIN;
    return u->state;
}

static void zstd_close(decompressor *u)
{
    ZSTD_freeDStream(u->state);
}

static hectic_error_kind zstd_error(decompressor *u, size_t result)
{
    u->why = ZSTD_getErrorName(result);
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation: return HECTIC_NO_MEMORY;
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_dictionary_wrong: return HECTIC_UNSUPPORTED_COMPRESSION;
    default: return HECTIC_COMPRESSION;
    }
}

/* A failing call does not report its previous output. So each call gets at most the body of one
 * block, or one header: libzstd requires the body and the next block's header together. */
static hectic_error_kind zstd_step(decompressor *u, decompress_step *s)
{
    ZSTD_inBuffer in = {s->in, s->in_size, 0};
    ZSTD_outBuffer out = {s->out, s->out_size, 0};
    const size_t most = u->wanted > ZSTD_BLOCK_HEAD ? u->wanted - ZSTD_BLOCK_HEAD : u->wanted;
    if (u->pending)
        in.size = 0;
    else if (in.size > most)
        in.size = most;
    const size_t result = ZSTD_decompressStream(u->state, &out, &in);
    if (ZSTD_isError(result)) return zstd_error(u, result);
    s->used = in.pos;
    s->made = out.pos;
    if (in.pos == 0 && out.pos == 0) return HECTIC_OK; /* no progress */
    u->between = result == 0;
    u->wanted = result ? result : ZSTD_FRAME_BEGIN;
    return HECTIC_OK;
}
#endif

#ifdef HECTIC_ZLIB
#define GZIP gzip_open, gzip_close, gzip_step
#else
#define GZIP NULL, NULL, NULL
#endif
#ifdef HECTIC_ZSTD
#define ZSTD zstd_open, zstd_close, zstd_step
#else
#define ZSTD NULL, NULL, NULL
#endif

static const struct decompress_kind kinds[] = {
    {"gzip", {0x1f, 0x8b}, 2, 0xff, GZIP},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, 0xff, ZSTD},
    {"zstd", {0x50, 0x2a, 0x4d, 0x18}, 4, 0xf0, ZSTD}, /* a skippable frame */
};

static bool is_of_kind(const struct decompress_kind *kind, const uint8_t *first, size_t length)
{
    return length >= kind->magic_length && (first[0] & kind->first_mask) == kind->magic[0] &&
           memcmp(first + 1, kind->magic + 1, kind->magic_length - 1) == 0;
}

hectic_error_kind decompressor_open(decompressor *u, const uint8_t *first, size_t length)
{
    *u = (decompressor){0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!is_of_kind(&kinds[i], first, length)) continue;
        if (!kinds[i].open) {
            u->why = "hectic was built without support for this format";
            return HECTIC_UNSUPPORTED_COMPRESSION;
        }
        if (!kinds[i].open(u)) return HECTIC_NO_MEMORY;
        u->kind = &kinds[i];
        break;
    }
    return HECTIC_OK;
}

void decompressor_close(decompressor *u)
{
    if (u->kind) u->kind->close(u);
}

const char *decompressor_name(const decompressor *u)
{
    return u->kind->name;
}

hectic_error_kind decompressor_step(decompressor *u, decompress_step *s)
{
    s->used = s->made = 0;
    const hectic_error_kind kind = u->kind->step(u, s);
    u->pending = s->made == s->out_size;
    return kind;
}
