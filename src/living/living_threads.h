/* The threads that live, and what each is doing: the part of living.h that is about threads. */
#ifndef HECTIC_SRC_LIVING_THREADS_H
#define HECTIC_SRC_LIVING_THREADS_H

#include "living/living.h"
#include "living/map.h"

typedef struct living_threads {
    map threads;
    budget *budget;
    struct thread *recent; /* NULL: entries have moved since */
    bool disordered;       /* as living_expect_disorder says */
    size_t dead;           /* entries of threads that have finished */
    size_t forget_at;      /* at how many dead to forget some */
    uint32_t *running;     /* on each cap; 0: none */
    uint8_t *room;         /* for an event that is told */
} living_threads;

bool living_threads_init(living_threads *t, budget *budget); /* false: no memory */
void living_threads_clear(living_threads *t);

void living_threads_forget(living_threads *t, uint64_t before);
bool living_threads_heed(uint16_t type); /* events of that type */
living_result living_threads_event(living_threads *t, const hectic_event *event);
/* As living_sort, living_restate_one. */
size_t living_threads_sort(const living_threads *t);
bool living_threads_restate_one(const living_threads *t, size_t place, const hectic_header *header,
                                uint64_t time, living_tell tell, void *user);

#endif
