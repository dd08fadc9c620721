/* hectic/batch.h — events copied in batches, for languages in which a call to C is costly or values
 * may outlive the log's memory: the Haskell package `hectic` reads this way.
 *
 *     uint8_t *buffer = malloc(HECTIC_BATCH_MIN);
 *     do {
 *         result = hectic_log_batch(log, NULL, buffer, HECTIC_BATCH_MIN, &length);
 *         for (size_t at = 0; at < length; at += hectic_batch_stride(record)) {
 *             const hectic_batch_event *record = (const void *)(buffer + at); …
 *         }
 *     } while (result == HECTIC_GOT_EVENT || result == HECTIC_HEADER);
 *
 * A batch refers to no other memory, except that the types of its events are those of the header.
 */
#ifndef HECTIC_BATCH_H
#define HECTIC_BATCH_H

#include <hectic/filter.h>
#include <hectic/log.h>
#include <hectic/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An event in a batch, in the byte order of the machine; its payload follows, and up to 7 unused
 *  bytes. The layout does not change. */
typedef struct hectic_batch_event {
    uint64_t time;     /**< ns */
    uint64_t position; /**< byte offset of the event in the input */
    uint16_t type;     /**< its number */
    uint16_t size;     /**< bytes of the payload */
    uint16_t cap;      /**< or HECTIC_CAP_NONE */
    uint16_t shape;    /**< the size of its shape (HECTIC_VARIABLE: it is variable), as
                          hectic_shape_find takes it; HECTIC_NO_SHAPE: the catalogue has none */
} hectic_batch_event;

/** No shape has this size. */
#define HECTIC_NO_SHAPE 0xfffeu

/** The distance from an event to the next one, bytes. */
static inline size_t hectic_batch_stride(const hectic_batch_event *event)
{
    return sizeof *event + (((size_t)event->size + 7) & ~(size_t)7);
}

/** The least size of a buffer: any event fits. */
#define HECTIC_BATCH_MIN (2u * 65536u)

/** Copies the next events that pass the filter (NULL: all) into the buffer of `capacity` bytes (at
 *  least HECTIC_BATCH_MIN; aligned to 8), as many as fit, and sets *length to the bytes used. The
 *  result is that of hectic_log_next, hectic_decoder_pull or hectic_stream_pull: what follows the
 *  events that were copied, which may be none; HECTIC_GOT_EVENT: more of them may. In a batch, all
 *  events are of one section. A call returns after about a million events that do not pass. */
hectic_result hectic_log_batch(hectic_log *log, hectic_filter *filter, void *buffer,
                               size_t capacity, size_t *length);
hectic_result hectic_decoder_batch(hectic_decoder *decoder, hectic_filter *filter, void *buffer,
                                   size_t capacity, size_t *length);
hectic_result hectic_stream_batch(hectic_stream *stream, uint64_t now, hectic_filter *filter,
                                  void *buffer, size_t capacity, size_t *length);

/** A place between two events of a section, for readers that keep their own bytes. Its beginning,
 *  after the header: {0, HECTIC_CAP_NONE}. */
typedef struct hectic_place {
    int64_t remaining; /**< as hectic_decoder_block_remaining */
    uint16_t cap;      /**< of the block */
} hectic_place;

/** Decodes the events at the beginning of `length` bytes, which are at that position of the input,
 *  and copies those that fit into the buffer of `capacity` bytes (aligned to 8; one of
 *  HECTIC_BATCH_MIN bytes has room for any). Advances the place, and sets *used to the bytes of the
 *  input that were decoded, *copied to those in the buffer. HECTIC_GOT_EVENT: the next event does
 *  not fit. Otherwise what follows the events: HECTIC_PARTIAL: more bytes are needed;
 *  HECTIC_COMPLETE: the end marker, which *used includes; HECTIC_HEADER: another header begins;
 *  HECTIC_ERROR: an event that the header does not declare; the event before it was decoded, which
 *  hectic_decoder_pull takes for a part of the damage. Keeps no state: the same arguments have the
 *  same results. */
hectic_result hectic_place_batch(const hectic_header *header, hectic_place *place,
                                 const void *bytes, size_t length, uint64_t position, void *buffer,
                                 size_t capacity, size_t *used, size_t *copied);

#ifdef __cplusplus
}
#endif
#endif
