/* range.h — reads the events of an interval, in order of time, from the chunks that hold them. */
#ifndef HECTIC_SRC_TIMELINE_RANGE_H
#define HECTIC_SRC_TIMELINE_RANGE_H

#include "read/decode/type_set.h"
#include "timeline/chunks.h"

#include "timeline/timeline.h"

/* False: no more events are wanted. */
typedef bool (*range_take)(void *user, const hectic_event *event);

typedef enum range_result { RANGE_MORE, RANGE_END, RANGE_STOPPED, RANGE_FAILED } range_result;

/* The events with from <= time < to that count, of the chunks that there are now. */
struct range;

/* `types`: only events of these; NULL: all. `source` and `header` must outlive the range.
 * NULL: out of memory. */
struct range *range_open(const struct chunks *chunks, const hectic_header *header,
                         const hectic_timeline_source *source, uint64_t from, uint64_t to,
                         const type_set *types);
void range_close(struct range *range);

/* Reads about `bytes` of the log, and delivers their events. RANGE_STOPPED: `take` returned false.
 * RANGE_FAILED: out of memory, or the source failed. */
range_result range_step(struct range *range, uint64_t bytes, range_take take, void *user);

/* Gives the source the places that the next steps read, so that it can read ahead; otherwise a step
 * gives those that it reads itself. */
void range_ahead(struct range *range);

/* The bytes that it reads, and the share of these that were read: 0 … 1. */
uint64_t range_bytes(const struct range *range);
double range_progress(const struct range *range);

/* All of them at once. RANGE_END, RANGE_STOPPED or RANGE_FAILED. */
range_result range_read(const struct chunks *chunks, const hectic_header *header,
                        const hectic_timeline_source *source, uint64_t from, uint64_t to,
                        range_take take, void *user);

#endif
