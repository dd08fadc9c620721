/* hectic/stream.h — events in order of time while they still arrive.
 *
 * Caps flush their buffers at different times, so a log that is being written is out of order. A
 * stream holds events back until no earlier one is to be expected, and never gives out an event
 * before one that it has already given. It is fed like a decoder:
 *
 *     hectic_stream_push(s, bytes, length, now);
 *     while ((r = hectic_stream_pull(s, now, &event)) != HECTIC_PARTIAL) …
 *     sleep until more bytes come or hectic_stream_due(s), whichever is first
 *
 * An event is given out as soon as
 *   - the log has got further than it by the lag (by where blocks begin: what caps flush at
 *     the same time may have been written at any time since they did so last), or
 *   - each of its caps (those that were created or have written; by their blocks' end times)
 *     has by a tenth of the lag; where no CAP_CREATE has told which caps there are, not before
 *     the lag has passed since the first event came, or
 *   - it has been held for the lag, by the caller's clock since its bytes were pushed, or
 *   - the memory for held events is used up, or
 *   - an end marker or a further header has come: the next section has a clock of its own.
 * The tenth is because events may be stamped a little before they are written. One that comes after
 * later ones have been given out is late: it is given out at once, and counted. Where the lag
 * suffices, events come exactly as hectic_log gives those of the finished file.
 *
 * A runtime that writes full buffers only, as GHC's does before 9.2, may write the blocks of its
 * caps seconds apart. With lag_max the lag grows to what a block that came too late has needed,
 * and a quarter; not for a block that needs more than lag_max, which can then not be waited for.
 *
 * It performs no input or output, and is used by one thread at a time.
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
    uint64_t lag_max; /**< ns: as long as that it may become by itself; 0: it stays */
    size_t memory;    /**< bytes for what is held, at least 1 MiB; 0: 64 MiB */
} hectic_stream_options;

typedef struct hectic_stream_state {
    uint64_t events;    /**< given out */
    uint64_t late;      /**< of them: after later ones */
    uint64_t latest_by; /**< the most that one was late, ns */
    uint64_t held;      /**< events held now */
    uint64_t memory;    /**< bytes for them */
    uint64_t lag;       /**< ns, by now */
    uint64_t behind;    /**< ns between the latest event that came and the last given out */
    uint64_t skipped;   /**< bytes passed over as damaged */
    uint64_t damaged;   /**< places */
} hectic_stream_state;

/** NULL: no memory; NULL for options is all zero. */
hectic_stream *hectic_stream_new(const hectic_stream_options *options);
void hectic_stream_free(hectic_stream *stream);

/** Gives input, which came at `now` (ns of any clock that does not go back). The caller keeps the
 *  bytes until a pull has returned HECTIC_PARTIAL, and pushes again only then. To be sure that the
 *  lag is not used up by the caller's own delays, take the time before reading, and read what has
 *  come before taking it again. */
void hectic_stream_push(hectic_stream *stream, const void *bytes, size_t length, uint64_t now);

/** The input has ended: what is held is due at once. */
void hectic_stream_end(hectic_stream *stream);

/** HECTIC_GOT_EVENT: an event, valid until the next call. HECTIC_HEADER, HECTIC_COMPLETE: as in a
 *  decoder, after all events before it. HECTIC_ERROR: a damaged place, which is passed over by the
 *  next pull; hectic_stream_error tells. Before the first header (hectic_stream_header is NULL)
 *  nothing can be read behind it: all that follows is ignored. HECTIC_PARTIAL: nothing is due. */
hectic_result hectic_stream_pull(hectic_stream *stream, uint64_t now, hectic_event *event);

/** When the next event is due if nothing comes; UINT64_MAX: none is held. */
uint64_t hectic_stream_due(const hectic_stream *stream);

/** The header of the events being given out; NULL before the first. Valid until the next
 *  HECTIC_HEADER is returned. */
const hectic_header *hectic_stream_header(const hectic_stream *stream);

/** What was wrong, after HECTIC_ERROR. */
const hectic_error *hectic_stream_error(const hectic_stream *stream);
hectic_stream_state hectic_stream_get_state(const hectic_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
