/* The reading side: buffers become blocks in a sink. All under the io lock. */
#include "emit/emitter.h"
#include "format/wire.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum { MILLISECOND = 1000000 };

/* What get_state tells, and what is done when all buffers are full: nobody waits for a destination
 * that is gone, and the oldest is of least use to the next one. */
static void set_state(hectic_emitter *e, hectic_destination_state state, int error)
{
    const bool taking = state != HECTIC_DESTINATION_FAILED && e->out.ring_size == 0;
    e->out.state = state;
    pthread_mutex_lock(&e->pool.lock);
    e->pool.destination = state;
    if (error != 0) e->pool.error = error;
    e->pool.when_blocked = taking ? e->out.when_blocked : HECTIC_BLOCKED_DROP_OLDEST;
    pthread_cond_broadcast(&e->pool.freed);
    pthread_mutex_unlock(&e->pool.lock);
}

/* --- Waiting -------------------------------------------------------------------------------- */

/* Until the sink can be written to, or as long as until `retry` where nothing tells that; but not
 * beyond `until`. False: it is later than that. */
static bool wait_for_sink(const outlet *o, uint64_t until)
{
    const uint64_t now = clock_monotonic();
    if (now >= until) return false;
    const bool tells = o->sink->fd >= 0 && o->retry <= now;
    const uint64_t end = !tells && o->retry > now && o->retry < until ? o->retry : until;
    struct pollfd fd = {.fd = tells ? o->sink->fd : -1, .events = POLLOUT};
    const uint64_t ms = (end - now) / MILLISECOND + 1;
    poll(&fd, 1, ms > RETRY_MS ? RETRY_MS : (int)ms);
    return true;
}

/* --- Writing what is begun ------------------------------------------------------------------- */

static bool is_idle(const outlet *o)
{
    return o->prefix.size == 0;
}

static void unpin(hectic_emitter *e)
{
    if (!e->out.buffer) return;
    pthread_mutex_lock(&e->pool.lock);
    e->out.buffer->pinned = false;
    pthread_mutex_unlock(&e->pool.lock);
}

static void clear(outlet *o)
{
    o->prefix.size = 0;
    o->buffer = NULL;
    o->from = o->to = o->sent = 0;
    o->told = 0;
}

/* What is being written goes back to where it was: its reader is gone. */
static void abandon(hectic_emitter *e)
{
    unpin(e);
    clear(&e->out);
}

/* It is a buffer's block, and is out: the state learns from it, and the buffer may be free. */
static void finish(hectic_emitter *e)
{
    outlet *o = &e->out;
    pool *p = &e->pool;
    buffer *b = o->buffer;
    if (b) state_update(e, b->owner->number, b->bytes + o->from, o->to - o->from);
    if (b && b->owner == e->global) o->global_told_at = o->last;
    pthread_mutex_lock(&p->lock);
    p->patient = true;
    p->bytes_written += o->sent;
    if (b) {
        p->blocks_written++;
        b->pinned = false;
        b->drained = o->to;
        b->lost -= o->told;
        if (b->owner->open != b && b->drained == b->used) {
            pool_remove(p, b);
            pool_release(p, b);
        }
    }
    pthread_mutex_unlock(&p->lock);
    clear(o);
}

static void lose_reader(hectic_emitter *e, int error)
{
    outlet *o = &e->out;
    abandon(e);
    o->sink->kind->close(o->sink);
    o->retry = o->opened + RETRY_MS * MILLISECOND;
    set_state(e, o->sink->kind->reopens ? HECTIC_DESTINATION_WAITING : HECTIC_DESTINATION_FAILED,
              error);
}

void drain_watch(hectic_emitter *e)
{
    const outlet *o = &e->out;
    struct pollfd fd = {.fd = o->sink ? o->sink->fd : -1};
    if (o->state == HECTIC_DESTINATION_READY && poll(&fd, 1, 0) > 0) lose_reader(e, EPIPE);
}

