/* State replays: consecutive SYNC events with the same time. They describe the live state at their
 * position in the file, for a reader that has missed events (docs/gaps.md). They correct the state
 * from events before them in the file; but not from events after them, even with an earlier time:
 * blocks of different caps are in any order. */
#include <hectic/read_events.h>
#ifndef HECTIC_SRC_REPLAY_H
#define HECTIC_SRC_REPLAY_H

struct replay {
    bool is_open;
    uint64_t time, position; /* of the first event */
    uint64_t classes;        /* classes (bits) with replayed events: their live state is complete */
};

/* True if the event ends the replay. */
static inline bool replay_ends_at(const struct replay *replay, const hectic_event *event)
{
    return replay->is_open && (event->type != HECTIC_EVENT_SYNC || event->time != replay->time);
}

/* Adds a SYNC event to the open replay, or opens one. False: it does not contain an event. */
static inline bool replay_take(struct replay *replay, const hectic_event *sync,
                               hectic_event *replayed)
{
    if (!replay->is_open)
        *replay = (struct replay){.is_open = true, .time = sync->time, .position = sync->position};
    if (!hectic_read_replayed(sync, replayed)) return false;
    const hectic_shape *shape = hectic_shape_by_number(replayed->type);
    if (shape) replay->classes |= HECTIC_CLASS_BIT(shape->class_);
    return true;
}

/* True if it has replayed the live state of a class. */
static inline bool replay_includes(const struct replay *replay, hectic_class class_)
{
    return replay->classes & HECTIC_CLASS_BIT(class_);
}

#endif
