/* hectic/collections.h — every collection of a run: who asked for it and why, how long it stopped
 * the program, what it did.
 *
 * Takes events in the order of time. A collection is handed out when all is known of it, which is
 * shortly after its end, or when the next one begins; memory depends on the number of caps only.
 */
#ifndef HECTIC_COLLECTIONS_H
#define HECTIC_COLLECTIONS_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a collection was made, by why the thread that ran last on the asking cap had stopped. */
typedef enum hectic_gc_reason {
    HECTIC_GC_UNKNOWN,
    HECTIC_GC_HEAP,    /**< the allocation area was full */
    HECTIC_GC_REQUEST, /**< the program asked for it (performGC), by a foreign call */
    HECTIC_GC_IDLE,    /**< all threads were blocked: idle, or looking for deadlock */
    HECTIC_GC_EXIT,    /**< a thread had finished: at the end of the program, or of a call of C */
    HECTIC_GC_OTHER,   /**< a thread gave way to others */
} hectic_gc_reason;

/** "heap overflow", "request" … */
const char *hectic_gc_reason_text(hectic_gc_reason reason);

/** One collection, as the cap that led it tells. */
typedef struct hectic_collection {
    uint64_t start; /**< ns */
    uint64_t pause; /**< ns; up to now where it has not ended */
    bool has_ended;
    bool has_mean_pause;
    uint64_t mean_pause; /**< ns: the mean over the caps that took part, each from its own GC_START
                              to its own GC_END */
    bool has_cap;        /**< it is known who led */
    uint16_t cap;        /**< who led, and had asked */
    hectic_gc_reason reason;
    bool has_safepoint;
    uint64_t safepoint;    /**< ns from the request until all had stopped */
    uint32_t participants; /**< caps that were between GC_START and GC_END at some time of it */
    bool has_stats;        /**< GC_STATS_GHC: the following */
    uint16_t generation;
    uint32_t threads; /**< of the collector; 1: it was sequential */
    uint64_t copied, slop, fragmentation;
    bool has_balance;
    double balance; /**< of its work: 0: one thread did all, 1: all did the same */
    bool has_live, has_before, has_after;
    uint64_t live;          /**< bytes, of a major collection */
    uint64_t before, after; /**< bytes of the heap */
} hectic_collection;

typedef struct hectic_collections hectic_collections;

/** Called for each collection that started at `from` or later and before `to`, in the order of
 * their ends. False stops. */
typedef bool (*hectic_collection_callback)(void *user, const hectic_collection *collection);

/** NULL where memory is short. */
hectic_collections *hectic_collections_new(uint64_t from, uint64_t to,
                                           hectic_collection_callback take, void *user);
void hectic_collections_free(hectic_collections *collections);

/** Takes an event. False: no memory, or it was stopped. */
bool hectic_collections_event(hectic_collections *collections, const hectic_event *event);

/** The section has ended: hands out what is left, as it is, and begins anew. */
bool hectic_collections_end(hectic_collections *collections, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
