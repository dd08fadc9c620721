/* Merges the edges of collections, which are in order per cap in the file, into the order of time.
 *
 * A queue contains the edges of one cap while another one fills a block: with heap events (since
 * GHC 7.6) every cap has events for every collection, so the size of a block is a bound. Otherwise
 * the oldest edges are merged when there are too many; edges that arrive too late then make the
 * times unknown. */
#ifndef HECTIC_SRC_GC_QUEUE_H
#define HECTIC_SRC_GC_QUEUE_H

#include "facts/gc_time.h"

struct gc_queue_of_cap {
    uint64_t *word; /* each edge: its time and its kind, followed by its number, if any */
    size_t words, capacity;
    size_t held; /* words at the fork; see stat_fork.h */
    uint64_t latest;
    uint64_t known; /* set by the caller before gc_queue_merge_known: the queue has all edges before
                       this time */
};

struct gc_queue {
    size_t caps;
    struct gc_queue_of_cap *cap;
    size_t words;    /* in all queues */
    size_t full_at;  /* words; 0: the initial limit */
    uint64_t merged; /* edges before this time have been delivered */
    bool is_lost;    /* the order of edges is lost */
};

/* Takes an edge in order of time. False: out of memory. */
typedef bool (*gc_edge_callback)(void *user, size_t cap, uint64_t time, enum gc_edge edge,
                                 uint64_t number);

/* Adds a cap; all zero has no caps. False: out of memory. */
bool gc_queue_grow(struct gc_queue *q);
void gc_queue_clear(struct gc_queue *q);

/* Appends an edge, of a kind below GC_EDGES_QUEUED, to its cap's queue. False: out of memory. */
bool gc_queue_push(struct gc_queue *q, size_t cap, uint64_t time, enum gc_edge edge,
                   uint64_t number);

/* True if the caller should call gc_queue_merge_known. */
bool gc_queue_is_full(const struct gc_queue *q);
bool gc_queue_merge_known(struct gc_queue *q, gc_edge_callback callback, void *user);

/* Delivers and removes all queued edges. */
bool gc_queue_empty(struct gc_queue *q, gc_edge_callback callback, void *user);

/* Delivers all queued edges, and keeps them. */
bool gc_queue_peek(const struct gc_queue *q, gc_edge_callback callback, void *user);

#endif