static size_t remaining(const outlet *o, struct iovec piece[2])
{
    int count = 0;
    size_t done = o->sent;
    if (done < o->prefix.size)
        piece[count++] = (struct iovec){o->prefix.at + done, o->prefix.size - done};
    done = done > o->prefix.size ? done - o->prefix.size : 0;
    if (o->buffer && o->from + done < o->to)
        piece[count++] = (struct iovec){o->buffer->bytes + o->from + done, o->to - o->from - done};
    return (size_t)count;
}

static bool is_full_disk(ssize_t result)
{
    return result == -ENOSPC || result == -EDQUOT;
}

static hectic_emit_status push(hectic_emitter *e, uint64_t until)
{
    outlet *o = &e->out;
    struct iovec piece[2];
    for (size_t count; (count = remaining(o, piece)) > 0;) {
        const ssize_t taken = o->sink->kind->write(o->sink, piece, (int)count);
        if (taken > 0) {
            o->sent += (size_t)taken;
            o->retry = 0;
            if (o->state != HECTIC_DESTINATION_READY) set_state(e, HECTIC_DESTINATION_READY, 0);
        } else if (taken == -EAGAIN || is_full_disk(taken)) {
            o->retry = is_full_disk(taken) ? clock_monotonic() + RETRY_MS * MILLISECOND : 0;
            if (o->state != HECTIC_DESTINATION_BLOCKED)
                set_state(e, HECTIC_DESTINATION_BLOCKED, is_full_disk(taken) ? (int)-taken : 0);
            if (!wait_for_sink(o, until)) return HECTIC_EMIT_TIMEOUT;
        } else {
            lose_reader(e, taken < 0 ? (int)-taken : EIO);
            return HECTIC_EMIT_LOST;
        }
    }
    if (!is_idle(o)) finish(e);
    return HECTIC_EMIT_OK;
}

/* --- Beginning a log -------------------------------------------------------------------------- */

/* The time at which everything that is still to be written can be told to begin. */
static uint64_t begin_time(hectic_emitter *e)
{
    const uint64_t now = clock_now(&e->clock);
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t earliest = pool_earliest(e, now);
    pthread_mutex_unlock(&e->pool.lock);
    return earliest;
}

static hectic_emit_status no_memory(hectic_emitter *e)
{
    abandon(e);
    set_state(e, HECTIC_DESTINATION_FAILED, ENOMEM);
    return HECTIC_EMIT_NO_MEMORY;
}

/* What is off is not known for sure to be as it was. A reader who comes new is told nothing of it:
 * the producer's report does, when it is on again. Unless events from before are still to come. */
static void forget_missed(hectic_emitter *e)
{
    pthread_mutex_lock(&e->pool.lock);
    const bool all_out = pool_earliest_of_caps(e, UINT64_MAX) == UINT64_MAX;
    const uint64_t missed = e->reporter.report && all_out ? e->missed : 0;
    pthread_mutex_unlock(&e->pool.lock);
    if (missed) state_drop_classes(e, missed);
}

/* The sink's open has said `error`. */
static void opened(hectic_emitter *e, int error)
{
    outlet *o = &e->out;
    if (error == 0) {
        o->retry = 0;
        o->opened = clock_monotonic();
        set_state(e, HECTIC_DESTINATION_READY, 0);
        pthread_mutex_lock(&e->pool.lock);
        e->pool.gap = false;
        pthread_mutex_unlock(&e->pool.lock);
        forget_missed(e);
        o->told_at = o->global_told_at = begin_time(e);
        if (!bytes_append(&o->prefix, &e->header) || !state_replay(e, &o->prefix, o->told_at))
            no_memory(e);
        return;
    }
    const bool connecting = error == EAGAIN && o->sink->fd >= 0;
    if (!connecting) o->sink->kind->close(o->sink);
    o->retry = connecting ? 0 : clock_monotonic() + RETRY_MS * MILLISECOND;
    set_state(e, HECTIC_DESTINATION_WAITING, error == EAGAIN ? 0 : error);
}

