/* tasks.h — the OS threads (tasks) that ran the caps.
 *
 * A task is the runtime's name for an OS thread. An OS thread that calls into Haskell is a new task
 * with each call, often with the same number.
 *
 * Takes events in order of time. It keeps the live tasks.
 */
#ifndef HECTIC_SRC_TASKS_H
#define HECTIC_SRC_TASKS_H

#include <hectic/decoder.h>

/* One task. Its lifetime and caps may begin before the interval. */
typedef struct hectic_task {
    uint64_t id;
    uint64_t os_thread;            /* the kernel's thread id; 0: not recorded */
    bool has_created, has_deleted; /* false: not in the log; `created` is then its first event */
    uint64_t created, deleted;     /* ns */
    uint64_t lifetime;             /* ns inside the interval */
    uint64_t migrations;           /* inside the interval */
    bool has_cap;                  /* its cap is known */
    uint16_t first_cap, last_cap;
    const uint16_t *cap; /* its caps: `caps` elements, in ascending order */
    uint32_t caps;
} hectic_task;

typedef bool (*hectic_task_callback)(void *user, const hectic_task *task);
typedef struct hectic_tasks hectic_tasks;

/* For the interval from <= t < to (ns). Calls `callback` for each task of the interval that has
 *  ended. NULL: out of memory. */
hectic_tasks *hectic_tasks_new(uint64_t from, uint64_t to, hectic_task_callback callback,
                               void *user);
void hectic_tasks_free(hectic_tasks *tasks);

/* Takes the next event. False: out of memory, or the callback returned false. */
bool hectic_tasks_event(hectic_tasks *tasks, const hectic_event *event);

/* Ends the section at `now`: calls the callback for all live tasks, and removes them. False as
 *  above. */
bool hectic_tasks_end(hectic_tasks *tasks, uint64_t now);

#endif
