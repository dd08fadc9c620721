/* The public functions of the server. */
#define _GNU_SOURCE /* pipe2, pthread_timedjoin_np */
#include "format/event_bytes.h"
#include "serve/feed.h"
#include "serve/serve.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { KEEP = 16 << 20, TEXT_SIZE = 1024 };

/* --- Input from the runtime ------------------------------------------------------------------- */

/* Passes on a chunk, which is the next one of peers that had all chunks. */
static void pass_on(hectic_server *s, chunk *c)
{
    c->generation = s->generation;
    c->number = s->last_number += 2;
    queue_append(&s->queue, c);
    if (c->ends_unit && !s->unit_end) s->unit_end = c;
    if (c->end > s->latest) s->latest = c->end;
    for (peer *p = s->peers; p; p = p->next)
        if (p->begun && p->is_reader && !p->next_chunk) p->next_chunk = c;
}

static void pass_on_all(hectic_server *s, queue chunks)
{
    for (chunk *c; (c = queue_take(&chunks));)
        pass_on(s, c);
}

void server_release_units(hectic_server *s, bool at_end)
{
    pass_on_all(s, units_release(&s->units, at_end));
}

static void end_batch(hectic_server *s)
{
    for (chunk *c; (c = queue_take(&s->batch));)
        units_add(&s->units, c, clock_ms());
}

/* Passes on the units that are complete. */
static void form_units(hectic_server *s)
{
    end_batch(s);
    pass_on_all(s, units_take(&s->units, clock_ms()));
    if (s->units.held.bytes > UNITS_HELD / 2) server_request_flush(s);
    if (s->units.held.bytes > UNITS_HELD) server_release_units(s, false);
}

/* Passes on all, since the log ends. */
static void end_units(hectic_server *s)
{
    form_units(s);
    server_release_units(s, true);
}

/* A unit that is passed on in parts may be dropped in parts, although it is the newest one. */
static size_t most_in_batch(const hectic_server *s)
{
    return s->options.keep > UNITS_HELD ? s->options.keep : UNITS_HELD;
}

static void append(hectic_server *s, const struct iovec *piece, int count)
{
    chunk *c = chunk_join(piece, count);
    if (!c) return;
    if (s->held) c->size = baseline_keep_permanent(&s->baseline, c->bytes, c->size);
    if (c->size == 0) {
        chunk_release(c);
        return;
    }
    s->unprocessed += c->size;
    queue_append(&s->batch, c);
    if (s->batches <= 0) {
        form_units(s);
    } else if (s->batch.bytes > most_in_batch(s)) {
        end_batch(s);
        server_release_units(s, false);
    }
}

/* Consumes bytes of a header; returns their number. */
static size_t take_header(hectic_server *s, const uint8_t *bytes, size_t size)
{
    hectic_header *header;
    hectic_error error;
    uint8_t *at = bytes_add(&s->header_part, size);
    if (!at) return size;
    const size_t before = s->header_part.size - size;
    memcpy(at, bytes, size);
    const size_t length =
        hectic_header_parse(&header, s->header_part.at, s->header_part.size, &error);
    if (length == 0) {
        if (error.kind != HECTIC_OK) bytes_clear(&s->header_part);
        return size;
    }
    if (s->begun)
        hectic_header_free(header);
    else if ((s->begun = baseline_begin(&s->baseline, header, s->options.state)))
        units_begin(&s->units, s->baseline.header);
    bytes_clear(&s->header_part);
    return length - before;
}

static bool is_header(const uint8_t *bytes, size_t size)
{
    return is_mark(bytes, size, MARK_HEADER_BEGIN);
}

/* GHC writes a block marker before a further header: its size, or 0. */
static size_t block_before_header(const uint8_t *bytes, size_t size)
{
    enum { MARKER = HECTIC_BLOCK_MARKER_SIZE };
    return size > MARKER && event_type_at(bytes) == HECTIC_EVENT_BLOCK_MARKER &&
                   is_header(bytes + MARKER, size - MARKER)
               ? MARKER
               : 0;
}

/* Events are dropped because of slow readers, never because of a slow service. */
static void wait_for_service(hectic_server *s)
{
    while (s->unprocessed > s->options.keep / 2 && !s->stopping)
        pthread_cond_wait(&s->changed, &s->lock);
}

void hectic_server_write(hectic_server *s, const void *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = at + length;
    pthread_mutex_lock(&s->lock);
    at += block_before_header(at, length);
    if (s->header_part.size > 0 || is_header(at, (size_t)(end - at)))
        at += take_header(s, at, (size_t)(end - at));
    wait_for_service(s);
    const bool is_end = end - at == 2 && event_type_at(at) == HECTIC_DATA_END;
    const struct iovec rest = {(void *)(uintptr_t)at, (size_t)(end - at)};
    if (s->begun && rest.iov_len > 0 && !is_end) append(s, &rest, 1);
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
}