/* Whoever may come again later is not waited for. */
static hectic_when_blocked policy_of(const sink *s, const hectic_destination *d)
{
    if (!s) return HECTIC_BLOCKED_DROP_OLDEST;
    if (d->when_blocked != HECTIC_BLOCKED_DEFAULT) return d->when_blocked;
    return s->kind->reopens ? HECTIC_BLOCKED_DROP_OLDEST : HECTIC_BLOCKED_WAIT;
}

/* What the pool is to do for that destination. Where there is none, as before. */
static void prepare_pool(hectic_emitter *e, sink *s, const hectic_destination *d)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    e->out.sink = s;
    e->out.ring_size = 0;
    if (d) {
        if (d->kind == HECTIC_TO_RING) e->out.ring_size = d->ring_size ? d->ring_size : RING_SIZE;
        e->out.when_blocked = p->when_blocked = policy_of(s, d);
        p->wait_ms = d->wait_ms > 0 ? d->wait_ms : WAIT_MS;
        p->patient = true;
        pool_want(e);
    }
    pthread_mutex_unlock(&p->lock);
}

void drain_begin(hectic_emitter *e, sink *s, int error, const hectic_destination *destination)
{
    prepare_pool(e, s, destination);
    if (s)
        opened(e, error);
    else
        set_state(e, destination ? HECTIC_DESTINATION_READY : HECTIC_DESTINATION_NONE, 0);
}

/* OK: there is a sink that takes bytes. */
static hectic_emit_status connect_sink(hectic_emitter *e, uint64_t until)
{
    outlet *o = &e->out;
    while (o->state == HECTIC_DESTINATION_WAITING) {
        if (clock_monotonic() >= o->retry || o->sink->fd >= 0)
            opened(e, o->sink->kind->open(o->sink));
        if (o->state == HECTIC_DESTINATION_WAITING && !wait_for_sink(o, until))
            return HECTIC_EMIT_TIMEOUT;
    }
    return o->state == HECTIC_DESTINATION_FAILED ? HECTIC_EMIT_LOST : HECTIC_EMIT_OK;
}

