/* sender.c — see sender.h.
 *
 * The oldest blocks are in the spool, the others in memory. The thread that sends takes the block
 * with the lowest number; another one moves blocks from memory to the spool. */
#include "delivery/sender.h"

#include "os/clock.h"
#include "os/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELD_HIGH = 32 << 20, /* bytes in memory from which blocks are moved to the spool */
    HELD_MAX = 64 << 20,
    FIRST_DELAY = 100, /* ms: before a block is sent again; then twice as long */
    LAST_DELAY = 5000,
    SPARES = 4,
    DISK_DELAY = 1000,    /* ms: before the spool is tried again */
    REPORTS = 4,          /* different ones in REPORTS_TIME */
    REPORTS_TIME = 60000, /* ms */
    TEXT_SIZE = 1500,
};

struct queue {
    struct delivery_block *first, *last;
};

/* What was reported, so that it is not repeated: see is_news. */
struct reports {
    char text[REPORTS][TEXT_SIZE];
    uint64_t at[REPORTS]; /* ms; 0: none yet */
    size_t oldest;
};

struct delivery_sender {
    struct delivery_options options;
    char *folder; /* of the spool */
    void *server;
    delivery_spool *spool;
    pthread_t sending, spooling;
    bool is_prepared;
    struct reports failures, refused;
    bool has_failed;          /* that was reported, and it has not answered since */
    unsigned refusals;        /* of the block that was sent last, one after the other */
    struct delivery delivery; /* of that block */

    /* What the threads share, under the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct queue held;
    size_t held_bytes;   /* also of the blocks that the threads have */
    uint64_t held_items; /* likewise */
    uint64_t moving;     /* the block that is moved to the spool; UINT64_MAX: none */
    uint64_t next;       /* block */
    uint64_t retry;      /* ms: the server is not tried before; 0: it answers */
    uint64_t disk_retry; /* ms: likewise the spool */
    int disk_error;      /* why */
    bool is_losing, is_ending;
    struct delivery_counts counts; /* but for what waits */
    /* Memory of blocks that were sent, for later ones: to get it from the system costs more than to
     * fill it. */
    struct buffer spare[SPARES];
    size_t spares;
    atomic_uint_fast64_t deadline; /* ms: requests are cancelled from then on */
};

/* --- Common parts ---------------------------------------------------------------------------- */

