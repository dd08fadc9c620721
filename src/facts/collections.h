/* collections.h — the garbage collections of a run: which cap requested each and why, how
 * long it stopped the program, and its results.
 *
 * Takes events in order of time. A collection is reported when its data are complete: shortly after
 * its end, or when the next one begins. Memory depends only on the number of caps.
 */
#ifndef HECTIC_SRC_COLLECTIONS_H
#define HECTIC_SRC_COLLECTIONS_H

#include <hectic/decoder.h>

/* The reason for a collection: derived from why the last thread on the requesting cap had stopped.
 */
typedef enum hectic_gc_reason {
    HECTIC_GC_UNKNOWN,
    HECTIC_GC_HEAP,    /* the allocation area was full */
    HECTIC_GC_REQUEST, /* the program requested it (performGC), by a foreign call */
    HECTIC_GC_IDLE,    /* no thread ran for 0.1 s before or after: idle GC */
    HECTIC_GC_EXIT,    /* a thread had finished, and it is the last collection */
    HECTIC_GC_OTHER,   /* a thread yielded */
} hectic_gc_reason;

/* Why a collection was requested on a cap whose last thread had stopped for a foreign call, or
 * blocked, `before` ns before the request, and that ran a thread again `after` ns after the
 * collection. `returns`: that thread, from a foreign call. */
hectic_gc_reason hectic_gc_reason_of(bool returns, uint64_t before, uint64_t after);

/* "heap overflow", "request" … */
const char *hectic_gc_reason_text(hectic_gc_reason reason);

/* One collection, as recorded by its GC leader (the cap that requested it). */
typedef struct hectic_collection {
    uint64_t start; /* ns */
    uint64_t pause; /* ns; up to now if it has not ended */
    bool has_ended;
    bool has_mean_pause;
    uint64_t mean_pause; /* ns: the mean over the participating caps, each from its own GC_START
                            to its own GC_END */
    bool has_cap;        /* the GC leader is known */
    uint16_t cap;        /* the GC leader */
    hectic_gc_reason reason;
    bool has_safepoint;
    uint64_t safepoint;    /* ns from the request until all caps had stopped */
    uint32_t participants; /* caps that were between GC_START and GC_END at some time during it */
    bool has_stats;        /* GC_STATS_GHC: the following fields are set */
    uint16_t generation;
    uint32_t threads; /* of the collector; 1: sequential */
    uint64_t copied, slop, fragmentation;
    bool has_balance;
    double balance; /* work balance: 0: one thread did all work, 1: all did the same */
    bool has_live, has_before, has_after;
    uint64_t live;          /* bytes, after a major collection */
    uint64_t before, after; /* heap size in bytes */
} hectic_collection;

typedef struct hectic_collections hectic_collections;

/* Called for each collection that started at `from` or later and before `to`, in the order in
 *  which they ended. Return false to stop. */
typedef bool (*hectic_collection_callback)(void *user, const hectic_collection *collection);

/* NULL if out of memory. */
hectic_collections *hectic_collections_new(uint64_t from, uint64_t to,
                                           hectic_collection_callback take, void *user);
void hectic_collections_free(hectic_collections *collections);

/* Takes an event. False: out of memory, or the callback returned false. */
bool hectic_collections_event(hectic_collections *collections, const hectic_event *event);

/* Ends the section: reports the pending collections, complete or not, and resets the state. */
bool hectic_collections_end(hectic_collections *collections, uint64_t now);

#endif
