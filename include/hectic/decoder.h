/* hectic/decoder.h — bytes in, events out.
 *
 * Push input in pieces of any size; pull until the decoder says that it needs more:
 *
 *     hectic_decoder *d = hectic_decoder_new();
 *     while ((n = read(fd, buffer, sizeof buffer)) > 0) {
 *         hectic_decoder_push(d, buffer, n);
 *         while ((r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL) {
 *             if (r == HECTIC_GOT_EVENT) …
 *         }
 *     }
 *
 * Events come in the order of the file. They are views: payload points into the pushed buffer (or
 * into the decoder, for the one event that was cut between two pushes) and is valid until the next
 * call on the decoder. Nothing is allocated per event.
 *
 * A decoder is used by one thread at a time; several decoders are independent. It performs no
 * input or output and is plain C over memory.
 */
#ifndef HECTIC_DECODER_H
#define HECTIC_DECODER_H

#include <hectic/header.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that one event can take: type, time, length and a payload. */
#define HECTIC_EVENT_MAX (2u + 8u + 2u + 65535u)

/** One event: a view. */
typedef struct hectic_event {
    uint64_t time;                     /**< nanoseconds since the program started its log */
    uint64_t position;                 /**< of the event's first byte in the input */
    const uint8_t *payload;            /**< `size` bytes; unaligned */
    const hectic_event_type *declared; /**< what the header says of it; never NULL */
    uint16_t type;                     /**< its number: HECTIC_EVENT_… */
    uint16_t size;                     /**< of the payload, in bytes */
    uint16_t cap; /**< the cap whose block it stands in, or HECTIC_CAP_NONE. Of a
                       BLOCK_MARKER: the cap of the block that it begins */
} hectic_event;

/** What a pull gave. */
typedef enum hectic_result {
    HECTIC_PARTIAL = 0, /**< all that is whole was delivered; more input is needed */
    HECTIC_GOT_EVENT,   /**< an event */
    HECTIC_HEADER,      /**< a header is complete: hectic_decoder_header. Comes before the first
                             event, and again where a restarted log has a further header */
    HECTIC_COMPLETE,    /**< the end marker. A further pull goes on behind it, where a restarted
                             log may continue; PARTIAL then means that nothing follows yet */
    HECTIC_ERROR,       /**< see hectic_decoder_error; repeats until hectic_decoder_resync */
} hectic_result;

typedef struct hectic_decoder hectic_decoder;

/** A decoder at the beginning of an input, or NULL where memory is short. */
hectic_decoder *hectic_decoder_new(void);
void hectic_decoder_free(hectic_decoder *decoder);

/** Gives input. The caller keeps `bytes` valid and unchanged until a pull has returned
 *  HECTIC_PARTIAL (an empty push is allowed). Only call it at the beginning and after that. */
void hectic_decoder_push(hectic_decoder *decoder, const void *bytes, size_t length);

/** Takes the next item out of the input. Sets *event for HECTIC_GOT_EVENT only. */
hectic_result hectic_decoder_pull(hectic_decoder *decoder, hectic_event *event);

/** The header that the events now delivered belong to; NULL before the first HECTIC_HEADER.
 *  Valid until the next HECTIC_HEADER is returned, or the decoder freed. */
const hectic_header *hectic_decoder_header(const hectic_decoder *decoder);

/** What was wrong, after HECTIC_ERROR. */
const hectic_error *hectic_decoder_error(const hectic_decoder *decoder);

/** After HECTIC_ERROR: skip to the next place where reading can go on: a plausible block marker
 *  or a header. Pull again afterwards; HECTIC_PARTIAL means that none was found yet and the search
 *  goes on with the next push. hectic_decoder_skipped tells how much was passed over. Before the
 *  first header there is no place where reading could go on: it does nothing, and the error stays.
 */
void hectic_decoder_resync(hectic_decoder *decoder);

/** Bytes passed over by all resyncs so far. */
uint64_t hectic_decoder_skipped(const hectic_decoder *decoder);

/** The position of the next byte that has not been delivered as part of an item. */
uint64_t hectic_decoder_position(const hectic_decoder *decoder);

/** After HECTIC_PARTIAL: the bytes behind the last whole item, which the decoder keeps (a cut-off
 *  tail, if the input has ended). Sets *length. Valid until the next call. */
const uint8_t *hectic_decoder_tail(const hectic_decoder *decoder, size_t *length);

/** Bytes of the current block that have not been delivered; negative where the last event went
 *  beyond its block's end; 0 outside of blocks. An unfinished block (size 0 in its marker) has
 *  no end: then INT64_MAX. */
int64_t hectic_decoder_block_remaining(const hectic_decoder *decoder);

#ifdef __cplusplus
}
#endif
#endif
