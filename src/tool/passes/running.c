/* running.c — see running.h. */
#include "tool/passes/running.h"

#include "read/decode/running.h"

hectic_engine *running_engine(void)
{
    return hectic_engine_new(hectic_machine_by_name("threadrun"), NULL);
}

/* Is the event about the thread in its first field, not about the thread that runs on its cap?
 * ghc-events does not know shapes without a text. */
static bool is_about_a_thread(const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    return running_is_about_thread(shape) && shape->text &&
           event->type != HECTIC_EVENT_THREAD_LABEL;
}

uint64_t running_index(const hectic_engine *running, const hectic_event *event, bool *is_implied)
{
    uint64_t thread;
    hectic_value value[HECTIC_MAX_FIELDS];
    const size_t fields =
        is_about_a_thread(event)
            ? hectic_shape_walk(event->declared->shape, event->payload, event->size, value, NULL)
            : 0;
    *is_implied = fields == 0;
    if (fields == 0) return hectic_engine_occupant(running, event->cap, &thread) ? thread + 1 : 0;
    if (event->type == HECTIC_EVENT_THREAD_WAKEUP &&
        (fields < 2 || value[1].number != event->cap || event->cap == HECTIC_CAP_NONE))
        return 0;
    return value[0].number + 1;
}

bool running_advance(hectic_engine *running, const hectic_event *event)
{
    const uint64_t faults = hectic_engine_count(running).faults;
    return hectic_engine_event(running, event) && hectic_engine_count(running).faults == faults;
}
