/* gc_queue.c — see gc_queue.h. */
#include "stat/gc_queue.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_BITS = 3, MERGE_AT = 1 << 16, WORDS_MAX = 1 << 22 };

/* 73 years: later times are not plausible. */
static const uint64_t time_max = UINT64_MAX >> KIND_BITS;

/* Times may step back by less than that in valid logs. */
static const uint64_t tolerance = 1000000;

static bool has_number(enum gc_edge edge)
{
    return edge <= GC_EDGE_END || edge == GC_EDGE_LEAD;
}

bool gc_queue_grow(struct gc_queue *q)
{
    if ((q->caps & (q->caps - 1)) == 0) { /* at each power of two, double the capacity */
        struct gc_queue_of_cap *cap = realloc(q->cap, (2 * q->caps + 1) * sizeof *cap);
        if (!cap) return false;
        q->cap = cap;
    }
    q->cap[q->caps++] = (struct gc_queue_of_cap){0};
    return true;
}

void gc_queue_clear(struct gc_queue *q)
{
    for (size_t i = 0; i < q->caps; i++)
        free(q->cap[i].word);
    free(q->cap);
    *q = (struct gc_queue){0};
}

bool gc_queue_push(struct gc_queue *q, size_t cap, uint64_t time, enum gc_edge edge,
                   uint64_t number)
{
    struct gc_queue_of_cap *queue = &q->cap[cap];
    if (queue->words + 2 > queue->capacity) {
        const size_t capacity = queue->capacity > 1 ? 2 * queue->capacity : 16; /* 2 words fit */
        uint64_t *word = realloc(queue->word, capacity * sizeof *word);
        if (!word) return false;
        queue->word = word;
        queue->capacity = capacity;
    }
    /* Keeps the order of its stream, even if a time steps back. */
    if (time < queue->latest) time = queue->latest;
    if (time > time_max) time = time_max;
    queue->latest = time;
    if (time + tolerance < q->merged && edge != GC_EDGE_HERE) q->is_lost = true;
    queue->word[queue->words++] = time << KIND_BITS | edge;
    q->words++;
    if (!has_number(edge)) return true;
    queue->word[queue->words++] = number;
    q->words++;
    return true;
}

/* --- Merging --------------------------------------------------------------------------------- */

/* The next word of a cap. Words compare by time, then by kind. */
struct next {
    uint64_t word;
    uint32_t cap;
};

static bool is_before(const struct next *a, const struct next *b)
{
    return a->word != b->word ? a->word < b->word : a->cap < b->cap;
}

static void sift_down(struct next *heap, size_t count, size_t at)
{
    const struct next moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Delivers the edges before `until`. at[i] is the position in cap i's queue; heap[] has an element
 * per cap. */
static bool deliver(const struct gc_queue *q, size_t *at, struct next *heap, uint64_t until,
                    gc_edge_callback callback, void *user)
{
    size_t count = 0;
    for (size_t i = 0; i < q->caps; i++)
        if (q->cap[i].words > 0) heap[count++] = (struct next){*q->cap[i].word, (uint32_t)i};
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i);
    while (count > 0 && heap->word >> KIND_BITS < until) {
        const size_t i = heap->cap;
        const struct gc_queue_of_cap *queue = &q->cap[i];
        const enum gc_edge edge = heap->word & ((1u << KIND_BITS) - 1);
        const uint64_t time = heap->word >> KIND_BITS;
        const bool is_pair = has_number(edge);
        if (!callback(user, i, time, edge, is_pair ? queue->word[at[i] + 1] : 0)) return false;
        at[i] += is_pair ? 2 : 1;
        if (at[i] < queue->words)
            heap->word = queue->word[at[i]];
        else
            *heap = heap[--count];
        if (count > 0) sift_down(heap, count, 0);
    }
    return true;
}

static void remove_delivered(struct gc_queue *q, const size_t *at)
{
    for (size_t i = 0; i < q->caps; i++) {
        struct gc_queue_of_cap *queue = &q->cap[i];
        if (at[i] == 0) continue;
        q->words -= at[i];
        queue->words -= at[i];
        memmove(queue->word, queue->word + at[i], queue->words * sizeof *queue->word);
    }
}

/* Delivers the edges before `until`, and removes them from `remove_from`: the queue, or NULL. */
static bool merge(const struct gc_queue *q, struct gc_queue *remove_from, uint64_t until,
                  gc_edge_callback callback, void *user)
{
    if (q->words == 0) return true;
    size_t *at = calloc(q->caps, sizeof *at);
    struct next *heap = malloc(q->caps * sizeof *heap);
    const bool done = at && heap && deliver(q, at, heap, until, callback, user);
    if (done && remove_from) remove_delivered(remove_from, at);
    free(at);
    free(heap);
    return done;
}

bool gc_queue_empty(struct gc_queue *q, gc_edge_callback callback, void *user)
{
    return merge(q, q, UINT64_MAX, callback, user);
}

bool gc_queue_peek(const struct gc_queue *q, gc_edge_callback callback, void *user)
{
    return merge(q, NULL, UINT64_MAX, callback, user);
}

/* --- Limiting the size ----------------------------------------------------------------------- */

bool gc_queue_is_full(const struct gc_queue *q)
{
    return q->words >= (q->full_at ? q->full_at : MERGE_AT);
}

static void span(const struct gc_queue *q, uint64_t *oldest, uint64_t *newest)
{
    *oldest = UINT64_MAX;
    *newest = 0;
    for (size_t i = 0; i < q->caps; i++) {
        const struct gc_queue_of_cap *queue = &q->cap[i];
        if (queue->words == 0) continue;
        const uint64_t first = *queue->word >> KIND_BITS;
        if (first < *oldest) *oldest = first;
        if (queue->latest > *newest) *newest = queue->latest;
    }
}

/* Merges up to the time for which all queues are complete, or else the older half. */
bool gc_queue_merge_known(struct gc_queue *q, gc_edge_callback callback, void *user)
{
    uint64_t known = UINT64_MAX, oldest, newest;
    for (size_t i = 0; i < q->caps; i++)
        if (q->cap[i].known < known) known = q->cap[i].known;
    if (!merge(q, q, known, callback, user)) return false;
    if (known > q->merged) q->merged = known;
    if (q->words >= WORDS_MAX) {
        span(q, &oldest, &newest);
        const uint64_t half = oldest + (newest - oldest) / 2 + 1;
        if (!merge(q, q, half, callback, user)) return false;
        q->merged = half;
    }
    q->full_at = q->words + MERGE_AT;
    return true;
}
