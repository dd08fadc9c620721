/* gauges.h — the least, the greatest and the last value of a size over slots of time, in fixed
 * memory; slots are joined as in bins.h. */
#ifndef HECTIC_SRC_TIMELINE_GAUGES_H
#define HECTIC_SRC_TIMELINE_GAUGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gauge_slot {
    bool is_set;
    uint64_t min, max;
    uint64_t last, last_time;
};

struct gauge {
    size_t slots;            /* a power of two */
    unsigned shift;          /* a slot has 2^shift ns */
    struct gauge_slot *slot; /* NULL: no value yet */
};

void gauge_free(struct gauge *gauge);

/* False: out of memory. */
bool gauge_add(struct gauge *gauge, uint64_t time, uint64_t value);

/* Adds the values of another one with as many slots. False: out of memory. */
bool gauge_join(struct gauge *to, struct gauge *from);

/* The values between two times, in whole slots. */
struct gauge_slot gauge_get(const struct gauge *gauge, uint64_t from, uint64_t to);

/* The last value in the slots before that of a time. */
struct gauge_slot gauge_before(const struct gauge *gauge, uint64_t time);

#endif
