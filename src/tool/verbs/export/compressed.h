/* compressed.h — a stream of bytes to a sink, compressed by gzip. (Without zlib, as they are.) */
#ifndef HECTIC_EXPORT_COMPRESSED_H
#define HECTIC_EXPORT_COMPRESSED_H

#include "tool/files/sink.h"

struct compressed;

/* NULL: out of memory. */
struct compressed *compressed_new(struct sink *sink);
void compressed_write(struct compressed *compressed, const void *bytes, size_t size);

/* Writes the rest, and frees it. */
void compressed_end(struct compressed *compressed);

#endif
