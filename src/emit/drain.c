/* The reading side: buffers become blocks in a sink. All with the io lock. */
#include "emit/emitter.h"
#include "format/event_bytes.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum { MILLISECOND = 1000000 };

/* Sets the state for get_state, and the policy for full buffers: caps do not wait for a closed
 * destination, and drop the oldest events. */
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

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Waits until the sink is writable, or until `retry` if poll does not report that; at most until
 * `until`. False: it is later. */
static bool wait_for_sink(const outlet *o, uint64_t until)
{
    const uint64_t now = clock_ns();
    if (now >= until) return false;
    const bool polls = o->sink->fd >= 0 && o->retry <= now;
    const uint64_t end = !polls && o->retry > now && o->retry < until ? o->retry : until;
    struct pollfd fd = {.fd = polls ? o->sink->fd : -1, .events = POLLOUT};
    const uint64_t ms = (end - now) / MILLISECOND + 1;
    poll(&fd, 1, ms > RETRY_MS ? RETRY_MS : (int)ms);
    return true;
}

/* --- Writing the current block ---------------------------------------------------------------- */

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
    o->reported = 0;
}

/* Discards the current block, which stays in its buffer. */
static void abandon(hectic_emitter *e)
{
    unpin(e);
    clear(&e->out);
}

/* The current block is written: applies it to the state, and may free its buffer. */
static void finish(hectic_emitter *e)
{
    outlet *o = &e->out;
    pool *p = &e->pool;
    buffer *b = o->buffer;
    if (b) state_update(e, b->owner->number, b->bytes + o->from, o->to - o->from);
    if (b) b->owner->written = o->last;
    if (b && b->owner == e->global) o->global_replayed_at = o->last;
    pthread_mutex_lock(&p->lock);
    p->may_wait = true;
    p->bytes_written += o->sent;
    if (b) {
        p->blocks_written++;
        b->pinned = false;
        b->drained = o->to;
        b->lost -= o->reported;
        if (b->owner->open != b && b->drained == b->used) {
            pool_remove(p, b);
            pool_release(p, b);
        }
    }
    pthread_mutex_unlock(&p->lock);
    clear(o);
}

static void disconnect(hectic_emitter *e, int error)
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
    if (o->state == HECTIC_DESTINATION_READY && poll(&fd, 1, 0) > 0) disconnect(e, EPIPE);
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
        const ssize_t written_bytes = o->sink->kind->write(o->sink, piece, (int)count);
        if (written_bytes > 0) {
            o->sent += (size_t)written_bytes;
            o->retry = 0;
            if (o->state != HECTIC_DESTINATION_READY) set_state(e, HECTIC_DESTINATION_READY, 0);
        } else if (written_bytes == -EAGAIN || is_full_disk(written_bytes)) {
            o->retry = is_full_disk(written_bytes) ? clock_ns() + RETRY_MS * MILLISECOND : 0;
            if (o->state != HECTIC_DESTINATION_BLOCKED)
                set_state(e, HECTIC_DESTINATION_BLOCKED,
                          is_full_disk(written_bytes) ? (int)-written_bytes : 0);
            if (!wait_for_sink(o, until)) return HECTIC_EMIT_TIMEOUT;
        } else {
            disconnect(e, written_bytes < 0 ? (int)-written_bytes : EIO);
            return HECTIC_EMIT_LOST;
        }
    }
    if (!is_idle(o)) finish(e);
    return HECTIC_EMIT_OK;
}

/* --- Beginning a log -------------------------------------------------------------------------- */

/* A time not later than all events that are still to be written. */
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

/* The state of classes that are off may be outdated: it is dropped, and reported by the producer
 * when they are on again; unless their last events may still be in buffers. */
static void drop_missed_state(hectic_emitter *e)
{
    pthread_mutex_lock(&e->pool.lock);
    const bool all_out = pool_earliest_of_caps(e, UINT64_MAX) > e->missed_since;
    const uint64_t missed = e->reporter.report && all_out ? e->missed : 0;
    pthread_mutex_unlock(&e->pool.lock);
    if (missed) state_drop_classes(e, missed);
}

