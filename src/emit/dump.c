/* Writes the contents of the buffers as a log of its own: header, state before the buffers, blocks.
 * The buffers stay unchanged, and threads go on emitting. If buffers are dropped before they have
 * been dumped, the dump contains a message about the gap.
 *
 * A dump on request takes the pool's lock for each buffer. A dump in a crash handler holds it all
 * the time, or works without it if it cannot be taken, and is async-signal-safe. */
#include "emit/emitter.h"
#include "format/event_bytes.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum {
    MILLISECOND = 1000000,
    DUMP_MS = 5000, /* timeout of a dump */
    HELD_MS = 100,  /* timeout for a lock in a handler */
};

typedef struct dump {
    hectic_emitter *e;
    sink *sink;
    uint64_t until;
    bool in_handler;
    bool locked; /* in a handler: the pool is locked */
    bytes *room; /* in a handler: for the state replay */
    hectic_emit_status status;
    uint64_t begin;   /* not later than the first event */
    uint64_t horizon; /* the last event is not later */
    uint64_t newest;  /* sequence of the last buffer that was full before the dump */
    buffer *next;     /* next one of these */
    size_t most;      /* their maximum number: without the lock, the list may be cyclic */
    uint32_t cap, caps;
} dump;

static void lock_pool(dump *d)
{
    if (!d->in_handler) pthread_mutex_lock(&d->e->pool.lock);
}