static void note(const delivery_sender *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(const delivery_sender *s, const char *format, ...)
{
    char text[2 * TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->options.note(s->options.user_data, text);
}

/* Waits until something has changed, or that time. */
static void wait_until(delivery_sender *s, uint64_t ms)
{
    const struct timespec until = clock_timespec(ms);
    if (ms == UINT64_MAX)
        pthread_cond_wait(&s->changed, &s->mutex);
    else
        pthread_cond_timedwait(&s->changed, &s->mutex, &until);
}

static void append(struct queue *queue, struct delivery_block *block)
{
    block->next = NULL;
    if (queue->last)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
}

static void put_back(struct queue *queue, struct delivery_block *block)
{
    block->next = queue->first;
    queue->first = block;
    if (!queue->last) queue->last = block;
}

static struct delivery_block *take_first(struct queue *queue)
{
    struct delivery_block *block = queue->first;
    queue->first = block->next;
    if (!queue->first) queue->last = NULL;
    return block;
}

/* There is room again. A spool that is full may take and lose blocks in turns: that is one loss. */
static void note_kept(delivery_sender *s)
{
    if (!s->is_losing || s->held_bytes > HELD_HIGH) return;
    s->is_losing = false;
    note(s, "%s: %s are kept again; %" PRIu64 " were lost so far", s->options.url,
         s->options.target->items, s->counts.lost);
}

/* A block is no longer in memory. */
static void release(delivery_sender *s, struct delivery_block *block)
{
    s->held_bytes -= block->bytes.size;
    s->held_items -= block->items;
    if (s->spares < SPARES) {
        s->spare[s->spares] = block->bytes;
        s->spare[s->spares++].size = 0;
        block->bytes = (struct buffer){0};
    }
    delivery_block_free(block);
    note_kept(s);
    pthread_cond_broadcast(&s->changed);
}

/* --- Sending --------------------------------------------------------------------------------- */

static bool is_cancelled(void *user)
{
    delivery_sender *s = user;
    return clock_ms() >= atomic_load(&s->deadline);
}

/* Is this not among the last reports, and were these not too many in the last minute? */
static bool is_news(struct reports *reports, const char *text)
{
    const uint64_t now = clock_ms();
    for (size_t i = 0; i < REPORTS; i++)
        if (strcmp(text, reports->text[i]) == 0) return false;
    const size_t place = reports->oldest;
    if (reports->at[place] > 0 && now < reports->at[place] + REPORTS_TIME) return false;
    snprintf(reports->text[place], TEXT_SIZE, "%s", text);
    reports->at[place] = now;
    reports->oldest = (place + 1) % REPORTS;
    return true;
}

static void report_failure(delivery_sender *s)
{
    const char *error = s->options.target->error(s->server);
    const bool is_lost = s->refusals >= s->options.target->refusals_max;
    if (is_lost || is_cancelled(s) || !is_news(&s->failures, error)) return;
    s->has_failed = true;
    note(s, "%s: %s; %s wait in %s", s->options.url, error, s->options.target->items,
         s->options.spool);
}

static void report_success(delivery_sender *s)
{
    if (s->has_failed) note(s, "%s: takes %s again", s->options.url, s->options.target->items);
    s->has_failed = false;
    memset(s->failures.text, 0, sizeof s->failures.text);
}

static void report_refusal(delivery_sender *s, uint64_t items)
{
    const char *error = s->options.target->error(s->server);
    if (is_news(&s->refused, error))
        note(s, "%s: %" PRIu64 " %s are refused, and lost: %s", s->options.url, items,
             s->options.target->items, error);
}

/* Without the mutex. A block may be NULL. */
static bool send_block(delivery_sender *s, const struct delivery_block *block)
{
    const struct delivery_target *target = s->options.target;
    s->delivery = (struct delivery){0};
    if (!s->is_prepared)
        s->is_prepared = !target->prepare || target->prepare(s->server, s->options.settings);
    bool done = s->is_prepared;
    if (done && block) {
        const char *what = (const char *)block->bytes.bytes;
        const size_t length = strlen(what) + 1;
        const struct buffer body = {.bytes = block->bytes.bytes + length,
                                    .size = block->bytes.size - length};
        done = target->send(s->server, what, &body, &s->delivery);
        s->refusals = s->delivery.is_refused ? s->refusals + 1 : 0;
        if (done && s->delivery.lost > 0) report_refusal(s, s->delivery.lost);
    }
    s->is_prepared = done;
    if (done)
        report_success(s);
    else
        report_failure(s);
    return done;
}

/* The items of a block are refused again and again though the server was prepared before each
 * attempt, or unreadable: they are not sent again. */
static void give_up(delivery_sender *s, uint64_t items)
{
    s->counts.lost += items;
    s->counts.lost_blocks++;
    s->refusals = 0;
}

/* A block of that many items was sent, or not. False: it is to be sent again. */
static bool settle(delivery_sender *s, bool done, uint64_t items, uint64_t *delay)
{
    const bool is_refused = !done && s->refusals >= s->options.target->refusals_max;
    const bool is_settled = done || is_refused;
    *delay = is_settled                ? 0
             : *delay == 0             ? FIRST_DELAY
             : *delay < LAST_DELAY / 2 ? *delay * 2
                                       : LAST_DELAY;
    const uint64_t wait = s->delivery.wait > *delay ? s->delivery.wait : *delay;
    const uint64_t lost = s->delivery.lost < items ? s->delivery.lost : items;
    s->retry = is_settled ? 0 : clock_ms() + wait;
    s->counts.failing = !done;
    if (done) s->counts.sent += items - lost;
    if (done) s->counts.lost += lost;
    if (is_refused) report_refusal(s, items), give_up(s, items);
    pthread_cond_broadcast(&s->changed);
    return is_settled;
}

/* The first block of the spool cannot be read. */
static void lose_unreadable(delivery_sender *s, uint64_t items, int error)
{
    note(s, "%s: %" PRIu64 " %s cannot be read and are lost: %s", s->options.spool, items,
         s->options.target->items, strerror(error));
    delivery_spool_remove(s->spool);
    give_up(s, items);
}

static void send_spooled(delivery_sender *s, const struct delivery_spool_state *state,
                         uint64_t *delay)
{
    pthread_mutex_unlock(&s->mutex);
    struct delivery_block *block = delivery_spool_read(s->spool, state->first, state->first_items);
    const int error = block ? 0 : errno;
    const bool done = block && send_block(s, block);
    pthread_mutex_lock(&s->mutex);
    const uint64_t items = block ? block->items : 0;
    delivery_block_free(block);
    if (error == ENOENT || error == EINVAL || error == EIO)
        lose_unreadable(s, state->first_items, error);
    else if (settle(s, done, items, delay))
        delivery_spool_remove(s->spool);
}

static void send_held(delivery_sender *s, uint64_t *delay)
{
    struct delivery_block *block = take_first(&s->held);
    const uint64_t items = block->items;
    pthread_mutex_unlock(&s->mutex);
    const bool done = send_block(s, block);
    pthread_mutex_lock(&s->mutex);
    if (settle(s, done, items, delay))
        release(s, block);
    else
        put_back(&s->held, block);
}

/* Before there are blocks: queries find the tables on all servers of a cluster. */
static void prepare_server(delivery_sender *s, uint64_t *delay)
{
    pthread_mutex_unlock(&s->mutex);
    const bool done = send_block(s, NULL);
    pthread_mutex_lock(&s->mutex);
    settle(s, done, 0, delay);
}

static void *run_sending(void *user)
{
    delivery_sender *s = user;
    uint64_t delay = 0;
    pthread_mutex_lock(&s->mutex);
    while (!s->is_ending || (s->retry == 0 && !is_cancelled(s))) {
        const struct delivery_spool_state state = delivery_spool_get_state(s->spool);
        const uint64_t spooled = state.files > 0 ? state.first : UINT64_MAX;
        const uint64_t held = s->held.first ? s->held.first->number : UINT64_MAX;
        const uint64_t lowest = spooled < held ? spooled : held;
        if (lowest == UINT64_MAX && s->moving == UINT64_MAX && s->is_ending) break;
        const bool has_none = lowest == UINT64_MAX || s->moving < lowest;
        if (has_none && s->is_prepared)
            wait_until(s, UINT64_MAX);
        else if (clock_ms() < s->retry)
            wait_until(s, s->retry);
        else if (has_none)
            prepare_server(s, &delay);
        else if (spooled < held)
            send_spooled(s, &state, &delay);
        else
            send_held(s, &delay);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* --- Spooling -------------------------------------------------------------------------------- */

/* Is there a block to be moved, and room for it? */
static bool is_to_be_moved(const delivery_sender *s)
{
    return s->held.first && (s->retry > 0 || s->held_bytes > HELD_HIGH || s->is_ending) &&
           delivery_spool_has_room(s->spool, s->held.first->bytes.size);
}

/* Moves the first block. */
static void move_block(delivery_sender *s)
{
    struct delivery_block *block = take_first(&s->held);
    s->moving = block->number;
    pthread_mutex_unlock(&s->mutex);
    const bool done = delivery_spool_write(s->spool, block);
    const int error = errno;
    pthread_mutex_lock(&s->mutex);
    s->moving = UINT64_MAX;
    if (done && delivery_spool_add(s->spool, block)) {
        s->disk_retry = 0;
        release(s, block);
        return;
    }
    if (s->disk_retry == 0)
        note(s, "%s: %s cannot be spooled: %s", s->options.spool, s->options.target->items,
             strerror(error));
    s->disk_retry = clock_ms() + DISK_DELAY;
    s->disk_error = error;
    put_back(&s->held, block);
    pthread_cond_broadcast(&s->changed);
}

static void *run_spooling(void *user)
{
    delivery_sender *s = user;
    pthread_mutex_lock(&s->mutex);
    while (!s->is_ending)
        if (!is_to_be_moved(s))
            wait_until(s, UINT64_MAX);
        else if (clock_ms() < s->disk_retry)
            wait_until(s, s->disk_retry);
        else
            move_block(s);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* --- Public ---------------------------------------------------------------------------------- */

/* Why a block of that size is lost. */
static void explain_loss(const delivery_sender *s, size_t size, char text[TEXT_SIZE])
{
    const char *spool = s->options.spool;
    if (s->disk_retry > 0)
        snprintf(text, TEXT_SIZE, "%s: %s", spool, strerror(s->disk_error));
    else if (delivery_spool_has_room(s->spool, size))
        snprintf(text, TEXT_SIZE, "writing to the spool %s is too slow", spool);
    else
        snprintf(text, TEXT_SIZE, "the spool %s is full (--spool-max)", spool);
}

/* With the mutex. The first block of a series is reported. */
static void lose(delivery_sender *s, uint64_t items, bool has_memory, size_t size)
{
    char why[TEXT_SIZE] = "out of memory";
    s->counts.lost += items;
    s->counts.lost_blocks++;
    if (s->is_losing) return;
    s->is_losing = true;
    if (has_memory) explain_loss(s, size, why);
    note(s, "%s: %s are lost: %s", s->options.url, s->options.target->items, why);
}

bool delivery_sender_put(delivery_sender *s, struct buffer *bytes, uint64_t items)
{
    struct delivery_block *block = calloc(1, sizeof *block);
    pthread_mutex_lock(&s->mutex);
    const bool has_memory = block && !bytes->failed;
    const bool fits = has_memory && s->held_bytes + bytes->size <= HELD_MAX;
    if (fits) {
        *block = (struct delivery_block){.number = s->next++, .items = items, .bytes = *bytes};
        *bytes = s->spares > 0 ? s->spare[--s->spares] : (struct buffer){0};
        append(&s->held, block);
        s->held_bytes += block->bytes.size;
        s->held_items += items;
        pthread_cond_broadcast(&s->changed);
    } else {
        lose(s, items, has_memory, bytes->size);
    }
    pthread_mutex_unlock(&s->mutex);
    if (!fits) free(block);
    return fits;
}

void delivery_sender_lose(delivery_sender *s, uint64_t items)
{
    pthread_mutex_lock(&s->mutex);
    s->counts.lost += items;
    s->counts.lost_blocks++;
    pthread_mutex_unlock(&s->mutex);
}

void delivery_sender_count(delivery_sender *s, struct delivery_counts *counts)
{
    pthread_mutex_lock(&s->mutex);
    const struct delivery_spool_state state = delivery_spool_get_state(s->spool);
    counts->sent += s->counts.sent;
    counts->lost += s->counts.lost;
    counts->lost_blocks += s->counts.lost_blocks;
    counts->waiting += s->held_items + state.items;
    counts->spooled_bytes += state.bytes;
    counts->failing += s->counts.failing;
    pthread_mutex_unlock(&s->mutex);
}

static void free_sender(delivery_sender *s)
{
    while (s->held.first)
        delivery_block_free(take_first(&s->held));
    while (s->spares > 0)
        buffer_free(&s->spare[--s->spares]);
    if (s->server) s->options.target->close(s->server);
    delivery_spool_close(s->spool);
    free(s->folder);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

static void make_locks(delivery_sender *s)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool start_threads(delivery_sender *s)
{
    if (thread_start(&s->sending, run_sending, s) != 0) return false;
    if (thread_start(&s->spooling, run_spooling, s) == 0) return true;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    atomic_store(&s->deadline, 0);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->sending, NULL);
    return false;
}

delivery_sender *delivery_sender_new(const struct delivery_options *options, char *message,
                                     size_t size)
{
    delivery_sender *s = calloc(1, sizeof *s);
    snprintf(message, size, "out of memory or threads");
    if (!s) return NULL;
    s->options = *options;
    s->options.spool = s->folder = strdup(options->spool);
    s->moving = UINT64_MAX;
    atomic_init(&s->deadline, UINT64_MAX);
    make_locks(s);
    if (s->folder) s->server = options->target->open(options->settings, is_cancelled, s);
    if (s->server)
        s->spool = delivery_spool_open(options->spool, options->spool_max, message, size);
    if (s->spool) {
        const struct delivery_spool_state state = delivery_spool_get_state(s->spool);
        s->next = state.next;
        if (state.items > 0)
            note(s, "%s: %" PRIu64 " %s of an earlier relay wait there", options->spool,
                 state.items, options->target->items);
        if (start_threads(s)) return s;
    }
    free_sender(s);
    return NULL;
}

/* What is still in memory goes to the spool, or is lost. */
static void keep_rest(delivery_sender *s)
{
    while (is_to_be_moved(s)) {
        move_block(s);
        if (s->disk_retry > 0) break;
    }
    for (const struct delivery_block *block = s->held.first; block; block = block->next)
        lose(s, block->items, true, block->bytes.size);
}

uint64_t delivery_sender_end(delivery_sender *s, uint64_t ms)
{
    const char *items = s->options.target->items;
    pthread_mutex_lock(&s->mutex);
    s->is_ending = true;
    atomic_store(&s->deadline, clock_ms() + ms);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->spooling, NULL);
    pthread_mutex_lock(&s->mutex);
    pthread_cond_broadcast(&s->changed); /* the block that was moved is in its place */
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->sending, NULL);
    pthread_mutex_lock(&s->mutex);
    keep_rest(s);
    const struct delivery_spool_state state = delivery_spool_get_state(s->spool);
    if (state.items > 0)
        note(s, "%s: %" PRIu64 " %s remain for the next relay", s->options.spool, state.items,
             items);
    const uint64_t lost = s->counts.lost;
    if (lost > 0)
        note(s, "%s: %s lost since the relay began: %" PRIu64, s->options.url, items, lost);
    pthread_mutex_unlock(&s->mutex);
    free_sender(s);
    return lost;
}