/* Brings out what is begun, to a new reader if the old one has gone. */
static hectic_emit_status settle(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status;
    do {
        status = connect_sink(e, until);
        if (status == HECTIC_EMIT_OK) status = push(e, until);
    } while (status == HECTIC_EMIT_LOST && e->out.state == HECTIC_DESTINATION_WAITING);
    return status;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* Times do not go back on a cap. The event that its thread was just writing when the reader was
 * told what holds may have taken its time before, and so may a few more on another core: as far as
 * the reader knows, they happened then. */
static void keep_order(const hectic_emitter *e)
{
    const outlet *o = &e->out;
    const uint64_t told_at = o->buffer->owner == e->global ? o->global_told_at : o->told_at;
    state_restamp(e, o->buffer->bytes + o->from, o->to - o->from, told_at);
}

static bool begin_block(hectic_emitter *e)
{
    outlet *o = &e->out;
    const block b = {.begin = load64(o->buffer->bytes + o->from + 2),
                     .end = o->last,
                     .dropped = o->told,
                     .size = o->to - o->from,
                     .cap = o->buffer->owner->number};
    uint8_t *at = bytes_add(&o->prefix, BLOCK_HEAD_MAX);
    if (!at) return false;
    o->prefix.size -= BLOCK_HEAD_MAX - block_head(at, &b);
    return true;
}

/* Of an open buffer: while somebody looks how far its thread has come, and then when its last event
 * was, it goes on. */
static const uint64_t last_unknown = UINT64_MAX;

/* Writes bytes drained … to of a buffer. The caller holds the pool's lock, which is taken off. OK
 * and *written false: a new reader came instead, and what there is must be looked at again. */
static hectic_emit_status write_block(hectic_emitter *e, buffer *b, size_t to, uint64_t last,
                                      uint64_t until, bool *written)
{
    outlet *o = &e->out;
    const uint64_t before = e->pool.blocks_written;
    b->pinned = true;
    o->buffer = b;
    o->from = b->drained;
    o->to = to;
    o->told = b->lost;
    pthread_mutex_unlock(&e->pool.lock);
    const uint64_t horizon = o->horizon > 0 ? o->horizon : last_unknown;
    if (last >= horizon)
        o->to = o->from + state_until(e, b->bytes + o->from, to - o->from, horizon, &last);
    o->held = o->to < to;
    if (o->to == o->from) {
        abandon(e);
        *written = true;
        return HECTIC_EMIT_OK;
    }
    keep_order(e);
    const uint64_t first = load64(b->bytes + o->from + 2);
    o->last = first > last ? first : last;
    const hectic_emit_status status = begin_block(e) ? settle(e, until) : no_memory(e);
    *written = e->pool.blocks_written != before;
    return status;
}

/* A buffer from the queue. The pool's lock is taken off. */
static hectic_emit_status write_full(hectic_emitter *e, buffer *b, uint64_t until, bool *written)
{
    if (b->drained < b->used) return write_block(e, b, b->used, b->last, until, written);
    pool_remove(&e->pool, b);
    pool_release(&e->pool, b);
    pthread_mutex_unlock(&e->pool.lock);
    *written = true;
    return HECTIC_EMIT_OK;
}

/* A ring keeps the newest. What leaves it is learned from without the lock, for which caps wait
 * that need a buffer. */
static void trim_ring(hectic_emitter *e)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    while (p->full_count * p->buffer_size > e->out.ring_size) {
        buffer *b = p->first;
        b->pinned = true;
        pthread_mutex_unlock(&p->lock);
        const uint64_t events = buffer_learn(e, b);
        pthread_mutex_lock(&p->lock);
        b->pinned = false;
        pool_dropped(e, b, events);
        pool_remove(p, b);
        pool_release(p, b);
    }
    pthread_mutex_unlock(&p->lock);
}

/* True: there is a sink, and what was begun is out. */
static bool is_ready(hectic_emitter *e, uint64_t until, hectic_emit_status *status)
{
    *status = HECTIC_EMIT_OK;
    if (e->out.ring_size > 0) trim_ring(e);
    if (!e->out.sink) return false;
    *status = settle(e, until);
    return *status == HECTIC_EMIT_OK;
}

static hectic_emit_status make_up_for_gap(hectic_emitter *e, uint64_t until)
{
    pthread_mutex_lock(&e->pool.lock);
    const bool gap = e->pool.gap && !e->pool.first;
    if (gap) e->pool.gap = false;
    pthread_mutex_unlock(&e->pool.lock);
    const hectic_emit_status status = gap ? drain_sync(e, until) : HECTIC_EMIT_OK;
    if (status == HECTIC_EMIT_OK) return status;
    pthread_mutex_lock(&e->pool.lock);
    e->pool.gap = true;
    pthread_mutex_unlock(&e->pool.lock);
    return status;
}

/* The global buffer may wait for very long, and tells little of threads. */
static void forget(hectic_emitter *e)
{
    const uint64_t now = clock_now(&e->clock);
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t earliest = pool_earliest_of_caps(e, now);
    pthread_mutex_unlock(&e->pool.lock);
    state_prune(e, earliest);
}

