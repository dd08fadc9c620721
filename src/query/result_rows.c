/* result_rows.c — the rows of hectic_table_read, one by one: a thread reads the log and fills
 * batches of rows, of which the query takes one while the next is filled. */
#include "query/rows.h"
#include "query/tables.h"

#include "os/clock.h"
#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ROWS = 1024,
    BATCH_TEXT = 1 << 16,
    LOOK_MS = 50 /* between looks whether it is interrupted */
};

struct batch {
    struct query_value *value; /* of a text, `number` is its place in `text` */
    uint64_t *id;              /* of each row */
    size_t rows;
    char *text;
    size_t text_used, text_size;
};

struct result_rows {
    const struct query_table *table;
    query_logs *logs;
    size_t number; /* of the log */
    hectic_log *log;
    size_t columns;
    query_columns wanted;
    struct query_equal equal[QUERY_EQUALS];
    size_t equals;

    pthread_t thread;
    atomic_bool is_stopped;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct batch batch[2];
    uint64_t taken; /* rows of the table so far, with those that are not wanted */
    size_t filling; /* which batch the thread fills; the other one is the query's */
    bool is_full;   /* the query's batch has rows that it has not taken */
    bool has_ended; /* the thread has ended */
    bool out_of_memory;
    hectic_error error;

    size_t row; /* the query's; SIZE_MAX before the first one */
    size_t rows;
};

/* --- The thread ------------------------------------------------------------------------------ */

/* Passes the batch to the query as soon as that has taken the one before. False: stop. */
static bool pass_batch(struct result_rows *rows)
{
    pthread_mutex_lock(&rows->mutex);
    while (rows->is_full && !rows->is_stopped)
        pthread_cond_wait(&rows->changed, &rows->mutex);
    rows->filling = 1 - rows->filling;
    rows->is_full = true;
    rows->batch[rows->filling].rows = 0;
    rows->batch[rows->filling].text_used = 0;
    pthread_cond_signal(&rows->changed);
    pthread_mutex_unlock(&rows->mutex);
    return !rows->is_stopped;
}

static bool keep_text(struct batch *batch, const char *text, struct query_value *value)
{
    const size_t size = strlen(text);
    if (!batch->text || batch->text_size - batch->text_used < size) {
        const size_t wanted = 2 * batch->text_size + size + BATCH_TEXT;
        char *grown = realloc(batch->text, wanted);
        if (!grown) return false;
        batch->text = grown;
        batch->text_size = wanted;
    }
    memcpy(batch->text + batch->text_used, text, size);
    *value = (struct query_value){QUERY_TEXT, size, {.number = batch->text_used}};
    batch->text_used += size;
    return true;
}

static bool keep_value(struct batch *batch, const hectic_row *row, size_t column,
                       enum query_type type, struct query_value *value)
{
    *value = (struct query_value){0};
    if (type == QUERY_TEXT) {
        const char *text = hectic_row_text(row, column);
        return !text || keep_text(batch, text, value);
    }
    if (type == QUERY_REAL ? hectic_row_real(row, column, &value->real)
                           : hectic_row_number(row, column, &value->number))
        value->type = type;
    return true;
}

static bool is_wanted(const struct result_rows *rows, const hectic_row *row)
{
    for (size_t i = 0; i < rows->equals; i++) {
        const struct query_equal *equal = &rows->equal[i];
        uint64_t number;
        const char *text = NULL;
        if (rows->table->column[equal->column].type == QUERY_TEXT) {
            text = hectic_row_text(row, equal->column);
            if (!text || strcmp(text, equal->text) != 0) return false;
        } else if (!hectic_row_number(row, equal->column, &number) || number != equal->number) {
            return false;
        }
    }
    return true;
}

static bool take_row(void *user, const hectic_row *row)
{
    struct result_rows *rows = user;
    struct batch *batch = &rows->batch[rows->filling];
    struct query_value *value = batch->value + batch->rows * rows->columns;
    if (atomic_load_explicit(&rows->is_stopped, memory_order_relaxed)) return false;
    rows->taken++;
    if (!is_wanted(rows, row)) return true;
    batch->id[batch->rows] = rows->taken;
    for (size_t i = 0; i < rows->columns; i++)
        if (query_wants(rows->wanted, i) &&
            !keep_value(batch, row, i, rows->table->column[i].type, &value[i])) {
            rows->out_of_memory = true;
            return false;
        }
    batch->rows++;
    return (batch->rows < BATCH_ROWS && batch->text_used < BATCH_TEXT) || pass_batch(rows);
}

static bool is_cancelled(void *user)
{
    return atomic_load_explicit(&((struct result_rows *)user)->is_stopped, memory_order_relaxed);
}

