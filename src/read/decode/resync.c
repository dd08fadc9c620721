/* Finds places where reading can continue after damage.
 *
 * Block markers have enough redundancy to be recognized: the event number, a size whose upper byte
 * is zero, two times whose upper bytes are zero and that are in order, and after them a declared
 * event with a time near the block's times. By chance all of this matches less than once in 2^40
 * places. */
#include "read/decode/step.h"

enum { BLOCK_SIZE_MAX = 1 << 26 };
static const uint64_t time_max = UINT64_C(1) << 56;  /* 2.3 years of running */
static const uint64_t slack = UINT64_C(10000000000); /* 10 s: an event's time may be earlier */

static bool is_header(const uint8_t *p, size_t available)
{
    return available >= HEADER_BEGIN && may_begin_header(p, available);
}

static bool is_marker(const hectic_header *header, const uint8_t *p, size_t available)
{
    if (!header->has_blocks || available < MARKER_MIN || load16(p) != HECTIC_EVENT_BLOCK_MARKER)
        return false;
    uint64_t time = load64(p + 2);
    uint32_t size = load32(p + EVENT_HEAD);
    uint64_t end = load64(p + EVENT_HEAD + 4);
    bool unfinished = size == 0 && end == 0;
    if (time >= time_max || end >= time_max || (!unfinished && end < time)) return false;
    if (!unfinished && (size < HECTIC_BLOCK_MARKER_SIZE || size > BLOCK_SIZE_MAX)) return false;
    size_t marker = header->step[HECTIC_EVENT_BLOCK_MARKER];
    /* The input ends here, or the next event may be beyond PLAUSIBLE_MAX. */
    if (marker > MARKER_MIN || available < marker + 2) return true;
    uint16_t next = load16(p + marker);
    if (next == HECTIC_DATA_END) return true;
    if (header_step(header, next) == STEP_UNDECLARED) return false;
    if (available < marker + EVENT_HEAD) return true;
    uint64_t next_time = load64(p + marker + 2);
    return next_time < time_max && next_time + slack >= time;
}

bool is_plausible(const hectic_header *header, const uint8_t *p, size_t available)
{
    return is_header(p, available) || is_marker(header, p, available);
}

/* The first index of a byte in p[from … end-1], or `end`. */
static size_t find(const uint8_t *p, size_t from, size_t end, uint8_t byte)
{
    const uint8_t *found = from < end ? memchr(p + from, byte, end - from) : NULL;
    return found ? (size_t)(found - p) : end;
}

/* The next candidate: a place with a marker's second byte or a header's first byte. */
static size_t next_in(const hectic_header *header, const uint8_t *p, size_t from, size_t end,
                      size_t available)
{
    const size_t seconds = end < available ? end + 1 : available;
    size_t second = find(p, from + 1, seconds, HECTIC_EVENT_BLOCK_MARKER);
    size_t first = find(p, from, end, 'h');
    while (second < seconds || first < end) {
        const bool is_second = second - 1 <= first;
        const size_t i = is_second ? second - 1 : first;
        if (is_plausible(header, p + i, available - i)) return i;
        if (second - 1 == i) second = find(p, second + 1, seconds, HECTIC_EVENT_BLOCK_MARKER);
        if (first == i) first = find(p, first + 1, end, 'h');
    }
    return end;
}

/* In windows: if one of the two bytes is frequent and the other does not occur, each search for the
 * latter would otherwise scan to the end. */
size_t resync_next(const hectic_header *header, const uint8_t *p, size_t available, bool at_end)
{
    enum { WINDOW = 1 << 12 };
    const size_t judged = at_end                      ? available
                          : available < PLAUSIBLE_MAX ? 0
                                                      : available - PLAUSIBLE_MAX + 1;
    for (size_t from = 0, end; from < judged; from = end) {
        end = judged - from < WINDOW ? judged : from + WINDOW;
        const size_t found = next_in(header, p, from, end, available);
        if (found < end) return found;
    }
    return judged;
}
