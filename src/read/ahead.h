/* Ordering ahead: batches of ordered events, made by a thread while others are being looked at. */
#ifndef HECTIC_SRC_AHEAD_H
#define HECTIC_SRC_AHEAD_H

#include "read/order.h"

/* Below so many events a thread costs more than it saves. */
enum { AHEAD_WORTHWHILE = 50000 };

typedef struct ahead ahead;

/* Takes the order over, also on failure (NULL: no memory). Without a thread of its own, or where
 * none can be had, it orders when it is asked for events. */
ahead *ahead_new(order *o, bool threaded);
void ahead_free(ahead *a);

/* The next event: HECTIC_ONE with *event, valid until the next call, HECTIC_PARTIAL at the end, or
 * HECTIC_ERROR with *error. */
hectic_result ahead_next(ahead *a, hectic_event *event, hectic_error *error);

#endif