static void *read_log(void *user)
{
    struct result_rows *rows = user;
    const hectic_table_options options = {
        .size = sizeof options, .is_cancelled = is_cancelled, .user = rows};
    hectic_table_read(rows->log, rows->table->result, &options, take_row, rows, &rows->error);
    if (rows->out_of_memory) rows->error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (rows->batch[rows->filling].rows > 0) pass_batch(rows);
    pthread_mutex_lock(&rows->mutex);
    rows->has_ended = true;
    pthread_cond_signal(&rows->changed);
    pthread_mutex_unlock(&rows->mutex);
    return NULL;
}

/* --- The query ------------------------------------------------------------------------------- */

static void free_rows(struct result_rows *rows)
{
    for (size_t i = 0; i < 2; i++) {
        free(rows->batch[i].value);
        free(rows->batch[i].id);
        free(rows->batch[i].text);
    }
    query_log_give(rows->logs, rows->number, rows->log, true);
    free(rows);
}

static bool start(struct result_rows *rows)
{
    for (size_t i = 0; i < 2; i++) {
        rows->batch[i].value = calloc(BATCH_ROWS * rows->columns, sizeof *rows->batch[i].value);
        rows->batch[i].id = calloc(BATCH_ROWS, sizeof *rows->batch[i].id);
        if (!rows->batch[i].value || !rows->batch[i].id) return false;
    }
    pthread_mutex_init(&rows->mutex, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&rows->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (thread_start(&rows->thread, read_log, rows) == 0) return true;
    pthread_mutex_destroy(&rows->mutex);
    pthread_cond_destroy(&rows->changed);
    return false;
}

static void *open_rows(query_logs *logs, size_t number, const struct query_table *table,
                       const struct query_scan *scan, hectic_error *error)
{
    struct result_rows *rows = calloc(1, sizeof *rows);
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (!rows) return NULL;
    *rows = (struct result_rows){.table = table,
                                 .logs = logs,
                                 .number = number,
                                 .columns = table->columns,
                                 .wanted = scan->columns,
                                 .equals = scan->equals,
                                 .row = SIZE_MAX};
    memcpy(rows->equal, scan->equal, sizeof rows->equal);
    rows->log = query_log_take(logs, number, NULL, error);
    if (!rows->log) return free(rows), NULL;
    if (!start(rows)) {
        free_rows(rows);
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        return NULL;
    }
    *error = (hectic_error){0};
    return rows;
}

/* Returns the batch, and waits for the next one. False: there is none. */
static bool next_batch(struct result_rows *rows, hectic_error *error)
{
    bool is_interrupted = false;
    pthread_mutex_lock(&rows->mutex);
    if (rows->rows > 0) {
        rows->is_full = false;
        pthread_cond_signal(&rows->changed);
    }
    while (!rows->is_full && !rows->has_ended && !is_interrupted) {
        const struct timespec until = clock_timespec(clock_ms() + LOOK_MS);
        if (pthread_cond_timedwait(&rows->changed, &rows->mutex, &until) == ETIMEDOUT)
            is_interrupted = query_logs_interrupted(rows->logs, error);
    }
    rows->rows = rows->is_full ? rows->batch[1 - rows->filling].rows : 0;
    if (rows->rows == 0 && !is_interrupted) *error = rows->error;
    pthread_mutex_unlock(&rows->mutex);
    rows->row = 0;
    return rows->rows > 0;
}

static bool next_row(void *self, hectic_error *error)
{
    struct result_rows *rows = self;
    if (rows->row != SIZE_MAX && ++rows->row < rows->rows) return true;
    return next_batch(rows, error);
}

static void get_value(void *self, size_t column, struct query_value *value)
{
    const struct result_rows *rows = self;
    const struct batch *batch = &rows->batch[1 - rows->filling];
    *value = query_wants(rows->wanted, column) ? batch->value[rows->row * rows->columns + column]
                                               : (struct query_value){0};
    if (value->type == QUERY_TEXT) value->bytes = batch->text + value->number;
}

static uint64_t id_of(const void *self)
{
    const struct result_rows *rows = self;
    return rows->batch[1 - rows->filling].id[rows->row];
}

static void close_rows(void *self)
{
    struct result_rows *rows = self;
    pthread_mutex_lock(&rows->mutex);
    rows->is_stopped = true;
    pthread_cond_signal(&rows->changed);
    pthread_mutex_unlock(&rows->mutex);
    pthread_join(rows->thread, NULL);
    pthread_mutex_destroy(&rows->mutex);
    pthread_cond_destroy(&rows->changed);
    free_rows(rows);
}

const struct query_rows_kind query_result_rows = {open_rows, next_row, get_value, id_of,
                                                  close_rows};