hectic_emit_status drain_full(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status;
    forget(e);
    if (!is_ready(e, until, &status)) return status;
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    const uint64_t newest = p->sequence;
    while (status == HECTIC_EMIT_OK && p->first && p->first->sequence <= newest) {
        bool written;
        status = write_full(e, p->first, until, &written);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return status == HECTIC_EMIT_OK ? make_up_for_gap(e, until) : status;
}

static buffer *first_of(const pool *p, const cap *c)
{
    buffer *b = p->first;
    while (b && b->owner != c)
        b = b->next;
    return b;
}

/* What was in the open buffer at the call may be in the first full one that comes after it. */
hectic_emit_status drain_cap(hectic_emitter *e, cap *c, uint64_t until)
{
    hectic_emit_status status;
    if (!is_ready(e, until, &status)) return status;
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    const uint64_t newest = p->sequence;
    e->out.held = false;
    for (bool done = false; status == HECTIC_EMIT_OK && !done; pthread_mutex_lock(&p->lock)) {
        buffer *full = first_of(p, c);
        const size_t open = c->open ? (size_t)(cap_at(c) - c->open->bytes) : 0;
        const bool last = !full || full->sequence > newest;
        bool written = true;
        if (full)
            status = write_full(e, full, until, &written);
        else if (c->open && open > c->open->drained)
            status = write_block(e, c->open, open, last_unknown, until, &written);
        else
            pthread_mutex_unlock(&p->lock);
        done = written && (last || e->out.held);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* What is in open buffers, up to one moment. */
static hectic_emit_status drain_open(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status = HECTIC_EMIT_OK;
    const bool all = !e->started || e->clock.kind == HECTIC_CLOCK_CALLER;
    e->out.horizon = all ? 0 : clock_now(&e->clock);
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && status == HECTIC_EMIT_OK; i++)
        status = drain_cap(e, e->caps[i], until);
    if (status == HECTIC_EMIT_OK) status = drain_cap(e, e->global, until);
    e->out.horizon = 0;
    return status;
}

/* All caps up to one moment: what a thread has done on a cap by then comes out with what it had
 * done on others before. What is later stays; but when logging has ended there is no later. */
hectic_emit_status drain_all(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status = drain_full(e, until);
    if (status == HECTIC_EMIT_OK) status = drain_open(e, until);
    if (status == HECTIC_EMIT_OK && e->out.sink && e->out.sink->kind->flush)
        e->out.sink->kind->flush(e->out.sink);
    return status;
}

hectic_emit_status drain_sync(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status;
    if (!is_ready(e, until, &status)) return status;
    /* Nothing that is still to come has then happened before what is told. */
    if ((status = drain_open(e, until)) != HECTIC_EMIT_OK) return status;
    outlet *o = &e->out;
    const uint64_t time = begin_time(e);
    if (time > o->global_told_at) o->global_told_at = time;
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t missed = e->missed & ~HECTIC_CLASS_BIT(HECTIC_CLASS_PROCESS);
    pthread_mutex_unlock(&e->pool.lock);
    if (!state_replay_sync(e, &o->prefix, o->global_told_at, missed)) return no_memory(e);
    return settle(e, until);
}

hectic_emit_status drain_end(hectic_emitter *e, uint64_t until)
{
    outlet *o = &e->out;
    hectic_emit_status status = HECTIC_EMIT_OK;
    if (o->sink) {
        status = HECTIC_EMIT_TIMEOUT;
        if (until > 0 && is_idle(o) && o->state == HECTIC_DESTINATION_READY) {
            uint8_t *end = bytes_add(&o->prefix, 2);
            if (end) hectic_encode_data_end(end, 2);
            status = push(e, until);
            if (!end) status = HECTIC_EMIT_NO_MEMORY;
        }
        abandon(e);
        pthread_mutex_lock(&e->pool.lock);
        o->left = o->sink;
        o->sink = NULL;
        pthread_mutex_unlock(&e->pool.lock);
        o->left->kind->close(o->left);
    }
    /* When the log goes on elsewhere, what is to be done while it is nowhere is as before. */
    if (!e->started) drain_begin(e, NULL, 0, NULL);
    return status;
}
