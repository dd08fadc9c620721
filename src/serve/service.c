/* The service thread: sends blocks to readers, and drops blocks that no reader needs. */
#define _GNU_SOURCE /* accept4 */
#include "base/array.h"
#include "format/event_bytes.h"
#include "serve/serve.h"

#include <hectic/gaps.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_PEERS = 256,           /* that connected to a listener */
    MAX_ACCEPTS = 32,          /* in one turn, so that other peers do not wait for long */
    MAX_COMMANDS = 64,         /* pending commands of a peer */
    MAX_TOTAL_COMMANDS = 1024, /* pending commands of all peers, including disconnected ones */
    MAX_ANSWERS = 16384,       /* unsent bytes of answers to a peer */
    COMMAND_MS = 10000,        /* from the first byte of a command to its last */
    STALL_MS = 5000,           /* without progress, before a peer may be evicted */
    SILENCE_MS = 50,           /* until a peer that sends nothing is a reader */
    LAST_MS = 2000,            /* for the last events, when the log moves or ends */
    RETRY_MS = 100,            /* between attempts to connect, or to write to a full disk */
    PAUSE_MS = 1000,           /* between attempts to accept when descriptors ran out */
    UNIT_MS = 2000,            /* for an incomplete unit, besides the interval between flushes */
    READ_MS = 1000,            /* until what has been sent has been read */
};

/* Messages about faults: to the client, and to the operator. */
static const char *const client_text[] = {
    [FAULT_INVALID] = "invalid command",
    [FAULT_INCOMPLETE] = "incomplete command",
};
static const char *const operator_text[] = {
    [FAULT_INVALID] = "reader disconnected: invalid command",
    [FAULT_INCOMPLETE] = "reader disconnected: incomplete command",
};

void server_wake(const hectic_server *s)
{
    while (write(s->wake[1], "", 1) < 0 && errno == EINTR)
        ;
}

void server_replay(hectic_server *s)
{
    s->wants_replay = true;
    server_wake(s);
}

void server_request_flush(hectic_server *s)
{
    s->wants_flush = true;
    pthread_cond_signal(&s->commands_ready);
}

/* With the lock: until when to wait for a unit to end. */
static uint64_t await_unit(hectic_server *s, uint64_t now)
{
    server_request_flush(s);
    return now + UNIT_MS + s->flush.every;
}

static void note(const hectic_server *s, const char *text)
{
    if (s->options.diagnostic) s->options.diagnostic(s->options.user, text);
}

/* --- Output of a peer ------------------------------------------------------------------------- */

static bool is_command_client(const peer *p)
{
    return !p->is_reader && p->input_closed && p->sent_commands;
}

/* Its log ends when it has all events. */
static bool is_last(const hectic_server *s, const peer *p)
{
    return s->seen.stopping || p->generation != s->seen.generation;
}

/* A new destination must not start before the log has ended at the old one. */
static bool is_early(const hectic_server *s, const peer *p)
{
    for (const peer *other = s->peers; other; other = other->next)
        if (other->is_reader && other->generation < p->generation) return true;
    return false;
}

static bool is_for(const peer *p, const chunk *c)
{
    return c && c->generation <= p->generation;
}

/* A log begins, and a gap ends, between two units. If units do not end, as without flushes, it does
 * so inside of one after a time. */
static bool may_go_on(hectic_server *s, peer *p)
{
    const uint64_t now = clock_ms();
    if (!s->head_whole && !p->patient_until) p->patient_until = await_unit(s, now);
    if (!s->head_whole && now < p->patient_until && !is_last(s, p)) return false;
    p->patient_until = 0;
    p->from = p->whole_until = s->head_until;
    return true;
}

static void begin(hectic_server *s, peer *p)
{
    char text[160];
    if (p->is_reader && !may_go_on(s, p)) return;
    p->replay = (replay){0};
    p->begun = baseline_header(&s->baseline, &p->out);
    if (!p->begun || !p->is_reader) return;
    baseline_replay(&s->baseline, &p->replay, false, s->head_until);
    p->next_chunk = s->queue.first;
    p->lost = p->read = 0;
    memset(&p->taken, 0, sizeof p->taken);
    p->check = p->taken;
    if (s->baseline.left_out == 0) return;
    snprintf(text, sizeof text,
             "hectic: the live state exceeds the limit of %zu bytes: %llu of its events are not "
             "replayed",
             s->baseline.budget.limit, (unsigned long long)s->baseline.left_out);
    baseline_message(&s->baseline, &p->out, p->replay.time, text);
}

