/* sparks.h — what happened to sparks, for each cap.
 *
 * Logs record sparks in two ways: by counters, written periodically (+RTS -lp), and by events for
 * each spark (+RTS -lf). The latter also record how long evaluating them took.
 *
 * Takes events in order of time. It keeps some numbers for each cap, and the live spark threads.
 * Results of adjacent intervals add up.
 */
#ifndef HECTIC_SRC_SPARKS_H
#define HECTIC_SRC_SPARKS_H

#include "numbers/histogram.h"
#include <hectic/decoder.h>

typedef struct hectic_spark_counts {
    uint64_t created;    /* put into this cap's pool */
    uint64_t converted;  /* evaluated by this cap */
    uint64_t overflowed; /* discarded because the pool was full */
    uint64_t dud;        /* already evaluated when created */
    uint64_t gcd;        /* dropped by the garbage collector */
    uint64_t fizzled;    /* already evaluated when taken from the pool */
} hectic_spark_counts;

/* One cap. Counts and times are inside the interval. */
typedef struct hectic_spark_cap {
    uint16_t cap;
    bool has_counters, has_events; /* which of the two the log has */
    hectic_spark_counts counters;  /* increments of the counters */
    hectic_spark_counts events;    /* from the events for each spark */
    uint64_t run;                  /* evaluated from its own pool */
    uint64_t stolen;               /* evaluated from the pool of another cap */
    uint64_t lost;                 /* evaluated from its pool by other caps */
    uint64_t pool;     /* sparks in its pool at the end; exact if there are no events, otherwise
                          corrected by each counter */
    uint64_t pool_max; /* maximum of `pool` */
    uint64_t waited;   /* ns that sparks were in its pool, summed over all sparks */
    uint64_t left;     /* sparks that left its pool in any way: waited / left is the average wait */
    uint64_t eval;     /* ns spent evaluating sparks */
    uint64_t counter_resets; /* how often a counter decreased */
} hectic_spark_cap;

/* One spark that was evaluated. */
typedef struct hectic_spark {
    uint64_t started, finished; /* ns */
    uint64_t idle;              /* the part of that time in which its thread did not run */
    uint32_t thread;            /* the evaluating thread */
    uint16_t cap, from;         /* the evaluating cap, and the cap of its pool */
} hectic_spark;

typedef bool (*hectic_spark_callback)(void *user, const hectic_spark *spark);
typedef struct hectic_sparks hectic_sparks;

/* For the interval from <= t < to (ns). Calls `callback`, unless NULL, for each spark whose
 *  evaluation ended in it. NULL: out of memory. */
hectic_sparks *hectic_sparks_new(uint64_t from, uint64_t to, hectic_spark_callback callback,
                                 void *user);
void hectic_sparks_free(hectic_sparks *sparks);

/* Takes the next event. False: out of memory, or the callback returned false. */
bool hectic_sparks_event(hectic_sparks *sparks, const hectic_event *event);

/* Ends the section, or the interval in it, at `now`. Unfinished evaluations are discarded. */
void hectic_sparks_end(hectic_sparks *sparks, uint64_t now);

/* The number of caps with results. */
uint32_t hectic_sparks_caps(const hectic_sparks *sparks);

/* The results of a cap at `now`; `place` 0 is the cap with the lowest number. */
void hectic_sparks_cap(const hectic_sparks *sparks, uint32_t place, uint64_t now,
                       hectic_spark_cap *result);

/* The same of the cap with a number. False: it has no results. */
bool hectic_sparks_find(const hectic_sparks *sparks, uint16_t cap, uint64_t now,
                        hectic_spark_cap *result);

/* The durations of evaluations that ended in the interval, without idle time. */
const hectic_histogram *hectic_sparks_durations(const hectic_sparks *sparks);

#endif