static void unlock_pool(dump *d)
{
    if (!d->in_handler) pthread_mutex_unlock(&d->e->pool.lock);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static hectic_emit_status failed(dump *d, int error)
{
    if (!d->in_handler) emitter_note_error(d->e, error);
    const bool gone = error == EPIPE || error == ECONNRESET;
    return gone ? HECTIC_EMIT_LOST : HECTIC_EMIT_SYSTEM;
}

/* Waits until the sink may be writable. */
static bool wait_for_sink(const dump *d)
{
    const uint64_t now = clock_ns();
    if (now >= d->until) return false;
    struct pollfd fd = {.fd = d->sink->fd, .events = POLLOUT};
    poll(&fd, 1, RETRY_MS);
    return true;
}

static void step(struct iovec *piece, size_t taken)
{
    for (int i = 0; i < 2; i++) {
        const size_t part = taken < piece[i].iov_len ? taken : piece[i].iov_len;
        if (part > 0) piece[i].iov_base = (uint8_t *)piece[i].iov_base + part;
        piece[i].iov_len -= part;
        taken -= part;
    }
}

static void put(dump *d, const uint8_t *head, size_t head_size, const uint8_t *body, size_t size)
{
    struct iovec piece[] = {{(void *)(uintptr_t)head, head_size}, {(void *)(uintptr_t)body, size}};
    while (d->status == HECTIC_EMIT_OK && piece[0].iov_len + piece[1].iov_len > 0) {
        const int first = piece[0].iov_len == 0, end = piece[1].iov_len == 0 ? 1 : 2;
        const ssize_t taken = d->sink->kind->write(d->sink, piece + first, end - first);
        if (taken > 0)
            step(piece, (size_t)taken);
        else if (taken != -EAGAIN)
            d->status = failed(d, taken < 0 ? (int)-taken : EIO);
        else if (!wait_for_sink(d))
            d->status = HECTIC_EMIT_TIMEOUT;
    }
}

/* --- Blocks, with the pool -------------------------------------------------------------------- */

static void put_buffer(dump *d, buffer *b, size_t to, uint64_t last)
{
    const size_t from = b->drained, size = to - from;
    const uint64_t missing = d->in_handler && !d->locked ? 0 : b->missing;
    if (to < from || to > b->size || (size == 0 && missing == 0)) return;
    /* As in keep_order in drain.c. */
    state_restamp(d->e, b->bytes + from, size, d->begin);
    const uint64_t first = size > 0 ? event_time_at(b->bytes + from) : last;
    const block head_of = {.begin = first,
                           .end = first > last ? first : last,
                           .dropped = missing,
                           .size = size,
                           .cap = b->owner->number};
    if (!d->in_handler) b->pinned = true;
    unlock_pool(d);
    uint8_t head[BLOCK_HEAD_SIZE];
    put(d, head, block_head(head, &head_of), b->bytes + from, size);
    lock_pool(d);
    if (!d->in_handler) b->pinned = false;
    b->missing -= missing;
    b->dumped = true;
}

/* Drops a buffer that only the dump has kept, if its successors have been dropped. */
static void drop_straggler(dump *d, buffer *b)
{
    if (d->in_handler || b->owner->open == b) return;
    const buffer *next = pool_following(b);
    if (!next || next->missing == 0) return;
    pool_drop(d->e, b);
    pool_remove(&d->e->pool, b);
    pool_release(&d->e->pool, b);
}

static void put_full(void *user)
{
    dump *d = user;
    while (d->next && d->next->sequence <= d->newest && d->most-- > 0) {
        buffer *b = d->next;
        put_buffer(d, b, b->used, b->last);
        d->next = b->next;
        drop_straggler(d, b);
    }
    d->next = NULL;
}

/* The buffer that was open when the dump began may be full by now. Leaves out later events, because
 * their causes on caps that were dumped before are missing, too. */
static void put_open(dump *d, const cap *c)
{
    size_t most = d->e->pool.count;
    buffer *b = d->e->pool.first;
    while (b && most-- > 0 && (b->owner != c || b->sequence <= d->newest))
        b = b->next;
    const uint8_t *end = b ? b->bytes + b->used : cap_at(c);
    if (!b) b = c->open;
    if (!b || end < b->bytes + b->drained || end > b->bytes + b->size) return;
    const uint8_t *begin = b->bytes + b->drained;
    uint64_t last = d->horizon;
    put_buffer(d, b,
               b->drained + state_until(d->e, begin, (size_t)(end - begin), d->horizon, &last),
               last);
    drop_straggler(d, b);
}

static void put_all_open(void *user)
{
    dump *d = user;
    for (; d->cap <= d->caps; d->cap++)
        put_open(d, emitter_nth_cap(d->e, d->cap, d->caps));
}

static void mark_buffer(buffer *b)
{
    b->missing = 0;
    b->dumped = false;
}

/* Resets the counts of missing events, except of gaps between buffers. */
static void mark(dump *d, uint64_t now)
{
    const hectic_emitter *e = d->e;
    for (buffer *b = e->pool.first; b; b = b->next)
        mark_buffer(b);
    for (uint32_t i = 0; i <= e->cap_count; i++) {
        const cap *c = emitter_nth_cap(e, i, e->cap_count);
        if (c->open) mark_buffer(c->open);
        const uint64_t last = __atomic_load_n(&c->out.last, __ATOMIC_RELAXED);
        if (now < last) now = last;
    }
    for (const buffer *b = e->pool.first; b; b = b->next) {
        buffer *next = pool_following(b);
        if (next) next->missing = next->lost;
    }
    d->horizon = now;
    d->begin = pool_earliest(e, now);
}

/* With the pool's lock, if it could be taken. */
static void begin_blocks(dump *d)
{
    d->next = d->e->pool.first;
    d->most = d->e->pool.count;
    d->caps = __atomic_load_n(&d->e->cap_count, __ATOMIC_ACQUIRE);
}

static void put_end(dump *d)
{
    uint8_t end[2];
    hectic_encode_data_end(end, sizeof end);
    put(d, end, sizeof end, NULL, 0);
}

/* --- On request ------------------------------------------------------------------------------- */

static bool put_state(dump *d)
{
    bytes replayed = {0};
    const bool complete = state_replay(d->e, &replayed, d->begin);
    if (complete)
        put(d, d->e->header.at, d->e->header.size, replayed.at, replayed.size);
    else
        d->status = HECTIC_EMIT_NO_MEMORY;
    free(replayed.at);
    return complete;
}

static void wait_for_reader(dump *d, int error)
{
    while (error == EAGAIN && wait_for_sink(d))
        error = d->sink->kind->open(d->sink);
    if (error == EAGAIN)
        d->status = HECTIC_EMIT_TIMEOUT;
    else if (error != 0)
        d->status = failed(d, error);
}

static void put_log(dump *d)
{
    pthread_mutex_lock(&d->e->pool.lock);
    d->newest = d->e->pool.sequence;
    mark(d, clock_now(&d->e->clock));
    pthread_mutex_unlock(&d->e->pool.lock);
    if (!put_state(d)) return;
    pthread_mutex_lock(&d->e->pool.lock);
    begin_blocks(d);
    put_full(d);
    put_all_open(d);
    pthread_mutex_unlock(&d->e->pool.lock);
    put_end(d);
    if (d->sink->kind->flush) d->sink->kind->flush(d->sink);
}

static bool has_ring(hectic_emitter *e)
{
    pthread_mutex_lock(&e->io);
    const bool has = e->out.ring_size > 0;
    pthread_mutex_unlock(&e->io);
    return has;
}

hectic_emit_status hectic_emitter_dump(hectic_emitter *e, const hectic_destination *destination)
{
    if (destination->kind == HECTIC_TO_RING || destination->kind == HECTIC_TO_LISTEN)
        return HECTIC_EMIT_INVALID;
    if (!has_ring(e)) return HECTIC_EMIT_SEQUENCE;
    dump d = {.e = e, .until = clock_ns() + (uint64_t)DUMP_MS * MILLISECOND};
    int error;
    d.status = emitter_open(e, destination, &d.sink, &error);
    if (d.status != HECTIC_EMIT_OK) return d.status;
    wait_for_reader(&d, error);
    const int cancel = emitter_lock(&e->io);
    if (e->out.ring_size == 0) d.status = HECTIC_EMIT_SEQUENCE;
    if (d.status == HECTIC_EMIT_OK) put_log(&d);
    emitter_unlock(&e->io, cancel);
    d.sink->kind->close(d.sink);
    sink_free(d.sink);
    return d.status;
}

/* --- In a handler ----------------------------------------------------------------------------- */

static bool lock_in_handler(pthread_mutex_t *lock)
{
    for (int ms = 0; ms < HELD_MS; ms++) {
        if (pthread_mutex_trylock(lock) == 0) return true;
        nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
    }
    return false;
}

/* Writes whole blocks from `room`. */
typedef struct room {
    bytes bytes; /* the first member */
    dump *dump;
} room;

static bool let_go(bytes *b)
{
    dump *d = ((room *)b)->dump;
    put(d, b->at, b->size, NULL, 0);
    b->size = 0;
    return d->status == HECTIC_EMIT_OK;
}

static void mark_in_handler(void *user)
{
    mark(user, 0);
}

static void put_state_in_handler(void *user)
{
    dump *d = user;
    if (state_replay_in_handler(d->e, d->room, d->begin)) let_go(d->room);
}

/* Skips a buffer that cannot be read. */
static void skip(void *user)
{
    dump *d = user;
    const buffer *b = d->next;
    d->next = NULL;
    d->next = b->next;
}

static void put_blocks_in_handler(dump *d, dump_attempt *attempt)
{
    begin_blocks(d);
    for (attempt(put_full, d); d->next; attempt(put_full, d))
        attempt(skip, d);
    for (; d->cap <= d->caps; d->cap++)
        attempt(put_all_open, d);
}

void dump_in_handler(hectic_emitter *e, sink *s, uint8_t *bytes_, size_t size,
                     dump_attempt *attempt)
{
    dump d = {.e = e,
              .sink = s,
              .in_handler = true,
              .horizon = UINT64_MAX,
              .until = clock_ns() + (uint64_t)DUMP_MS * MILLISECOND};
    room room = {.bytes = {.at = bytes_, .capacity = size, .let_go = let_go}, .dump = &d};
    d.room = &room.bytes;
    d.locked = lock_in_handler(&e->pool.lock);
    d.newest = e->pool.sequence;
    if (e->started && s->kind->open(s) == 0) {
        if (d.locked) attempt(mark_in_handler, &d);
        put(&d, e->header.at, e->header.size, NULL, 0);
        if (lock_in_handler(state_mutex(e->state))) {
            attempt(put_state_in_handler, &d);
            pthread_mutex_unlock(state_mutex(e->state));
        }
        put_blocks_in_handler(&d, attempt);
        put_end(&d);
        s->kind->close(s);
    }
    if (d.locked) pthread_mutex_unlock(&e->pool.lock);
}
