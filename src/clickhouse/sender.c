/* sender.c — see sender.h.
 *
 * The oldest blocks are in the spool, the others in memory. The thread that sends takes the block
 * with the lowest number; another one moves blocks from memory to the spool. */
#include "clickhouse/sender.h"

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
    REFUSALS_MAX = 5, /* then a block that the server refuses is lost, and later ones are sent */
    SPARES = 4,
    DISK_DELAY = 1000, /* ms: before the spool is tried again */
    TEXT_SIZE = 1500,
};

struct queue {
    struct clickhouse_block *first, *last;
};

struct clickhouse_sender {
    struct clickhouse_sender_options options;
    char *folder; /* of the spool */
    clickhouse_server *server;
    clickhouse_spool *spool;
    pthread_t sending, spooling;
    bool is_prepared;
    char error[TEXT_SIZE]; /* the last one that was reported; "": the server answers */
    unsigned refusals;     /* of the block that was sent last, one after the other */

    /* What the threads share, under the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct queue held;
    size_t held_bytes;   /* also of the blocks that the threads have */
    uint64_t held_rows;  /* likewise */
    uint64_t moving;     /* the block that is moved to the spool; UINT64_MAX: none */
    uint64_t next;       /* block */
    uint64_t retry;      /* ms: the server is not tried before; 0: it answers */
    uint64_t disk_retry; /* ms: likewise the spool */
    bool is_losing, is_ending;
    struct clickhouse_counts counts; /* but for what waits */
    /* Memory of blocks that were sent, for later ones: to get it from the system costs more than to
     * fill it. */
    struct buffer spare[SPARES];
    size_t spares;
    atomic_uint_fast64_t deadline; /* ms: requests are cancelled from then on */
};

/* --- Common parts ---------------------------------------------------------------------------- */