/* Handles the result of the sink's open. */
static void opened(hectic_emitter *e, int error)
{
    outlet *o = &e->out;
    if (error == 0) {
        o->retry = 0;
        o->opened = clock_ns();
        set_state(e, HECTIC_DESTINATION_READY, 0);
        pthread_mutex_lock(&e->pool.lock);
        e->pool.gap = false;
        pthread_mutex_unlock(&e->pool.lock);
        drop_missed_state(e);
        o->replayed_at = o->global_replayed_at = begin_time(e);
        if (!bytes_append(&o->prefix, &e->header) || !state_replay(e, &o->prefix, o->replayed_at))
            no_memory(e);
        return;
    }
    const bool connecting = error == EAGAIN && o->sink->fd >= 0;
    if (!connecting) o->sink->kind->close(o->sink);
    o->retry = connecting ? 0 : clock_ns() + RETRY_MS * MILLISECOND;
    set_state(e, HECTIC_DESTINATION_WAITING, error == EAGAIN ? 0 : error);
}

/* Do not wait for a reader that may reconnect later. */
static hectic_when_blocked policy_of(const sink *s, const hectic_destination *d)
{
    if (!s) return HECTIC_BLOCKED_DROP_OLDEST;
    if (d->when_blocked != HECTIC_BLOCKED_DEFAULT) return d->when_blocked;
    return s->kind->reopens ? HECTIC_BLOCKED_DROP_OLDEST : HECTIC_BLOCKED_WAIT;
}

/* Sets the pool's policy for that destination; NULL: unchanged. */
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
        p->may_wait = true;
        pool_set_wanted(e);
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

/* OK: the sink accepts bytes. */
static hectic_emit_status connect_sink(hectic_emitter *e, uint64_t until)
{
    outlet *o = &e->out;
    while (o->state == HECTIC_DESTINATION_WAITING) {
        if (clock_ns() >= o->retry || o->sink->fd >= 0) opened(e, o->sink->kind->open(o->sink));
        if (o->state == HECTIC_DESTINATION_WAITING && !wait_for_sink(o, until))
            return HECTIC_EMIT_TIMEOUT;
    }
    return o->state == HECTIC_DESTINATION_FAILED ? HECTIC_EMIT_LOST : HECTIC_EMIT_OK;
}

/* Writes the current block, to a new reader if the old one has disconnected. */
static hectic_emit_status write_current(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status;
    do {
        status = connect_sink(e, until);
        if (status == HECTIC_EMIT_OK) status = push(e, until);
    } while (status == HECTIC_EMIT_LOST && e->out.state == HECTIC_DESTINATION_WAITING);
    return status;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* Times must not go back on a cap. Events that were being written during the state replay, or a
 * flush, may have earlier timestamps: they are moved to its time. */
static void keep_order(const hectic_emitter *e)
{
    const outlet *o = &e->out;
    const cap *c = o->buffer->owner;
    const uint64_t replayed_at = c == e->global ? o->global_replayed_at : o->replayed_at;
    state_restamp(e, o->buffer->bytes + o->from, o->to - o->from,
                  replayed_at > c->marked ? replayed_at : c->marked);
}

static bool begin_block(hectic_emitter *e)
{
    outlet *o = &e->out;
    const block b = {.begin = event_time_at(o->buffer->bytes + o->from),
                     .end = o->last,
                     .dropped = o->reported,
                     .size = o->to - o->from,
                     .cap = o->buffer->owner->number};
    uint8_t *at = bytes_add(&o->prefix, BLOCK_HEAD_SIZE);
    if (!at) return false;
    o->prefix.size -= BLOCK_HEAD_SIZE - block_head(at, &b);
    return true;
}

/* For an open buffer, whose thread continues to write. */
static const uint64_t last_unknown = UINT64_MAX;

/* Writes bytes `drained` to `to` of a buffer. Releases the pool's lock. OK and *written false: a
 * new reader has connected, and the buffers must be checked again. */
static hectic_emit_status write_block(hectic_emitter *e, buffer *b, size_t to, uint64_t last,
                                      uint64_t until, bool *written)
{
    outlet *o = &e->out;
    const uint64_t before = e->pool.blocks_written;
    b->pinned = true;
    o->buffer = b;
    o->from = b->drained;
    o->to = to;
    o->reported = b->lost;
    pthread_mutex_unlock(&e->pool.lock);
    const uint64_t horizon = o->horizon > 0 ? o->horizon : last_unknown;
    if (last >= horizon)
        o->to = o->from + state_until(e, b->bytes + o->from, to - o->from, horizon, &last);
    o->held_back = o->to < to;
    if (o->to == o->from) {
        abandon(e);
        *written = true;
        return HECTIC_EMIT_OK;
    }
    keep_order(e);
    const uint64_t first = event_time_at(b->bytes + o->from);
    o->last = first > last ? first : last;
    const hectic_emit_status status = begin_block(e) ? write_current(e, until) : no_memory(e);
    *written = e->pool.blocks_written != before;
    return status;
}

/* Writes a full buffer. Releases the pool's lock. */
static hectic_emit_status write_full(hectic_emitter *e, buffer *b, uint64_t until, bool *written)
{
    if (b->drained < b->used) return write_block(e, b, b->used, b->last, until, written);
    pool_remove(&e->pool, b);
    pool_release(&e->pool, b);
    pthread_mutex_unlock(&e->pool.lock);
    *written = true;
    return HECTIC_EMIT_OK;
}

/* A ring keeps the newest buffers. Dropped ones are applied to the state without the lock, for
 * which caps may wait. */
static void trim_ring(hectic_emitter *e)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    while (p->full_count * p->buffer_size > e->out.ring_size) {
        buffer *b = p->first;
        b->pinned = true;
        pthread_mutex_unlock(&p->lock);
        const uint64_t events = buffer_apply(e, b);
        pthread_mutex_lock(&p->lock);
        b->pinned = false;
        pool_count_dropped(e, b, events);
        pool_remove(p, b);
        pool_release(p, b);
    }
    pthread_mutex_unlock(&p->lock);
}

