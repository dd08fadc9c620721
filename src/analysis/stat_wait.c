#include "analysis/stat_wait.h"

#include <stdlib.h>
#include <string.h>

enum { MERGE_AT = 1 << 16, EDGES_MAX = 1 << 21 };

/* Stamps step back by less than that without anything being wrong. */
static const uint64_t tolerance = 1000000;

/* What a merge reads and changes: the wait itself, or a copy that only looks ahead. */
struct merge {
    const struct stat_wait *wait;
    size_t *head; /* of each queue */
    struct stat_waited *cap;
    struct stat_clock clock;
};

bool stat_wait_grow(struct stat_wait *wait)
{
    const size_t caps = wait->caps;
    if ((caps & (caps - 1)) == 0) { /* at each power of two there is room for as many more */
        struct edge_queue *queue = realloc(wait->queue, (2 * caps + 1) * sizeof *queue);
        if (queue) wait->queue = queue;
        struct stat_waited *cap = realloc(wait->cap, (2 * caps + 1) * sizeof *cap);
        if (cap) wait->cap = cap;
        if (!queue || !cap) return false;
    }
    wait->queue[caps] = (struct edge_queue){0};
    wait->cap[caps] = (struct stat_waited){0};
    wait->caps = caps + 1;
    return true;
}

void stat_wait_clear(struct stat_wait *wait)
{
    for (size_t i = 0; i < wait->caps; i++)
        free(wait->queue[i].edge);
    free(wait->queue);
    free(wait->cap);
    *wait = (struct stat_wait){0};
}

/* --- The machine ----------------------------------------------------------------------------- */

static bool is_inside(const struct stat_clock *clock, const struct stat_waited *cap)
{
    return clock->is_led && cap->in_gc;
}

/* Accounts for a cap up to now, before something changes. */
static void settle(const struct stat_clock *clock, struct stat_waited *cap)
{
    if (is_inside(clock, cap)) cap->inside += clock->time - cap->since;
    cap->since = clock->time;
}

static uint64_t led_until(const struct stat_clock *clock, uint64_t time)
{
    return clock->led + (clock->is_led && time > clock->led_since ? time - clock->led_since : 0);
}

static void apply(struct merge *merge, size_t index, const struct edge *edge)
{
    struct stat_clock *clock = &merge->clock;
    struct stat_waited *cap = &merge->cap[index];
    /* Stamps may step back a little; the merged time does not. */
    if (edge->time > clock->time) clock->time = edge->time;
    switch (edge->kind) {
    case CAP_BORN:
        cap->before = led_until(clock, clock->time);
        cap->inside = 0;
        cap->since = clock->time;
        break;
    case GC_BEGIN:
        settle(clock, cap);
        cap->in_gc = true;
        break;
    case GC_END:
        settle(clock, cap);
        cap->in_gc = false;
        break;
    case LEAD_BEGIN:
    case LEAD_END:
        for (size_t i = 0; i < merge->wait->caps; i++)
            settle(clock, &merge->cap[i]);
        clock->led = led_until(clock, clock->time);
        clock->led_since = clock->time;
        clock->is_led = edge->kind == LEAD_BEGIN;
        break;
    }
}

/* The queue whose next edge is the earliest, or SIZE_MAX. */
static size_t earliest(const struct merge *merge)
{
    size_t best = SIZE_MAX;
    uint64_t best_time = UINT64_MAX;
    for (size_t i = 0; i < merge->wait->caps; i++) {
        const struct edge_queue *queue = &merge->wait->queue[i];
        const size_t head = merge->head[i];
        if (head == queue->tail || (best != SIZE_MAX && queue->edge[head].time >= best_time))
            continue;
        best = i;
        best_time = queue->edge[head].time;
    }
    return best;
}

static void run(struct merge *merge, uint64_t time)
{
    for (;;) {
        size_t i = earliest(merge);
        if (i == SIZE_MAX) return;
        const struct edge *edge = &merge->wait->queue[i].edge[merge->head[i]];
        if (edge->time >= time && time != UINT64_MAX) return;
        apply(merge, i, edge);
        merge->head[i]++;
    }
}

