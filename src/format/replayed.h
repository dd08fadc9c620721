/* SYNC events: each holds another event, which is replayed to a reader who came later, or has
 * missed something: its number, its cap, and its payload. It tells what holds, not what happens. */
#ifndef HECTIC_SRC_REPLAYED_H
#define HECTIC_SRC_REPLAYED_H

#include "format/wire.h"

#include <hectic/decoder.h>

enum { SYNC_FIELDS = 4 }; /* before the payload of the event that it holds */

/* The event that a SYNC event holds; what the header declares of it is not known (`declared` is the
 * SYNC's). False: it holds none, or another SYNC. */
static inline bool replayed_event(const hectic_event *sync, hectic_event *replayed)
{
    if (sync->size < SYNC_FIELDS) return false;
    *replayed = *sync;
    replayed->type = load16(sync->payload);
    replayed->cap = load16(sync->payload + 2);
    replayed->payload = sync->payload + SYNC_FIELDS;
    replayed->size = (uint16_t)(sync->size - SYNC_FIELDS);
    return replayed->type != HECTIC_EVENT_SYNC;
}

#endif