/* The gap begins where events of some caps are missing, although others may have been sent. */
static void report_lost(hectic_server *s, peer *p, uint64_t since)
{
    char text[96];
    snprintf(text, sizeof text, HECTIC_GAP_BEGINS "%llu" HECTIC_GAP_DROPPED,
             (unsigned long long)p->lost);
    baseline_message(&s->baseline, &p->out, since, text);
    p->lost = 0;
}

static void take(peer *p)
{
    p->current = p->next_chunk;
    p->current->references++;
    p->next_chunk = p->current->next;
}

static void miss(hectic_server *s, peer *p)
{
    const chunk *c = p->next_chunk;
    p->lost += c->is_replay ? 0 : baseline_count(&s->baseline, c->bytes, c->size);
    p->next_chunk = c->next;
}

/* Is there time for the state and some units before the reader loses some again? The newest unit is
 * not dropped for its size. */
static bool has_room(const hectic_server *s)
{
    return s->queue.bytes <= s->options.keep - s->options.keep / 4 || s->unit_end == s->queue.last;
}

static bool is_at_head(const hectic_server *s, const peer *p)
{
    return p->next_chunk == s->queue.first;
}

/* Continues after a gap: at the beginning of the queue, where the state is known, or with the next
 * replay. */
static void go_on(hectic_server *s, peer *p)
{
    const uint64_t since = p->whole_until;
    if (is_at_head(s, p)) {
        if (!has_room(s) || !may_go_on(s, p)) return;
        report_lost(s, p, since);
        baseline_replay(&s->baseline, &p->replay, true, p->from);
        return;
    }
    while (is_for(p, p->next_chunk) && !p->next_chunk->is_replay)
        miss(s, p);
    if (is_for(p, p->next_chunk)) {
        p->from = p->whole_until = p->next_chunk->until;
        report_lost(s, p, since);
        take(p);
    } else if (is_last(s, p)) {
        report_lost(s, p, since);
    } else if (!s->wants_replay) {
        server_replay(s);
    }
}

/* Definitions are replayed first and once, whatever is dropped meanwhile. */
static bool replays_definitions(const peer *p)
{
    return p->replay.active && p->replay.definition < p->replay.definitions;
}

static void end(hectic_server *s, peer *p)
{
    enum { MARKER = 2 };
    char text[96];
    if (p->fault) {
        snprintf(text, sizeof text, "hectic: %s; disconnecting", client_text[p->fault]);
        baseline_message(&s->baseline, &p->out, s->latest, text);
    }
    uint8_t *at = s->unfinished ? NULL : bytes_add(&p->out, MARKER);
    if (at) store16(at, HECTIC_DATA_END);
    p->ended = true;
}

/* Fills p->out and p->current, which are empty, with the next output. *replays: the next output is
 * a piece of the state, to be added by the caller. False: no output. */
static bool fill(hectic_server *s, peer *p, bool *replays)
{
    if (!s->begun || p->ended || !p->ready) {
        p->gone |= p->ended || (!s->begun && (is_last(s, p) || p->fault));
        return false;
    }
    if (!p->begun) {
        if (is_command_client(p) || p->fault || (p->is_reader && !is_early(s, p))) begin(s, p);
    } else if (p->fault) {
        end(s, p);
    } else if (p->answers.size > 0) {
        const bytes out = p->out;
        p->out = p->answers;
        p->answers = (bytes){.at = out.at, .capacity = out.capacity};
    } else if (p->lost > 0 && !replays_definitions(p)) {
        go_on(s, p);
    } else if (p->replay.active) {
        *replays = true;
    } else if (is_for(p, p->next_chunk) && p->next_chunk->begin < p->from) {
        miss(s, p); /* a cap's events came late, and the replayed state is without them */
        server_wake(s);
    } else if (is_for(p, p->next_chunk)) {
        take(p);
    } else if (is_last(s, p) || (is_command_client(p) && p->commands_pending == 0)) {
        end(s, p);
    }
    return peer_has_unsent(p);
}

/* The current chunk has been sent. */
static void note_taken(peer *p)
{
    const chunk *c = p->current;
    if (!c) return;
    p->taken.chunk = c->number;
    p->taken.total = p->total;
    if (c->ends_unit) p->whole_until = c->until;
}

