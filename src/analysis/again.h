/* What is told again: to a reader who came later, or has missed something.
 *
 * A part of a log begins with what holds there, as events that are all stamped with that time, the
 * caps first (living/telling.h). That a cap, and what it does, began at one moment is told of
 * nothing that just happens: so it tells a state, but is no run, birth or collection. Within a log,
 * SYNC events hold such events; who knows of them already learns nothing from them. */
#ifndef HECTIC_SRC_AGAIN_H
#define HECTIC_SRC_AGAIN_H

#include "format/wire.h"

#include <hectic/decoder.h>

struct again {
    uint16_t type, cap;
    const uint8_t *payload;
    uint16_t size;
};

/* What the payload of a SYNC event holds. False: nothing, or another one. */
static inline bool again_read(const uint8_t *payload, size_t size, struct again *again)
{
    enum { FIELDS = 4 };
    if (size < FIELDS) return false;
    *again = (struct again){.type = load16(payload),
                            .cap = load16(payload + 2),
                            .payload = payload + FIELDS,
                            .size = (uint16_t)(size - FIELDS)};
    return again->type != HECTIC_EVENT_SYNC;
}

/* The same as an event. */
static inline bool again_event(const hectic_event *sync, hectic_event *told)
{
    struct again again;
    if (!again_read(sync->payload, sync->size, &again)) return false;
    *told = *sync;
    told->type = again.type;
    told->cap = again.cap;
    told->payload = again.payload;
    told->size = again.size;
    return true;
}

#endif
