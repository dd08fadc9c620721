/* row_store.c — see row_store.h. */
#include "relay/row_store.h"

#include "os/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row_store {
    struct row_store_options options;
    struct stored_table *table;
    size_t tables;
    delivery_sender **sender;
    struct shard *shard; /* of each sender */
    size_t senders;
    struct buffer block; /* the one that is made */
};

/* --- Tables ---------------------------------------------------------------------------------- */

static bool end_table(const row_store *store, struct stored_table *table)
{
    clickhouse_insert(&table->insert, &store->options.schema, &table->stored, "FORMAT Native");
    buffer_add_byte(&table->insert, 0);
    return !table->insert.failed;
}

static bool add_table(row_store *store, const struct query_table *table)
{
    static const struct row_writer none;
    struct stored_table *stored = &store->table[store->tables++];
    struct table_rows rows;
    if (table_rows_begin(&rows, table, store->options.has_private, &none))
        stored->column = clickhouse_columns(&rows);
    stored->table = table;
    stored->stored = (struct clickhouse_table){table->name, stored->column, rows.columns};
    table_rows_free(&rows);
    return stored->column && end_table(store, stored);
}

static bool add_tables(row_store *store)
{
    store->table = calloc(store->options.tables + 1, sizeof *store->table);
    bool done = store->table;
    for (size_t i = 0; i < store->options.tables && done; i++)
        done = add_table(store, store->options.table[i]);
    if (!done) return false;
    struct stored_table *logs = &store->table[store->tables++];
    logs->stored = clickhouse_logs;
    return end_table(store, logs);
}

static bool make_view(void *server, const char *statement)
{
    return clickhouse_run(server, statement, NULL);
}

/* The settings of a sender. */
struct shard {
    const row_store *store;
    const char *url;
};

/* Makes the database and the tables. */
static bool prepare(void *server, const void *settings)
{
    const row_store *store = ((const struct shard *)settings)->store;
    const struct clickhouse_schema *schema = &store->options.schema;
    bool done = clickhouse_make_database(server, schema);
    for (size_t i = 0; i < store->tables && done; i++)
        done = clickhouse_make_table(server, schema, &store->table[i].stored);
    return done && (!store->options.has_views || clickhouse_each_view(schema, make_view, server));
}

/* --- Senders --------------------------------------------------------------------------------- */

static void *open_server(const void *settings, bool (*is_cancelled)(void *user), void *user)
{
    const struct shard *shard = settings;
    const struct row_store_options *o = &shard->store->options;
    const struct clickhouse_access access = {.url = shard->url,
                                             .user = o->user,
                                             .password = o->password,
                                             .is_cancelled = is_cancelled,
                                             .user_data = user};
    return clickhouse_server_new(&access);
}

static void close_server(void *server)
{
    clickhouse_server_free(server);
}

/* Blocks are statements with their rows, which the tables allow to come twice (schema.h). */
static bool send_rows(void *server, const char *statement, const struct buffer *rows,
                      struct delivery *delivery)
{
    const bool done = clickhouse_run(server, statement, rows);
    delivery->is_refused = !done && clickhouse_has_refused(server);
    return done;
}

static const char *error_of(const void *server)
{
    return clickhouse_error(server);
}

static const struct delivery_target target = {.items = "rows",
                                              .refusals_max = 5,
                                              .open = open_server,
                                              .close = close_server,
                                              .prepare = prepare,
                                              .send = send_rows,
                                              .error = error_of};

static void pass_note(void *user, const char *text)
{
    const row_store *store = user;
    store->options.note(store->options.user_data, text);
}

static bool add_sender(row_store *store, const char *url, char *message, size_t size)
{
    const struct row_store_options *o = &store->options;
    char folder[4096];
    delivery_spool_folder(folder, sizeof folder, o->spool, url);
    struct shard *shard = &store->shard[store->senders];
    *shard = (struct shard){store, url};
    const struct delivery_options options = {.target = &target,
                                             .settings = shard,
                                             .url = url,
                                             .spool = folder,
                                             .spool_max = o->spool_max,
                                             .note = pass_note,
                                             .user_data = store};
    delivery_sender *sender = delivery_sender_new(&options, message, size);
    if (sender) store->sender[store->senders++] = sender;
    return sender;
}

static void free_store(row_store *store)
{
    for (size_t i = 0; store->table && i < store->tables; i++) {
        free(store->table[i].column);
        buffer_free(&store->table[i].insert);
    }
    buffer_free(&store->block);
    free(store->table);
    free(store->sender);
    free(store->shard);
    free(store);
}

row_store *row_store_new(const struct row_store_options *options, char *message, size_t size)
{
    row_store *store = calloc(1, sizeof *store);
    snprintf(message, size, "out of memory");
    if (!store) return NULL;
    store->options = *options;
    store->sender = calloc(options->urls + 1, sizeof(delivery_sender *));
    store->shard = calloc(options->urls + 1, sizeof *store->shard);
    bool done = store->sender && store->shard && add_tables(store);
    for (size_t i = 0; i < options->urls && done; i++)
        done = add_sender(store, options->url[i], message, size);
    if (done) return store;
    row_store_end(store, 0);
    return NULL;
}

uint64_t row_store_end(row_store *store, uint64_t ms)
{
    if (!store) return 0;
    const uint64_t end = clock_ms() + ms;
    uint64_t lost = 0;
    for (size_t i = 0; i < store->senders; i++) {
        const uint64_t now = clock_ms();
        lost += delivery_sender_end(store->sender[i], now < end ? end - now : 0);
    }
    free_store(store);
    return lost;
}

/* --- Rows ------------------------------------------------------------------------------------ */

const struct row_store_options *row_store_about(const row_store *store)
{
    return &store->options;
}

const struct stored_table *row_store_tables(const row_store *store, size_t *count)
{
    *count = store->tables;
    return store->table;
}

bool row_store_put(row_store *store, const struct stored_table *table, struct clickhouse_rows *rows)
{
    const uint64_t count = rows->count;
    delivery_sender *sender = store->sender[clickhouse_shard(rows->log->id, store->senders)];
    struct buffer *block = &store->block;
    buffer_add(block, table->insert.bytes, table->insert.size);
    block->failed = !clickhouse_rows_take(rows, block) || block->failed;
    const bool done = delivery_sender_put(sender, block, count);
    if (!done) buffer_free(block);
    return done;
}

void row_store_lose(row_store *store, uint64_t rows)
{
    delivery_sender_lose(store->sender[0], rows);
}

struct delivery_counts row_store_count(const row_store *store)
{
    struct delivery_counts counts = {0};
    for (size_t i = 0; i < store->senders; i++)
        delivery_sender_count(store->sender[i], &counts);
    return counts;
}

void row_store_note(const row_store *store, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pass_note((void *)(uintptr_t)store, text);
}
