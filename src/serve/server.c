/* A log on its way to readers: the public functions, and the two threads. */
#define _GNU_SOURCE /* accept4, pipe2 */
#include "format/wire.h"
#include "serve/serve.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    KEEP = 16 << 20,
    PEERS_MOST = 64,
    FRESH_MS = 50,   /* until one that comes and says nothing is a reader */
    RETRY_MS = 100,  /* between tries to reach a place, or to write to a full disk */
    ASKED_MOST = 64, /* commands of a peer that wait */
    TEXT_MOST = 1024,
};

/* A command that waits to be obeyed. */
typedef struct request {
    struct request *next;
    uint64_t peer;
    hectic_control_command command;
} request;

struct hectic_server {
    hectic_server_options options;
    pthread_mutex_t lock;
    pthread_cond_t room;   /* the queue has become shorter */
    pthread_cond_t read;   /* there is a reader */
    pthread_cond_t orders; /* for the control thread */
    pthread_t service, control;
    int wake[2];

    known known;
    run beginning; /* of a header that is not whole yet */
    bool begun;    /* the header is known */
    queue queue;
    uint64_t latest; /* time of the last block */
    uint64_t dropped, port;

    peer *peers; /* changed by the service thread, with the lock */
    listener *listeners;
    peer *new_peers; /* for it to take */
    listener *new_listeners;
    unsigned generation;
    uint64_t last_id;

    request *first_request;
    uint64_t flush_every, flush_due; /* ms; 0: never */
    bool stopping;
    uint64_t deadline;
    struct {
        bool stopping;
        uint64_t deadline;
        unsigned generation;
    } seen; /* by the service, at the beginning of its turn */
};

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct timespec time_of_ms(uint64_t ms)
{
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}

static void wake(const hectic_server *s)
{
    while (write(s->wake[1], "", 1) < 0 && errno == EINTR)
        ;
}

/* --- Bytes of the runtime -------------------------------------------------------------------- */

/* Appends; the peers that had everything have one more to take. */
static void append(hectic_server *s, const uint8_t *bytes, size_t size)
{
    chunk *c = chunk_new(bytes, size);
    if (!c) return;
    queue_append(&s->queue, c);
    s->latest = chunk_time(c);
    for (peer *p = s->peers; p; p = p->next)
        if (p->begun && p->reads && !p->next_chunk) p->next_chunk = c;
}

/* Passes over a header. Returns how many bytes it took. */
static size_t take_header(hectic_server *s, const uint8_t *bytes, size_t size)
{
    hectic_header *header;
    hectic_error error;
    uint8_t *at = run_add(&s->beginning, size);
    if (!at) return size;
    const size_t before = s->beginning.size - size;
    memcpy(at, bytes, size);
    const size_t length = hectic_header_parse(&header, s->beginning.at, s->beginning.size, &error);
    if (length == 0) {
        if (error.kind != HECTIC_OK) run_clear(&s->beginning);
        return size;
    }
    hectic_header_free(header);
    if (!s->begun) s->begun = known_begin(&s->known, s->beginning.at, length);
    run_clear(&s->beginning);
    return length - before;
}

static bool is_header(const uint8_t *bytes, size_t size)
{
    return size >= 4 && load32(bytes) == MARK_HEADER_BEGIN;
}

/* GHC has begun a block when it writes a further header: how long that beginning is, or 0. */
static size_t block_before_header(const uint8_t *bytes, size_t size)
{
    enum { MARKER = HECTIC_BLOCK_MARKER_SIZE };
    return size > MARKER && load16(bytes) == HECTIC_EVENT_BLOCK_MARKER &&
                   is_header(bytes + MARKER, size - MARKER)
               ? MARKER
               : 0;
}

void hectic_server_write(hectic_server *s, const void *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = at + length;
    pthread_mutex_lock(&s->lock);
    at += block_before_header(at, length);
    if (s->beginning.size > 0 || is_header(at, (size_t)(end - at)))
        at += take_header(s, at, (size_t)(end - at));
    while (s->queue.bytes > 2 * s->options.keep && !s->stopping)
        pthread_cond_wait(&s->room, &s->lock);
    const bool is_end = end - at == 2 && load16(at) == HECTIC_DATA_END;
    if (s->begun && at < end && !is_end) append(s, at, (size_t)(end - at));
    pthread_mutex_unlock(&s->lock);
    wake(s);
}

