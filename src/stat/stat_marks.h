/* stat_marks.h — the states of a stat at regular times, so that the statistics of any interval cost
 * two short parts of the log instead of all of it.
 *
 * Events come in the order of the file. When the time of a cap's events passes a mark, the cap's
 * state is copied; when the merge of the collections' edges passes it, theirs is. From these copies
 * a stat continues as if it had read everything before the mark, in order of time. What is not a
 * difference of two sums (distributions, maxima) is also kept for each slice of time; slices are
 * longer than the time between two marks.
 *
 * A mark is not usable if the time of a cap's events steps back over it, or if a cap is in a
 * collection whose leader is not known then. Memory is fixed: when there are too many marks, each
 * second one is dropped, and slices are joined in pairs. */
#ifndef HECTIC_SRC_STAT_MARKS_H
#define HECTIC_SRC_STAT_MARKS_H

#include "stat/stat_sums.h"

struct stat_marks;

/* NULL: out of memory. */
struct stat_marks *stat_marks_new(void);
void stat_marks_free(struct stat_marks *marks);

/* The slice in which a time lies; NULL: marks are lost (out of memory). */
hectic_stat_interval *stat_marks_slice(struct stat_marks *marks, hectic_stat *stat, uint64_t time);

/* Called before an event of a cap whose time is not before the cap's next_mark. */
void stat_marks_pass(struct stat_marks *marks, hectic_stat *stat, struct stat_cap *cap,
                     uint64_t time);

/* Called before an event of a cap that is earlier than a previous one. */
void stat_marks_step_back(struct stat_marks *marks, const struct stat_cap *cap, uint64_t time);

/* Called before an edge of a collection is merged. */
void stat_marks_edge(struct stat_marks *marks, hectic_stat *stat, uint64_t time);

/* Adds the distributions and extremes of an interval to another one. False: out of memory. */
bool stat_join_interval(hectic_stat_interval *to, const hectic_stat_interval *from);

/* The marks of a stat that continues from the present state of another one (stat_fork.h). False:
 * out of memory. */
bool stat_marks_fork(hectic_stat *fork, const hectic_stat *of);

/* Moves to `to` what the marks of a fork have gained: its slices, and the copies of the cap `from`
 * (its index in the fork; SIZE_MAX: of none) to that with the index `place`. */
void stat_marks_join_slices(hectic_stat *to, hectic_stat *fork);
void stat_marks_join_cap(hectic_stat *to, size_t place, hectic_stat *fork, size_t from);

/* A thread has migrated to a cap (its index + 1 in the stat). */
void stat_marks_migration(struct stat_marks *marks, hectic_stat *stat, uint64_t time, size_t place);

/* Merges all edges of collections, if the log is complete. False: out of memory. */
bool stat_marks_merge(hectic_stat *stat);

/* Reports the spans of all caps that overlap an interval, in order of their ends; and some before
 * it. False: out of memory, or the reader failed. */
struct stat_reader;
bool stat_marks_watch(hectic_stat *stat, const struct stat_reader *reader, uint64_t from,
                      uint64_t to, const struct stat_watch *watch);

/* Delivers the events of an interval in order of time to `take`. False: it failed, or `take`
 * returned false. */
struct stat_reader {
    void *user;
    bool (*read)(void *user, uint64_t from, uint64_t to,
                 bool (*take)(void *taking, const hectic_event *event), void *taking);
};

/* The statistics of an interval: equal to those of a stat that has read the
 * log in order of time. False: out of memory, or the reader failed. */
bool stat_marks_get(hectic_stat *stat, const struct stat_reader *reader, uint64_t from, uint64_t to,
                    hectic_stat_result *result);

#endif
