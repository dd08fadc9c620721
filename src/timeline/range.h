/* range.h — reads the events of an interval, in order of time, from the chunks that hold them. */
#ifndef HECTIC_SRC_TIMELINE_RANGE_H
#define HECTIC_SRC_TIMELINE_RANGE_H

#include "timeline/chunks.h"

#include <hectic/timeline.h>

/* Calls `take` for each event with from <= time < to. False: out of memory, the source failed, or
 * `take` returned false. */
bool range_read(const struct chunks *chunks, const hectic_header *header,
                const hectic_timeline_source *source, uint64_t from, uint64_t to,
                bool (*take)(void *user, const hectic_event *event), void *user);

#endif
