/* cap_set.h — a set of caps with memory proportional to their count, not to their numbers: each
 * thread and each task has one. */
#ifndef HECTIC_SRC_CAP_SET_H
#define HECTIC_SRC_CAP_SET_H

#include <stdbool.h>
#include <stdint.h>

struct cap_set {
    uint32_t count, capacity;
    uint16_t cap[]; /* in ascending order */
};

/* NULL is the empty set. */
bool cap_set_has(const struct cap_set *set, uint16_t cap);

/* Adds a cap, which may be in the set already. False: out of memory. Free the set with free. */
bool cap_set_add(struct cap_set **set, uint16_t cap);

static inline uint32_t cap_set_count(const struct cap_set *set)
{
    return set ? set->count : 0;
}

#endif
