/* The live state at a point of a log, and its replay as events to a reader that begins there.
 *
 * It takes a log's events in order of time, and keeps the events that define the state of each live
 * object, the last values of counters, and the beginnings of unfinished operations (a collection, a
 * heap census). Dead objects are removed, so memory depends on the number of live objects. */
#ifndef HECTIC_SRC_LIVE_STATE_H
#define HECTIC_SRC_LIVE_STATE_H

#include "state/budget.h"

#include <hectic/decoder.h>

typedef struct live_state live_state;

/* For a section. Its memory is taken from the budget, which must outlive it; NULL: no limit.
 * Returns NULL if out of memory. */
live_state *live_state_new(const hectic_header *header, budget *budget);
void live_state_free(live_state *l);
live_state *live_state_copy(const live_state *l); /* without a limit; NULL: out of memory */

/* Declares that events are in order of time on each cap, but not across caps. Finished threads are
 * then kept, so that their earlier events on other caps do not revive them, until live_state_prune
 * declares that all events before a time have arrived. */
void live_state_expect_disorder(live_state *l);
bool live_state_would_prune(const live_state *l); /* is pruning worthwhile? */
void live_state_prune(live_state *l, uint64_t before);

typedef enum live_state_result {
    LIVE_STATE_IGNORED,   /* the event is not part of the live state */
    LIVE_STATE_KEPT,      /* kept as long as its object is alive */
    LIVE_STATE_PERMANENT, /* a permanent definition: the caller must keep it */
    LIVE_STATE_FULL,      /* the budget is exhausted: not kept, or partly */
    LIVE_STATE_FAILED,    /* out of memory */
} live_state_result;

live_state_result live_state_event(live_state *l, const hectic_event *event);

/* False: events of this type do not affect the live state, and can be skipped. */
bool live_state_uses(const live_state *l, const hectic_event_type *declared);

/* True if it is about a permanent object: the process, caps, OS threads, or a definition. */
bool live_state_is_permanent(const live_state *l, const hectic_event_type *declared);

/* Takes a replayed event. Return false to stop the replay. */
typedef bool (*live_state_emit)(void *user, const hectic_event *event);

/* Replays the live state: emits events declared in `header`, with the time `time`, in a consistent
 * order. Their position is 0, unlike that of any event in a log. False: `emit` returned false. One
 * thread at a time. It does not allocate, so a signal handler may call it. */
bool live_state_replay(const live_state *l, const hectic_header *header, uint64_t time,
                       live_state_emit emit, void *user);

/* The same in parts: live_state_sort returns the number of objects, live_state_replay_one replays
 * one of them, 0 … in order. The order is valid until the next live_state_event or
 * live_state_prune. */
size_t live_state_sort(const live_state *l);
bool live_state_replay_one(const live_state *l, size_t place, const hectic_header *header,
                           uint64_t time, live_state_emit emit, void *user);

/* Emits the difference between `from` and `to` as a consistent sequence of events of these classes
 * (bits) at that time. Objects that `to` does not have have ended; of the process and of counters
 * only changes are emitted. Both have the header `header`. Otherwise as live_state_replay. */
bool live_state_replay_change(const live_state *from, const live_state *to,
                              const hectic_header *header, uint64_t classes, uint64_t time,
                              live_state_emit emit, void *user);

/* Removes the state from events of these classes, except constants: the process, the heap's
 * parameters. */
void live_state_drop_classes(live_state *l, uint64_t classes);

/* An event replayed at another time. A wall-clock time is adjusted to it, in `room`. */
enum { LIVE_STATE_ROOM = 64 };
hectic_event live_state_retime(const hectic_event *event, uint64_t time,
                               uint8_t buffer[LIVE_STATE_ROOM]);

#endif
