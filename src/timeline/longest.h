/* longest.h — the longest runs of threads in a section, in fixed memory. */
#ifndef HECTIC_SRC_TIMELINE_LONGEST_H
#define HECTIC_SRC_TIMELINE_LONGEST_H

#include "timeline/timeline.h"

enum { LONGEST_MAX = 4096 };

/* A heap with the shortest one first. */
struct longest {
    size_t count;
    hectic_timeline_run *run; /* NULL: none yet */
};

/* Is a run of that length, ns, shorter than all of them, so that it need not be added? */
static inline bool longest_lacks(const struct longest *l, uint64_t length)
{
    return l->count == LONGEST_MAX && length < l->run->to - l->run->from;
}

/* False: out of memory. */
bool longest_add(struct longest *longest, const hectic_timeline_run *run);

/* Does it have all runs of that length, ns? */
bool longest_has_all(const struct longest *longest, uint64_t least);

#endif
