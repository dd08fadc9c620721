/* The threads that live, and what each is doing: the part of living.h that is about threads. */
#ifndef HECTIC_SRC_LIVING_THREADS_H
#define HECTIC_SRC_LIVING_THREADS_H

#include "format/per_cap.h"
#include "living/living.h"
#include "living/map.h"

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

typedef struct living_threads {
    map threads;
    budget *budget;
    thread *recent;   /* NULL: entries have moved since */
    bool disordered;  /* as living_expect_disorder says */
    size_t dead;      /* entries of threads that have finished */
    size_t forget_at; /* at how many dead to forget some */
    per_cap running;  /* the thread on each cap; 0: none */
    uint8_t *room;    /* for an event that is told */
} living_threads;

bool living_threads_init(living_threads *t, budget *budget); /* false: no memory */
void living_threads_clear(living_threads *t);
/* Takes from that budget what the copy uses no more than. False: no memory. */
bool living_threads_copy(living_threads *copy, const living_threads *t, budget *budget);

bool living_threads_would_forget(const living_threads *t);
void living_threads_forget(living_threads *t, uint64_t before);
void living_threads_forget_all(living_threads *t);
bool living_threads_heed(uint16_t type); /* events of that type */
living_result living_threads_event(living_threads *t, const hectic_event *event);
/* As living_sort, living_restate_one. */
size_t living_threads_sort(const living_threads *t);
bool living_threads_restate_one(const living_threads *t, size_t place, const hectic_header *header,
                                uint64_t time, living_tell tell, void *user);
/* As living_tell_change. */
bool living_threads_tell_change(const living_threads *from, const living_threads *to,
                                const hectic_header *header, uint64_t time, living_tell tell,
                                void *user);
thread *living_threads_find(const living_threads *t, uint64_t id); /* NULL: none */

#endif