/* --- The queues ------------------------------------------------------------------------------ */

void stat_wait_merge(struct stat_wait *wait, uint64_t time)
{
    size_t *head = malloc((wait->caps + 1) * sizeof *head);
    if (!head) return; /* then they only stay longer */
    for (size_t i = 0; i < wait->caps; i++)
        head[i] = wait->queue[i].head;
    struct merge merge = {.wait = wait, .head = head, .cap = wait->cap, .clock = wait->clock};
    run(&merge, time);
    wait->clock = merge.clock;
    for (size_t i = 0; i < wait->caps; i++) {
        struct edge_queue *queue = &wait->queue[i];
        wait->edges -= head[i] - queue->head;
        queue->head = head[i];
        if (queue->head == 0) continue;
        queue->tail -= queue->head;
        memmove(queue->edge, queue->edge + queue->head, queue->tail * sizeof *queue->edge);
        queue->head = 0;
    }
    free(head);
}

bool stat_wait_is_full(const struct stat_wait *wait)
{
    return wait->edges >= MERGE_AT && wait->edges % MERGE_AT == 0;
}

/* Too many edges: merges as far as all queues are known, or else the older half. */
void stat_wait_make_room(struct stat_wait *wait)
{
    uint64_t known = UINT64_MAX;
    for (size_t i = 0; i < wait->caps; i++)
        if (wait->queue[i].known < known) known = wait->queue[i].known;
    const size_t before = wait->edges;
    stat_wait_merge(wait, known);
    if (wait->edges == 0 || wait->edges < before || before < EDGES_MAX) return;
    uint64_t oldest = UINT64_MAX, newest = 0;
    for (size_t i = 0; i < wait->caps; i++) {
        const struct edge_queue *queue = &wait->queue[i];
        if (queue->head == queue->tail) continue;
        if (queue->edge[queue->head].time < oldest) oldest = queue->edge[queue->head].time;
        if (queue->edge[queue->tail - 1].time > newest) newest = queue->edge[queue->tail - 1].time;
    }
    stat_wait_merge(wait, oldest < newest ? oldest + (newest - oldest) / 2 + 1 : UINT64_MAX);
}

bool stat_wait_push(struct stat_wait *wait, size_t cap, uint64_t time, enum edge_kind kind)
{
    struct edge_queue *queue = &wait->queue[cap];
    if (queue->tail == queue->capacity) {
        const size_t capacity = queue->capacity ? 2 * queue->capacity : 16;
        struct edge *edge = realloc(queue->edge, capacity * sizeof *edge);
        if (!edge) return false;
        queue->edge = edge;
        queue->capacity = capacity;
    }
    /* In the order of its stream, even where a stamp steps back. */
    if (queue->tail > queue->head && time < queue->edge[queue->tail - 1].time)
        time = queue->edge[queue->tail - 1].time;
    if (time + tolerance < wait->clock.time) wait->lost = true;
    queue->edge[queue->tail++] = (struct edge){time, kind};
    wait->edges++;
    return true;
}

bool stat_wait_tell(const struct stat_wait *wait, uint64_t now, uint64_t *waited)
{
    const size_t caps = wait->caps;
    size_t *head = malloc((wait->caps + 1) * sizeof *head);
    struct stat_waited *cap = malloc((caps + 1) * sizeof *cap);
    const bool done = head && cap;
    if (done) {
        for (size_t i = 0; i < wait->caps; i++)
            head[i] = wait->queue[i].head;
        if (caps > 0) memcpy(cap, wait->cap, caps * sizeof *cap);
        struct merge merge = {.wait = wait, .head = head, .cap = cap, .clock = wait->clock};
        run(&merge, UINT64_MAX);
        if (now > merge.clock.time) merge.clock.time = now;
        const uint64_t led = led_until(&merge.clock, merge.clock.time);
        for (size_t i = 0; i < caps; i++) {
            settle(&merge.clock, &cap[i]);
            const uint64_t not = cap[i].before + cap[i].inside;
            waited[i] = led > not ? led - not : 0;
        }
    }
    free(head);
    free(cap);
    return done;
}