/* --- The service: what goes to a peer next --------------------------------------------------- */

static bool is_asker(const peer *p)
{
    return !p->reads && p->deaf && p->commands;
}

/* Its log is to end when it has taken all. */
static bool is_last(const hectic_server *s, const peer *p)
{
    return s->seen.stopping || p->generation != s->seen.generation;
}

static void begin(hectic_server *s, peer *p)
{
    p->begun = known_header(&s->known, &p->out);
    if (!p->begun || !p->reads) return;
    known_tell(&s->known, &p->out, false, 0);
    p->next_chunk = s->queue.first;
    p->lost = 0;
}

static void tell_lost(hectic_server *s, peer *p)
{
    char text[96];
    const uint64_t time = p->next_chunk ? chunk_time(p->next_chunk) : s->latest;
    snprintf(text, sizeof text, "hectic: %llu events were dropped here",
             (unsigned long long)p->lost);
    known_say(&s->known, &p->out, time, text);
    known_tell(&s->known, &p->out, true, time);
    p->lost = 0;
}

static void end(hectic_server *s, peer *p)
{
    enum { MARKER = 2 };
    if (p->refused)
        known_say(&s->known, &p->out, s->latest, "hectic: what you send are no commands; goodbye");
    uint8_t *at = run_add(&p->out, MARKER);
    if (at) store16(at, HECTIC_DATA_END);
    p->ended = true;
}

/* Puts into p->out and p->current what comes next; they are empty. False: nothing. */
static bool fill(hectic_server *s, peer *p)
{
    if (!s->begun || p->ended || !p->ready) {
        p->gone |= p->ended || (!s->begun && (is_last(s, p) || p->refused));
        return false;
    }
    if (!p->begun) {
        if (p->reads || is_asker(p) || p->refused) begin(s, p);
    } else if (p->refused) {
        end(s, p);
    } else if (p->answers.size > 0) {
        const run out = p->out;
        p->out = p->answers;
        p->answers = (run){out.at, 0, out.capacity};
    } else if (p->lost > 0) {
        tell_lost(s, p);
    } else if (p->next_chunk) {
        p->current = p->next_chunk;
        p->current->holders++;
        p->next_chunk = p->current->next;
    } else if (is_last(s, p) || (is_asker(p) && p->asked == 0)) {
        end(s, p);
    }
    return p->out.size > 0 || p->current;
}

static bool refill(hectic_server *s, peer *p)
{
    pthread_mutex_lock(&s->lock);
    chunk_release(p->current);
    p->current = NULL;
    p->out.size = p->sent = 0;
    const bool filled = fill(s, p);
    pthread_mutex_unlock(&s->lock);
    return filled;
}

static void ask(hectic_server *s, peer *p, const hectic_control_command *command)
{
    request *r = malloc(sizeof *r);
    if (!r) return;
    *r = (request){.peer = p->id, .command = *command};
    pthread_mutex_lock(&s->lock);
    request **last = &s->first_request;
    while (*last)
        last = &(*last)->next;
    *last = r;
    p->asked++;
    pthread_cond_signal(&s->orders);
    pthread_mutex_unlock(&s->lock);
    p->commands = true;
}

/* Who asks faster than is answered has to wait. */
static bool may_ask(hectic_server *s, peer *p)
{
    pthread_mutex_lock(&s->lock);
    p->patient = p->asked >= ASKED_MOST;
    pthread_mutex_unlock(&s->lock);
    return !p->patient;
}

static void hear(hectic_server *s, peer *p)
{
    hectic_control_command command;
    while (may_ask(s, p) && peer_command(p, &command))
        ask(s, p, &command);
}

static void become_reader(hectic_server *s, peer *p)
{
    pthread_mutex_lock(&s->lock);
    p->reads = true;
    pthread_cond_broadcast(&s->read);
    pthread_mutex_unlock(&s->lock);
}

static void serve(hectic_server *s, peer *p, uint64_t now)
{
    if (!p->ready && now >= p->since) {
        p->since = now + RETRY_MS;
        if (peer_open(p)) become_reader(s, p);
    }
    hear(s, p);
    const bool decided = p->reads || is_asker(p) || p->refused;
    if (!decided && (p->deaf || s->seen.stopping || now - p->since >= FRESH_MS))
        become_reader(s, p);
    while (!p->gone && peer_write(p) && refill(s, p))
        ;
    /* One who is not there cannot be waited for. */
    if (!p->ready && is_last(s, p)) p->gone = true;
}