static void note(const clickhouse_sender *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(const clickhouse_sender *s, const char *format, ...)
{
    char text[2 * TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->options.note(s->options.user_data, text);
}

/* Waits until something has changed, or that time. */
static void wait_until(clickhouse_sender *s, uint64_t ms)
{
    const struct timespec until = clock_timespec(ms);
    if (ms == UINT64_MAX)
        pthread_cond_wait(&s->changed, &s->mutex);
    else
        pthread_cond_timedwait(&s->changed, &s->mutex, &until);
}

static void append(struct queue *queue, struct clickhouse_block *block)
{
    block->next = NULL;
    if (queue->last)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
}

static void put_back(struct queue *queue, struct clickhouse_block *block)
{
    block->next = queue->first;
    queue->first = block;
    if (!queue->last) queue->last = block;
}

static struct clickhouse_block *take_first(struct queue *queue)
{
    struct clickhouse_block *block = queue->first;
    queue->first = block->next;
    if (!queue->first) queue->last = NULL;
    return block;
}

/* There is room again. A spool that is full may take and lose blocks in turns: that is one loss. */
static void note_kept(clickhouse_sender *s)
{
    if (!s->is_losing || s->held_bytes > HELD_HIGH) return;
    s->is_losing = false;
    note(s, "%s: rows are kept again; %" PRIu64 " were lost so far", s->options.url,
         s->counts.lost_rows);
}

/* A block is no longer in memory. */
static void release(clickhouse_sender *s, struct clickhouse_block *block)
{
    s->held_bytes -= block->bytes.size;
    s->held_rows -= block->rows;
    if (s->spares < SPARES) {
        s->spare[s->spares] = block->bytes;
        s->spare[s->spares++].size = 0;
        block->bytes = (struct buffer){0};
    }
    clickhouse_block_free(block);
    note_kept(s);
    pthread_cond_broadcast(&s->changed);
}

/* --- Sending --------------------------------------------------------------------------------- */

static bool is_cancelled(void *user)
{
    clickhouse_sender *s = user;
    return clock_ms() >= atomic_load(&s->deadline);
}

static void report_failure(clickhouse_sender *s)
{
    const char *error = clickhouse_error(s->server);
    if (is_cancelled(s) || strcmp(error, s->error) == 0) return;
    snprintf(s->error, sizeof s->error, "%s", error);
    note(s, "%s: %s; rows wait in %s", s->options.url, error, s->options.spool);
}

static void report_success(clickhouse_sender *s)
{
    if (s->error[0]) note(s, "%s: stores rows again", s->options.url);
    s->error[0] = 0;
}

/* Without the mutex. Makes the tables if that is not done; a block may be NULL. */
static bool send_block(clickhouse_sender *s, const struct clickhouse_block *block)
{
    if (!s->is_prepared) s->is_prepared = s->options.prepare(s->options.user_data, s->server);
    bool done = s->is_prepared;
    if (done && block) {
        const char *statement = (const char *)block->bytes.bytes;
        const size_t length = strlen(statement) + 1;
        const struct buffer rows = {.bytes = block->bytes.bytes + length,
                                    .size = block->bytes.size - length};
        done = clickhouse_run(s->server, statement, &rows);
        const bool has_refused = !done && clickhouse_has_refused(s->server);
        s->refusals = has_refused ? s->refusals + 1 : 0;
    }
    s->is_prepared = done;
    if (done)
        report_success(s);
    else
        report_failure(s);
    return done;
}

static void settle(clickhouse_sender *s, bool done, uint64_t *delay)
{
    *delay = done                      ? 0
             : *delay == 0             ? FIRST_DELAY
             : *delay < LAST_DELAY / 2 ? *delay * 2
                                       : LAST_DELAY;
    s->retry = done ? 0 : clock_ms() + *delay;
    s->counts.failing = !done;
    pthread_cond_broadcast(&s->changed);
}

/* Refused though its tables were made again before each attempt, or unreadable: not sent again. */
static void give_up(clickhouse_sender *s, uint64_t rows)
{
    s->counts.lost_rows += rows;
    s->counts.lost_blocks++;
    s->refusals = 0;
}

static bool is_refused(clickhouse_sender *s, uint64_t rows)
{
    if (s->refusals < REFUSALS_MAX) return false;
    note(s, "%s: %" PRIu64 " rows are refused, and lost: %s", s->options.url, rows,
         clickhouse_error(s->server));
    give_up(s, rows);
    return true;
}

/* The first block of the spool cannot be read. */
static void lose_unreadable(clickhouse_sender *s, uint64_t rows, int error)
{
    note(s, "%s: %" PRIu64 " rows cannot be read and are lost: %s", s->options.spool, rows,
         strerror(error));
    clickhouse_spool_remove(s->spool);
    give_up(s, rows);
}

static void send_spooled(clickhouse_sender *s, const struct clickhouse_spool_state *state,
                         uint64_t *delay)
{
    pthread_mutex_unlock(&s->mutex);
    struct clickhouse_block *block =
        clickhouse_spool_read(s->spool, state->first, state->first_rows);
    const int error = block ? 0 : errno;
    const bool done = block && send_block(s, block);
    pthread_mutex_lock(&s->mutex);
    if (done) s->counts.sent_rows += block->rows;
    if (done || (block && is_refused(s, block->rows))) clickhouse_spool_remove(s->spool);
    clickhouse_block_free(block);
    if (error == ENOENT || error == EINVAL || error == EIO)
        lose_unreadable(s, state->first_rows, error);
    else
        settle(s, done, delay);
}

static void send_held(clickhouse_sender *s, uint64_t *delay)
{
    struct clickhouse_block *block = take_first(&s->held);
    pthread_mutex_unlock(&s->mutex);
    const bool done = send_block(s, block);
    pthread_mutex_lock(&s->mutex);
    if (done) s->counts.sent_rows += block->rows;
    if (done || is_refused(s, block->rows))
        release(s, block);
    else
        put_back(&s->held, block);
    settle(s, done, delay);
}

/* Before there are rows: queries find the tables on all servers of a cluster. */
static void prepare_server(clickhouse_sender *s, uint64_t *delay)
{
    pthread_mutex_unlock(&s->mutex);
    const bool done = send_block(s, NULL);
    pthread_mutex_lock(&s->mutex);
    settle(s, done, delay);
}

static void *run_sending(void *user)
{
    clickhouse_sender *s = user;
    uint64_t delay = 0;
    pthread_mutex_lock(&s->mutex);
    while (!s->is_ending || (s->retry == 0 && !is_cancelled(s))) {
        const struct clickhouse_spool_state state = clickhouse_spool_get_state(s->spool);
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
static bool is_to_be_moved(const clickhouse_sender *s)
{
    return s->held.first && (s->retry > 0 || s->held_bytes > HELD_HIGH || s->is_ending) &&
           clickhouse_spool_has_room(s->spool, s->held.first->bytes.size);
}

/* Moves the first block. */
static void move_block(clickhouse_sender *s)
{
    struct clickhouse_block *block = take_first(&s->held);
    s->moving = block->number;
    pthread_mutex_unlock(&s->mutex);
    const bool done = clickhouse_spool_write(s->spool, block);
    const int error = errno;
    pthread_mutex_lock(&s->mutex);
    s->moving = UINT64_MAX;
    if (done && clickhouse_spool_add(s->spool, block)) {
        s->disk_retry = 0;
        release(s, block);
        return;
    }
    if (s->disk_retry == 0)
        note(s, "%s: rows cannot be spooled: %s", s->options.spool, strerror(error));
    s->disk_retry = clock_ms() + DISK_DELAY;
    put_back(&s->held, block);
    pthread_cond_broadcast(&s->changed);
}

static void *run_spooling(void *user)
{
    clickhouse_sender *s = user;
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

/* With the mutex. */
static void lose(clickhouse_sender *s, uint64_t rows)
{
    s->counts.lost_rows += rows;
    s->counts.lost_blocks++;
    if (s->is_losing) return;
    s->is_losing = true;
    note(s, "%s: rows are lost: the spool %s is full", s->options.url, s->options.spool);
}

bool clickhouse_sender_put(clickhouse_sender *s, struct buffer *bytes, uint64_t rows)
{
    struct clickhouse_block *block = calloc(1, sizeof *block);
    pthread_mutex_lock(&s->mutex);
    const bool fits = block && !bytes->failed && s->held_bytes + bytes->size <= HELD_MAX;
    if (fits) {
        *block = (struct clickhouse_block){.number = s->next++, .rows = rows, .bytes = *bytes};
        *bytes = s->spares > 0 ? s->spare[--s->spares] : (struct buffer){0};
        append(&s->held, block);
        s->held_bytes += block->bytes.size;
        s->held_rows += rows;
        pthread_cond_broadcast(&s->changed);
    } else {
        lose(s, rows);
    }
    pthread_mutex_unlock(&s->mutex);
    if (!fits) free(block);
    return fits;
}

void clickhouse_sender_lose(clickhouse_sender *s, uint64_t rows)
{
    pthread_mutex_lock(&s->mutex);
    s->counts.lost_rows += rows;
    s->counts.lost_blocks++;
    pthread_mutex_unlock(&s->mutex);
}

void clickhouse_sender_count(clickhouse_sender *s, struct clickhouse_counts *counts)
{
    pthread_mutex_lock(&s->mutex);
    const struct clickhouse_spool_state state = clickhouse_spool_get_state(s->spool);
    counts->sent_rows += s->counts.sent_rows;
    counts->lost_rows += s->counts.lost_rows;
    counts->lost_blocks += s->counts.lost_blocks;
    counts->waiting_rows += s->held_rows + state.rows;
    counts->spooled_bytes += state.bytes;
    counts->failing += s->counts.failing;
    pthread_mutex_unlock(&s->mutex);
}

static void free_sender(clickhouse_sender *s)
{
    while (s->held.first)
        clickhouse_block_free(take_first(&s->held));
    while (s->spares > 0)
        buffer_free(&s->spare[--s->spares]);
    clickhouse_server_free(s->server);
    clickhouse_spool_close(s->spool);
    free(s->folder);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

static void make_locks(clickhouse_sender *s)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool start_threads(clickhouse_sender *s)
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

clickhouse_sender *clickhouse_sender_new(const struct clickhouse_sender_options *options,
                                         char *message, size_t size)
{
    clickhouse_sender *s = calloc(1, sizeof *s);
    snprintf(message, size, "out of memory or threads");
    if (!s) return NULL;
    s->options = *options;
    s->options.spool = s->folder = strdup(options->spool);
    s->moving = UINT64_MAX;
    atomic_init(&s->deadline, UINT64_MAX);
    make_locks(s);
    const struct clickhouse_access access = {.url = options->url,
                                             .user = options->user,
                                             .password = options->password,
                                             .is_cancelled = is_cancelled,
                                             .user_data = s};
    if (s->folder) s->server = clickhouse_server_new(&access);
    if (s->server)
        s->spool = clickhouse_spool_open(options->spool, options->spool_max, message, size);
    if (s->spool) {
        const struct clickhouse_spool_state state = clickhouse_spool_get_state(s->spool);
        s->next = state.next;
        if (state.rows > 0)
            note(s, "%s: %" PRIu64 " rows of an earlier relay wait there", options->spool,
                 state.rows);
        if (start_threads(s)) return s;
    }
    free_sender(s);
    return NULL;
}

void clickhouse_sender_end(clickhouse_sender *s, uint64_t ms)
{
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
    while (is_to_be_moved(s)) {
        s->disk_retry = 0;
        move_block(s);
        if (s->disk_retry > 0) break;
    }
    for (const struct clickhouse_block *block = s->held.first; block; block = block->next)
        lose(s, block->rows);
    const struct clickhouse_spool_state state = clickhouse_spool_get_state(s->spool);
    if (state.rows > 0)
        note(s, "%s: %" PRIu64 " rows remain for the next relay", s->options.spool, state.rows);
    pthread_mutex_unlock(&s->mutex);
    free_sender(s);
}
