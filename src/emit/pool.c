/* Buffers: free ones, and full ones in the order in which they became full. */
#include "emit/emitter.h"

#include "format/event_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 4096, SECOND = 1000000000, MILLISECOND = 1000000 };

static bool init_freed(pool *p)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(&p->freed, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return made;
}

bool pool_init(pool *p)
{
    *p = (pool){.may_wait = true};
    return pthread_mutex_init(&p->lock, NULL) == 0 && init_freed(p);
}

void pool_forked(pool *p)
{
    init_freed(p);
}

static void buffer_free(pool *p, buffer *b)
{
    p->count--;
    p->memory -= b->size;
    free(b->bytes);
    free(b);
}

static void free_list(pool *p, buffer *b)
{
    while (b) {
        buffer *next = b->next;
        buffer_free(p, b);
        b = next;
    }
}

void pool_clear(pool *p)
{
    free_list(p, p->free);
    free_list(p, p->first);
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->lock);
}

/* Page-aligned, which the kernel copies fastest. */
static buffer *buffer_new(pool *p)
{
    const size_t size = p->buffer_size;
    buffer *b = calloc(1, sizeof *b);
    if (!b || !(b->bytes = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE))) {
        free(b);
        return NULL;
    }
    b->size = size;
    p->count++;
    p->memory += size;
    return b;
}

static size_t available(const pool *p)
{
    return p->free_count + (p->wanted > p->count ? p->wanted - p->count : 0);
}

/* One is reserved for the cap whose full buffer is being written (see `drop_one`). */
static buffer *take_free(pool *p, size_t reserved)
{
    if (p->free_count > reserved) {
        buffer *b = p->free;
        p->free = b->next;
        p->free_count--;
        b->next = NULL;
        return b;
    }
    return available(p) > reserved ? buffer_new(p) : NULL;
}

/* One open and one full buffer for each cap, and two being written. */
void pool_set_wanted(hectic_emitter *e)
{
    pool *p = &e->pool;
    p->wanted = 2 * ((size_t)e->cap_count + 1) + 2 + e->out.ring_size / p->buffer_size;
    while (p->free && p->count > p->wanted)
        buffer_free(p, take_free(p, 0));
}

void pool_set_size(hectic_emitter *e, size_t bytes)
{
    pool *p = &e->pool;
    p->buffer_size = bytes > HECTIC_EVENT_MAX ? bytes : HECTIC_EVENT_MAX;
    while (p->free)
        buffer_free(p, take_free(p, 0));
    pool_set_wanted(e);
}

void pool_release(pool *p, buffer *b)
{
    if (b->size != p->buffer_size || p->count > p->wanted) {
        buffer_free(p, b);
    } else {
        *b = (buffer){.next = p->free, .bytes = b->bytes, .size = b->size};
        p->free = b;
        p->free_count++;
    }
    pthread_cond_broadcast(&p->freed);
}

static void append(pool *p, buffer *b)
{
    b->sequence = ++p->sequence;
    b->next = NULL;
    if (p->last)
        p->last->next = b;
    else
        p->first = b;
    p->last = b;
    p->full_count++;
}

void pool_remove(pool *p, buffer *b)
{
    buffer *before = NULL;
    for (buffer *each = p->first; each != b; each = each->next)
        before = each;
    if (before)
        before->next = b->next;
    else
        p->first = b->next;
    if (p->last == b) p->last = before;
    b->next = NULL;
    p->full_count--;
}

buffer *pool_following(const buffer *b)
{
    for (buffer *next = b->next; next; next = next->next)
        if (next->owner == b->owner) return next;
    return b->owner->open;
}

uint64_t buffer_apply(const hectic_emitter *e, const buffer *b)
{
    return state_update(e, b->owner->number, b->bytes + b->drained, b->used - b->drained);
}

void pool_drop(hectic_emitter *e, buffer *b)
{
    pool_count_dropped(e, b, buffer_apply(e, b));
}

void pool_count_dropped(hectic_emitter *e, buffer *b, uint64_t events)
{
    const uint64_t lost = b->lost + events;
    const uint64_t missing = b->dumped ? 0 : b->missing + events;
    b->lost = b->missing = 0;
    b->dumped = false;
    e->pool.bytes_dropped += b->used - b->drained;
    b->drained = b->used;
    buffer *next = pool_following(b);
    if (next) {
        next->lost += lost;
        next->missing += missing;
    }
    e->pool.events_dropped += events;
    e->pool.gap = true;
}