void server_write_block(hectic_server *s, const struct iovec *piece, int count)
{
    pthread_mutex_lock(&s->lock);
    wait_for_service(s);
    if (s->begun) append(s, piece, count);
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
}

void server_write_chunk(hectic_server *s, chunk *c)
{
    pthread_mutex_lock(&s->lock);
    wait_for_service(s);
    s->unprocessed += c->size;
    pass_on(s, c);
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
}

void server_freeze(hectic_server *s)
{
    pthread_mutex_lock(&s->turn);
    pthread_mutex_lock(&s->lock);
}

void server_thaw(hectic_server *s)
{
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->turn);
}

/* --- The public functions --------------------------------------------------------------------- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static bool start_threads(hectic_server *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
    bool started = pthread_create(&s->service, NULL, service_run, s) == 0;
    if (started && pthread_create(&s->control, NULL, command_queue_run, s) != 0) {
        started = false;
        s->stopping = true;
        server_wake(s);
        pthread_join(s->service, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void release(hectic_server *s, bool remove)
{
    for (peer *p; (p = s->peers ? s->peers : s->new_peers);) {
        *(s->peers ? &s->peers : &s->new_peers) = p->next;
        peer_free(p);
    }
    for (listener *l; (l = s->listeners ? s->listeners : s->new_listeners);) {
        *(s->listeners ? &s->listeners : &s->new_listeners) = l->next;
        listener_free(l, remove);
    }
    form_units(s);
    units_clear(&s->units);
    for (chunk *c; (c = queue_take(&s->queue));)
        chunk_release(c);
    for (request *r; (r = s->first_request);) {
        s->first_request = r->next;
        free(r);
    }
    baseline_clear(&s->baseline);
    s->begun = false;
    bytes_clear(&s->header_part);
}

static void release_all(hectic_server *s)
{
    release(s, false);
    close(s->wake[0]);
    close(s->wake[1]);
    free(s);
}

hectic_server *hectic_server_new(const hectic_server_options *options)
{
    hectic_server *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (options) s->options = *options;
    if (!s->options.keep) s->options.keep = KEEP;
    s->keep_unread = s->options.keep;
    s->head_whole = true;
    if (pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->turn, NULL);
    pthread_mutex_init(&s->lock, NULL);
    init_condition(&s->changed);
    init_condition(&s->reader_ready);
    init_condition(&s->commands_ready);
    if (start_threads(s)) return s;
    release_all(s);
    return NULL;
}

static uint64_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t size = sizeof address;
    getsockname(fd, &address.any, &size);
    if (address.any.sa_family == AF_INET) return ntohs(address.v4.sin_port);
    return address.any.sa_family == AF_INET6 ? ntohs(address.v6.sin6_port) : 0;
}

/* With the lock: ends all current destinations. */
static void begin_generation(hectic_server *s)
{
    s->generation++;
    s->generation_since = clock_ms();
}

static void add_listener(hectic_server *s, listener *l)
{
    l->generation = s->generation;
    l->next = s->new_listeners;
    s->new_listeners = l;
    if (!l->path) s->port = port_of(l->fd);
}

bool server_listen(hectic_server *s, const hectic_destination *at, char *message, size_t size)
{
    listener *l = listener_new(at, message, size);
    if (!l) return false;
    pthread_mutex_lock(&s->lock);
    add_listener(s, l);
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
    return true;
}

static bool add(hectic_server *s, const char *address, bool only, char *message, size_t size)
{
    char text[TEXT_SIZE];
    hectic_destination at;
    if (!hectic_destination_parse(&at, address, text, sizeof text) || at.kind == HECTIC_TO_RING) {
        snprintf(message, size,
                 "invalid destination \"%s\": expected listen:unix:PATH, listen:tcp:HOST:PORT, "
                 "unix:PATH, tcp:HOST:PORT, fifo:PATH, file:PATH, fd:N",
                 address);
        return false;
    }
    const bool listens = at.kind == HECTIC_TO_LISTEN;
    listener *l = listens ? listener_new(&at, message, size) : NULL;
    peer *p = listens ? NULL : peer_open_destination(&at, message, size);
    if (!l && !p) return false;
    pthread_mutex_lock(&s->lock);
    if (only) begin_generation(s);
    if (l) {
        add_listener(s, l);
    } else {
        p->generation = s->generation;
        p->next = s->new_peers;
        s->new_peers = p;
    }
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
    return true;
}

bool hectic_server_open(hectic_server *s, const char *address, char *message, size_t size)
{
    return add(s, address, false, message, size);
}

