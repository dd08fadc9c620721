/* Events that may be damaged. */
#include "read/decode/step.h"

enum { ZEROS_MAX = 16 }; /* bytes: the size of an event that may be zeros */

/* ns: how much later than the end of its block an event may be, since a clock can be set back; and
 * if later ones follow, as where a writer sets no proper end. */
static const uint64_t slack = UINT64_C(10000000000);
static const uint64_t slack_max = UINT64_C(1) << 45; /* 10 hours */

static bool is_inside(const stepper *s)
{
    return s->remaining > 0 && s->remaining != INT64_MAX;
}

static bool is_marker(const stepper *s, const uint8_t *p)
{
    return event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks;
}

/* Zeros, as in a hole of a file, would be creations of thread 0 at time 0. One such event is
 * possible; two, one after the other, are not. */
static bool is_zeros(const stepper *s, const uint8_t *p)
{
    const size_t length = header_step(s->header, 0);
    return event_type_at(p) == 0 && length > STEP_VARIABLE && length <= ZEROS_MAX &&
           load64(p) == 0 && load64(p + length - 8) == 0;
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

static size_t check_zeros(const stepper *s, const uint8_t *p, size_t length, size_t available)
{
    if (!is_zeros(s, p)) return length;
    if (available < 2 * length) return STEP_NEED_MORE;
    return is_zeros(s, p + length) ? STEP_UNKNOWN : length;
}

/* Damage may begin within an event, behind its type. So one that is not the last of its block
 * belongs to the damage if what follows cannot be an event of the block. */
static size_t check_next(const stepper *s, const uint8_t *p, size_t length, size_t available)
{
    const uint8_t *next = p + length;
    if (available < 2) return STEP_NEED_MORE;
    const uint16_t type = event_type_at(next);
    if (type == HECTIC_DATA_END || may_begin_header(next, 2)) return length;
    const size_t step = header_step(s->header, type);
    if (step == STEP_UNDECLARED) return STEP_UNKNOWN;
    if (available < EVENT_HEAD) return STEP_NEED_MORE;
    if (lateness(s, next) > slack_max) return STEP_UNKNOWN;
    if (lateness(s, p) > slack && event_time_at(next) < event_time_at(p)) return STEP_UNKNOWN;
    if (load64(next) != 0 || step <= STEP_VARIABLE || step > ZEROS_MAX) return length;
    if (available < step) return STEP_NEED_MORE;
    const size_t zeros = check_zeros(s, next, step, available);
    return zeros <= STEP_UNKNOWN ? zeros : length;
}

size_t step_checked(const stepper *s, const uint8_t *p, size_t length, size_t available)
{
    const size_t zeros = check_zeros(s, p, length, available);
    if (zeros <= STEP_UNKNOWN) return zeros;
    if (lateness(s, p) > slack_max) return STEP_UNKNOWN;
    if (!is_followed(s, p, length)) return length;
    return check_next(s, p, length, available - length);
}

/* True if the event crosses the end of its block. */
static bool is_crossing(const stepper *s, size_t length)
{
    return is_inside(s) && length > (uint64_t)s->remaining;
}

/* If the next block begins within an event that crosses the end of its own, its length is wrong. */
static size_t check_crossing(const stepper *s, const uint8_t *p, size_t length, size_t available)
{
    const size_t rest = (size_t)s->remaining;
    const size_t judged = available > PLAUSIBLE_MAX ? available - PLAUSIBLE_MAX : 0;
    const size_t found = resync_next(s->header, p + 1, available - 1, false);
    const bool is_ended = available >= rest + 2 && event_type_at(p + rest) == HECTIC_DATA_END;
    if (is_ended || (found < judged && found + 1 < length)) return STEP_UNKNOWN;
    const bool ends = available >= length + 2 && event_type_at(p + length) == HECTIC_DATA_END;
    return ends || judged >= length ? length : STEP_NEED_MORE;
}

size_t step_next(const stepper *s, const uint8_t *p, size_t available)
{
    const size_t length = step_declared(s->header, p, available);
    if (length <= STEP_UNKNOWN) return length;
    if (is_crossing(s, length)) return check_crossing(s, p, length, available);
    return step_length(s, p, available);
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
    } else if (is_zeros(s, p)) {
        return error;
    } else if (lateness(s, p) > slack) {
        error.kind = HECTIC_LATE_EVENT;
        error.number = lateness(s, p);
    } else if (header_step(s->header, event_type_at(p + length)) == STEP_UNDECLARED) {
        error.number = event_type_at(p + length);
        error.expected = declared;
    } else if (lateness(s, p + length) > slack_max) {
        error.kind = HECTIC_LATE_EVENT;
        error.number = lateness(s, p + length);
    }
    return error;
}
