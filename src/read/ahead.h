/* Ordering ahead: batches of ordered events, made by a thread while others are being looked at. */
#ifndef HECTIC_SRC_AHEAD_H
#define HECTIC_SRC_AHEAD_H

#include "read/order.h"

/* Below so many events a thread costs more than it saves. */
enum { AHEAD_WORTHWHILE = 50000 };

typedef struct ahead ahead;

/* Takes the order over, also on failure (NULL: no memory; the order may be NULL). */
ahead *ahead_new(order *o);
void ahead_free(ahead *a);

/* Turns to a section, as order_begin does. Without a thread of its own, or where none can be had,
 * it orders when it is asked for events. */
void ahead_begin(ahead *a, const hectic_header *header, chunk *chunks, size_t count, bool threaded);
/* Leaves it: what it gave of it is no longer valid. */
void ahead_end(ahead *a);

/* The next event: HECTIC_GOT_EVENT with *event, valid until the next call, HECTIC_PARTIAL at the
 * end, or HECTIC_ERROR with *error. */
hectic_result ahead_next(ahead *a, hectic_event *event, hectic_error *error);

#endif