static bool refill(hectic_server *s, peer *p)
{
    bool replays = false;
    pthread_mutex_lock(&s->lock);
    note_taken(p);
    chunk_release(p->current);
    p->current = NULL;
    p->out.size = p->sent = 0;
    if (!p->replay.active) bytes_clear(&p->out);
    const bool filled = fill(s, p, &replays);
    pthread_mutex_unlock(&s->lock);
    /* Without the lock: the baseline belongs to the service thread. */
    if (replays && !baseline_piece(&s->baseline, &p->replay, &p->out)) p->gone = true;
    return filled || replays;
}

static void submit(hectic_server *s, peer *p, const hectic_control_command *command)
{
    request *r = malloc(sizeof *r);
    if (!r) return;
    *r = (request){.peer = p->id, .command = *command};
    pthread_mutex_lock(&s->lock);
    request **last = &s->first_request;
    while (*last)
        last = &(*last)->next;
    *last = r;
    p->commands_pending++;
    s->commands_pending++;
    pthread_cond_signal(&s->commands_ready);
    pthread_mutex_unlock(&s->lock);
    p->sent_commands = true;
}

/* A peer that sends commands too fast, or does not read the answers, has to wait. */
static bool may_submit(hectic_server *s, const peer *p)
{
    pthread_mutex_lock(&s->lock);
    const bool allowed = p->commands_pending < MAX_COMMANDS &&
                         s->commands_pending < MAX_TOTAL_COMMANDS && p->answers.size < MAX_ANSWERS;
    pthread_mutex_unlock(&s->lock);
    return allowed;
}

static void read_commands(hectic_server *s, peer *p)
{
    hectic_control_command command;
    bool allowed;
    while ((allowed = may_submit(s, p)) && peer_command(p, &command))
        submit(s, p, &command);
    if (!allowed) p->command_at = clock_ms(); /* the rest of a command may have arrived, unread */
}

/* Deadline of an incomplete command, ms. */
static uint64_t command_deadline(const peer *p)
{
    return p->parser.length > 0 && !p->input_closed ? p->command_at + COMMAND_MS : UINT64_MAX;
}

static void check_fault(const hectic_server *s, peer *p, uint64_t now)
{
    if (now >= command_deadline(p)) peer_reject(p, FAULT_INCOMPLETE);
    if (p->fault && !p->leave_by) {
        p->leave_by = now + LAST_MS;
        note(s, operator_text[p->fault]);
    }
    if (p->leave_by && now >= p->leave_by) p->gone = true;
}

static void become_reader(hectic_server *s, peer *p)
{
    pthread_mutex_lock(&s->lock);
    p->is_reader = true;
    pthread_cond_broadcast(&s->reader_ready);
    pthread_mutex_unlock(&s->lock);
}

/* Deadline of a peer whose log ends. */
static uint64_t end_deadline(const hectic_server *s, const peer *p)
{
    return p->generation == s->seen.generation ? s->seen.deadline
                                               : s->seen.generation_since + LAST_MS;
}

static void serve(hectic_server *s, peer *p, uint64_t now)
{
    if (p->gone) return;
    if (!p->ready && now >= p->since) {
        p->since = now + RETRY_MS;
        if (peer_try_open(p)) become_reader(s, p);
    }
    read_commands(s, p);
    check_fault(s, p, now);
    const bool decided = p->is_reader || is_command_client(p) || p->fault;
    if (!decided && (p->input_closed || s->seen.stopping || now >= p->since + SILENCE_MS))
        become_reader(s, p);
    while (!p->gone && peer_write(p) && refill(s, p))
        ;
    /* Do not wait for a peer that is not connected. */
    if (is_last(s, p) && (!p->ready || now >= end_deadline(s, p))) p->gone = true;
}

/* --- Dropping blocks -------------------------------------------------------------------------- */

/* All readers have read the first unit, or got it if their log ends. One that sends commands, such
 * as hectic ctl, leaves it to others. */
static bool is_read(const hectic_server *s)
{
    bool any = false;
    for (const peer *p = s->peers; p && s->unit_end; p = p->next) {
        if (!p->begun || !p->is_reader || !is_for(p, s->queue.first)) continue;
        const uint64_t read = p->sink || is_last(s, p) ? p->taken.chunk : p->read;
        if (read < s->unit_end->number) return false;
        any |= !p->sent_commands;
    }
    return any;
}

/* It has read all that was sent to it before a gap. */
static bool is_back(const hectic_server *s, const peer *p)
{
    return p->lost > 0 && p->ready && !p->gone && is_at_head(s, p) && !peer_has_unsent(p);
}

