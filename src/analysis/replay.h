/* Replays: SYNC events of one time that stand together. They tell what held where they stand in the
 * file, to a reader who has missed events (docs/gaps.md). What the events before them tell is
 * corrected by them; but not what is told by an event that stands behind them, though its time is
 * earlier: blocks of different caps come in any order. */
#ifndef HECTIC_SRC_REPLAY_H
#define HECTIC_SRC_REPLAY_H

#include "format/replayed.h"

struct replay {
    bool is_open;
    uint64_t time, position; /* of the first event */
    uint64_t classes;        /* of which something was replayed (bits): then all was that lives */
};

/* Is the replay over where that event comes? */
static inline bool replay_ends_at(const struct replay *replay, const hectic_event *event)
{
    return replay->is_open && (event->type != HECTIC_EVENT_SYNC || event->time != replay->time);
}

/* Takes a SYNC event into the replay that is open, or opens one. False: it holds no event. */
static inline bool replay_take(struct replay *replay, const hectic_event *sync,
                               hectic_event *replayed)
{
    if (!replay->is_open)
        *replay = (struct replay){.is_open = true, .time = sync->time, .position = sync->position};
    if (!replayed_event(sync, replayed)) return false;
    const hectic_shape *shape = hectic_shape_by_number(replayed->type);
    if (shape) replay->classes |= HECTIC_CLASS_BIT(shape->class_);
    return true;
}

/* Has it told all that lives of a class? */
static inline bool replay_tells(const struct replay *replay, hectic_class class_)
{
    return replay->classes & HECTIC_CLASS_BIT(class_);
}

#endif
