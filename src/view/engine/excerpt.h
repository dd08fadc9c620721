/* excerpt.h — the rare events of a section, in memory and in order of time: those of collections,
 * and the program's own messages. Lists, pictures and statistics of them are made without the log.
 *
 * Of the runs of threads, it has those by which these events are understood: on a cap, the last
 * RUN_THREAD and STOP_THREAD before an event of the excerpt, the first RUN_THREAD after it, and the
 * end of a thread that has started a span. The first event of each cap, of any type, says that it
 * exists.
 *
 * It is made in one pass over the chunks of a timeline, in the order of the file, also of a log
 * that grows. */
#ifndef HECTIC_SRC_VIEW_EXCERPT_H
#define HECTIC_SRC_VIEW_EXCERPT_H

#include "timeline/chunks.h"
#include "timeline/range.h"

#include "timeline/timeline.h"

struct excerpt;

/* The share of the work that making an excerpt is. */
#define EXCERPT_SHARE 0.9

/* NULL: out of memory. */
struct excerpt *excerpt_new(void);
void excerpt_free(struct excerpt *excerpt);

/* Reads about `bytes` of the chunks that it has not read yet. RANGE_END: it has read all;
 * RANGE_STOPPED: there are too many such events, or the times of a cap are not in order: there is
 * no excerpt. */
range_result excerpt_step(struct excerpt *excerpt, const struct chunks *chunks,
                          const hectic_header *header, const hectic_timeline_source *source,
                          uint64_t bytes);

/* 0 … 1: the share of the bytes that were read. */
double excerpt_progress(const struct excerpt *excerpt, const struct chunks *chunks);

/* How many bytes of the log were read. */
uint64_t excerpt_bytes(const struct excerpt *excerpt);

/* Reads the events of a complete excerpt that are before `to` and count, in order of time. The
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
