/* The order: the chunks of a section merged into one sequence by (time, position).
 *
 * A chunk is loaded when the merge comes to its earliest time, sorted in memory, and let go when
 * its last event has been delivered. So what is in memory is what overlaps. */
#ifndef HECTIC_SRC_ORDER_H
#define HECTIC_SRC_ORDER_H

#include "read/survey.h"

typedef struct order order;

/* An order over chunks[0 … count-1] of an input, which it sorts by their earliest times; both
 * outlive it. Events before `from` are left out. NULL: no memory. */
order *order_new(const hectic_input *input, chunk *chunks, size_t count, uint64_t from);
void order_free(order *o);

/* The next event: HECTIC_ONE with *event, valid until the next call, HECTIC_PARTIAL at the end, or
 * HECTIC_ERROR with *error. */
hectic_result order_next(order *o, hectic_event *event, hectic_error *error);

#endif
