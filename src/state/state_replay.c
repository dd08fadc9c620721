#include "state/state_replay.h"

#include "base/array.h"
#include "format/fields.h"

#include <hectic/encoder.h>

#include <stdlib.h>

enum { CAP_SIZE = 2 }; /* before each definition */

uint8_t *bytes_add(bytes *b, size_t size)
{
    if (!array_reserve(b->at, b->capacity, b->size + size)) return NULL;
    b->size += size;
    return b->at + b->size - size;
}

bool bytes_append(bytes *b, const bytes *more)
{
    uint8_t *at = bytes_add(b, more->size);
    if (at) memcpy(at, more->at, more->size);
    return at != NULL;
}

void bytes_clear(bytes *b)
{
    free(b->at);
    *b = (bytes){0};
}

/* --- Definitions ---------------------------------------------------------------------------- */

bool definitions_add(definitions *d, const hectic_event *event, budget *budget)
{
    d->known.entry_size = sizeof(map_key);
    d->known.unsorted = true;
    if (definitions_hold(d, event)) return true;
    const size_t size = hectic_encode_event(NULL, 0, event);
    const size_t needed = CAP_SIZE + size + map_growth(&d->known);
    if (budget && !budget_take(budget, needed)) return false;
    uint8_t *out = map_add_bytes(&d->known, event->type, event->payload, event->size)
                       ? bytes_add(&d->events, CAP_SIZE + size)
                       : NULL;
    if (!out) return false;
    field_store(out, CAP_SIZE, event->cap);
    hectic_encode_event(out + CAP_SIZE, size, event);
    return true;
}

bool definitions_hold(const definitions *d, const hectic_event *event)
{
    return map_find_bytes(&d->known, event->type, event->payload, event->size);
}

void definitions_clear(definitions *d)
{
    map_clear(&d->known);
    bytes_clear(&d->events);
}

/* --- Blocks --------------------------------------------------------------------------------- */

void replay_writer_end(replay_writer *t)
{
    if (t->open)
        hectic_encode_block_marker(t->out->at + t->block, HECTIC_BLOCK_MARKER_SIZE, t->time,
                                   (uint32_t)(t->out->size - t->block), t->time, t->cap);
    t->open = false;
}

static bool begin_block(replay_writer *t, uint16_t cap)
{
    if (t->open && t->cap == cap) return true;
    replay_writer_end(t);
    t->block = t->out->size;
    t->cap = cap;
    t->open = bytes_add(t->out, HECTIC_BLOCK_MARKER_SIZE) != NULL;
    return t->open;
}

/* Reserves an event in a block of the cap. */
static uint8_t *add_event(replay_writer *t, uint16_t cap, size_t size)
{
    bytes *out = t->out;
    if (out->let_go && HECTIC_BLOCK_MARKER_SIZE + size > out->capacity - out->size) {
        replay_writer_end(t);
        if (!out->let_go(out)) return NULL;
    }
    return begin_block(t, cap) ? bytes_add(out, size) : NULL;
}

static bool write_plain(replay_writer *t, const hectic_event *event)
{
    const size_t size = hectic_encode_event(NULL, 0, event);
    uint8_t *at = add_event(t, event->cap, size);
    if (at) hectic_encode_event(at, size, event);
    return at != NULL;
}

bool replay_writer_event(void *user, const hectic_event *event)
{
    replay_writer *t = user;
    if (!t->sync) return write_plain(t, event);
    const hectic_value fields[] = {{.number = event->type},
                                   {.number = event->cap},
                                   {.bytes = event->payload, .length = event->size}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    const size_t size = hectic_encode_fields(NULL, 0, t->sync, event->time, fields, FIELDS);
    if (size == 0) return true; /* too long */
    uint8_t *at = add_event(t, HECTIC_CAP_NONE, size);
    if (at) hectic_encode_fields(at, size, t->sync, event->time, fields, FIELDS);
    return at != NULL;
}

hectic_event definitions_event(const definitions *d, size_t *at, uint64_t time, type_of type,
                               const void *user)
{
    const uint8_t *entry = d->events.at + *at, *bytes = entry + CAP_SIZE;
    const uint16_t cap = (uint16_t)field_load(entry, CAP_SIZE);
    hectic_event event;
    *at += CAP_SIZE + event_view(type(user, event_type_at(bytes)), bytes, cap, &event);
    event.time = time;
    return event;
}

bool replay_definitions(replay_writer *t, const definitions *d, size_t *at, size_t end,
                        size_t enough, type_of type, const void *user)
{
    while (*at < end && t->out->size < enough) {
        size_t next = *at;
        const hectic_event event = definitions_event(d, &next, t->time, type, user);
        if (!replay_writer_event(t, &event)) return false;
        *at = next;
    }
    return true;
}

static bool write_live_event(void *user, const hectic_event *event)
{
    const replay_writer *t = user;
    const hectic_shape *shape = event->declared->shape;
    return (shape && t->omitted >> shape->class_ & 1) || replay_writer_event(user, event);
}

bool replay_all(replay_writer *t, const definitions *d, const live_state *l,
                const hectic_header *header, type_of type, const void *user)
{
    size_t at = 0;
    const bool is_done = replay_definitions(t, d, &at, d->events.size, SIZE_MAX, type, user) &&
                         live_state_replay(l, header, t->time, write_live_event, t);
    replay_writer_end(t);
    return is_done;
}
