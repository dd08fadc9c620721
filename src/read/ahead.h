/* Ordering ahead: a thread orders batches of events while the caller processes earlier ones. */
#ifndef HECTIC_SRC_AHEAD_H
#define HECTIC_SRC_AHEAD_H

#include "read/order.h"

/* With fewer events, a thread costs more than it saves. */
enum { AHEAD_WORTHWHILE = 50000 };

typedef struct ahead ahead;

/* Takes ownership of the order, also on failure (NULL: out of memory; the order may be NULL). */
ahead *ahead_new(order *o);
void ahead_free(ahead *a);

/* Begins a section, as order_begin. Without a thread, or if none can be created, it orders on
 * demand. */
void ahead_begin(ahead *a, const hectic_header *header, chunk *chunks, size_t count, bool threaded);
/* Ends the section: its events are no longer valid. */
void ahead_end(ahead *a);

/* The next event: HECTIC_GOT_EVENT with *event, valid until the next call, HECTIC_PARTIAL at the
 * end, or HECTIC_ERROR with *error. */
hectic_result ahead_next(ahead *a, hectic_event *event, hectic_error *error);

#endif
