/* The service thread: brings blocks to readers, and forgets those that nobody needs. */
#define _GNU_SOURCE /* accept4 */
#include "format/wire.h"
#include "serve/serve.h"

#include <hectic/gaps.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PEERS_MAX = 256,      /* that came by themselves */
    AT_ONCE_MAX = 32,     /* of them come in one turn: the others are not to wait for long */
    ASKED_MAX = 64,       /* commands of a peer that wait */
    ALL_ASKED_MAX = 1024, /* commands of all, also of those who have gone */
    ANSWERS_MAX = 16384,  /* bytes of answers that a peer does not take */
    COMMAND_MS = 10000,   /* from a command's first byte to its last */
    STUCK_MS = 5000,      /* that one may take nothing when others want its place */
    FRESH_MS = 50,        /* until one that comes and says nothing is a reader */
    LAST_MS = 2000,       /* for the last events, when the log goes elsewhere or has to end */
    RETRY_MS = 100,       /* between tries to reach a place, or to write to a full disk */
    REST_MS = 1000,       /* between tries to accept when descriptors are short */
};

/* What is said of faults: to who has done it, and to whoever runs the program. */
static const char *const said[] = {
    [FAULT_NOISE] = "invalid command",
    [FAULT_HALF] = "incomplete command",
};
static const char *const noted[] = {
    [FAULT_NOISE] = "reader disconnected: invalid command",
    [FAULT_HALF] = "reader disconnected: incomplete command",
};

static void note(const hectic_server *s, const char *text)
{
    if (s->options.note) s->options.note(s->options.user, text);
}

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
    char text[160];
    p->replay = (replay){0};
    p->begun = baseline_header(&s->baseline, &p->out);
    if (!p->begun || !p->reads) return;
    baseline_replay(&s->baseline, &p->replay, false, 0);
    p->next_chunk = s->queue.first;
    p->lost = 0;
    p->wants_state = false;
    if (s->baseline.left_out == 0) return;
    snprintf(text, sizeof text,
             "hectic: the live state exceeds the limit of %zu bytes: %llu of its events are not "
             "replayed",
             s->baseline.budget.limit, (unsigned long long)s->baseline.left_out);
    baseline_message(&s->baseline, &p->out, p->replay.time, text);
}

static void tell_lost(hectic_server *s, peer *p)
{
    char text[96];
    const uint64_t next = p->next_chunk ? chunk_time(p->next_chunk) : s->latest;
    /* What it replays was known behind all that was sent or dropped. */
    const uint64_t latest = baseline_latest(&s->baseline), time = next > latest ? next : latest;
    snprintf(text, sizeof text, HECTIC_GAP_BEGINS "%llu" HECTIC_GAP_DROPPED,
             (unsigned long long)p->lost);
    baseline_message(&s->baseline, &p->out, time, text);
    baseline_replay(&s->baseline, &p->replay, true, time);
    p->lost = 0;
}

/* Definitions come first, whatever is dropped meanwhile: what has been replayed of them stays. */
static bool replays_definitions(const peer *p)
{
    return p->replay.active && p->replay.definition < p->replay.definitions;
}

/* What is known is of the queue's beginning. */
static bool is_replayed_to(const hectic_server *s, const peer *p)
{
    return p->wants_state && p->ready && p->begun && !p->gone && p->next_chunk == s->queue.first;
}

static void replay_state(hectic_server *s, peer *p)
{
    p->replay = (replay){0};
    baseline_replay(&s->baseline, &p->replay, true, baseline_latest(&s->baseline));
    p->wants_state = false;
}

static void end(hectic_server *s, peer *p)
{
    enum { MARKER = 2 };
    char text[96];
    if (p->fault) {
        snprintf(text, sizeof text, "hectic: %s; disconnecting", said[p->fault]);
        baseline_message(&s->baseline, &p->out, s->latest, text);
    }
    uint8_t *at = bytes_add(&p->out, MARKER);
    if (at) store16(at, HECTIC_DATA_END);
    p->ended = true;
}