bool hectic_server_move(hectic_server *s, const char *address, char *message, size_t size)
{
    return add(s, address, true, message, size);
}

bool hectic_server_adopt(hectic_server *s, int fd)
{
    peer *p = peer_adopt(fd);
    if (!p) return false;
    p->since = clock_ms();
    pthread_mutex_lock(&s->lock);
    p->generation = s->generation;
    p->next = s->new_peers;
    s->new_peers = p;
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
    return true;
}

void server_hide(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    for (listener *l = s->listeners; l; l = l->next)
        listener_hide(l);
    for (listener *l = s->new_listeners; l; l = l->next)
        listener_hide(l);
    pthread_mutex_unlock(&s->lock);
}

void server_cut(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->unfinished = true;
    pthread_mutex_unlock(&s->lock);
}

void hectic_server_hold(hectic_server *s, bool held)
{
    pthread_mutex_lock(&s->lock);
    s->held = held;
    pthread_mutex_unlock(&s->lock);
}

void hectic_server_batch(hectic_server *s, bool open)
{
    pthread_mutex_lock(&s->lock);
    s->batches += open ? 1 : -1;
    if (s->batches <= 0) form_units(s);
    pthread_mutex_unlock(&s->lock);
    if (!open) server_wake(s);
}

void hectic_server_keep_unread(hectic_server *s, size_t bytes)
{
    pthread_mutex_lock(&s->lock);
    s->keep_unread = bytes < s->options.keep ? bytes : s->options.keep;
    const bool is_less = s->queue.bytes > s->keep_unread;
    pthread_mutex_unlock(&s->lock);
    if (is_less) server_wake(s);
}

static void set_timer(hectic_server *s, timer *t, uint32_t ms)
{
    pthread_mutex_lock(&s->lock);
    *t = (timer){.every = ms, .due = clock_ms() + ms};
    pthread_cond_signal(&s->commands_ready);
    pthread_mutex_unlock(&s->lock);
}

void hectic_server_flush_every(hectic_server *s, uint32_t ms)
{
    set_timer(s, &s->flush, ms);
}

void hectic_server_replay_every(hectic_server *s, uint32_t ms)
{
    set_timer(s, &s->replay, ms);
}

void hectic_server_replay(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    server_replay(s);
    pthread_mutex_unlock(&s->lock);
}

static uint32_t count_readers(const hectic_server *s)
{
    uint32_t readers = 0;
    for (const peer *p = s->peers; p; p = p->next)
        readers += p->ready && p->is_reader;
    return readers;
}

bool hectic_server_wait(hectic_server *s, uint32_t ms)
{
    const struct timespec until = clock_timespec(clock_ms() + ms);
    pthread_mutex_lock(&s->lock);
    int result = 0;
    while (count_readers(s) == 0 && result == 0)
        result = ms ? pthread_cond_timedwait(&s->reader_ready, &s->lock, &until)
                    : pthread_cond_wait(&s->reader_ready, &s->lock);
    const bool there = count_readers(s) > 0;
    pthread_mutex_unlock(&s->lock);
    return there;
}

hectic_server_state hectic_server_get_state(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    const hectic_server_state state = {.readers = count_readers(s),
                                       .bytes_kept =
                                           s->queue.bytes + s->units.held.bytes + s->batch.bytes,
                                       .events_dropped = s->dropped,
                                       .state_bytes = s->state_bytes,
                                       .state_left_out = s->state_left_out,
                                       .port = s->port};
    pthread_mutex_unlock(&s->lock);
    return state;
}

void hectic_server_close(hectic_server *s, uint32_t ms)
{
    const struct timespec until = clock_timespec(clock_ms() + ms);
    pthread_mutex_lock(&s->lock);
    end_units(s);
    begin_generation(s);
    server_wake(s);
    int result = 0;
    while ((s->peers || s->new_peers || s->listeners || s->new_listeners) && result == 0)
        result = pthread_cond_timedwait(&s->changed, &s->lock, &until);
    pthread_mutex_unlock(&s->lock);
}

void hectic_server_free(hectic_server *s, uint32_t ms)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    end_units(s);
    s->stopping = true;
    s->deadline = clock_ms() + ms;
    pthread_cond_broadcast(&s->commands_ready);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    server_wake(s);
    pthread_join(s->service, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    const bool quiet = pthread_timedjoin_np(s->control, NULL, &until) == 0;
    pthread_mutex_lock(&s->lock);
    release(s, true);
    pthread_mutex_unlock(&s->lock);
    /* A command that does not return while the runtime exits still uses the rest. */
    if (quiet) release_all(s);
}

void hectic_server_free_in_child(hectic_server *s)
{
    if (s) release_all(s);
}