/* True: there is a sink, and the current block is written. */
static bool is_ready(hectic_emitter *e, uint64_t until, hectic_emit_status *status)
{
    *status = HECTIC_EMIT_OK;
    if (e->out.ring_size > 0) trim_ring(e);
    if (!e->out.sink) return false;
    *status = write_current(e, until);
    return *status == HECTIC_EMIT_OK;
}

static hectic_emit_status resync_after_gap(hectic_emitter *e, uint64_t until)
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

/* Ignores the global buffer, which may stay open for long and has few events of threads. */
static void prune_state(hectic_emitter *e)
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
    prune_state(e);
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
    return status == HECTIC_EMIT_OK ? resync_after_gap(e, until) : status;
}

static buffer *first_of(const pool *p, const cap *c)
{
    buffer *b = p->first;
    while (b && b->owner != c)
        b = b->next;
    return b;
}

/* The open buffer at the call may become the first full one. */
hectic_emit_status drain_cap(hectic_emitter *e, cap *c, uint64_t until)
{
    hectic_emit_status status;
    if (!is_ready(e, until, &status)) return status;
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    const uint64_t newest = p->sequence;
    e->out.held_back = false;
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
        done = written && (last || e->out.held_back);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Up to what time to write; 0: all. The caller's clock may stand still. */
static uint64_t horizon_now(const hectic_emitter *e)
{
    const bool all = !e->started || e->clock.kind == HECTIC_CLOCK_CALLER;
    return all ? 0 : clock_now(&e->clock);
}

/* An empty block: the cap has written all its events up to that time. */
static hectic_emit_status mark(hectic_emitter *e, cap *c, uint64_t time)
{
    enum { MARKER = HECTIC_BLOCK_MARKER_SIZE };
    uint8_t *at = bytes_add(&e->out.prefix, MARKER);
    if (!at) return no_memory(e);
    const uint64_t replayed = c == e->global ? e->out.global_replayed_at : e->out.replayed_at;
    if (time < c->written) time = c->written;
    if (time < c->marked) time = c->marked; /* an event may have been in progress then */
    if (time < replayed) time = replayed;   /* to another reader meanwhile */
    c->marked = time;
    hectic_encode_block_marker(at, MARKER, time, MARKER, time, c->number);
    return HECTIC_EMIT_OK;
}

/* Finds the caps that have nothing to write, and that with the latest event, *latest, which is at
 * *last. False: all of them had nothing since the last flush. */
static bool find_idle(hectic_emitter *e, uint32_t count, cap **latest, uint64_t *last)
{
    pool *p = &e->pool;
    bool any = e->out.flushed != p->blocks_written;
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i <= count; i++) {
        cap *c = emitter_nth_cap(e, i, count);
        const uint64_t time = __atomic_load_n(&c->out.last, __ATOMIC_RELAXED);
        c->is_idle = !first_of(p, c) && !(c->open && cap_at(c) > c->open->bytes + c->open->drained);
        any |= !c->is_idle;
        if (time >= *last) *last = time;
        if (!c->is_idle && time == *last) *latest = c;
    }
    pthread_mutex_unlock(&p->lock);
    return any;
}

