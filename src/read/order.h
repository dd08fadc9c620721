/* The order: the chunks of a section merged into one sequence by (time, position).
 *
 * A chunk is loaded when the merge reaches its earliest time, sorted in memory, and released after
 * its last event. So only chunks that overlap in time are in memory. */
#ifndef HECTIC_SRC_ORDER_H
#define HECTIC_SRC_ORDER_H

#include "read/survey.h"
#include "read/type_set.h"

typedef struct order order;

/* Reads the bytes of a log, as hectic_input_pread. */
typedef struct order_source {
    const void *user;
    ptrdiff_t (*read)(const void *user, uint64_t position, void *buffer, size_t size,
                      hectic_error *error);
} order_source;

/* An order of the events of a log with from <= time <= last. NULL: out of memory. */
order *order_new(order_source source, uint64_t from, uint64_t last);
/* Only events of these types are delivered. The set must outlive its use. */
void order_want(order *o, const type_set *types);
/* order_fill loads at most so many further bytes (and a chunk that begins before); then it returns
 * what it has, and order_is_paused. */
void order_allow(order *o, uint64_t bytes);
bool order_is_paused(const order *o);
/* The bytes that were loaded. */
uint64_t order_loaded(const order *o);
/* Begins a section with the given header and chunks[0 … count-1], which it sorts by their earliest
 * times; both must outlive its use. */
void order_begin(order *o, const hectic_header *header, chunk *chunks, size_t count);
void order_free(order *o);

typedef struct loaded loaded; /* a chunk in memory */

/* Stores the next events in event[], at most `capacity`; returns their number, 0 at the end. They
 * are views into loaded chunks; exhausted chunks are added to *used, and stay valid until
 * order_reuse. Fewer than `capacity` with error->kind set: failed. */
size_t order_fill(order *o, hectic_event *event, size_t capacity, loaded **used,
                  hectic_error *error);

/* Returns a list of used chunks from order_fill, for loading others. */
void order_reuse(order *o, loaded *used);

#endif
