/* SYNC events: each replays another event to a reader that connected later, or has missed events:
 * its number, its cap, and its payload. It describes the current state, not a change. */
#ifndef HECTIC_SRC_REPLAYED_H
#define HECTIC_SRC_REPLAYED_H

#include "format/wire.h"

#include <hectic/decoder.h>

enum { SYNC_FIELDS = 4 }; /* before the payload of the replayed event */

/* The event that a SYNC event replays. Its declared type is unknown (`declared` is the SYNC's).
 * False: the SYNC is malformed, or replays another SYNC. */
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
