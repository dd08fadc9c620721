/* excerpt.h — the rare events of a section, in memory and in order of time: those of collections,
 * and the program's own messages. Lists, pictures and statistics of them are made without the log.
 *
 * Of the runs of threads, it has those by which these events are understood: on a cap, the last
 * RUN_THREAD and STOP_THREAD before an event of the excerpt, the first RUN_THREAD after it, and the
 * end of a thread that has started a span. The first event of each cap, of any type, says that it
 * exists.
 *
 * The pass of a timeline makes it, in the order of the file, also of a log that grows. There is
 * none if there are too many such events, or the times of a cap are not in order. */
#ifndef HECTIC_SRC_TIMELINE_EXCERPT_H
#define HECTIC_SRC_TIMELINE_EXCERPT_H

#include "timeline/chunks.h"
#include "timeline/range.h"

#include "timeline/timeline.h"

struct excerpt;

/* NULL: out of memory. */
struct excerpt *excerpt_new(void);
void excerpt_free(struct excerpt *excerpt);

/* Takes the next events of the log: complete ones of one cap, without block markers; any one.
 * False: out of memory. */
bool excerpt_take_run(struct excerpt *excerpt, const hectic_header *header, uint16_t cap,
                      uint64_t position, const uint8_t *bytes, size_t length);
bool excerpt_take_event(struct excerpt *excerpt, const hectic_event *event);

/* Is there one? */
bool excerpt_is_possible(const struct excerpt *excerpt);

/* A number that grows with each event. */
uint64_t excerpt_taken(const struct excerpt *excerpt);

/* Parts of the log are taken at once: part `number` has the caps of this owner, by number of the
 * cap. Its fork takes its events, and belongs to the excerpt, which takes those of part 0. NULL:
 * out of memory. */
struct excerpt *excerpt_fork(struct excerpt *excerpt, const uint8_t *owner, unsigned number);

/* Joins the forks of all parts. False: out of memory. */
bool excerpt_join(struct excerpt *excerpt, const uint8_t *owner, size_t parts);

/* Reads the events of an excerpt that are before `to` and count, in order of time. The
 * excerpt may grow meanwhile. NULL: out of memory. */
struct excerpt_reader *excerpt_open(const struct excerpt *excerpt, const struct chunks *chunks,
                                    const hectic_header *header, uint64_t to);
void excerpt_close(struct excerpt_reader *reader);

/* Delivers about `events` of them. RANGE_FAILED: there is no excerpt any more. */
range_result excerpt_deliver(struct excerpt_reader *reader, size_t events, range_take take,
                             void *user);

/* 0 … 1: the share of the excerpt that was delivered. */
double excerpt_delivered(const struct excerpt_reader *reader);

#endif