/* Puts into p->out and p->current what comes next; they are empty. *replays: it is a piece of the
 * state, which is not put there yet. False: nothing comes. */
static bool fill(hectic_server *s, peer *p, bool *replays)
{
    if (!s->begun || p->ended || !p->ready) {
        p->gone |= p->ended || (!s->begun && (is_last(s, p) || p->fault));
        return false;
    }
    if (!p->begun) {
        if (is_asker(p) || p->fault || (p->reads && !is_early(s, p))) begin(s, p);
    } else if (p->fault) {
        end(s, p);
    } else if (p->answers.size > 0) {
        const bytes out = p->out;
        p->out = p->answers;
        p->answers = (bytes){.at = out.at, .capacity = out.capacity};
    } else if (p->lost > 0 && !replays_definitions(p)) {
        tell_lost(s, p);
    } else if (p->replay.active) {
        *replays = true;
    } else if (is_replayed_to(s, p)) {
        replay_state(s, p);
        *replays = true;
    } else if (is_for(p, p->next_chunk)) {
        p->current = p->next_chunk;
        p->current->holders++;
        p->next_chunk = p->current->next;
    } else if (is_last(s, p) || (is_asker(p) && p->asked == 0)) {
        end(s, p);
    }
    return peer_is_behind(p);
}

static bool refill(hectic_server *s, peer *p)
{
    bool replays = false;
    pthread_mutex_lock(&s->lock);
    chunk_release(p->current);
    p->current = NULL;
    p->out.size = p->sent = 0;
    if (!p->replay.active) bytes_clear(&p->out);
    const bool filled = fill(s, p, &replays);
    pthread_mutex_unlock(&s->lock);
    /* The service thread's own: the runtime's threads need not wait for it. */
    if (replays && !baseline_piece(&s->baseline, &p->replay, &p->out)) p->gone = true;
    return filled || replays;
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
    s->asked++;
    pthread_cond_signal(&s->commands_ready);
    pthread_mutex_unlock(&s->lock);
    p->commands = true;
}

/* Who asks faster than is answered, or does not take the answers, has to wait. */
static bool may_ask(hectic_server *s, const peer *p)
{
    pthread_mutex_lock(&s->lock);
    const bool may =
        p->asked < ASKED_MAX && s->asked < ALL_ASKED_MAX && p->answers.size < ANSWERS_MAX;
    pthread_mutex_unlock(&s->lock);
    return may;
}

static void hear(hectic_server *s, peer *p)
{
    hectic_control_command command;
    bool may;
    while ((may = may_ask(s, p)) && peer_command(p, &command))
        ask(s, p, &command);
    if (!may) p->spoke = server_now(); /* what is missing of a command may be there, unread */
}

/* When what it has begun to say has to be whole, ms. */
static uint64_t half_until(const peer *p)
{
    return p->parser.length > 0 && !p->deaf ? p->spoke + COMMAND_MS : UINT64_MAX;
}

static void judge(const hectic_server *s, peer *p, uint64_t now)
{
    if (now >= half_until(p)) peer_blame(p, FAULT_HALF);
    if (p->fault && !p->leaves) {
        p->leaves = now + LAST_MS;
        note(s, noted[p->fault]);
    }
    if (p->leaves && now >= p->leaves) p->gone = true;
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
    if (p->gone) return;
    if (!p->ready && now >= p->since) {
        p->since = now + RETRY_MS;
        if (peer_open(p)) become_reader(s, p);
    }
    hear(s, p);
    judge(s, p, now);
    const bool decided = p->reads || is_asker(p) || p->fault;
    if (!decided && (p->deaf || s->seen.stopping || now >= p->since + FRESH_MS))
        become_reader(s, p);
    while (!p->gone && peer_write(p) && refill(s, p))
        ;
    /* One who is not there cannot be waited for. */
    if (is_last(s, p) && (!p->ready || now >= end_of(s, p))) p->gone = true;
}

/* --- What is forgotten ---------------------------------------------------------- */

