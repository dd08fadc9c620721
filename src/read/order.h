/* The order: the chunks of a section merged into one sequence by (time, position).
 *
 * A chunk is loaded when the merge reaches its earliest time, sorted in memory, and released after
 * its last event. So only chunks that overlap in time are in memory. */
#ifndef HECTIC_SRC_ORDER_H
#define HECTIC_SRC_ORDER_H

#include "read/survey.h"

typedef struct order order;

/* An order of the events of an input with from <= time <= last. NULL: no memory. */
order *order_new(const hectic_input *input, uint64_t from, uint64_t last);
/* Turns to chunks[0 … count-1], which it sorts by their earliest times, of the section with that
 * header; both outlive what it does with them. */
void order_begin(order *o, const hectic_header *header, chunk *chunks, size_t count);
void order_free(order *o);

typedef struct loaded loaded; /* a chunk in memory */

/* The next events, at most `room`, into event[]: returns how many, 0 at the end. They are views
 * into loaded chunks; those that are done with are put into *used, and kept until order_reuse is
 * told that the events are, too. Fewer than `room` with error->kind set: that stopped it. */
size_t order_fill(order *o, hectic_event *event, size_t capacity, loaded **used,
                  hectic_error *error);

/* Takes chunks that order_fill put into a list of used ones, for loading others into. */
void order_reuse(order *o, loaded *used);

#endif