/* --- The service: what is forgotten ---------------------------------------------------------- */

/* Is the oldest chunk to go? *missed: somebody had still to get it. */
static bool forgettable(const hectic_server *s, bool *missed)
{
    unsigned readers = 0, waiting = 0;
    for (const peer *p = s->peers; p; p = p->next) {
        readers += p->begun && p->reads;
        waiting += p->begun && p->next_chunk == s->queue.first;
    }
    *missed = readers == 0 || waiting > 0;
    return s->queue.first && (!*missed || s->queue.bytes > s->options.keep);
}

static void forget(hectic_server *s)
{
    bool missed;
    pthread_mutex_lock(&s->lock);
    while (forgettable(s, &missed)) {
        chunk *c = s->queue.first;
        pthread_mutex_unlock(&s->lock);
        const uint64_t events = known_learn(&s->known, c->bytes, c->size);
        pthread_mutex_lock(&s->lock);
        for (peer *p = s->peers; p; p = p->next) {
            if (!p->begun || p->next_chunk != c) continue;
            p->lost += events;
            p->next_chunk = c->next;
        }
        s->dropped += missed ? events : 0;
        chunk_release(queue_take(&s->queue));
        pthread_cond_broadcast(&s->room);
    }
    pthread_mutex_unlock(&s->lock);
}

/* --- The service: who is there --------------------------------------------------------------- */

/* With the lock. */
static void enter(hectic_server *s, peer *p)
{
    p->id = ++s->last_id;
    p->next = s->peers;
    s->peers = p;
}

static void accept_from(hectic_server *s, const listener *l, uint64_t now)
{
    for (;;) {
        const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) return;
        unsigned count = 0;
        for (const peer *p = s->peers; p; p = p->next)
            count++;
        peer *p = count < PEERS_MOST ? peer_come(fd) : NULL;
        if (!p) {
            close(fd);
            continue;
        }
        p->since = now;
        p->generation = l->generation;
        pthread_mutex_lock(&s->lock);
        enter(s, p);
        pthread_mutex_unlock(&s->lock);
    }
}

static void take_new(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->seen.stopping = s->stopping;
    s->seen.deadline = s->deadline;
    s->seen.generation = s->generation;
    for (peer *p; (p = s->new_peers);) {
        s->new_peers = p->next;
        enter(s, p);
    }
    for (listener *l; (l = s->new_listeners);) {
        s->new_listeners = l->next;
        l->next = s->listeners;
        s->listeners = l;
    }
    for (listener **l = &s->listeners; *l;) {
        listener *old = *l;
        if (old->generation == s->generation) {
            l = &old->next;
            continue;
        }
        *l = old->next;
        listener_free(old, true);
    }
    pthread_mutex_unlock(&s->lock);
}

static void let_go(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    for (peer **p = &s->peers; *p;) {
        peer *one = *p;
        if (!one->gone) {
            p = &one->next;
            continue;
        }
        *p = one->next;
        peer_free(one);
    }
    pthread_mutex_unlock(&s->lock);
}

/* --- The service: waiting -------------------------------------------------------------------- */

typedef struct waiting {
    struct pollfd *poll;
    size_t count, room;
    uint64_t until; /* ms */
} waiting;

static struct pollfd *wait_for(waiting *w, int fd, int events)
{
    if (w->count == w->room) {
        const size_t room = w->room ? 2 * w->room : 16;
        struct pollfd *grown = realloc(w->poll, room * sizeof *grown);
        if (!grown) return NULL;
        w->poll = grown;
        w->room = room;
    }
    w->poll[w->count] = (struct pollfd){.fd = fd, .events = (short)events};
    return &w->poll[w->count++];
}

static void wait_until(waiting *w, uint64_t time)
{
    if (time < w->until) w->until = time;
}

