/* live_stats_heap.h — the latest sample of a heap profile, band by band. */
#ifndef HECTIC_SRC_LIVE_STATS_HEAP_H
#define HECTIC_SRC_LIVE_STATS_HEAP_H

#include "analysis/ids.h"

#include <hectic/live_stats.h>

struct heap_sample {
    hectic_live_stats_sample told;
    hectic_live_stats_band *band; /* as many as there may be; names are their own */
};

struct heap_samples {
    struct heap_sample open, last;
    uint64_t others; /* bytes in bands that have no place in `open` */
    bool is_open, has_last;
    struct ids ids; /* of cost centres */
    char **label;   /* of each */
    uint32_t labels;
};

bool heap_samples_init(struct heap_samples *s); /* false: no memory */
void heap_samples_clear(struct heap_samples *s);

/* Takes the events of a census, and the definitions of cost centres. False: no memory. */
bool heap_samples_event(struct heap_samples *s, const hectic_event *event);

#endif
