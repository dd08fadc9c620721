/* The service thread: brings blocks to readers, and forgets those that nobody needs. */
#define _GNU_SOURCE /* accept4 */
#include "format/wire.h"
#include "serve/serve.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PEERS_MOST = 64,
    ASKED_MOST = 64, /* commands of a peer that wait */
    FRESH_MS = 50,   /* until one that comes and says nothing is a reader */
    LAST_MS = 2000,  /* that a place has for the last events, when the log goes elsewhere */
    RETRY_MS = 100,  /* between tries to reach a place, or to write to a full disk */
};

/* --- What goes to a peer next --------------------------------------------------- */

static bool is_asker(const peer *p)
{
    return !p->reads && p->deaf && p->commands;
}

/* Its log is to end when it has taken all. */
static bool is_last(const hectic_server *s, const peer *p)
{
    return s->seen.stopping || p->generation != s->seen.generation;
}

/* A log that ends there is not to go on here before. */
static bool is_early(const hectic_server *s, const peer *p)
{
    for (const peer *other = s->peers; other; other = other->next)
        if (other->reads && other->generation < p->generation) return true;
    return false;
}

static bool is_for(const peer *p, const chunk *c)
{
    return c && c->generation <= p->generation;
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
    uint8_t *at = bytes_add(&p->out, MARKER);
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
        if (is_asker(p) || p->refused || (p->reads && !is_early(s, p))) begin(s, p);
    } else if (p->refused) {
        end(s, p);
    } else if (p->answers.size > 0) {
        const bytes out = p->out;
        p->out = p->answers;
        p->answers = (bytes){.at = out.at, .capacity = out.capacity};
    } else if (p->lost > 0) {
        tell_lost(s, p);
    } else if (is_for(p, p->next_chunk)) {
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

/* Of one whose log is to end: until when it may take what is left. */
static uint64_t end_of(const hectic_server *s, const peer *p)
{
    return p->generation == s->seen.generation ? s->seen.deadline : s->seen.moved + LAST_MS;
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
    if (is_last(s, p) && (!p->ready || now >= end_of(s, p))) p->gone = true;
}

/* --- What is forgotten ---------------------------------------------------------- */

/* Is the oldest chunk to go? *missed: somebody had still to get it. */
static bool forgettable(const hectic_server *s, bool *missed)
{
    unsigned readers = 0, waiting = 0;
    for (const peer *p = s->peers; p; p = p->next) {
        readers += p->begun && p->reads && is_for(p, s->queue.first);
        waiting += p->begun && p->next_chunk == s->queue.first && is_for(p, s->queue.first);
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
            p->lost += is_for(p, c) ? events : 0;
            p->next_chunk = c->next;
        }
        s->dropped += missed ? events : 0;
        chunk_release(queue_take(&s->queue));
        pthread_cond_broadcast(&s->room);
    }
    pthread_mutex_unlock(&s->lock);
}

/* --- Who is there --------------------------------------------------------------- */

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
    s->seen.moved = s->moved;
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
        server_wake(s); /* others may have waited for that */
    }
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
}

/* --- Waiting -------------------------------------------------------------------- */

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
        if (is_last(s, p)) wait_until(w, end_of(s, p));
        if (!p->reads && !is_asker(p)) wait_until(w, p->since + FRESH_MS);
        if (p->sink && unsent) wait_until(w, now + RETRY_MS);
        /* Its end tells that the reader is gone; a file has none, and is always ready. */
        if (p->fd >= 0)
            wait_for(w, p->fd,
                     (unsent ? POLLOUT : 0) | (p->sink || p->deaf || p->patient ? 0 : POLLIN));
    }
}

static void note_who_hung_up(const waiting *w, hectic_server *s)
{
    size_t at = 1;
    for (const listener *l = s->listeners; l; l = l->next)
        at++;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->fd < 0 || at >= w->count) continue;
        const bool hung_up = w->poll[at++].revents & (POLLERR | POLLHUP | POLLNVAL);
        if (!hung_up) continue;
        hear(s, p); /* its last words */
        peer_lose(p);
    }
}

static void rest(waiting *w, hectic_server *s)
{
    const uint64_t now = server_now();
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
    return s->seen.stopping && (!s->peers || server_now() >= s->seen.deadline);
}

void *service_run(void *user)
{
    hectic_server *s = user;
    waiting w = {0};
    do {
        const uint64_t now = server_now();
        take_new(s);
        for (const listener *l = s->listeners; l; l = l->next)
            accept_from(s, l, now);
        for (peer *p = s->peers; p; p = p->next)
            serve(s, p, now);
        forget(s); /* what those who go now have taken */
        let_go(s);
        if (is_over(s)) break;
        rest(&w, s);
    } while (true);
    free(w.poll);
    return NULL;
}
