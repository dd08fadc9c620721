/* clickhouse_parts.c — the rows of logs, in INSERT statements: see clickhouse.h. */
#include "tool/verbs/export/tables/clickhouse.h"

#include "os/thread.h"
#include "tool/cli/message.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 8 << 20, /* of one INSERT */
    BATCH_ROWS = 1 << 20,
    STATEMENT_BYTES = 1 << 16, /* of one in a file */
};

struct part {
    struct clickhouse_rows rows; /* the first member: see clickhouse_writer */
    struct clickhouse_export *export;
    struct stored_log *stored;
    struct clickhouse_table table;
    struct clickhouse_column *column;
    struct buffer insert;      /* the statement that rows follow */
    clickhouse_server *server; /* NULL: a file */

    /* A batch that a thread sends, while the next one is filled. */
    pthread_t thread;
    struct buffer batch;
    size_t batch_rows;
    bool is_sending, was_sent;
};

/* --- Inserting ------------------------------------------------------------------------------- */

static const char *statement_of(const struct part *part)
{
    return (const char *)part->insert.bytes;
}

static void *send_batch(void *user)
{
    struct part *part = user;
    part->was_sent = clickhouse_run(part->server, statement_of(part), &part->batch);
    return NULL;
}

/* Waits until the batch is stored. False: it cannot be. */
static bool wait_for_batch(struct part *part)
{
    if (!part->is_sending) return true;
    pthread_join(part->thread, NULL);
    part->is_sending = false;
    if (part->was_sent) atomic_fetch_add(&part->stored->rows, part->batch_rows);
    return part->was_sent;
}

static bool begin_batch(struct part *part)
{
    part->batch.size = 0;
    part->batch_rows = part->rows.count;
    part->is_sending = clickhouse_rows_take(&part->rows, &part->batch) &&
                       thread_start(&part->thread, send_batch, part) == 0;
    return part->is_sending;
}

static bool write_statement(struct part *part)
{
    struct sink *sink = part->export->sink;
    part->batch.size = 0;
    if (!clickhouse_rows_take(&part->rows, &part->batch)) return false;
    sink_print(sink, "%s ", statement_of(part));
    sink_text(sink, (const char *)part->batch.bytes, part->batch.size);
    sink_text(sink, ";\n", 2);
    return !sink_failed(sink);
}

static bool insert(struct part *part)
{
    if (part->rows.failed || part->insert.failed) return false;
    if (part->rows.count == 0) return true;
    return part->server ? wait_for_batch(part) && begin_batch(part) : write_statement(part);
}

static bool finish(void *self)
{
    return insert(self) && wait_for_batch(self);
}

static bool end_row(void *self)
{
    struct part *part = self;
    struct clickhouse_rows *rows = &part->rows;
    clickhouse_end_row(rows);
    if (rows->size < (part->server ? BATCH_BYTES : STATEMENT_BYTES) && rows->count < BATCH_ROWS &&
        !rows->failed)
        return true;
    return !table_export_stops(&part->export->tables) && insert(part);
}

static struct row_writer part_writer(void)
{
    struct row_writer writer = clickhouse_writer;
    writer.end_row = end_row;
    return writer;
}

/* --- Parts ----------------------------------------------------------------------------------- */

static bool close_part(void *self, bool done)
{
    struct part *part = self;
    (void)done;
    wait_for_batch(part);
    buffer_free(&part->batch);
    clickhouse_rows_free(&part->rows);
    clickhouse_server_free(part->server);
    buffer_free(&part->insert);
    free(part->column);
    free(part);
    return true;
}

/* A part with these columns, which it frees. NULL after a message. */
static struct part *make_part(struct clickhouse_export *export, size_t log, const char *name,
                              struct clickhouse_column *column, size_t columns)
{
    struct part *part = calloc(1, sizeof *part);
    struct stored_log *stored = &export->stored[log];
    struct clickhouse_access access = export->access;
    if (!part || !column) return free(part), free(column), tool_message("out of memory"), NULL;
    *part = (struct part){
        .export = export, .stored = stored, .table = {name, column, columns}, .column = column};
    access.url = stored->url;
    clickhouse_rows_begin(&part->rows, &stored->log, &part->table, !stored->url);
    clickhouse_insert(&part->insert, &export->schema, &part->table,
                      stored->url ? "FORMAT Native" : "VALUES");
    buffer_add_byte(&part->insert, 0);
    if (stored->url) part->server = clickhouse_server_new(&access);
    if (!stored->url || part->server) return part;
    tool_message("out of memory");
    return close_part(part, false), NULL;
}

static void *open_part(void *user, size_t log, const struct table_rows *rows)
{
    return make_part(user, log, rows->table->name, clickhouse_columns(rows), rows->columns);
}

static void explain(const void *self)
{
    const struct part *part = self;
    if (part->rows.failed || part->insert.failed)
        tool_message("out of memory");
    else if (part->server && *clickhouse_error(part->server))
        tool_message("%s: %s: %s", part->stored->url, part->table.name,
                     clickhouse_error(part->server));
}

/* --- The rest of a log ----------------------------------------------------------------------- */

/* When the tables of a log are stored. */
static bool end_log(void *user, size_t number)
{
    struct clickhouse_export *export = user;
    struct clickhouse_column *column = calloc(LOGS_COLUMNS, sizeof *column);
    if (column) memcpy(column, clickhouse_logs.column, LOGS_COLUMNS * sizeof *column);
    struct part *part = make_part(export, number, clickhouse_logs.name, column, LOGS_COLUMNS);
    if (!part) return false;
    clickhouse_add_log(&part->rows, export->tables.name[number],
                       export->stored[number].log.revision);
    const bool done = finish(part);
    if (!done) explain(part);
    close_part(part, done);
    return done;
}

struct table_target clickhouse_target(void)
{
    return (struct table_target){
        .writer = part_writer(),
        .end = end_log,
        .open = open_part,
        .finish = finish,
        .explain = explain,
        .close = close_part,
    };
}
