/* stat_fork.h — reads parts of a log by several stats at once.
 *
 * A fork continues from the state of a stat. Both take the following events without a cap, which
 * the fork does not count (`repeats`), and each the events of its own caps; joined, they are as one
 * that has taken all. So each cap has one stat that knows it: its owner. */
#ifndef HECTIC_SRC_STAT_FORK_H
#define HECTIC_SRC_STAT_FORK_H

#include "stat/stat_sums.h"

/* NULL: out of memory. Edges of collections are queued, and not merged, until the join. */
hectic_stat *stat_fork(const hectic_stat *of);

/* Before events are taken by a stat that has forks. */
void stat_begin_forks(hectic_stat *stat);

/* Live data after a major collection; in forks, it is kept until they are joined. False: out of
 * memory.
 */
bool stat_add_live(hectic_stat *stat, struct live_sample sample);

/* Adds what a fork has counted. `owns` tells if the fork has taken the events of a cap. False: out
 * of memory. */
bool stat_join(hectic_stat *to, hectic_stat *fork, bool (*owns)(const void *user, uint16_t cap),
               const void *user);

/* After all joins: merges the edges, and adds the live data. False: out of memory. */
bool stat_end_forks(hectic_stat *stat);

#endif