/* It is to get more of the first unit, whose last chunk is there. */
static bool is_in_first_unit(const hectic_server *s, const peer *p)
{
    return s->unit_end && p->begun && p->lost == 0 && is_for(p, p->next_chunk) &&
           p->next_chunk->number <= s->unit_end->number;
}

/* Do the units after the first one fit? */
static bool fits_without_first(const hectic_server *s, size_t keep)
{
    size_t bytes = s->queue.bytes;
    for (const chunk *c = s->queue.first; bytes > keep; c = c->next) {
        bytes -= sizeof *c + c->size;
        if (c == s->unit_end) break;
    }
    return bytes <= keep;
}

/* Is the first unit to be dropped? While it is sent, it is not, whatever its size, unless the ones
 * after it are too many; the rest of one is. A reader that was too slow gets a quarter of the queue
 * free, so that it has time for the state and some units before the next gap. */
static bool must_drop(const hectic_server *s)
{
    size_t keep = s->peers || s->new_peers ? s->options.keep : s->keep_unread;
    bool is_sent = false, any_back = false;
    for (const peer *p = s->peers; p; p = p->next) {
        is_sent |= is_in_first_unit(s, p);
        any_back |= is_back(s, p);
    }
    if (any_back) keep -= keep / 4;
    if (!s->queue.first || is_read(s)) return s->queue.first;
    if (!s->head_whole && s->unit_end && !is_sent) return true;
    return s->queue.bytes > keep && !(is_sent && fits_without_first(s, keep));
}

/* --- Replays to all readers ------------------------------------------------------------------- */

/* With the lock: inserts a replay after `last`, with which the queue ended before (NULL: it was
 * empty). */
static void insert_replay(hectic_server *s, chunk *c, chunk *last)
{
    chunk **const place = last ? &last->next : &s->queue.first;
    c->number = last ? last->number + 1 : s->last_number + 1;
    c->generation = last ? last->generation : s->generation;
    for (peer *p = s->peers; p; p = p->next)
        if (p->begun && p->is_reader && p->next_chunk == *place) p->next_chunk = c;
    c->next = *place;
    *place = c;
    if (!c->next) s->queue.last = c;
    if (c->ends_unit && (!last || !s->unit_end)) s->unit_end = c;
    s->queue.bytes += sizeof *c + c->size;
}

/* With the lock: is a replay wanted, and the queue ends with a unit, or does not for long? */
static bool is_replay_due(hectic_server *s, bool is_whole, uint64_t now)
{
    bool any = false;
    for (const peer *p = s->peers; p; p = p->next)
        any |= p->begun && p->is_reader && !p->ended;
    s->wants_replay &= any;
    if (!s->wants_replay) s->replay_by = 0;
    if (!s->wants_replay || is_whole) return s->wants_replay;
    if (!s->replay_by) s->replay_by = await_unit(s, now);
    return now >= s->replay_by;
}

/* Adds a replay to the queue if it is due. Only this thread removes chunks: those that are there
 * can be read without the lock. */
static void add_replay(hectic_server *s, uint64_t now)
{
    pthread_mutex_lock(&s->lock);
    chunk *const first = s->queue.first, *const last = s->queue.last;
    const bool is_whole = last ? last->ends_unit : s->head_whole;
    const bool is_due = is_replay_due(s, is_whole, now);
    uint64_t time = last && last->until > s->head_until ? last->until : s->head_until;
    if (!is_whole && s->latest > time) time = s->latest;
    if (is_due) s->wants_replay = false;
    pthread_mutex_unlock(&s->lock);
    chunk *c = is_due ? baseline_ahead(&s->baseline, first, last, time) : NULL;
    if (!c) return;
    c->is_replay = true;
    c->ends_unit = is_whole;
    c->begin = c->end = c->until = time;
    pthread_mutex_lock(&s->lock);
    s->replay_by = 0;
    insert_replay(s, c, last);
    pthread_mutex_unlock(&s->lock);
}

/* --- Peers and their turns -------------------------------------------------------------------- */

static void note_limit(const hectic_server *s)
{
    char text[160];
    snprintf(text, sizeof text,
             "the live state exceeds %zu bytes: readers that connect later get only a part of it",
             s->baseline.budget.limit);
    note(s, text);
}

