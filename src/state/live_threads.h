/* The threads that live, and what each is doing: the part of living.h that is about threads. */
#ifndef HECTIC_SRC_LIVE_THREADS_H
#define HECTIC_SRC_LIVE_THREADS_H

#include "format/per_cap.h"
#include "state/live_state.h"
#include "state/map.h"

/* What is known of a thread. */
enum {
    CREATED = 1,
    SPARKS = 2,     /* it was made to run sparks */
    RAN_SPARK = 4,  /* and has run one */
    IN_PROCESS = 8, /* of Eden */
    RUNNING = 16,   /* on its cap */
    STOPPED = 32,   /* why is known */
    RUNNABLE = 64,  /* it was woken since */
    DEAD = 128,     /* it has finished: nothing else is known of it */
};

typedef struct thread {
    map_key key;
    char *label;    /* NULL: none */
    uint64_t since; /* when it began what it was last known to do */
    uint64_t woken;
    uint32_t id;
    uint32_t process;
    uint32_t info; /* of STOP_THREAD */
    uint16_t status;
    uint16_t cap; /* where it was last */
    uint16_t label_size;
    uint16_t spark;  /* how the last spark came: SPARK_RUN, SPARK_STEAL */
    uint16_t victim; /* of SPARK_STEAL */
    uint16_t known;
} thread;

typedef struct live_threads {
    map threads;
    budget *budget;
    thread *recent;   /* NULL: entries have moved since */
    bool disordered;  /* as live_state_expect_disorder says */
    size_t dead;      /* entries of threads that have finished */
    size_t forget_at; /* at how many dead to forget some */
    per_cap running;  /* the thread on each cap; 0: none */
    uint8_t *room;    /* for an event that is told */
} live_threads;

bool live_threads_init(live_threads *t, budget *budget); /* false: no memory */
void live_threads_clear(live_threads *t);
/* Takes from that budget what the copy uses no more than. False: no memory. */
bool live_threads_copy(live_threads *copy, const live_threads *t, budget *budget);

bool live_threads_would_prune(const live_threads *t);
void live_threads_prune(live_threads *t, uint64_t before);
void live_threads_prune_all(live_threads *t);
bool live_threads_use(uint16_t type); /* events of that type */
live_state_result live_threads_event(live_threads *t, const hectic_event *event);
/* As live_state_sort, live_state_replay_one. */
size_t live_threads_sort(const live_threads *t);
bool live_threads_replay_one(const live_threads *t, size_t place, const hectic_header *header,
                             uint64_t time, live_state_emit tell, void *user);
/* As live_state_replay_change. */
bool live_threads_replay_change(const live_threads *from, const live_threads *to,
                                const hectic_header *header, uint64_t time, live_state_emit tell,
                                void *user);
thread *live_threads_find(const live_threads *t, uint64_t id); /* NULL: none */

#endif
