/* hectic/writer.h — writes a log incrementally: header, blocks of events, end marker, through one
 * buffer.
 *
 *     hectic_writer *w = hectic_writer_new(HECTIC_WRITER_MIN, write, user);
 *     hectic_writer_header(w, types, count);
 *     hectic_writer_begin_block(w, marker, time, cap); // marker: the type of BLOCK_MARKER
 *     hectic_writer_event(w, &event); …
 *     hectic_writer_end_block(w, end_time);
 *     hectic_writer_data_end(w);
 *     bool done = hectic_writer_flush(w);
 *
 * A block marker contains the block's size and end time, so the writer buffers the block until it
 * ends. A block that exceeds the buffer is split.
 *
 * Every function returns false if the bytes could not be written; after that all functions return
 * false and write nothing, so it is sufficient to check the last result. A writer may be used by
 * one thread at a time. It performs no input or output itself, and allocates only when it is
 * created.
 */
#ifndef HECTIC_WRITER_H
#define HECTIC_WRITER_H

#include <hectic/encoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes all `length` bytes, or returns false. */
typedef bool (*hectic_write)(void *user, const void *bytes, size_t length);

/** The minimum buffer size: sufficient for any valid header, and for any marker with any event. */
#define HECTIC_WRITER_MIN (HECTIC_HEADER_MAX + (1u << 18))

typedef struct hectic_writer hectic_writer;

/** A writer with a buffer of `capacity` bytes (at least HECTIC_WRITER_MIN), which is the maximum
 *  size of a block; NULL: out of memory. */
hectic_writer *hectic_writer_new(size_t capacity, hectic_write write, void *user);

/** Frees the writer. Data not flushed are discarded. */
void hectic_writer_free(hectic_writer *writer);

/** Writes a header; false also if it is larger than the buffer. Ends an open block. */
bool hectic_writer_header(hectic_writer *writer, const hectic_event_type *types, size_t count);

/** Begins a block of `cap` (HECTIC_CAP_NONE: of global events) at `time`; ends an open one.
 *  `declared` is the header's type of BLOCK_MARKER, with a shape; declared bytes beyond the shape
 *  are zero. */
bool hectic_writer_begin_block(hectic_writer *writer, const hectic_event_type *declared,
                               uint64_t time, uint16_t cap);

/** Writes an event, as in hectic_encode_event, to the open block or, without one, outside blocks.
 *  False also if it cannot be encoded. */
bool hectic_writer_event(hectic_writer *writer, const hectic_event *event);

/** Ends the open block, if any, at the later of `end_time` and its latest event; so 0 is always
 *  valid. */
bool hectic_writer_end_block(hectic_writer *writer, uint64_t end_time);

/** Writes the end marker. Ends an open block. */
bool hectic_writer_data_end(hectic_writer *writer);

/** Writes all buffered data except the open block, which continues. */
bool hectic_writer_drain(hectic_writer *writer);

/** Writes all buffered data. Ends an open block. */
bool hectic_writer_flush(hectic_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
