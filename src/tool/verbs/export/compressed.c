/* compressed.c — see compressed.h. */
#include "tool/verbs/export/compressed.h"

#include <stdlib.h>

#ifdef HECTIC_ZLIB
#include <zlib.h>

struct compressed {
    struct sink *sink;
    z_stream stream;
};

struct compressed *compressed_new(struct sink *sink)
{
    enum { GZIP = 16, WINDOW_BITS = 15, MEMORY = 8 };
    struct compressed *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->sink = sink;
    if (deflateInit2(&c->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return c;
    free(c);
    return NULL;
}

static void deflate_all(struct compressed *c, int flush)
{
    enum { LEAST = 4096 };
    int result;
    do {
        size_t size;
        char *room = sink_space(c->sink, LEAST, &size);
        c->stream.next_out = (Bytef *)room;
        c->stream.avail_out = (uInt)size;
        result = deflate(&c->stream, flush);
        sink_fill(c->sink, size - c->stream.avail_out);
    } while (flush == Z_FINISH ? result == Z_OK : c->stream.avail_in > 0);
}

void compressed_write(struct compressed *c, const void *bytes, size_t size)
{
    c->stream.next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not change them */
    c->stream.avail_in = (uInt)size;
    deflate_all(c, Z_NO_FLUSH);
}

void compressed_end(struct compressed *c)
{
    deflate_all(c, Z_FINISH);
    deflateEnd(&c->stream);
    free(c);
}

#else

struct compressed {
    struct sink *sink;
};

struct compressed *compressed_new(struct sink *sink)
{
    struct compressed *c = malloc(sizeof *c);
    if (c) c->sink = sink;
    return c;
}

void compressed_write(struct compressed *c, const void *bytes, size_t size)
{
    sink_text(c->sink, bytes, size);
}

void compressed_end(struct compressed *c)
{
    free(c);
}
#endif
