/* hectic/sparks.h — what became of sparks, on each cap.
 *
 * Two kinds of events tell of them: counters, written now and then (+RTS -lp), and an event for
 * each spark (+RTS -lf). The latter also tell how long evaluating them took.
 *
 * A consumer of ordered events. It keeps a few numbers for each cap, and the spark threads that
 * live. What is told of adjacent intervals adds up.
 */
#ifndef HECTIC_SPARKS_H
#define HECTIC_SPARKS_H

#include <hectic/decoder.h>
#include <hectic/histogram.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_spark_counts {
    uint64_t created;    /**< put into this cap's pool */
    uint64_t converted;  /**< evaluated by this cap */
    uint64_t overflowed; /**< thrown away, since the pool was full */
    uint64_t dud;        /**< evaluated already when created */
    uint64_t gcd;        /**< dropped by the collector */
    uint64_t fizzled;    /**< evaluated already when their turn came */
} hectic_spark_counts;

/** One cap. Counts and times are those inside the interval. */
typedef struct hectic_spark_cap {
    uint16_t cap;
    bool has_counters, has_events; /**< which of the two there were */
    hectic_spark_counts counters;  /**< by the counters: what they grew */
    hectic_spark_counts events;    /**< by the events of each spark */
    uint64_t run;                  /**< evaluated from its own pool */
    uint64_t stolen;               /**< evaluated from the pool of another cap */
    uint64_t lost;                 /**< evaluated by other caps, from its pool */
    uint64_t pool;                 /**< sparks in its pool at the end; exact where there are no
                                        events, else corrected whenever counters come */
    uint64_t pool_max;             /**< and at most */
    uint64_t waited; /**< the sum over all sparks of the ns that they were in its pool */
    uint64_t left;   /**< sparks that left its pool, however: waited / left is how long
                          they waited on average */
    uint64_t eval;   /**< ns in which it evaluated sparks */
    uint64_t shrunk; /**< counters that were less than before */
} hectic_spark_cap;

/** One spark that was evaluated. */
typedef struct hectic_spark {
    uint64_t started, finished; /**< ns */
    uint64_t idle;              /**< the part of it in which its thread did not run */
    uint32_t thread;            /**< that evaluated it */
    uint16_t cap, from;         /**< where it was started, and from whose pool */
} hectic_spark;

typedef bool (*hectic_spark_callback)(void *user, const hectic_spark *spark);
typedef struct hectic_sparks hectic_sparks;

/** For from <= t < to (ns). `take`, where not NULL, is given each spark whose evaluation ended in
 *  the interval. NULL: no memory. */
hectic_sparks *hectic_sparks_new(uint64_t from, uint64_t to, hectic_spark_callback take,
                                 void *user);
void hectic_sparks_free(hectic_sparks *sparks);

/** The next event. False: no memory, or `take` has said stop. */
bool hectic_sparks_event(hectic_sparks *sparks, const hectic_event *event);

/** The section, or the interval in it, has ended at `now`. What was not finished is forgotten. */
void hectic_sparks_end(hectic_sparks *sparks, uint64_t now);

/** How many caps there are of which anything is known. */
uint32_t hectic_sparks_caps(const hectic_sparks *sparks);

/** What is known at `now` of one of them: 0 is the one with the least number. */
void hectic_sparks_cap(const hectic_sparks *sparks, uint32_t place, uint64_t now,
                       hectic_spark_cap *told);

/** How long the evaluations took that ended in the interval, without idle time. */
const hectic_histogram *hectic_sparks_durations(const hectic_sparks *sparks);

#ifdef __cplusplus
}
#endif
#endif