static hectic_emit_status mark_idle(hectic_emitter *e, uint64_t time, uint32_t count)
{
    hectic_emit_status status = HECTIC_EMIT_OK;
    for (uint32_t i = 0; i <= count && status == HECTIC_EMIT_OK; i++)
        if (emitter_nth_cap(e, i, count)->is_idle)
            status = mark(e, emitter_nth_cap(e, i, count), time);
    return status;
}

/* Readers know after a flush that all caps have written their events up to the last one, with which
 * it ends. */
static hectic_emit_status flush_until(hectic_emitter *e, uint64_t horizon, uint64_t until)
{
    outlet *o = &e->out;
    hectic_emit_status status;
    cap *latest = NULL;
    uint64_t last = 0;
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    if (!is_ready(e, until, &status) || !find_idle(e, count, &latest, &last)) return status;
    if (last > horizon) last = horizon;
    status = mark_idle(e, last, count);
    o->horizon = horizon;
    for (uint32_t i = 0; i <= count && status == HECTIC_EMIT_OK; i++) {
        cap *c = emitter_nth_cap(e, i, count);
        if (c->is_idle || c == latest) continue;
        status = drain_cap(e, c, until);
        if (status == HECTIC_EMIT_OK) status = mark(e, c, last);
    }
    if (status == HECTIC_EMIT_OK && latest) status = drain_cap(e, latest, until);
    o->horizon = 0;
    if (status == HECTIC_EMIT_OK) status = write_current(e, until);
    if (status != HECTIC_EMIT_OK) return status;
    o->flushed = e->pool.blocks_written;
    return status;
}

/* Writes open buffers, up to a horizon if there is one. */
static hectic_emit_status drain_open(hectic_emitter *e, uint64_t horizon, uint64_t until)
{
    hectic_emit_status status = HECTIC_EMIT_OK;
    if (horizon > 0) return flush_until(e, horizon, until);
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i <= count && status == HECTIC_EMIT_OK; i++)
        status = drain_cap(e, emitter_nth_cap(e, i, count), until);
    return status;
}

/* Writes all caps up to the same time, so that a thread's events on several caps are consistent.
 * Later events stay, unless logging has ended. */
hectic_emit_status drain_all(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status = drain_full(e, until);
    if (status == HECTIC_EMIT_OK) status = drain_open(e, horizon_now(e), until);
    if (status == HECTIC_EMIT_OK && e->out.sink && e->out.sink->kind->flush)
        e->out.sink->kind->flush(e->out.sink);
    return status;
}

hectic_emit_status drain_sync(hectic_emitter *e, uint64_t until)
{
    hectic_emit_status status;
    if (!is_ready(e, until, &status)) return status;
    const uint64_t horizon = horizon_now(e);
    if ((status = drain_open(e, horizon, until)) != HECTIC_EMIT_OK) return status;
    outlet *o = &e->out;
    /* The state includes events up to the horizon. */
    const uint64_t time = horizon > 0 ? horizon : begin_time(e);
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i <= count && horizon > 0 && status == HECTIC_EMIT_OK; i++)
        status = mark(e, emitter_nth_cap(e, i, count), horizon);
    if (status != HECTIC_EMIT_OK) return status;
    if (time > o->global_replayed_at) o->global_replayed_at = time;
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t missed = e->missed & ~HECTIC_CLASS_BIT(HECTIC_CLASS_PROCESS);
    pthread_mutex_unlock(&e->pool.lock);
    if (!state_replay_sync(e, &o->prefix, o->global_replayed_at, missed)) return no_memory(e);
    return write_current(e, until);
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
        o->old_sink = o->sink;
        o->sink = NULL;
        pthread_mutex_unlock(&e->pool.lock);
        if (!e->started || !o->old_sink->kind->lingers) o->old_sink->kind->close(o->old_sink);
    }
    /* If the log is redirected, the policy stays unchanged in between. */
    if (!e->started) drain_begin(e, NULL, 0, NULL);
    return status;
}