/* With the lock, which is released meanwhile. */
static void drop_chunk(hectic_server *s, chunk *c)
{
    bool is_missed = false;
    pthread_mutex_unlock(&s->lock);
    uint64_t events = baseline_update(&s->baseline, c->bytes, c->size);
    pthread_mutex_lock(&s->lock);
    if (c->is_replay) events = 0;
    for (peer *p = s->peers; p; p = p->next) {
        if (!p->begun || p->next_chunk != c) continue;
        p->lost += is_for(p, c) ? events : 0;
        is_missed |= is_for(p, c);
        p->next_chunk = c->next;
    }
    s->dropped += is_missed ? events : 0;
    s->head_whole = c->ends_unit;
    if (c->end > s->head_until) s->head_until = c->end;
    if (c->until > s->head_until) s->head_until = c->until;
    if (c == s->unit_end) do
            s->unit_end = s->unit_end->next;
        while (s->unit_end && !s->unit_end->ends_unit);
    chunk_release(queue_take(&s->queue));
    pthread_cond_broadcast(&s->changed);
}

/* Drops whole units; of one that is longer than the queue, some chunks. */
static void drop_units(hectic_server *s)
{
    bool any = false;
    pthread_mutex_lock(&s->lock);
    while (must_drop(s)) {
        const chunk *end = s->unit_end;
        do
            drop_chunk(s, s->queue.first);
        while (end && !s->head_whole);
        any = true;
    }
    for (const peer *p = s->peers; p && any; p = p->next)
        if (is_back(s, p) || !p->begun) server_wake(s);
    const bool limited = s->baseline.left_out > 0 && s->state_left_out == 0;
    s->state_bytes = s->baseline.budget.used;
    s->state_left_out = s->baseline.left_out;
    pthread_mutex_unlock(&s->lock);
    if (limited) note_limit(s);
}

/* --- Peers and listeners ---------------------------------------------------------------------- */

/* With the lock. */
static void add_peer(hectic_server *s, peer *p)
{
    p->id = ++s->last_id;
    p->next = s->peers;
    s->peers = p;
    pthread_cond_broadcast(&s->reader_ready); /* a file is ready at once */
}

/* No descriptor or memory for a new client. */
static void pause_accepting(const hectic_server *s, listener *l, const char *why, uint64_t now)
{
    char text[128];
    snprintf(text, sizeof text, "cannot accept readers now: %s", why);
    note(s, text);
    l->paused_until = now + PAUSE_MS;
}

static void accept_from(hectic_server *s, listener *l, uint64_t now)
{
    for (unsigned i = 0; i < MAX_ACCEPTS && now >= l->paused_until; i++) {
        const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
            pause_accepting(s, l, strerror(errno), now);
        if (fd < 0) return;
        peer *p = peer_adopt(fd);
        if (!p) {
            pause_accepting(s, l, "out of memory", now);
            close(fd);
            return;
        }
        p->since = now;
        p->generation = l->generation;
        pthread_mutex_lock(&s->lock);
        add_peer(s, p);
        pthread_mutex_unlock(&s->lock);
    }
}

/* The peer to evict: the one stalled for longest, or else the newest. */
static peer *choose_eviction(const hectic_server *s, uint64_t now)
{
    peer *stalled = NULL, *last = NULL;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->sink || p->gone) continue;
        if (!last || p->id > last->id) last = p;
        if (peer_has_unsent(p) && now >= p->progress_at + STALL_MS &&
            (!stalled || p->progress_at < stalled->progress_at))
            stalled = p;
    }
    note(s, stalled ? "reader disconnected: it is stalled, and there are too many"
                    : "reader rejected: there are too many");
    return stalled ? stalled : last;
}

static void evict_peers(const hectic_server *s, uint64_t now)
{
    unsigned count = 0;
    for (const peer *p = s->peers; p; p = p->next)
        count += !p->sink && !p->gone;
    for (; count > MAX_PEERS; count--)
        choose_eviction(s, now)->gone = true;
}

