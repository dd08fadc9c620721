/* hectic/tasks.h — the OS threads that ran the caps.
 *
 * A task is an OS thread as the runtime names it. One that calls in from outside is a new task with
 * each call, often of the same number.
 *
 * A consumer of ordered events. It keeps the tasks that live.
 */
#ifndef HECTIC_TASKS_H
#define HECTIC_TASKS_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One task. Its life and its caps may have begun before the interval. */
typedef struct hectic_task {
    uint64_t id;
    uint64_t os_thread;            /**< the kernel's number; 0: it was not told */
    bool has_created, has_deleted; /**< else not seen: `created` is when it was first heard of */
    uint64_t created, deleted;     /**< ns */
    uint64_t lifetime;             /**< ns inside the interval */
    uint64_t migrations;           /**< inside the interval */
    bool has_cap;                  /**< a cap is known */
    uint16_t first_cap, last_cap;
    const uint16_t *cap; /**< where it was: `caps` of them, the least first */
    uint32_t caps;
} hectic_task;

typedef bool (*hectic_task_callback)(void *user, const hectic_task *task);
typedef struct hectic_tasks hectic_tasks;

/** For from <= t < to (ns). `take` is given each task of the interval that has ended. NULL: no
 *  memory. */
hectic_tasks *hectic_tasks_new(uint64_t from, uint64_t to, hectic_task_callback take, void *user);
void hectic_tasks_free(hectic_tasks *tasks);

/** The next event. False: no memory, or `take` has said stop. */
bool hectic_tasks_event(hectic_tasks *tasks, const hectic_event *event);

/** Gives `take` those that live, as they are at `now`, as they were created. False as above. */
bool hectic_tasks_live(const hectic_tasks *tasks, uint64_t now, hectic_task_callback take,
                       void *user);

/** The section has ended at `now`: gives away all that live. False as above. */
bool hectic_tasks_end(hectic_tasks *tasks, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
