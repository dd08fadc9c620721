/* Units: the events of all caps in one interval of time. */
#include "format/event_bytes.h"
#include "serve/serve.h"

#include <stdlib.h>

enum {
    MARKER = HECTIC_BLOCK_MARKER_SIZE,
    NO_BLOCK = -1,
    RELEASES_MAX = 2,
};

/* --- What the caps have written --------------------------------------------------------------- */

void units_begin(units *u, const hectic_header *header)
{
    *u = (units){.header = header,
                 .expects_caps = hectic_header_type(header, HECTIC_EVENT_CAP_CREATE) != NULL};
}

void units_clear(units *u)
{
    for (chunk *c; (c = queue_take(&u->held));)
        chunk_release(c);
    cap_times_clear(&u->known);
    *u = (units){0};
}

static void raise(uint64_t *to, uint64_t time)
{
    if (to && *to != UINT64_MAX && *to < time) *to = time;
}

/* A cap that is created, or deleted: that one writes no more. */
static void note_cap(units *u, const hectic_event *event)
{
    const bool is_end = event->type == HECTIC_EVENT_CAP_DELETE;
    uint16_t cap;
    uint64_t *known = hectic_read_cap(event, &cap) ? cap_times_at(&u->known, cap) : NULL;
    if (known && (is_end || *known == UINT64_MAX)) *known = is_end ? UINT64_MAX : event->time;
}

/* The events of blocks of caps need not be looked at, once it is known which caps there are. */
static bool may_skip(const units *u, const stepper *at, size_t available)
{
    return !u->expects_caps && at->cap != HECTIC_CAP_NONE && at->remaining > 0 &&
           (uint64_t)at->remaining <= available;
}

/* Sets the times of a chunk, and those up to which its caps are known. */
static void survey(units *u, chunk *c)
{
    stepper at = {.header = u->header, .cap = HECTIC_CAP_NONE};
    const uint8_t *p = c->bytes, *const end = p + c->size;
    c->begin = UINT64_MAX;
    for (size_t length; (length = step_size(u->header, p, (size_t)(end - p))) > STEP_UNKNOWN;) {
        const uint16_t type = event_type_at(p), cap = step_over(&at, p, length);
        const bool begins = type == HECTIC_EVENT_BLOCK_MARKER;
        const uint64_t begin = event_time_at(p), latest = begins ? marker_end_at(p) : begin;
        raise(cap_times_at(&u->known, cap), latest);
        if (begin < c->begin) c->begin = begin;
        if (latest > c->end) c->end = latest;
        const bool is_cap = type == HECTIC_EVENT_CAP_CREATE || type == HECTIC_EVENT_CAP_DELETE;
        hectic_event event;
        if (is_cap) {
            step_view(u->header, p, length, 0, cap, &event);
            note_cap(u, &event);
        }
        if (is_cap || cap == HECTIC_CAP_NONE) u->expects_caps = false; /* there they are created */
        p += length;
        if (!begins || !may_skip(u, &at, (size_t)(end - p))) continue;
        p += at.remaining;
        at.remaining = 0;
        at.cap = HECTIC_CAP_NONE;
    }
}

void units_add(units *u, chunk *c, uint64_t now)
{
    survey(u, c);
    if (!u->held.first) u->held_since = now;
    queue_append(&u->held, c);
}

/* --- Splitting blocks ------------------------------------------------------------------------- */

/* The part of blocks up to a time, or the rest. */
typedef struct part {
    chunk *c;
    ptrdiff_t block; /* offset of the open block's marker; NO_BLOCK: none */
    uint64_t time;
    bool is_rest;
} part;

static void put(part *to, const uint8_t *bytes, size_t size)
{
    memmove(to->c->bytes + to->c->size, bytes, size);
    to->c->size += size;
}

/* Ends the open block. An empty one is kept where the original begins: its cap wrote nothing until
 * then. */
static void end_block(part *to)
{
    if (to->block == NO_BLOCK) return;
    uint8_t *marker = to->c->bytes + to->block;
    const size_t size = to->c->size - (size_t)to->block;
    to->block = NO_BLOCK;
    if (size <= MARKER && (to->is_rest || event_time_at(marker) > to->time)) {
        to->c->size -= size;
        return;
    }
    marker_set_size(marker, size);
    if (to->is_rest && event_time_at(marker) < to->time) event_set_time(marker, to->time);
    if (!to->is_rest && marker_end_at(marker) > to->time) marker_set_end(marker, to->time);
}

static void begin_block(part *to, const uint8_t *marker, size_t length)
{
    to->block = (ptrdiff_t)to->c->size;
    put(to, marker, length);
}

/* Moves the events after `time` to another chunk, which it returns. NULL: none, or no memory. */
static chunk *split(const units *u, chunk *c, uint64_t time)
{
    const size_t size = c->size;
    chunk *more = malloc(sizeof *more + size);
    if (!more) return NULL;
    *more = (chunk){.references = 1, .begin = UINT64_MAX, .end = c->end};
    part before = {c, NO_BLOCK, time, false}, after = {more, NO_BLOCK, time, true};
    bool is_after = false;
    c->size = 0;
    for (size_t at = 0, length;
         (length = step_size(u->header, c->bytes + at, size - at)) > STEP_UNKNOWN; at += length) {
        const uint8_t *p = c->bytes + at;
        if (event_type_at(p) == HECTIC_EVENT_BLOCK_MARKER) {
            end_block(&before);
            end_block(&after);
            is_after = false;
            begin_block(&after, p, length);
            begin_block(&before, p, length);
            continue;
        }
        is_after |= event_time_at(p) > time;
        if (is_after && event_time_at(p) < more->begin) more->begin = event_time_at(p);
        put(is_after ? &after : &before, p, length);
    }
    end_block(&before);
    end_block(&after);
    c->end = time;
    if (more->size > 0) return more;
    free(more);
    return NULL;
}

/* --- Units ------------------------------------------------------------------------------------ */

/* Up to which time all caps are known. */
static uint64_t complete_until(const units *u)
{
    const uint64_t time = u->expects_caps ? 0 : cap_times_earliest(&u->known);
    return time == UINT64_MAX ? 0 : time;
}

static void pass(units *u, queue *out, chunk *c)
{
    queue_append(out, c);
    if (c->end > u->passed) u->passed = c->end;
}

/* Passes a chunk on as far as it is not later than `time`, and holds the rest. */
static void pass_until(units *u, queue *out, chunk *c, uint64_t time)
{
    chunk *rest = c->begin > time ? c : c->end > time ? split(u, c, time) : NULL;
    if (rest) queue_append(&u->held, rest);
    if (rest != c) pass(u, out, c);
}

static void end_unit(queue *out, uint64_t time)
{
    if (!out->last) return;
    out->last->ends_unit = true;
    out->last->until = time;
}

queue units_take(units *u, uint64_t now)
{
    queue out = {0}, all = u->held;
    const uint64_t time = complete_until(u);
    if (time == 0 || time < u->passed) return out;
    u->held = (queue){0};
    u->held_since = now;
    for (chunk *c; (c = queue_take(&all));)
        pass_until(u, &out, c, time);
    if (out.last && u->passed < time) u->passed = time;
    end_unit(&out, time);
    return out;
}

queue units_release(units *u, bool at_end)
{
    queue out = {0};
    /* GHC 9.0 writes the events that create caps only at its end; a busy machine delays a unit. */
    if (u->expects_caps && ++u->releases == RELEASES_MAX) u->expects_caps = false;
    for (chunk *c; (c = queue_take(&u->held));)
        pass(u, &out, c);
    if (at_end) end_unit(&out, u->passed);
    return out;
}
