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
    clickhouse_sender **sender;
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

/* Makes the database and the tables: by the thread of a sender. */
static bool prepare(void *user, clickhouse_server *server)
{
    const row_store *store = user;
    const struct clickhouse_schema *schema = &store->options.schema;
    bool done = clickhouse_make_database(server, schema);
    for (size_t i = 0; i < store->tables && done; i++)
        done = clickhouse_make_table(server, schema, &store->table[i].stored);
    return done && (!store->options.has_views || clickhouse_each_view(schema, make_view, server));
}

/* --- Senders --------------------------------------------------------------------------------- */

static void pass_note(void *user, const char *text)
{
    const row_store *store = user;
    store->options.note(store->options.user_data, text);
}

/* A server has a folder in that of the spool, of its address. */
static void folder_of(char *folder, size_t size, const char *spool, const char *url)
{
    const int length = snprintf(folder, size, "%s/%s", spool, url);
    for (size_t i = strlen(spool) + 1; length > 0 && i < size && folder[i]; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-", folder[i]))
            folder[i] = '_';
}

static bool add_sender(row_store *store, const char *url, char *message, size_t size)
{
    const struct row_store_options *o = &store->options;
    char folder[4096];
    folder_of(folder, sizeof folder, o->spool, url);
    const struct clickhouse_sender_options options = {.url = url,
                                                      .user = o->user,
                                                      .password = o->password,
                                                      .spool = folder,
                                                      .spool_max = o->spool_max,
                                                      .prepare = prepare,
                                                      .note = pass_note,
                                                      .user_data = store};
    clickhouse_sender *sender = clickhouse_sender_new(&options, message, size);
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
    free(store);
}

row_store *row_store_new(const struct row_store_options *options, char *message, size_t size)
{
    row_store *store = calloc(1, sizeof *store);
    snprintf(message, size, "out of memory");
    if (!store) return NULL;
    store->options = *options;
    store->sender = calloc(options->urls + 1, sizeof(clickhouse_sender *));
    bool done = store->sender && add_tables(store);
    for (size_t i = 0; i < options->urls && done; i++)
        done = add_sender(store, options->url[i], message, size);
    if (done) return store;
    row_store_end(store, 0);
    return NULL;
}

void row_store_end(row_store *store, uint64_t ms)
{
    if (!store) return;
    const uint64_t end = clock_ms() + ms;
    for (size_t i = 0; i < store->senders; i++) {
        const uint64_t now = clock_ms();
        clickhouse_sender_end(store->sender[i], now < end ? end - now : 0);
    }
    free_store(store);
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
    clickhouse_sender *sender = store->sender[clickhouse_shard(rows->log->id, store->senders)];
    struct buffer *block = &store->block;
    buffer_add(block, table->insert.bytes, table->insert.size);
    block->failed = !clickhouse_rows_take(rows, block) || block->failed;
    const bool done = clickhouse_sender_put(sender, block, count);
    if (!done) buffer_free(block);
    return done;
}

void row_store_lose(row_store *store, uint64_t rows)
{
    clickhouse_sender_lose(store->sender[0], rows);
}

struct clickhouse_counts row_store_count(const row_store *store)
{
    struct clickhouse_counts counts = {0};
    for (size_t i = 0; i < store->senders; i++)
        clickhouse_sender_count(store->sender[i], &counts);
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
