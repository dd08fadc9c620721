/* threads.h — what requests about threads share. */
#ifndef HECTIC_SRC_VIEW_THREADS_H
#define HECTIC_SRC_VIEW_THREADS_H

#include "base/map.h"
#include "view/engine/job.h"

enum index_state { INDEX_READY, INDEX_NOT_READY, INDEX_FAILED };

/* Makes a part of the index of threads, up to a time. Unless it is ready, this was the answer. */
enum index_state view_index(hectic_view *view, const struct section *section, uint64_t time,
                            struct json *json);

/* The section and the interval that a request names, with events. False: failed. */
bool view_thread_interval(hectic_view *view, const struct section **section, uint64_t *from,
                          uint64_t *to);

/* Sets the threads of a section that ran longest, in order; its index is ready. False: out of
 * memory. */
bool view_longest_threads(const struct section *section, size_t most, uint32_t *thread,
                          size_t *count);

enum { THREAD_LIST_MAX = 512 };

/* A list of threads of a request: ID,ID,… */
struct thread_list {
    map places; /* by thread: its place, plus 1 */
    uint32_t thread[THREAD_LIST_MAX];
    size_t count;
};

/* Adds a thread, if it is new. False: out of memory. */
bool thread_list_add(struct thread_list *list, uint32_t thread);

/* Takes the key `threads` of the request. False: it is malformed, or there are too many
 * (view_refuse). */
bool thread_list_take(hectic_view *view, struct thread_list *list);

#endif