static void collect(waiting *w, hectic_server *s, uint64_t now)
{
    w->count = 0;
    w->until = UINT64_MAX;
    wait_for(w, s->wake[0], POLLIN);
    for (const listener *l = s->listeners; l; l = l->next)
        wait_for(w, l->fd, POLLIN);
    for (const peer *p = s->peers; p; p = p->next) {
        const bool unsent = p->out.size > 0 || p->current;
        if (!p->ready) wait_until(w, p->since);
        if (!p->reads && !is_asker(p)) wait_until(w, p->since + FRESH_MS);
        if (p->sink && unsent) wait_until(w, now + RETRY_MS);
        /* Its end tells that the reader is gone; a file has none, and is always ready. */
        if (p->fd >= 0)
            wait_for(w, p->fd,
                     (unsent ? POLLOUT : 0) | (p->sink || p->deaf || p->patient ? 0 : POLLIN));
    }
    if (s->seen.stopping) wait_until(w, s->seen.deadline);
}

static void note_who_hung_up(const waiting *w, hectic_server *s)
{
    size_t at = 1;
    for (const listener *l = s->listeners; l; l = l->next)
        at++;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->fd < 0 || at >= w->count) continue;
        const bool hung_up = w->poll[at++].revents & (POLLERR | POLLHUP | POLLNVAL);
        if (!hung_up || p->sink) continue;
        hear(s, p); /* its last words */
        p->gone = true;
    }
}

static void rest(waiting *w, hectic_server *s)
{
    const uint64_t now = now_ms();
    collect(w, s, now);
    const uint64_t ms = w->until <= now ? 0 : w->until - now;
    poll(w->poll, (nfds_t)w->count, ms > INT32_MAX ? -1 : (int)ms);
    char woken[64];
    while (read(s->wake[0], woken, sizeof woken) > 0)
        ;
    note_who_hung_up(w, s);
}

static bool is_over(const hectic_server *s)
{
    return s->seen.stopping && (!s->peers || now_ms() >= s->seen.deadline);
}

static void *service(void *user)
{
    hectic_server *s = user;
    waiting w = {0};
    do {
        const uint64_t now = now_ms();
        take_new(s);
        for (const listener *l = s->listeners; l; l = l->next)
            accept_from(s, l, now);
        for (peer *p = s->peers; p; p = p->next)
            serve(s, p, now);
        let_go(s);
        forget(s);
        if (is_over(s)) break;
        rest(&w, s);
    } while (true);
    free(w.poll);
    return NULL;
}

/* --- The control thread ---------------------------------------------------------------------- */

static const char *obey(hectic_server *s, const hectic_control_command *command)
{
    const bool own = strcmp(command->name, HECTIC_CONTROL_OWN) == 0;
    if (own && command->id == HECTIC_CONTROL_FLUSH) {
        return s->options.flush ? s->options.flush(s->options.user) : "this program cannot flush";
    }
    if (!s->options.command) return "this program takes no commands";
    return s->options.command(s->options.user, command);
}

/* With the lock, but while it obeys. */
static void answer(hectic_server *s, request *r)
{
    char text[TEXT_MOST];
    pthread_mutex_unlock(&s->lock);
    const char *why = obey(s, &r->command);
    snprintf(text, sizeof text, "hectic: %s %u: %s", r->command.name, r->command.id,
             why ? why : "done");
    pthread_mutex_lock(&s->lock);
    for (peer *p = s->peers; p; p = p->next) {
        if (p->id != r->peer) continue;
        if (s->begun) known_say(&s->known, &p->answers, s->latest, text);
        p->asked--;
    }
    wake(s);
}

static void flush_by_time(hectic_server *s)
{
    s->flush_due = now_ms() + s->flush_every;
    pthread_mutex_unlock(&s->lock);
    if (s->options.flush) s->options.flush(s->options.user);
    pthread_mutex_lock(&s->lock);
}

