/* Decompresses gzip and zstd incrementally, with zlib and libzstd. */
#ifndef HECTIC_SRC_DECOMPRESS_H
#define HECTIC_SRC_DECOMPRESS_H

#include <hectic/error.h>
#include <stdbool.h>

enum { DECOMPRESS_MAGIC_SIZE = 4 };

typedef struct decompressor {
    const struct decompress_kind *kind; /* NULL: not compressed */
    void *state;
    size_t wanted;   /* maximum of compressed bytes for the next step; 0: no limit */
    bool between;    /* between two members, where the input may end */
    bool pending;    /* more output may be available without further input */
    const char *why; /* the library's error message; a constant text, or NULL */
} decompressor;

/* The buffers of one step, which sets `used` and `made`. */
typedef struct decompress_step {
    const uint8_t *in;
    size_t in_size, used;
    uint8_t *out;
    size_t out_size, made;
} decompress_step;

/* Detects the compression of an input by its first bytes (DECOMPRESS_MAGIC_SIZE, or all). Returns
 * HECTIC_OK; HECTIC_UNSUPPORTED_COMPRESSION: not built in; or HECTIC_NO_MEMORY. */
hectic_error_kind decompressor_open(decompressor *u, const uint8_t *first, size_t length);
void decompressor_close(decompressor *u);

/* "gzip" or "zstd". */
const char *decompressor_name(const decompressor *u);

/* One step: consumes some input, produces some output. Requires input unless `pending`. On failure:
 * HECTIC_COMPRESSION, HECTIC_UNSUPPORTED_COMPRESSION (an unsupported feature of the format) or
 * HECTIC_NO_MEMORY; the output is valid even then. All data before damage are produced, however the
 * input is split into pieces. */
hectic_error_kind decompressor_step(decompressor *u, decompress_step *s);

#endif
