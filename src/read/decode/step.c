/* Events that may be damaged. */
#include "read/decode/step.h"

/* ns: how much later than the end of its block an event may be: a clock can be set back. */
static const uint64_t slack = UINT64_C(10000000000);

static bool is_inside(const stepper *s)
{
    return s->remaining > 0 && s->remaining != INT64_MAX;
}

static bool is_marker(const stepper *s, const uint8_t *p)
{
    return event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks;
}

static bool is_zeros(const uint8_t *p, size_t length)
{
    return event_type_at(p) == 0 && length <= 16 && load64(p) == 0 && load64(p + length - 8) == 0;
}

/* Can these two bytes follow an event? */
static bool can_follow(const hectic_header *header, const uint8_t *p)
{
    return header_step(header, event_type_at(p)) != STEP_UNDECLARED ||
           event_type_at(p) == HECTIC_DATA_END || may_begin_header(p, 2);
}

/* How much later than its block's end the event is. */
static uint64_t lateness(const stepper *s, const uint8_t *p)
{
    const uint64_t time = event_time_at(p), end = s->begin + s->lasts;
    return is_inside(s) && !is_marker(s, p) && time > end ? time - end : 0;
}

/* Does the event's block have further events? */
static bool is_followed(const stepper *s, const uint8_t *p, size_t length)
{
    if (!is_marker(s, p)) return is_inside(s) && s->remaining > (int64_t)length;
    return length == MARKER_MIN && step_marker(p).size > length;
}

/* Damage may begin within an event, behind its type. So one with a time that its block does not
 * have, and a marker, belong to the damage if what follows cannot be an event.
 *
 * Zeros, as in a hole of a file, would be creations of thread 0 at time 0. One such event is
 * possible; two, one after the other, are not. */
size_t step_checked(const stepper *s, const uint8_t *p, size_t length, size_t available)
{
    if (is_zeros(p, length)) {
        if (available < 2 * length) return STEP_NEED_MORE;
        if (is_zeros(p + length, length)) return STEP_UNKNOWN;
    }
    if (lateness(s, p) > slack) return STEP_UNKNOWN;
    if (!step_is_outside(s, p) || !is_followed(s, p, length)) return length;
    if (available < length + 2) return STEP_NEED_MORE;
    return can_follow(s->header, p + length) ? length : STEP_UNKNOWN;
}

/* True if the event crosses the end of its block. */
static bool is_crossing(const stepper *s, size_t length)
{
    return is_inside(s) && length > (uint64_t)s->remaining;
}

size_t step_next(const stepper *s, const uint8_t *p, size_t available)
{
    const size_t length = step_declared(s->header, p, available);
    if (length <= STEP_UNKNOWN) return length;
    if (is_crossing(s, length)) {
        /* If another block begins where this one ends, the length of the event is wrong. */
        const size_t rest = (size_t)s->remaining;
        if (available < rest + 2) return STEP_NEED_MORE;
        const size_t after = available - rest;
        const bool is_end = event_type_at(p + rest) == HECTIC_DATA_END;
        if (is_end || is_plausible(s->header, p + rest, after)) return STEP_UNKNOWN;
        if (after < PLAUSIBLE_MAX) return STEP_NEED_MORE;
    }
    if (length > available) return STEP_NEED_MORE;
    return step_is_doubtful(s, p) ? step_checked(s, p, length, available) : length;
}

hectic_error step_error(const stepper *s, const uint8_t *p, uint64_t position)
{
    static const char declared[] = "an event type that the header declares";
    const size_t length = step_declared(s->header, p, SIZE_MAX);
    hectic_error error = {.kind = HECTIC_UNDECLARED_EVENT, .position = position};
    if (length <= STEP_UNKNOWN) {
        error.number = event_type_at(p);
        error.expected = declared;
    } else if (is_crossing(s, length)) {
        error.kind = HECTIC_BLOCK_CROSSED;
        error.number = event_type_at(p);
    } else if (is_zeros(p, length)) {
        error.number = 0;
    } else if (lateness(s, p) > slack) {
        error.kind = HECTIC_LATE_EVENT;
        error.number = lateness(s, p);
    } else {
        error.number = event_type_at(p + length);
        error.expected = declared;
    }
    return error;
}
