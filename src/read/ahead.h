/* Loading ahead: a thread loads the chunks of an order while the caller processes earlier ones. */
#ifndef HECTIC_SRC_AHEAD_H
#define HECTIC_SRC_AHEAD_H

#include "read/decode/order.h"

typedef struct ahead ahead;

/* NULL: out of memory. */
ahead *ahead_new(order *o);
/* To be called before order_free. */
void ahead_free(ahead *a);

/* After order_begin: begins to load chunks 0 … count-1. Without this, or if no thread can be
 * created, the order loads them itself. */
void ahead_begin(ahead *a, size_t count);
/* To be called before the next order_begin. */
void ahead_end(ahead *a);

#endif