static buffer *oldest(const pool *p)
{
    buffer *b = p->first;
    while (b && b->pinned)
        b = b->next;
    return b;
}

/* False: timeout. */
static bool wait_for_free(hectic_emitter *e)
{
    pool *p = &e->pool;
    const uint64_t until = clock_ns() + (uint64_t)p->wait_ms * MILLISECOND;
    if (!__atomic_load_n(&e->serving, __ATOMIC_RELAXED)) {
        pthread_mutex_unlock(&p->lock);
        pthread_mutex_lock(&e->io);
        const hectic_emit_status drained = drain_full(e, until);
        pthread_mutex_unlock(&e->io);
        pthread_mutex_lock(&p->lock);
        return drained == HECTIC_EMIT_OK;
    }
    const struct timespec when = {.tv_sec = (time_t)(until / SECOND),
                                  .tv_nsec = (long)(until % SECOND)};
    service_wake(e);
    return pthread_cond_timedwait(&p->freed, &p->lock, &when) != ETIMEDOUT;
}

/* Frees a buffer by dropping its events: the oldest one, or `full` itself. At most one is pinned;
 * if that is `full`, uses the reserved one. */
static buffer *drop_one(hectic_emitter *e, buffer *full)
{
    pool *p = &e->pool;
    buffer *b = oldest(p);
    if (b && (p->when_blocked == HECTIC_BLOCKED_DROP_OLDEST || !full || full->pinned)) {
        pool_drop(e, b);
        pool_remove(p, b);
        const uint64_t lost = b->lost;
        *b = (buffer){.bytes = b->bytes, .size = b->size, .lost = lost};
        return b;
    }
    if (!full || full->pinned) return take_free(p, 0);
    pool_drop(e, full);
    full->drained = full->used = 0;
    return full;
}

static buffer *find(hectic_emitter *e, buffer *full)
{
    pool *p = &e->pool;
    for (;;) {
        buffer *b = take_free(p, 1);
        if (b) return b;
        if (p->when_blocked != HECTIC_BLOCKED_WAIT || !p->may_wait) return drop_one(e, full);
        if (!wait_for_free(e)) p->may_wait = false;
    }
}

bool pool_next(hectic_emitter *e, cap *c)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    buffer *full = c->open;
    if (full) {
        full->used = (size_t)(cap_at(c) - full->bytes);
        full->last = __atomic_load_n(&c->out.last, __ATOMIC_RELAXED);
    }
    buffer *next;
    if (full && full->drained == full->used && !full->pinned && full->size == p->buffer_size) {
        full->drained = 0;
        next = full;
    } else {
        next = find(e, full);
        if (full && full != next) append(p, full);
    }
    cap_open(c, next);
    pthread_mutex_unlock(&p->lock);
    if (full && full != next) {
        if (__atomic_load_n(&e->serving, __ATOMIC_RELAXED)) {
            service_wake(e);
        } else if (pthread_mutex_trylock(&e->io) == 0) {
            drain_full(e, 0);
            pthread_mutex_unlock(&e->io);
        }
    }
    return next != NULL;
}

/* An event begins with its number and time. */
static uint64_t time_at(const buffer *b)
{
    return event_time_at(b->bytes + b->drained);
}

static uint64_t earlier_of_open(const cap *c, uint64_t time)
{
    const bool some = c->open && cap_at(c) > c->open->bytes + c->open->drained;
    return some && time_at(c->open) < time ? time_at(c->open) : time;
}

uint64_t pool_earliest_of_caps(const hectic_emitter *e, uint64_t now)
{
    for (const buffer *b = e->pool.first; b; b = b->next)
        if (b->drained < b->used && time_at(b) < now) now = time_at(b);
    for (uint32_t i = 0; i < e->cap_count; i++)
        now = earlier_of_open(e->caps[i], now);
    return now;
}

uint64_t pool_earliest(const hectic_emitter *e, uint64_t now)
{
    return earlier_of_open(e->global, pool_earliest_of_caps(e, now));
}
