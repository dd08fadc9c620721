/* coverage.h — up to which time the events of all caps of a section are in a log: what
 * hectic_section says about it. */
#ifndef HECTIC_SRC_COVERAGE_H
#define HECTIC_SRC_COVERAGE_H

#include "format/per_cap.h"

#include <hectic/log.h>

/* All zero: a section without events. */
struct coverage {
    cap_times written;   /* up to which time the blocks of each cap extend */
    cap_times ended;     /* when it was deleted, or shut down: it has no later events */
    cap_times created;   /* UINT64_MAX - the time of its creation, if the section has that: so the
                            earliest is kept */
    uint32_t first_caps; /* those that a STARTUP has created: from 0 to this one */
};

/* Does an event of that shape tell about caps? */
static inline bool coverage_needs(const hectic_shape *shape)
{
    return shape && shape->class_ == HECTIC_CLASS_PROCESS;
}

/* Takes an event for which coverage_needs is true. False: out of memory, as below. */
bool coverage_event(struct coverage *coverage, const hectic_event *event);

/* The cap's blocks extend up to `time`. */
bool coverage_block(struct coverage *coverage, uint16_t cap, uint64_t time);

/* Adds another part of the section. */
bool coverage_join(struct coverage *coverage, const struct coverage *part);

/* Sets *to to the time up to which the cap's events are known: the end of its last block;
 * UINT64_MAX if that is not before the cap's end. A cap's end alone says nothing of its events
 * before that: their blocks may follow in the file. False: the cap has no block. */
bool coverage_of_cap(const struct coverage *coverage, uint16_t cap, uint64_t *to);

/* Does the section lack all blocks of a cap that was created until `time` (ns)? */
bool coverage_lacks_cap(const struct coverage *coverage, uint16_t cap, uint64_t time);

/* Sets covered_to and lacks_caps of a section, of which the rest is set. */
void coverage_set(const struct coverage *coverage, hectic_section *section);

/* Empties it. */
void coverage_clear(struct coverage *coverage);

#endif
