/* live_stats_heap.h — the bands of the latest sample of a heap profile. */
#ifndef HECTIC_SRC_LIVE_STATS_HEAP_H
#define HECTIC_SRC_LIVE_STATS_HEAP_H

#include "analysis/ids.h"

#include <hectic/live_stats.h>

struct heap_sample {
    hectic_live_stats_sample latest;
    hectic_live_stats_band *band; /* of the maximum size; names are allocated */
};

struct heap_samples {
    struct heap_sample open, last;
    uint64_t others; /* bytes in bands beyond the maximum of `open` */
    bool is_open, has_last;
    struct ids ids; /* of cost centres */
    char **label;   /* of each cost centre */
    uint32_t labels;
};

bool heap_samples_init(struct heap_samples *s); /* false: out of memory */
void heap_samples_clear(struct heap_samples *s);

/* Takes the events of a census, and definitions of cost centres. False: out of memory. */
bool heap_samples_event(struct heap_samples *s, const hectic_event *event);

#endif
