/* running.c — see running.h. */
#include "running.h"

#include <stdlib.h>
#include <string.h>

struct running {
    uint32_t caps;                    /* those above have never run a thread */
    uint64_t thread[HECTIC_CAP_NONE]; /* by cap: 1 + the thread that runs there, or 0 */
};

struct running *running_new(void)
{
    return calloc(1, sizeof(struct running));
}

void running_free(struct running *running)
{
    free(running);
}

void running_clear(struct running *running)
{
    memset(running->thread, 0, running->caps * sizeof *running->thread);
    running->caps = 0;
}

/* The number that the event's field `index` holds, where its shape has that field. Shapes without a
 * text are unknown to ghc-events. */
static bool field_of(const hectic_event *event, size_t index, uint64_t *number)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    const hectic_shape *shape = event->declared->shape;
    if (shape == NULL || shape->text == NULL) return false;
    if (hectic_shape_walk(shape, event->payload, event->size, value, NULL) <= index) return false;
    *number = value[index].number;
    return true;
}

static bool is_about_a_thread(const hectic_event *event)
{
    switch (event->type) {
    case HECTIC_EVENT_CREATE_SPARK_THREAD:
    case HECTIC_EVENT_CREATE_THREAD:
    case HECTIC_EVENT_RUN_THREAD:
    case HECTIC_EVENT_STOP_THREAD:
    case HECTIC_EVENT_THREAD_RUNNABLE:
    case HECTIC_EVENT_MIGRATE_THREAD:
    case HECTIC_EVENT_THREAD_WAKEUP: return true;
    default: return false;
    }
}

uint64_t running_index(const struct running *running, const hectic_event *event)
{
    uint64_t thread, cap;
    if (is_about_a_thread(event) && field_of(event, 0, &thread)) {
        if (event->type != HECTIC_EVENT_THREAD_WAKEUP) return thread + 1;
        return field_of(event, 1, &cap) && cap == event->cap ? thread + 1 : 0;
    }
    return event->cap == HECTIC_CAP_NONE ? 0 : running->thread[event->cap];
}

/* The cap on which a thread runs, or `caps`. */
static uint32_t cap_of(const struct running *running, uint64_t thread)
{
    uint32_t cap = 0;
    while (cap < running->caps && running->thread[cap] != thread + 1)
        cap++;
    return cap;
}

bool running_step(struct running *running, const hectic_event *event)
{
    const bool runs = event->type == HECTIC_EVENT_RUN_THREAD;
    uint64_t thread;
    if ((!runs && event->type != HECTIC_EVENT_STOP_THREAD) || !field_of(event, 0, &thread))
        return true;
    if (event->cap == HECTIC_CAP_NONE) return false;
    const uint32_t cap = cap_of(running, thread);
    const bool is_running = cap < running->caps;
    if (runs == is_running) return false;
    if (!runs) {
        running->thread[cap] = 0;
        return true;
    }
    if (running->thread[event->cap] != 0) return false;
    running->thread[event->cap] = thread + 1;
    if (running->caps <= event->cap) running->caps = event->cap + 1u;
    return true;
}
