/* What lives at a point of a log, and the events that tell it to somebody who begins to read there.
 *
 * Fed a log's events in order of time, it keeps of each living thing the events that made it what
 * it is; of running counters the last value; and of what has begun and not ended (a collection, a
 * heap census) the beginning. What has died is forgotten: memory depends on what lives. */
#ifndef HECTIC_SRC_LIVING_H
#define HECTIC_SRC_LIVING_H

#include "living/budget.h"

#include <hectic/decoder.h>

typedef struct living living;

/* For a section. What it keeps is taken from the budget, which outlives it; NULL: there is no
 * bound. NULL: no memory. */
living *living_new(const hectic_header *header, budget *budget);
void living_free(living *l);
living *living_copy(const living *l); /* without a bound; NULL: no memory */

/* From now on events come cap by cap: in order of time on each, but not across caps. Then a thread
 * that has finished is known to have, so that what another cap tells of its earlier days does not
 * bring it back, until living_forget: all events before that time have come. */
void living_expect_disorder(living *l);
bool living_would_forget(const living *l); /* is there so much to forget that it pays? */
void living_forget(living *l, uint64_t before);

typedef enum living_result {
    LIVING_IGNORED, /* nobody has to be told of this event later */
    LIVING_KEPT,    /* it is remembered, for as long as what it tells of lives */
    LIVING_FOREVER, /* a definition of what never dies: tell it at once, for it is not kept */
    LIVING_FULL,    /* likewise, or remembered in part: the budget is used up */
    LIVING_FAILED,  /* no memory */
} living_result;

living_result living_event(living *l, const hectic_event *event);

/* False: events of that type change nothing, and need not be shown. */
bool living_heeds(const living *l, const hectic_event_type *declared);

/* Is it about what lasts: the process, caps, OS threads, or a definition? */
bool living_lasts(const living *l, const hectic_event_type *declared);

/* Takes an event, or ends the telling. */
typedef bool (*living_tell)(void *user, const hectic_event *event);

/* Tells all that lives, by events of that header with that time, in an order in which they can have
 * happened. Their position is 0, as no event's of a log is. False: `tell` said so. One thread at a
 * time; it allocates nothing, so that a signal handler may call it. */
bool living_restate(const living *l, const hectic_header *header, uint64_t time, living_tell tell,
                    void *user);

/* The same in parts: how many things there are to tell of, and each of them, 0 … in that order.
 * What is sorted holds until the next living_event or living_forget. */
size_t living_sort(const living *l);
bool living_restate_one(const living *l, size_t place, const hectic_header *header, uint64_t time,
                        living_tell tell, void *user);

/* Tells what has become of `from` where it has become `to`, as far as events of these classes
 * (bits) tell it, by events that can have happened one after the other at that time. What `to` does
 * not have has ended; but of the process, and of counters, only what is new is told. Both are of
 * that header. Else as living_restate. */
bool living_tell_change(const living *from, const living *to, const hectic_header *header,
                        uint64_t classes, uint64_t time, living_tell tell, void *user);

/* Forgets what events of these classes have told, but for what stays as it is: the process, the
 * heap's parameters. */
void living_forget_classes(living *l, uint64_t classes);

/* An event told again at another time. The wall clock's is moved on with it, in `room`. */
enum { LIVING_ROOM = 64 };
hectic_event living_moved(const hectic_event *event, uint64_t time, uint8_t room[LIVING_ROOM]);

#endif
