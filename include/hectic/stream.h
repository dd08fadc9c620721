/* hectic/stream.h — sorts events by time while they arrive.
 *
 * Caps flush their buffers at different times, so a log that is being written is out of order. A
 * stream holds events until no earlier one is expected. It is used like a decoder:
 *
 *     hectic_stream_push(s, bytes, length, now);
 *     while ((r = hectic_stream_pull(s, now, &event)) != HECTIC_PARTIAL) …
 *     sleep until more bytes arrive or hectic_stream_due(s), whichever is first
 *
 * An event is delivered as soon as
 *   - the log has advanced past it by the lag (judged by the beginnings of blocks: caps that flush
 *     at the same time may have written their events at any time since the last flush), or
 *   - each cap (created, or with blocks; judged by the blocks' end times) has advanced past it by a
 *     tenth of the lag; without a CAP_CREATE, not before the lag has passed since the first event,
 *     or
 *   - it has been held for the lag since its bytes were pushed, by the caller's clock, or
 *   - the memory for held events is exhausted, or
 *   - an end marker or a further header follows: the next section has its own clock.
 *
 * The tenth is needed because an event's time may be a little before it is written. An event that
 * arrives after later ones were delivered is late: it is delivered at once, and counted. If the lag
 * is sufficient, the order is exactly that of hectic_log for the finished file.
 *
 * A runtime that writes only full buffers, as GHC's before 9.2, may write the blocks of its caps
 * seconds apart. With lag_max, the lag grows to 1.25 times the lag that a late block would have
 * needed, unless the block needs more than lag_max.
 *
 * A stream performs no input or output, and may be used by one thread at a time.
 */
#ifndef HECTIC_STREAM_H
#define HECTIC_STREAM_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_stream hectic_stream;

typedef struct hectic_stream_options {
    uint64_t lag;     /**< ns; 0: 1 s */
    uint64_t lag_max; /**< ns: maximum of an adaptive lag; 0: the lag is fixed */
    size_t memory;    /**< bytes for held events, at least 1 MiB; 0: 64 MiB */
} hectic_stream_options;

typedef struct hectic_stream_state {
    uint64_t events;    /**< delivered */
    uint64_t late;      /**< events delivered after later ones */
    uint64_t latest_by; /**< the maximum lateness of an event, ns */
    uint64_t held;      /**< events held now */
    uint64_t memory;    /**< bytes for held events */
    uint64_t lag;       /**< the current lag, ns */
    uint64_t behind;    /**< ns between the latest event received and the last delivered */
    uint64_t skipped;   /**< bytes skipped as damaged */
    uint64_t damaged;   /**< damaged places */
} hectic_stream_state;

/** NULL: out of memory. `options` NULL: all zero. */
hectic_stream *hectic_stream_new(const hectic_stream_options *options);
void hectic_stream_free(hectic_stream *stream);

/** Provides input that arrived at `now` (ns of any monotonic clock). `bytes` must stay valid until
 *  a pull has returned HECTIC_PARTIAL; push again only then. So that the caller's own delays do not
 *  use up the lag, read the clock before reading the input, and read all available input before
 *  reading the clock again. */
void hectic_stream_push(hectic_stream *stream, const void *bytes, size_t length, uint64_t now);

/** Ends the input: all held events are due at once. */
void hectic_stream_end(hectic_stream *stream);

/** HECTIC_GOT_EVENT: an event, valid until the next call. HECTIC_HEADER, HECTIC_COMPLETE: as in a
 *  decoder, after all events before it. HECTIC_ERROR: a damaged place (hectic_stream_error), which
 *  the next pull skips. Before the first header (hectic_stream_header is NULL) reading cannot
 *  continue: all further input is ignored. HECTIC_PARTIAL: nothing is due. */
hectic_result hectic_stream_pull(hectic_stream *stream, uint64_t now, hectic_event *event);

/** When the next event is due without further input; UINT64_MAX: none is held. */
uint64_t hectic_stream_due(const hectic_stream *stream);

/** The header of the events being delivered; NULL before the first. Valid until the next
 *  HECTIC_HEADER is returned. */
const hectic_header *hectic_stream_header(const hectic_stream *stream);

/** The error, after HECTIC_ERROR. */
const hectic_error *hectic_stream_error(const hectic_stream *stream);
hectic_stream_state hectic_stream_get_state(const hectic_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
