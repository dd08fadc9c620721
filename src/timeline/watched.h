/* watched.h — records the spans, sizes and runs of an interval in memory: the requests of one
 * picture (columns, curves, labels) follow each other, and are made from the same events. */
#ifndef HECTIC_SRC_TIMELINE_WATCHED_H
#define HECTIC_SRC_TIMELINE_WATCHED_H

#include "stat/stat_sums.h"

struct watched_entry;

/* All zero has nothing. */
struct watched {
    uint64_t from, to;
    uint64_t version; /* of the timeline; 0: nothing is recorded */
    size_t count, capacity;
    struct watched_entry *entry;
    bool is_cut; /* there were too many */
    const struct stat_watch *watch;
};

void watched_free(struct watched *watched);

/* A watch that records, and passes everything on to `watch`. */
struct stat_watch watched_begin(struct watched *watched, uint64_t from, uint64_t to,
                                const struct stat_watch *watch);

/* Keeps it for a version of the timeline, unless there was too much. */
void watched_end(struct watched *watched, uint64_t version);

/* Calls a watch with what was recorded for an interval. False: that was not recorded. */
bool watched_play(const struct watched *watched, uint64_t from, uint64_t to, uint64_t version,
                  const struct stat_watch *watch);

#endif
