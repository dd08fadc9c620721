/* hectic/writer.h — a log as a stream: header, blocks of events, end marker, through one buffer.
 *
 *     hectic_writer *w = hectic_writer_new(HECTIC_WRITER_MIN, write, user);
 *     hectic_writer_header(w, types, count);
 *     hectic_writer_begin_block(w, hectic_header_type(header, HECTIC_EVENT_BLOCK_MARKER), time,
 * cap); hectic_writer_event(w, &event); … hectic_writer_end_block(w, end_time);
 *     hectic_writer_data_end(w);
 *     bool done = hectic_writer_flush(w);
 *
 * A block's marker tells its size and end time, which are known at its end only: the writer holds
 * the block back until then. A block that outgrows the buffer is ended and goes on in another.
 *
 * Every function returns false where the bytes could not be written; from then on they all do,
 * and nothing more is written, so that it is enough to look at the last one. A writer is used by
 * one thread at a time. It performs no input or output of its own and allocates only when it is
 * made.
 */
#ifndef HECTIC_WRITER_H
#define HECTIC_WRITER_H

#include <hectic/encoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where bytes go: all `length` of them, or false. */
typedef bool (*hectic_write)(void *user, const void *bytes, size_t length);

/** The least buffer: it holds any header that can be read, and any marker with any event. */
#define HECTIC_WRITER_MIN (HECTIC_HEADER_MAX + (1u << 18))

typedef struct hectic_writer hectic_writer;

/** A writer with a buffer of `capacity` bytes (HECTIC_WRITER_MIN, where that is more), which is
 *  the most that a block can take; NULL: no memory. */
hectic_writer *hectic_writer_new(size_t capacity, hectic_write write, void *user);

/** Drops what was not flushed. */
void hectic_writer_free(hectic_writer *writer);

/** A header; false also where it is larger than the buffer. Ends an open block. */
bool hectic_writer_header(hectic_writer *writer, const hectic_event_type *types, size_t count);

/** Begins a block of `cap` (HECTIC_CAP_NONE: of global events) at `time`; ends an open one.
 *  `declared` is what the header says of BLOCK_MARKER, with a shape; declared bytes beyond the
 *  shape are zero. */
bool hectic_writer_begin_block(hectic_writer *writer, const hectic_event_type *declared,
                               uint64_t time, uint16_t cap);

/** An event as hectic_encode_event takes it, into the open block or, without one, as it is. False
 *  also where that cannot encode it. */
bool hectic_writer_event(hectic_writer *writer, const hectic_event *event);

/** Ends the open block, if there is one, at `end_time` or at the latest of its times, where that
 *  is later: 0 is always right. */
bool hectic_writer_end_block(hectic_writer *writer, uint64_t end_time);

/** The end marker. Ends an open block. */
bool hectic_writer_data_end(hectic_writer *writer);

/** Bytes as they are, such as a cut-off tail. Ends an open block. */
bool hectic_writer_bytes(hectic_writer *writer, const void *bytes, size_t length);

/** Writes out what is held but for the open block, which goes on. */
bool hectic_writer_drain(hectic_writer *writer);

/** Writes out all that is held. Ends an open block. */
bool hectic_writer_flush(hectic_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
