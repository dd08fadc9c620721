/* running.h — which thread runs on each cap: what RUN_THREAD and STOP_THREAD say. */
#ifndef HECTIC_SRC_RUNNING_H
#define HECTIC_SRC_RUNNING_H

#include "read/decode/type_set.h"

#include <hectic/read_events.h>

#include <stdlib.h>

/* A log with events of this type records which threads run. */
enum { RUNNING_EVIDENCE = HECTIC_EVENT_RUN_THREAD };

enum running_step {
    RUNNING_SAME, /* another event, or a damaged one */
    RUNNING_STARTS,
    RUNNING_STOPS,
};

/* By type alone. */
static inline enum running_step running_step_of(uint16_t type)
{
    return type == HECTIC_EVENT_RUN_THREAD    ? RUNNING_STARTS
           : type == HECTIC_EVENT_STOP_THREAD ? RUNNING_STOPS
                                              : RUNNING_SAME;
}

/* The types that running_follow needs. */
static inline void running_add_types(type_set *types)
{
    type_set_add(types, HECTIC_EVENT_RUN_THREAD);
    type_set_add(types, HECTIC_EVENT_STOP_THREAD);
}

/* What the event says about its cap. Sets *thread to the one that starts. */
static inline enum running_step running_step(const hectic_event *event, uint32_t *thread)
{
    const enum running_step step =
        event->cap == HECTIC_CAP_NONE ? RUNNING_SAME : running_step_of(event->type);
    return step == RUNNING_STARTS && !hectic_read_thread(event, thread) ? RUNNING_SAME : step;
}

/* Is the first field of the type's events the thread that they are about? */
static inline bool running_is_about_thread(const hectic_shape *shape)
{
    return shape && shape->class_ == HECTIC_CLASS_SCHEDULER && shape->field_count > 0 &&
           shape->field[0].unit == HECTIC_UNIT_THREAD;
}

/* For each cap, the thread that runs, plus 1; 0: none. Freed by free(); NULL: out of memory. */
static inline uint32_t *running_new(void)
{
    return calloc(HECTIC_CAP_NONE + 1, sizeof(uint32_t));
}

/* Follows an event of a cap, in order of time. */
static inline void running_follow(uint32_t *running, const hectic_event *event)
{
    uint32_t thread;
    const enum running_step step = running_step(event, &thread);
    if (step == RUNNING_STARTS) running[event->cap] = thread + 1;
    if (step == RUNNING_STOPS) running[event->cap] = 0;
}

#endif
