/* Unpacking what gzip or zstd have packed, by zlib or libzstd: pieces of packed bytes in,
 * decompressed bytes out. */
#ifndef HECTIC_SRC_DECOMPRESS_H
#define HECTIC_SRC_DECOMPRESS_H

#include <hectic/error.h>
#include <stdbool.h>

enum { UNPACK_MAGIC_SIZE = 4 };

typedef struct decompressor {
    const struct decompress_kind *kind; /* NULL: the bytes are as they are */
    void *state;
    size_t wanted;   /* the next so many packed bytes at most are looked at in one step; 0: all */
    bool between;    /* it stands between two members, where the input may end */
    bool pending;    /* there may be more to come without further input */
    const char *why; /* what the library says is wrong; a constant text, or NULL */
} decompressor;

/* The bytes of one step; `used` and `made` are set by it. */
typedef struct decompress_step {
    const uint8_t *in;
    size_t in_size, used;
    uint8_t *out;
    size_t out_size, made;
} decompress_step;

/* Finds out from the first bytes (UNPACK_MAGIC_SIZE, or all there are) how an input is packed.
 * HECTIC_OK; HECTIC_UNSUPPORTED_COMPRESSION: in a way that is not built in; or HECTIC_NO_MEMORY. */
hectic_error_kind unpacker_open(decompressor *u, const uint8_t *first, size_t length);
void unpacker_close(decompressor *u);

/* "gzip" or "zstd". */
const char *unpacker_name(const decompressor *u);

/* One step: uses some of the input, makes some output. Not to be called without any input unless
 * `pending`. Other than HECTIC_OK: HECTIC_COMPRESSION, HECTIC_UNSUPPORTED_COMPRESSION (it needs
 * what is not to be had here) or HECTIC_NO_MEMORY; even then what was made is good. All that comes
 * before damage is made, however the input is cut into pieces. */
hectic_error_kind unpacker_step(decompressor *u, decompress_step *s);

#endif
