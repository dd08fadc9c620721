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
    int64_t remaining; /* of the current block, in bytes; see hectic_decoder_block_remaining */
    uint16_t cap;      /* of the current block */
} stepper;

enum {
    MARKER_MIN = EVENT_HEAD + 14,    /* HECTIC_BLOCK_MARKER_SIZE */
    PLAUSIBLE_MAX = MARKER_MIN + 10, /* bytes that is_plausible() checks */
};

/* Results of step_length other than lengths. */
enum { STEP_NEED_MORE = 0, STEP_END_MARK = 1, STEP_UNKNOWN = 2 };

/* The size of the event at p, of which `available` bytes are present; or one of the above. For
 * bytes that are known to be events. */
static inline size_t step_size(const hectic_header *header, const uint8_t *p, size_t available)
{
    if (available < 2) return STEP_NEED_MORE;
    uint16_t type = event_type_at(p);
    size_t length = header_step(header, type);
    if (length <= STEP_VARIABLE) {
        if (length == STEP_UNDECLARED)
            return type == HECTIC_DATA_END ? STEP_END_MARK : STEP_UNKNOWN;
        if (available < VARIABLE_HEAD) return STEP_NEED_MORE;
        length = VARIABLE_HEAD + (size_t)event_length_at(p);
    }
    return length <= available ? length : STEP_NEED_MORE;
}

static inline bool is_zeros(const uint8_t *p, size_t length)
{
    return length <= 16 && load64(p) == 0 && load64(p + length - 8) == 0;
}

/* The same for bytes that may be damaged. Zeros, as in a hole of a file, would be creations of
 * thread 0 at time 0. One such event is possible; two, one after the other, are not. */
static inline size_t step_length(const hectic_header *header, const uint8_t *p, size_t available)
{
    const size_t length = step_size(header, p, available);
    if (length <= STEP_UNKNOWN || event_type_at(p) != 0) return length;
    if (header_step(header, 0) == STEP_VARIABLE || !is_zeros(p, length)) return length;
    if (available < 2 * length) return STEP_NEED_MORE;
    return is_zeros(p + length, length) ? STEP_UNKNOWN : length;
}

/* The error about the bytes at p, of which step_length is STEP_UNKNOWN. */
static inline hectic_error step_error(const hectic_header *header, const uint8_t *p,
                                      uint64_t position)
{
    const uint16_t type = event_type_at(p);
    const bool is_undeclared = header_step(header, type) == STEP_UNDECLARED;
    return (hectic_error){.kind = HECTIC_UNDECLARED_EVENT,
                          .position = position,
                          .number = type,
                          .expected =
                              is_undeclared ? "an event type that the header declares" : NULL};
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
    int64_t rest = (int64_t)marker.size - s->header->step[HECTIC_EVENT_BLOCK_MARKER];
    s->cap = marker.cap_no;
    s->remaining = marker.size < HECTIC_BLOCK_MARKER_SIZE ? INT64_MAX : rest;
}

/* Steps over the complete event of `length` bytes at p, and returns its cap. */
static inline uint16_t step_over(stepper *s, const uint8_t *p, size_t length)
{
    if (event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks) {
        step_block(s, p);
        return s->cap;
    }
    uint16_t cap = s->cap;
    if (s->remaining != INT64_MAX) s->remaining -= (int64_t)length;
    if (s->remaining <= 0) s->cap = HECTIC_CAP_NONE;
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