static void *control(void *user)
{
    hectic_server *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        request *r = s->first_request;
        if (r) {
            s->first_request = r->next;
            answer(s, r);
            free(r);
        } else if (s->flush_every && now_ms() >= s->flush_due) {
            flush_by_time(s);
        } else if (s->flush_every) {
            const struct timespec until = time_of_ms(s->flush_due);
            pthread_cond_timedwait(&s->orders, &s->lock, &until);
        } else {
            pthread_cond_wait(&s->orders, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- The public functions -------------------------------------------------------------------- */

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
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    bool started = pthread_create(&s->service, NULL, service, s) == 0;
    if (started && pthread_create(&s->control, NULL, control, s) != 0) {
        started = false;
        s->stopping = true;
        wake(s);
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
    for (chunk *c; (c = queue_take(&s->queue));)
        chunk_release(c);
    for (request *r; (r = s->first_request);) {
        s->first_request = r->next;
        free(r);
    }
    known_clear(&s->known);
    s->begun = false;
    run_clear(&s->beginning);
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
    if (pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    init_condition(&s->room);
    init_condition(&s->read);
    init_condition(&s->orders);
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

static bool add(hectic_server *s, const char *place, bool only, char *message, size_t size)
{
    static const char listens[] = "listen:";
    const bool listening = strncmp(place, listens, sizeof listens - 1) == 0;
    char room[TEXT_MOST];
    hectic_destination at;
    const bool is_place =
        hectic_destination_parse(&at, place + (listening ? sizeof listens - 1 : 0), room,
                                 sizeof room) &&
        (listening ? at.kind == HECTIC_TO_UNIX || at.kind == HECTIC_TO_TCP
                   : at.kind != HECTIC_TO_RING);
    if (!is_place) {
        snprintf(message, size,
                 "\"%s\" is no place to write to: listen:unix:PATH, listen:tcp:HOST:PORT, "
                 "unix:PATH, tcp:HOST:PORT, fifo:PATH, file:PATH, fd:N",
                 place);
        return false;
    }
    listener *l = listening ? listener_new(&at, message, size) : NULL;
    peer *p = listening ? NULL : peer_reached(&at, message, size);
    if (!l && !p) return false;
    pthread_mutex_lock(&s->lock);
    if (only) s->generation++;
    if (l) {
        l->generation = s->generation;
        l->next = s->new_listeners;
        s->new_listeners = l;
        if (at.kind == HECTIC_TO_TCP) s->port = port_of(l->fd);
    } else {
        p->generation = s->generation;
        p->next = s->new_peers;
        s->new_peers = p;
    }
    pthread_mutex_unlock(&s->lock);
    wake(s);
    return true;
}

bool hectic_server_open(hectic_server *s, const char *place, char *message, size_t size)
{
    return add(s, place, false, message, size);
}

bool hectic_server_move(hectic_server *s, const char *place, char *message, size_t size)
{
    return add(s, place, true, message, size);
}

bool hectic_server_adopt(hectic_server *s, int fd)
{
    peer *p = peer_come(fd);
    if (!p) return false;
    p->since = now_ms();
    pthread_mutex_lock(&s->lock);
    p->generation = s->generation;
    p->next = s->new_peers;
    s->new_peers = p;
    pthread_mutex_unlock(&s->lock);
    wake(s);
    return true;
}

void hectic_server_flush_every(hectic_server *s, uint32_t ms)
{
    pthread_mutex_lock(&s->lock);
    s->flush_every = ms;
    s->flush_due = now_ms() + ms;
    pthread_cond_signal(&s->orders);
    pthread_mutex_unlock(&s->lock);
}

static uint32_t count_readers(const hectic_server *s)
{
    uint32_t readers = 0;
    for (const peer *p = s->peers; p; p = p->next)
        readers += p->ready && p->reads;
    return readers;
}

bool hectic_server_wait(hectic_server *s, uint32_t ms)
{
    const struct timespec until = time_of_ms(now_ms() + ms);
    pthread_mutex_lock(&s->lock);
    int result = 0;
    while (count_readers(s) == 0 && result == 0)
        result = ms ? pthread_cond_timedwait(&s->read, &s->lock, &until)
                    : pthread_cond_wait(&s->read, &s->lock);
    const bool there = count_readers(s) > 0;
    pthread_mutex_unlock(&s->lock);
    return there;
}

hectic_server_state hectic_server_get_state(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    const hectic_server_state state = {.readers = count_readers(s),
                                       .bytes_kept = s->queue.bytes,
                                       .events_dropped = s->dropped,
                                       .port = s->port};
    pthread_mutex_unlock(&s->lock);
    return state;
}

void hectic_server_free(hectic_server *s, uint32_t ms)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    s->deadline = now_ms() + ms;
    pthread_cond_broadcast(&s->orders);
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
    wake(s);
    pthread_join(s->service, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    const bool quiet = pthread_timedjoin_np(s->control, NULL, &until) == 0;
    pthread_mutex_lock(&s->lock);
    release(s, true);
    pthread_mutex_unlock(&s->lock);
    /* A command that does not return, for the runtime is at its end, still uses the rest. */
    if (quiet) release_all(s);
}

void hectic_server_abandon(hectic_server *s)
{
    if (s) release_all(s);
}
