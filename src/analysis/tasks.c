/* tasks.c — see hectic/tasks.h. */
#include <hectic/tasks.h>

#include "analysis/cap_set.h"
#include "format/replayed.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_MIN = 64 };

/* A live task. */
struct task {
    hectic_task result;
    uint64_t order; /* number of tasks before it */
    struct cap_set *caps;
    uint32_t next; /* in its bucket, or the next unused one, plus 1 */
    bool is_live;
};

struct hectic_tasks {
    uint64_t from, to;
    hectic_task_callback callback;
    void *user;
    struct task *task;
    uint32_t used, capacity, vacant, live;
    uint32_t *bucket; /* `capacity` elements, a power of two; each a task, plus 1 */
    uint64_t created;
    uint64_t replay_time; /* events with this time replay the state (format/replayed.h) */
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

static uint32_t *bucket_of(const hectic_tasks *x, uint64_t id)
{
    return &x->bucket[(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (x->capacity - 1)];
}

static struct task *find(const hectic_tasks *x, uint64_t id)
{
    for (uint32_t at = *bucket_of(x, id); at; at = x->task[at - 1].next)
        if (x->task[at - 1].result.id == id) return &x->task[at - 1];
    return NULL;
}

static bool grow(hectic_tasks *x)
{
    const uint32_t capacity = 2 * x->capacity;
    struct task *task = realloc(x->task, capacity * sizeof *task);
    if (task) x->task = task;
    uint32_t *bucket = task ? calloc(capacity, sizeof *bucket) : NULL;
    if (!bucket) return false;
    free(x->bucket);
    x->bucket = bucket;
    x->capacity = capacity;
    /* Grows when all are in use. */
    for (uint32_t i = 0; i < x->used; i++) {
        uint32_t *head = bucket_of(x, x->task[i].result.id);
        x->task[i].next = *head;
        *head = i + 1;
    }
    return true;
}

static struct task *add(hectic_tasks *x, uint64_t id, uint64_t time)
{
    if (!x->vacant && x->used == x->capacity && !grow(x)) return NULL;
    const uint32_t index = x->vacant ? x->vacant : ++x->used;
    struct task *task = &x->task[index - 1];
    if (x->vacant) x->vacant = task->next;
    uint32_t *head = bucket_of(x, id);
    *task = (struct task){.result = {.id = id, .created = time},
                          .order = x->created++,
                          .next = *head,
                          .is_live = true};
    *head = index;
    x->live++;
    return task;
}

static void drop(hectic_tasks *x, struct task *task)
{
    const uint32_t index = (uint32_t)(task - x->task) + 1;
    uint32_t *at = bucket_of(x, task->result.id);
    while (*at != index)
        at = &x->task[*at - 1].next;
    *at = task->next;
    free(task->caps);
    *task = (struct task){.next = x->vacant};
    x->vacant = index;
    x->live--;
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
    const bool go_on = !is_of_interval(x, task, now) || x->callback(x->user, &row);
    drop(x, task);
    return go_on;
}

static bool create(hectic_tasks *x, struct task *old, uint64_t id, const hectic_event *event)
{
    /* A reused number: the end of the old task was not logged. */
    if (old && !report(x, old, event->time, false)) return false;
    struct task *task = add(x, id, event->time);
    if (!task) return false;
    task->result.has_created = event->time != x->replay_time;
    if (event->size >= 18) task->result.os_thread = load64(event->payload + 10);
    return event->size < 10 || use_cap(task, load16(event->payload + 8));
}

static bool migrate(hectic_tasks *x, struct task *task, const hectic_event *event)
{
    if (event->size < 12) return true;
    task->result.migrations += is_inside(x, event->time);
    if (!task->result.has_cap && !use_cap(task, load16(event->payload + 8))) return false;
    return use_cap(task, load16(event->payload + 10));
}

/* A replayed task, whose events may have been missed. */
static bool take_replayed(hectic_tasks *x, const hectic_event *replayed)
{
    if (replayed->type != HECTIC_EVENT_TASK_CREATE || replayed->size < 8 || replayed->time >= x->to)
        return true;
    x->replay_time = replayed->time;
    const uint64_t id = load64(replayed->payload);
    return find(x, id) || create(x, NULL, id, replayed);
}

bool hectic_tasks_event(hectic_tasks *x, const hectic_event *event)
{
    const uint16_t type = event->type;
    hectic_event replayed;
    if (type == HECTIC_EVENT_CAP_CREATE) x->replay_time = event->time;
    if (type == HECTIC_EVENT_SYNC)
        return !replayed_event(event, &replayed) || take_replayed(x, &replayed);
    if (type < HECTIC_EVENT_TASK_CREATE || type > HECTIC_EVENT_TASK_DELETE) return true;
    if (event->size < 8 || event->time >= x->to) return true;
    const uint64_t id = load64(event->payload);
    struct task *task = find(x, id);
    if (type == HECTIC_EVENT_TASK_CREATE) return create(x, task, id, event);
    if (!task && !(task = add(x, id, event->time))) return false;
    if (type == HECTIC_EVENT_TASK_MIGRATE) return migrate(x, task, event);
    return report(x, task, event->time, true);
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
                        .capacity = BUCKETS_MIN,
                        .replay_time = UINT64_MAX};
    x->task = malloc(BUCKETS_MIN * sizeof *x->task);
    x->bucket = calloc(BUCKETS_MIN, sizeof *x->bucket);
    if (x->task && x->bucket) return x;
    hectic_tasks_free(x);
    return NULL;
}

void hectic_tasks_free(hectic_tasks *x)
{
    if (!x) return;
    for (uint32_t i = 0; i < x->used; i++)
        free(x->task[i].caps);
    free(x->task);
    free(x->bucket);
    free(x);
}

struct place {
    uint64_t order;
    uint32_t index;
};

static int by_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The indices of live tasks, in order of creation; NULL: out of memory. */
static struct place *sorted(const hectic_tasks *x)
{
    struct place *places = malloc((x->live + (size_t)1) * sizeof *places);
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->used && places; i++)
        if (x->task[i].is_live) places[count++] = (struct place){x->task[i].order, i};
    if (places) qsort(places, count, sizeof *places, by_order);
    return places;
}

bool hectic_tasks_live(const hectic_tasks *x, uint64_t now, hectic_task_callback callback,
                       void *user)
{
    struct place *places = sorted(x);
    bool go_on = places != NULL;
    for (uint32_t i = 0; i < x->live && go_on; i++) {
        const struct task *task = &x->task[places[i].index];
        const hectic_task row = as_row(x, task, now);
        if (is_of_interval(x, task, now)) go_on = callback(user, &row);
    }
    free(places);
    return go_on;
}

bool hectic_tasks_end(hectic_tasks *x, uint64_t now)
{
    struct place *places = sorted(x);
    const uint32_t count = x->live;
    bool go_on = places != NULL;
    for (uint32_t i = 0; i < count && go_on; i++)
        go_on = report(x, &x->task[places[i].index], now, false);
    free(places);
    return go_on;
}