static void begin_turn(hectic_server *s, uint64_t now)
{
    pthread_mutex_lock(&s->lock);
    s->seen.stopping = s->stopping;
    s->seen.deadline = s->deadline;
    s->seen.generation = s->generation;
    s->seen.generation_since = s->generation_since;
    s->seen.release_at = UINT64_MAX;
    if (s->units.held.first) s->seen.release_at = s->units.held_since + UNIT_MS + s->flush.every;
    if (now >= s->seen.release_at) server_release_units(s, false);
    s->unprocessed = 0;
    pthread_cond_broadcast(&s->changed);
    for (peer *p; (p = s->new_peers);) {
        s->new_peers = p->next;
        add_peer(s, p);
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

static void free_gone(hectic_server *s)
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
        server_wake(s); /* others may wait for that */
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

typedef struct poll_set {
    struct pollfd *poll;
    size_t count, capacity;
    uint64_t until; /* ms */
    bool no_memory; /* the remaining descriptors are checked without poll */
} poll_set;

static void wait_for(poll_set *w, int fd, int events)
{
    if (w->no_memory) return;
    w->no_memory = !array_reserve(w->poll, w->capacity, w->count + 1);
    if (w->no_memory) return;
    w->poll[w->count++] = (struct pollfd){.fd = fd, .events = (short)events};
}

static void wait_until(poll_set *w, uint64_t time)
{
    if (time < w->until) w->until = time;
}

static void collect(poll_set *w, hectic_server *s, uint64_t now)
{
    w->count = 0;
    w->until = UINT64_MAX;
    w->no_memory = false;
    wait_for(w, s->wake[0], POLLIN);
    wait_until(w, s->seen.release_at);
    if (s->replay_by) wait_until(w, s->replay_by);
    for (const listener *l = s->listeners; l; l = l->next) {
        wait_for(w, l->fd, now < l->paused_until ? 0 : POLLIN);
        if (now < l->paused_until) wait_until(w, l->paused_until);
    }
    for (const peer *p = s->peers; p; p = p->next) {
        const bool unsent = peer_has_unsent(p),
                   listened = !p->sink && !p->input_closed && may_submit(s, p);
        if (!p->ready) wait_until(w, p->since);
        if (is_last(s, p)) wait_until(w, end_deadline(s, p));
        if (!p->is_reader && !is_command_client(p) && !p->fault)
            wait_until(w, p->since + SILENCE_MS);
        if (p->leave_by) wait_until(w, p->leave_by);
        if (p->patient_until) wait_until(w, p->patient_until);
        if (!p->hidden && p->read != p->taken.chunk) wait_until(w, now + READ_MS);
        wait_until(w, command_deadline(p));
        if (p->sink && unsent) wait_until(w, now + RETRY_MS);
        /* Detects a disconnect, too; a file is always ready. */
        if (p->fd >= 0)
            wait_for(w, p->fd, (unsent && !p->full ? POLLOUT : 0) | (listened ? POLLIN : 0));
    }
    if (w->no_memory) wait_until(w, now + RETRY_MS);
}

static void detect_disconnects(const poll_set *w, hectic_server *s)
{
    size_t at = 1;
    for (const listener *l = s->listeners; l; l = l->next)
        at++;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->fd < 0 || at >= w->count) continue;
        const bool disconnected = w->poll[at++].revents & (POLLERR | POLLHUP | POLLNVAL);
        if (!disconnected) continue;
        read_commands(s, p); /* its last commands */
        peer_disconnect(p);
    }
}

static void wait_for_events(poll_set *w, hectic_server *s)
{
    const uint64_t now = clock_ms();
    collect(w, s, now);
    const uint64_t ms = w->until <= now ? 0 : w->until - now;
    pthread_mutex_unlock(&s->turn);
    poll(w->poll, (nfds_t)w->count, ms > INT32_MAX ? -1 : (int)ms);
    pthread_mutex_lock(&s->turn);
    char woken[64];
    while (read(s->wake[0], woken, sizeof woken) > 0)
        ;
    detect_disconnects(w, s);
}

static bool is_over(const hectic_server *s)
{
    return s->seen.stopping && (!s->peers || clock_ms() >= s->seen.deadline);
}

void *service_run(void *user)
{
    hectic_server *s = user;
    poll_set w = {0};
    pthread_mutex_lock(&s->turn);
    do {
        const uint64_t now = clock_ms();
        begin_turn(s, now);
        for (listener *l = s->listeners; l; l = l->next)
            accept_from(s, l, now);
        evict_peers(s, now);
        for (peer *p = s->peers; p; p = p->next) {
            peer_note_read(p);
            read_commands(s, p); /* those that it had sent by then */
        }
        add_replay(s, now);
        for (peer *p = s->peers; p; p = p->next)
            serve(s, p, now);
        drop_units(s); /* uses the progress of peers that leave */
        free_gone(s);
        if (is_over(s)) break;
        wait_for_events(&w, s);
    } while (true);
    pthread_mutex_unlock(&s->turn);
    free(w.poll);
    return NULL;
}
