/* The edges of collections, cap by cap as they stand in the file, merged into the order of time.
 *
 * A queue holds what one cap tells while another one fills a block: with heap events (since GHC
 * 7.6) every cap tells something at every collection, so that is bounded by the size of a block.
 * Where it is not, the oldest edges are merged when there are too many, and what comes too late
 * then makes the times unknown. */
#ifndef HECTIC_SRC_GC_QUEUE_H
#define HECTIC_SRC_GC_QUEUE_H

#include "analysis/gc_time.h"

struct gc_queue_of_cap {
    uint64_t *word; /* an edge: its time and its kind; and the number of those that have one */
    size_t words, capacity;
    uint64_t latest;
    uint64_t known; /* set by the caller before gc_queue_make_room: it has all edges before this */
};

struct gc_queue {
    size_t caps;
    struct gc_queue_of_cap *cap;
    size_t words;    /* in all queues */
    size_t full_at;  /* words; 0: as many as suits the beginning */
    uint64_t merged; /* edges before this time have been given out */
    bool is_lost;    /* the order of edges */
};

/* Takes an edge in the order of time. False: no memory. */
typedef bool (*gc_edge_take)(void *user, size_t cap, uint64_t time, enum gc_edge edge,
                             uint64_t number);

/* All zeros has no cap yet. Makes room for one more. False: no memory. */
bool gc_queue_grow(struct gc_queue *q);
void gc_queue_clear(struct gc_queue *q);

/* An edge of those up to GC_EDGES_QUEUED, the next one of its cap. False: no memory. */
bool gc_queue_push(struct gc_queue *q, size_t cap, uint64_t time, enum gc_edge edge,
                   uint64_t number);

/* Shall the caller make room now and then? */
bool gc_queue_is_full(const struct gc_queue *q);
bool gc_queue_make_room(struct gc_queue *q, gc_edge_take take, void *user);

/* Gives out, and forgets, all that is queued. */
bool gc_queue_empty(struct gc_queue *q, gc_edge_take take, void *user);

/* Gives out all that is queued, and keeps it. */
bool gc_queue_look(const struct gc_queue *q, gc_edge_take take, void *user);

#endif