/* Is the oldest chunk to go? *missed: a reader that is connected had still to get it; who is
 * overtaken is overtaken by a quarter, so that it has time for the state and some chunks before the
 * next gap. */
static bool forgettable(const hectic_server *s, bool overtaken, bool *missed)
{
    unsigned readers = 0, waiting = 0;
    for (const peer *p = s->peers; p; p = p->next) {
        readers += p->begun && p->reads && is_for(p, s->queue.first);
        waiting += p->begun && p->next_chunk == s->queue.first && is_for(p, s->queue.first);
    }
    *missed = waiting > 0;
    size_t keep = s->peers || s->new_peers ? s->options.keep : s->keep_unread;
    if (overtaken) keep -= keep / 4;
    return s->queue.first && ((readers > 0 && waiting == 0) || s->queue.bytes > keep);
}

static void note_limit(const hectic_server *s)
{
    char text[160];
    snprintf(text, sizeof text,
             "the live state exceeds %zu bytes: readers that connect later get only a part of it",
             s->baseline.budget.limit);
    note(s, text);
}

static void forget(hectic_server *s)
{
    bool missed, overtaken = false;
    pthread_mutex_lock(&s->lock);
    while (forgettable(s, overtaken, &missed)) {
        chunk *c = s->queue.first;
        pthread_mutex_unlock(&s->lock);
        const uint64_t events = baseline_update(&s->baseline, c->bytes, c->size);
        pthread_mutex_lock(&s->lock);
        for (peer *p = s->peers; p; p = p->next) {
            if (!p->begun || p->next_chunk != c) continue;
            p->lost += is_for(p, c) ? events : 0;
            p->next_chunk = c->next;
        }
        s->dropped += missed ? events : 0;
        overtaken |= missed;
        chunk_release(queue_take(&s->queue));
        pthread_cond_broadcast(&s->room);
    }
    for (const peer *p = s->peers; p; p = p->next)
        if (is_replayed_to(s, p) && !peer_is_behind(p)) server_wake(s);
    const bool limited = s->baseline.left_out > 0 && s->state_left_out == 0;
    s->state_bytes = s->baseline.budget.used;
    s->state_left_out = s->baseline.left_out;
    pthread_mutex_unlock(&s->lock);
    if (limited) note_limit(s);
}

/* --- Who is there --------------------------------------------------------------- */

/* With the lock. */
static void enter(hectic_server *s, peer *p)
{
    p->id = ++s->last_id;
    p->next = s->peers;
    s->peers = p;
    pthread_cond_broadcast(&s->read); /* a file is ready from the start */
}

/* There is somebody, and no descriptor or memory for them. */
static void rest_from(const hectic_server *s, listener *l, const char *why, uint64_t now)
{
    char text[128];
    snprintf(text, sizeof text, "cannot accept readers now: %s", why);
    note(s, text);
    l->rests = now + REST_MS;
}

static void accept_from(hectic_server *s, listener *l, uint64_t now)
{
    for (unsigned i = 0; i < AT_ONCE_MAX && now >= l->rests; i++) {
        const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
            rest_from(s, l, strerror(errno), now);
        if (fd < 0) return;
        peer *p = peer_come(fd);
        if (!p) {
            rest_from(s, l, "out of memory", now);
            close(fd);
            return;
        }
        p->since = now;
        p->generation = l->generation;
        pthread_mutex_lock(&s->lock);
        enter(s, p);
        pthread_mutex_unlock(&s->lock);
    }
}

/* Who makes room: who has taken nothing for longest, or else who came last. */
static peer *least_wanted(const hectic_server *s, uint64_t now)
{
    peer *stuck = NULL, *last = NULL;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->sink || p->gone) continue;
        if (!last || p->id > last->id) last = p;
        if (peer_is_behind(p) && now >= p->moved + STUCK_MS && (!stuck || p->moved < stuck->moved))
            stuck = p;
    }
    note(s, stuck ? "reader disconnected: it is stalled, and there are too many"
                  : "reader rejected: there are too many");
    return stuck ? stuck : last;
}

