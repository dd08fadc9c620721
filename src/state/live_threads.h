/* The live threads and their states: the part of live_state.h for threads. */
#ifndef HECTIC_SRC_LIVE_THREADS_H
#define HECTIC_SRC_LIVE_THREADS_H

#include "base/map.h"
#include "format/per_cap.h"
#include "state/live_state.h"

/* Facts about a thread. */
enum {
    CREATED = 1,
    SPARKS = 2,     /* created to run sparks */
    RAN_SPARK = 4,  /* has run a spark */
    IN_PROCESS = 8, /* in an Eden process */
    RUNNING = 16,   /* runs on its cap */
    STOPPED = 32,   /* the status is known */
    RUNNABLE = 64,  /* woken since it stopped */
    DEAD = 128,     /* finished: nothing else is kept */
};

typedef struct thread {
    map_key key;
    char *label;    /* NULL: none */
    uint64_t since; /* when its last known activity began */
    uint64_t woken;
    uint64_t moved;   /* when it was migrated */
    uint64_t labeled; /* when it got its label */
    uint32_t id;
    uint32_t process;
    uint32_t info; /* of STOP_THREAD */
    uint16_t status;
    uint16_t cap; /* its last cap */
    uint16_t label_size;
    uint16_t spark;  /* the event of its last spark: SPARK_RUN, SPARK_STEAL */
    uint16_t victim; /* of SPARK_STEAL */
    uint16_t known;
} thread;

typedef struct live_threads {
    map threads;
    budget *budget;
    thread *recent;  /* the thread of the last event; NULL: entries have moved since */
    bool disordered; /* see live_state_expect_disorder */
    size_t dead;     /* entries of threads that have finished */
    size_t prune_at; /* the number of dead entries at which to prune */
    per_cap running; /* the thread on each cap; 0: none */
    uint8_t *buffer; /* buffer for a replayed event */
} live_threads;

bool live_threads_init(live_threads *t, budget *budget); /* false: out of memory */
void live_threads_clear(live_threads *t);
/* The copy's memory is taken from `budget`. False: out of memory. */
bool live_threads_copy(live_threads *copy, const live_threads *t, budget *budget);

bool live_threads_would_prune(const live_threads *t);
void live_threads_prune(live_threads *t, uint64_t before);
void live_threads_prune_all(live_threads *t);
bool live_threads_use(uint16_t type); /* uses events of this type */
live_state_result live_threads_event(live_threads *t, const hectic_event *event);
/* As live_state_sort, live_state_replay_one. */
size_t live_threads_sort(const live_threads *t);
bool live_threads_replay_one(const live_threads *t, size_t place, const hectic_header *header,
                             uint64_t time, live_state_emit emit, void *user);
/* As live_state_replay_change. */
bool live_threads_replay_change(const live_threads *from, const live_threads *to,
                                const hectic_header *header, uint64_t time, live_state_emit emit,
                                void *user);
thread *live_threads_find(const live_threads *t, uint64_t id); /* NULL: none */

#endif
