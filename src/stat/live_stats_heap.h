/* live_stats_heap.h — the latest sample of a heap profile. */
#ifndef HECTIC_SRC_LIVE_STATS_HEAP_H
#define HECTIC_SRC_LIVE_STATS_HEAP_H

#include "profiles/heap_samples.h"
#include "stat/live_stats.h"

struct live_heap;

struct live_heap *live_heap_new(void); /* NULL: out of memory */
void live_heap_free(struct live_heap *h);

/* Takes the events of a census, and definitions. False: out of memory. */
bool live_heap_event(struct live_heap *h, const hectic_event *event);

/* False: no sample yet, or out of memory. */
bool live_heap_latest(struct live_heap *h, hectic_live_stats_sample *sample);

#endif
