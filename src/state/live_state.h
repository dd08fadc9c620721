/* What lives at a point of a log, and the events that tell it to somebody who begins to read there.
 *
 * Fed a log's events in order of time, it keeps of each living thing the events that made it what
 * it is; of running counters the last value; and of what has begun and not ended (a collection, a
 * heap census) the beginning. What has died is forgotten: memory depends on what lives. */
#ifndef HECTIC_SRC_LIVE_STATE_H
#define HECTIC_SRC_LIVE_STATE_H

#include "state/budget.h"

#include <hectic/decoder.h>

typedef struct live_state live_state;

/* For a section. What it keeps is taken from the budget, which outlives it; NULL: there is no
 * bound. NULL: no memory. */
live_state *live_state_new(const hectic_header *header, budget *budget);
void live_state_free(live_state *l);
live_state *live_state_copy(const live_state *l); /* without a bound; NULL: no memory */

/* From now on events come cap by cap: in order of time on each, but not across caps. Then a thread
 * that has finished is known to have, so that what another cap tells of its earlier days does not
 * bring it back, until live_state_prune: all events before that time have come. */
void live_state_expect_disorder(live_state *l);
bool live_state_would_prune(const live_state *l); /* is there so much to forget that it pays? */
void live_state_prune(live_state *l, uint64_t before);

typedef enum live_state_result {
    LIVE_STATE_IGNORED,   /* nobody has to be told of this event later */
    LIVE_STATE_KEPT,      /* it is remembered, for as long as what it tells of lives */
    LIVE_STATE_PERMANENT, /* a definition of what never dies: tell it at once, for it is not kept */
    LIVE_STATE_FULL,      /* likewise, or remembered in part: the budget is used up */
    LIVE_STATE_FAILED,    /* no memory */
} live_state_result;

live_state_result live_state_event(live_state *l, const hectic_event *event);

/* False: events of that type change nothing, and need not be shown. */
bool live_state_uses(const live_state *l, const hectic_event_type *declared);

/* Is it about what lasts: the process, caps, OS threads, or a definition? */
bool live_state_is_permanent(const live_state *l, const hectic_event_type *declared);

/* Takes an event, or ends the telling. */
typedef bool (*live_state_emit)(void *user, const hectic_event *event);

/* Tells all that lives, by events of that header with that time, in an order in which they can have
 * happened. Their position is 0, as no event's of a log is. False: `tell` said so. One thread at a
 * time; it allocates nothing, so that a signal handler may call it. */
bool live_state_replay(const live_state *l, const hectic_header *header, uint64_t time,
                       live_state_emit tell, void *user);

/* The same in parts: how many things there are to tell of, and each of them, 0 … in that order.
 * What is sorted holds until the next live_state_event or live_state_prune. */
size_t live_state_sort(const live_state *l);
bool live_state_replay_one(const live_state *l, size_t place, const hectic_header *header,
                           uint64_t time, live_state_emit tell, void *user);

/* Tells what has become of `from` where it has become `to`, as far as events of these classes
 * (bits) tell it, by events that can have happened one after the other at that time. What `to` does
 * not have has ended; but of the process, and of counters, only what is new is told. Both are of
 * that header. Else as live_state_replay. */
bool live_state_replay_change(const live_state *from, const live_state *to,
                              const hectic_header *header, uint64_t classes, uint64_t time,
                              live_state_emit tell, void *user);

/* Forgets what events of these classes have told, but for what stays as it is: the process, the
 * heap's parameters. */
void live_state_drop_classes(live_state *l, uint64_t classes);

/* An event told again at another time. The wall clock's is moved on with it, in `room`. */
enum { LIVE_STATE_ROOM = 64 };
hectic_event live_state_retime(const hectic_event *event, uint64_t time,
                               uint8_t room[LIVE_STATE_ROOM]);

#endif
