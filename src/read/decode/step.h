/* Stepping over events: shared by the decoder, the survey and the ordered log. */
#ifndef HECTIC_SRC_STEP_H
#define HECTIC_SRC_STEP_H

#include "format/event_bytes.h"
#include "format/header.h"

#include <hectic/encoder.h>
#include <hectic/read_events.h>

/* A reader's position in the framing. */
typedef struct stepper {
    const hectic_header *header;
    int64_t remaining;     /* of the current block, in bytes; see hectic_decoder_block_remaining */
    uint64_t begin, lasts; /* ns: the times of its events, by its marker; see step_is_doubtful */
    uint16_t cap;          /* of the current block */
} stepper;

enum {
    MARKER_MIN = EVENT_HEAD + 14,    /* HECTIC_BLOCK_MARKER_SIZE */
    PLAUSIBLE_MAX = MARKER_MIN + 10, /* bytes that is_plausible() checks */
};

/* Results of step_length other than lengths. */
enum { STEP_NEED_MORE = 0, STEP_END_MARK = 1, STEP_UNKNOWN = 2 };

enum { STEP_AHEAD = PLAUSIBLE_MAX }; /* how many bytes after an event step_next may need */

/* The size of the event at p, of which `available` bytes are present, perhaps not all; or one of
 * the above. */
static inline size_t step_declared(const hectic_header *header, const uint8_t *p, size_t available)
{
    if (available < 2) return STEP_NEED_MORE;
    uint16_t type = event_type_at(p);
    size_t length = header_step(header, type);
    if (length > STEP_VARIABLE) return length;
    if (length == STEP_UNDECLARED) return type == HECTIC_DATA_END ? STEP_END_MARK : STEP_UNKNOWN;
    if (available < VARIABLE_HEAD) return STEP_NEED_MORE;
    return VARIABLE_HEAD + (size_t)event_length_at(p);
}

/* The same, for bytes that are known to be events; the event is complete. */
static inline size_t step_size(const hectic_header *header, const uint8_t *p, size_t available)
{
    const size_t length = step_declared(header, p, available);
    return length <= available ? length : STEP_NEED_MORE;
}

/* True if the event at p may be damaged: it is outside blocks, its block does not have its time, or
 * it may be zeros. */
static inline bool step_is_doubtful(const stepper *s, const uint8_t *p)
{
    return event_time_at(p) - s->begin > s->lasts || load64(p) == 0;
}

/* The result of step_length for a complete event of `length` bytes. */
size_t step_checked(const stepper *s, const uint8_t *p, size_t length, size_t available);

/* step_size for bytes that may be damaged; in a run of events (run.h), which ends with the block.
 * Most events are taken here: one with a right time, before another one. */
static inline size_t step_length(const stepper *s, const uint8_t *p, size_t available)
{
    const size_t length = step_size(s->header, p, available);
    if (length <= STEP_UNKNOWN) return length;
    const uint8_t *next = p + length;
    const bool is_followed = available - length >= EVENT_HEAD &&
                             header_step(s->header, event_type_at(next)) != STEP_UNDECLARED &&
                             !step_is_doubtful(s, next);
    if (is_followed && !step_is_doubtful(s, p)) return length;
    return step_checked(s, p, length, available);
}

/* The same for any place. */
size_t step_next(const stepper *s, const uint8_t *p, size_t available);

/* The error about the bytes at p, of which step_next is STEP_UNKNOWN. */
hectic_error step_error(const stepper *s, const uint8_t *p, uint64_t position);

/* A reader's position outside blocks. */
static inline stepper step_outside(const hectic_header *header)
{
    const bool has_blocks = header->has_blocks;
    return (stepper){.header = header,
                     .begin = has_blocks ? UINT64_MAX : 0,
                     .lasts = has_blocks ? 0 : UINT64_MAX,
                     .cap = HECTIC_CAP_NONE};
}

/* Steps over `length` bytes of events. */
static inline void step_advance(stepper *s, size_t length)
{
    if (s->remaining == INT64_MAX) return;
    const int64_t remaining = s->remaining - (int64_t)length;
    if (remaining <= 0) *s = step_outside(s->header);
    s->remaining = remaining;
}

/* The fields of the complete marker at p. */
static inline hectic_event_block_marker step_marker(const uint8_t *p)
{
    hectic_event_block_marker marker = {0};
    hectic_read_block_marker(
        &(hectic_event){.payload = p + EVENT_HEAD, .size = MARKER_MIN - EVENT_HEAD}, &marker);
    return marker;
}

/* Enters the block whose marker is at p. A size smaller than the marker indicates an unfinished
 * block. */
static inline void step_block(stepper *s, const uint8_t *p)
{
    const hectic_event_block_marker marker = step_marker(p);
    const uint64_t time = event_time_at(p);
    const int64_t rest = (int64_t)marker.size - s->header->step[HECTIC_EVENT_BLOCK_MARKER];
    const bool is_finished = marker.size >= HECTIC_BLOCK_MARKER_SIZE;
    const bool has_times = is_finished && marker.end_time > 0 && marker.end_time >= time;
    *s = step_outside(s->header);
    s->cap = marker.cap_no;
    s->remaining = is_finished ? rest : INT64_MAX;
    if (is_finished && rest <= 0) return;
    s->begin = has_times ? time : 0;
    s->lasts = has_times ? marker.end_time - time : UINT64_MAX;
}

/* Steps over the complete event of `length` bytes at p, and returns its cap. */
static inline uint16_t step_over(stepper *s, const uint8_t *p, size_t length)
{
    if (event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks) {
        step_block(s, p);
        return s->cap;
    }
    const uint16_t cap = s->cap;
    step_advance(s, length);
    return cap;
}

/* The view of the complete event of `length` bytes at p. */
static inline void step_view(const hectic_header *header, const uint8_t *p, size_t length,
                             uint64_t position, uint16_t cap, hectic_event *event)
{
    uint16_t type = event_type_at(p);
    const hectic_event_type *declared = header_declared(header, type);
    size_t head = declared->size == HECTIC_VARIABLE ? VARIABLE_HEAD : EVENT_HEAD;
    event->time = event_time_at(p);
    event->position = position;
    event->payload = p + head;
    event->declared = declared;
    event->type = type;
    event->size = (uint16_t)(length - head);
    event->cap = cap;
}

/* The number of bytes that distinguish a header from events. */
enum { HEADER_BEGIN = 8 };

/* True if these bytes begin a header, or may, if there are fewer than HEADER_BEGIN. */
static inline bool may_begin_header(const uint8_t *p, size_t available)
{
    static const uint8_t begin[HEADER_BEGIN] = {'h', 'd', 'r', 'b', 'h', 'e', 't', 'b'};
    return memcmp(p, begin, available < HEADER_BEGIN ? available : HEADER_BEGIN) == 0;
}

/* After damage: true if reading can continue here, at a plausible block marker or a header. Checks
 * PLAUSIBLE_MAX bytes; the caller must provide them, unless the input ends before. */
bool is_plausible(const hectic_header *header, const uint8_t *p, size_t available);

/* The first plausible place in p[0 … available-1], or `available`. Without at_end, the last
 * PLAUSIBLE_MAX - 1 bytes are not checked: the result is then at most `available` less these. */
size_t resync_next(const hectic_header *header, const uint8_t *p, size_t available, bool at_end);

#endif
