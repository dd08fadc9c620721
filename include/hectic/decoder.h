/* hectic/decoder.h — bytes in, events out.
 *
 * Push input in pieces of any size; pull until the decoder needs more:
 *
 *     hectic_decoder *d = hectic_decoder_new();
 *     while ((n = read(fd, buffer, sizeof buffer)) > 0) {
 *         hectic_decoder_push(d, buffer, n);
 *         while ((r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL) {
 *             if (r == HECTIC_GOT_EVENT) …
 *         }
 *     }
 *
 * An event within a block is delivered when it is known what follows it: damage may begin in it.
 * So, at the end of the input, push 0 bytes: the last event of a log that was cut is then
 * delivered.
 *
 * Events are delivered in the order of the file. They are views: payload points into the pushed
 * buffer (or into the decoder, for an event split between two pushes) and is valid until the next
 * call on the decoder. Nothing is allocated per event.
 *
 * A decoder may be used by one thread at a time; separate decoders are independent. It performs no
 * input or output.
 */
#ifndef HECTIC_DECODER_H
#define HECTIC_DECODER_H

#include <hectic/header.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The maximum size of an event in bytes: type, time, length and payload. */
#define HECTIC_EVENT_MAX (2u + 8u + 2u + 65535u)

/** One event: a view. */
typedef struct hectic_event {
    uint64_t time;                     /**< nanoseconds since the program started its log */
    uint64_t position;                 /**< byte offset of the event in the input */
    const uint8_t *payload;            /**< `size` bytes; unaligned */
    const hectic_event_type *declared; /**< its type in the header; never NULL */
    uint16_t type;                     /**< its number: HECTIC_EVENT_… */
    uint16_t size;                     /**< of the payload, in bytes */
    uint16_t cap; /**< the cap of its block, or HECTIC_CAP_NONE. For a BLOCK_MARKER: the cap of the
                     block that it begins */
} hectic_event;

/** The result of a pull. */
typedef enum hectic_result {
    HECTIC_PARTIAL = 0, /**< all complete items were delivered; more input is needed */
    HECTIC_GOT_EVENT,   /**< an event */
    HECTIC_HEADER,      /**< a header is complete: hectic_decoder_header. Returned before the first
                           event, and for each further header of a restarted log */
    HECTIC_COMPLETE,    /**< the end marker. The next pull continues after it, since a restarted log
                           may follow; PARTIAL then means that nothing follows yet */
    HECTIC_ERROR,       /**< see hectic_decoder_error; repeated until hectic_decoder_resync */
} hectic_result;

typedef struct hectic_decoder hectic_decoder;

/** A new decoder, or NULL if out of memory. */
hectic_decoder *hectic_decoder_new(void);
void hectic_decoder_free(hectic_decoder *decoder);

/** Provides input. `bytes` must stay valid and unchanged until a pull has returned HECTIC_PARTIAL.
 *  Call it only at the beginning and after HECTIC_PARTIAL. `length` 0: no input follows for now. */
void hectic_decoder_push(hectic_decoder *decoder, const void *bytes, size_t length);

/** Returns the next item of the input. Sets *event for HECTIC_GOT_EVENT only. */
hectic_result hectic_decoder_pull(hectic_decoder *decoder, hectic_event *event);

/** The header of the current section; NULL before the first HECTIC_HEADER. Valid until the next
 *  HECTIC_HEADER is returned, or the decoder freed. */
const hectic_header *hectic_decoder_header(const hectic_decoder *decoder);

/** The error, after HECTIC_ERROR. */
const hectic_error *hectic_decoder_error(const hectic_decoder *decoder);

/** After HECTIC_ERROR: skips to the next place where reading can continue: a plausible block marker
 *  or a header. Pull again afterwards; HECTIC_PARTIAL means that none was found yet, and the search
 *  continues with the next push. hectic_decoder_skipped returns the number of skipped bytes. Before
 *  the first header resync does nothing, and the error remains.
 */
void hectic_decoder_resync(hectic_decoder *decoder);

/** Bytes skipped by all resyncs so far. */
uint64_t hectic_decoder_skipped(const hectic_decoder *decoder);

/** The position of the first byte that has not been delivered as part of an item. */
uint64_t hectic_decoder_position(const hectic_decoder *decoder);

/** After HECTIC_PARTIAL: the bytes after the last complete item, which the decoder keeps (a cut-off
 *  tail, if the input has ended). Sets *length. Valid until the next call. */
const uint8_t *hectic_decoder_tail(const hectic_decoder *decoder, size_t *length);

/** Bytes of the current block that have not been delivered; negative if the last event extended
 *  past the block's end; 0 outside blocks; INT64_MAX in an unfinished block (size 0 in its marker),
 *  which has no end. */
int64_t hectic_decoder_block_remaining(const hectic_decoder *decoder);

#ifdef __cplusplus
}
#endif
#endif
