/* The order: the chunks of a section merged into one sequence by (time, position).
 *
 * A chunk is loaded when the merge reaches its earliest time, sorted in memory, and released after
 * its last event. So only chunks that overlap in time are in memory. The merge follows a chunk up
 * to the next event of another: events that one cap logs while the others log nothing cost no
 * comparison of chunks. */
#ifndef HECTIC_SRC_ORDER_H
#define HECTIC_SRC_ORDER_H

#include "read/decode/step.h"
#include "read/decode/type_set.h"

typedef struct chunk {
    uint64_t position;
    uint64_t length; /* 0: a message of lost.h about `remaining` bytes */
    uint64_t first;  /* the earliest time */
    /* The framing at its beginning, as in a stepper. */
    int64_t remaining;
    uint16_t cap;
} chunk;

typedef struct order order;
typedef struct loaded loaded; /* a chunk in memory */

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
/* The index of the chunk that is loaded next. */
size_t order_next(const order *o);
/* Begins a section with the given header and chunks[0 … count-1], which it sorts by their earliest
 * times; both must outlive its use. Returns how many of them it loads, one after the other. */
size_t order_begin(order *o, const hectic_header *header, chunk *chunks, size_t count);
void order_free(order *o);

/* Loads a chunk, by its index, into *l, which is an unused one, or NULL and then allocated. One
 * thread may do this meanwhile. False with *error: failed. */
bool order_load(order *o, size_t index, loaded **l, hectic_error *error);
void loaded_free(loaded *l);
/* order_fill gets its chunks by `take` from now on, which exchanges *l for the next one. */
void order_take_from(order *o, bool (*take)(void *user, loaded **l, hectic_error *error),
                     void *user);

/* Stores the next events in event[], at most `capacity`; returns their number, 0 at the end. They
 * are valid until the next call. Fewer than `capacity` with error->kind set: failed. */
size_t order_fill(order *o, hectic_event *event, size_t capacity, hectic_error *error);

#endif