static void make_room(const hectic_server *s, uint64_t now)
{
    unsigned count = 0;
    for (const peer *p = s->peers; p; p = p->next)
        count += !p->sink && !p->gone;
    for (; count > PEERS_MAX; count--)
        least_wanted(s, now)->gone = true;
}

static void take_new(hectic_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->seen.stopping = s->stopping;
    s->seen.deadline = s->deadline;
    s->seen.generation = s->generation;
    s->seen.moved = s->moved;
    s->fresh = 0;
    pthread_cond_broadcast(&s->room);
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
    bool no_memory; /* for those that come behind: they are looked after without being waited for */
} waiting;

static void wait_for(waiting *w, int fd, int events)
{
    if (w->no_memory) return;
    if (w->count == w->room) {
        const size_t room = w->room ? 2 * w->room : 16;
        struct pollfd *grown = realloc(w->poll, room * sizeof *grown);
        w->no_memory = !grown;
        if (!grown) return;
        w->poll = grown;
        w->room = room;
    }
    w->poll[w->count++] = (struct pollfd){.fd = fd, .events = (short)events};
}

static void wait_until(waiting *w, uint64_t time)
{
    if (time < w->until) w->until = time;
}

static void collect(waiting *w, hectic_server *s, uint64_t now)
{
    w->count = 0;
    w->until = UINT64_MAX;
    w->no_memory = false;
    wait_for(w, s->wake[0], POLLIN);
    for (const listener *l = s->listeners; l; l = l->next) {
        wait_for(w, l->fd, now < l->rests ? 0 : POLLIN);
        if (now < l->rests) wait_until(w, l->rests);
    }
    for (const peer *p = s->peers; p; p = p->next) {
        const bool unsent = peer_is_behind(p), listened = !p->sink && !p->deaf && may_ask(s, p);
        if (!p->ready) wait_until(w, p->since);
        if (is_last(s, p)) wait_until(w, end_of(s, p));
        if (!p->reads && !is_asker(p) && !p->fault) wait_until(w, p->since + FRESH_MS);
        if (p->leaves) wait_until(w, p->leaves);
        wait_until(w, half_until(p));
        if (p->sink && unsent) wait_until(w, now + RETRY_MS);
        /* Its end tells that the reader is gone; a file has none, and is always ready. */
        if (p->fd >= 0)
            wait_for(w, p->fd, (unsent && !p->full ? POLLOUT : 0) | (listened ? POLLIN : 0));
    }
    if (w->no_memory) wait_until(w, now + RETRY_MS);
}

static void note_who_hung_up(const waiting *w, hectic_server *s)
{
    size_t at = 1;
    for (const listener *l = s->listeners; l; l = l->next)
        at++;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->fd < 0 || at >= w->count) continue;
        const bool disconnected = w->poll[at++].revents & (POLLERR | POLLHUP | POLLNVAL);
        if (!disconnected) continue;
        hear(s, p); /* its last words */
        peer_lose(p);
    }
}

static void rest(waiting *w, hectic_server *s)
{
    const uint64_t now = server_now();
    collect(w, s, now);
    const uint64_t ms = w->until <= now ? 0 : w->until - now;
    pthread_mutex_unlock(&s->turn);
    poll(w->poll, (nfds_t)w->count, ms > INT32_MAX ? -1 : (int)ms);
    pthread_mutex_lock(&s->turn);
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
    pthread_mutex_lock(&s->turn);
    do {
        const uint64_t now = server_now();
        take_new(s);
        for (listener *l = s->listeners; l; l = l->next)
            accept_from(s, l, now);
        make_room(s, now);
        for (peer *p = s->peers; p; p = p->next)
            serve(s, p, now);
        forget(s); /* what those who go now have taken */
        let_go(s);
        if (is_over(s)) break;
        rest(&w, s);
    } while (true);
    pthread_mutex_unlock(&s->turn);
    free(w.poll);
    return NULL;
}
