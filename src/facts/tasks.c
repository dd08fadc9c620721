/* tasks.c — see tasks.h. */
#include "facts/tasks.h"
#include <hectic/read_events.h>

#include "base/map.h"
#include "facts/cap_set.h"

#include <stdlib.h>
#include <string.h>

/* A live task. */
struct task {
    map_key key; /* its number */
    hectic_task result;
    uint64_t order; /* number of tasks before it */
    struct cap_set *caps;
};

struct hectic_tasks {
    uint64_t from, to;
    hectic_task_callback callback;
    void *user;
    map live;
    uint64_t created;
    uint64_t replay_time; /* events with this time replay the state (SYNC events) */
};

static uint64_t clip(const hectic_tasks *x, uint64_t time)
{
    return time < x->from ? x->from : time > x->to ? x->to : time;
}

static bool is_inside(const hectic_tasks *x, uint64_t time)
{
    return time >= x->from && time < x->to;
}

/* --- Finding --------------------------------------------------------------------------------- */

static struct task *find(const hectic_tasks *x, uint64_t id)
{
    return map_find(&x->live, (map_key){id, 1});
}

static struct task *add(hectic_tasks *x, uint64_t id, uint64_t time)
{
    struct task *task = map_add(&x->live, (map_key){id, 1});
    if (!task) return NULL;
    task->result = (hectic_task){.id = id, .created = time};
    task->order = x->created++;
    return task;
}

static void drop(hectic_tasks *x, struct task *task)
{
    free(task->caps);
    map_remove(&x->live, task);
}

/* --- Events ---------------------------------------------------------------------------------- */

static bool use_cap(struct task *task, uint16_t cap)
{
    if (!cap_set_add(&task->caps, cap)) return false;
    if (!task->result.has_cap) task->result.first_cap = cap;
    task->result.has_cap = true;
    task->result.last_cap = cap;
    return true;
}

static hectic_task as_row(const hectic_tasks *x, const struct task *task, uint64_t now)
{
    hectic_task row = task->result;
    row.cap = task->caps ? task->caps->cap : NULL;
    row.caps = cap_set_count(task->caps);
    row.lifetime = now > row.created ? clip(x, now) - clip(x, row.created) : 0;
    return row;
}

/* True if a task that ended at `now` existed in the interval. */
static bool is_of_interval(const hectic_tasks *x, const struct task *task, uint64_t now)
{
    return now >= x->from || is_inside(x, task->result.created);
}

static bool report(hectic_tasks *x, struct task *task, uint64_t now, bool has_deleted)
{
    task->result.has_deleted = has_deleted;
    task->result.deleted = now;
    const hectic_task row = as_row(x, task, now);
    return !is_of_interval(x, task, now) || x->callback(x->user, &row);
}

static bool end(hectic_tasks *x, struct task *task, uint64_t now, bool has_deleted)
{
    const bool go_on = report(x, task, now, has_deleted);
    drop(x, task);
    return go_on;
}

static bool create(hectic_tasks *x, struct task *old, const hectic_event_task_create *fields,
                   const hectic_event *event)
{
    /* A reused number: the end of the old task was not logged. */
    if (old && !end(x, old, event->time, false)) return false;
    struct task *task = add(x, fields->task, event->time);
    if (!task) return false;
    task->result.has_created = event->time != x->replay_time;
    task->result.os_thread = fields->os_thread;
    return use_cap(task, fields->cap_no);
}

static bool migrate(hectic_tasks *x, struct task *task, const hectic_event_task_migrate *fields,
                    const hectic_event *event)
{
    task->result.migrations += is_inside(x, event->time);
    if (!task->result.has_cap && !use_cap(task, fields->cap_no)) return false;
    return use_cap(task, fields->new_cap);
}

/* A replayed task, whose events may have been missed. */
static bool take_replayed(hectic_tasks *x, const hectic_event *replayed)
{
    hectic_event_task_create fields;
    if (replayed->type != HECTIC_EVENT_TASK_CREATE || replayed->time >= x->to ||
        !hectic_read_task_create(replayed, &fields))
        return true;
    x->replay_time = replayed->time;
    return find(x, fields.task) || create(x, NULL, &fields, replayed);
}

bool hectic_tasks_event(hectic_tasks *x, const hectic_event *event)
{
    const uint16_t type = event->type;
    hectic_event replayed;
    if (type == HECTIC_EVENT_CAP_CREATE) x->replay_time = event->time;
    if (type == HECTIC_EVENT_SYNC)
        return !hectic_read_replayed(event, &replayed) || take_replayed(x, &replayed);
    if (event->time >= x->to) return true;
    hectic_event_task_create created;
    hectic_event_task_migrate migrated;
    hectic_event_task_delete of; /* all three begin with the task */
    if (type < HECTIC_EVENT_TASK_CREATE || type > HECTIC_EVENT_TASK_DELETE) return true;
    if (!hectic_read_task_delete(event, &of)) return true;
    struct task *task = find(x, of.task);
    if (type == HECTIC_EVENT_TASK_CREATE)
        return !hectic_read_task_create(event, &created) || create(x, task, &created, event);
    if (!task && !(task = add(x, of.task, event->time))) return false;
    if (type == HECTIC_EVENT_TASK_MIGRATE)
        return !hectic_read_task_migrate(event, &migrated) || migrate(x, task, &migrated, event);
    return end(x, task, event->time, true);
}

/* --- The whole ------------------------------------------------------------------------------- */

hectic_tasks *hectic_tasks_new(uint64_t from, uint64_t to, hectic_task_callback callback,
                               void *user)
{
    hectic_tasks *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    *x = (hectic_tasks){.from = from,
                        .to = to,
                        .callback = callback,
                        .user = user,
                        .live = {.entry_size = sizeof(struct task)},
                        .replay_time = UINT64_MAX};
    return x;
}

static void clear(hectic_tasks *x)
{
    for (struct task *task = NULL; (task = map_next(&x->live, task));)
        free(task->caps);
    map_clear(&x->live);
}

void hectic_tasks_free(hectic_tasks *x)
{
    if (x) clear(x);
    free(x);
}

static int by_order(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

bool hectic_tasks_end(hectic_tasks *x, uint64_t now)
{
    void *const *tasks = map_sorted(&x->live, by_order);
    bool go_on = true;
    for (size_t i = 0; i < x->live.count && go_on; i++)
        go_on = report(x, tasks[i], now, false);
    clear(x);
    return go_on;
}
