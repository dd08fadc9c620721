/* row_store.h — the rows of all programs on their way to servers of ClickHouse: which tables, and
 * the senders, one for each server. In the loop's thread. */
#ifndef HECTIC_SRC_ROW_STORE_H
#define HECTIC_SRC_ROW_STORE_H

#include "clickhouse/tables.h"
#include "delivery/sender.h"

typedef struct row_store row_store;

struct row_store_options {
    struct clickhouse_schema schema;
    const char *user, *password; /* as in clickhouse_access */
    const char *const *url;      /* of each server */
    size_t urls;
    const char *host; /* where the programs run; "": not known */
    const struct query_table *const *table;
    size_t tables;
    bool has_private; /* also columns that are private */
    bool has_views;   /* make the views that need no rows of their own, too */
    const char *spool;
    uint64_t spool_max;                         /* bytes, for each server */
    void (*note)(void *user, const char *text); /* by any thread */
    void *user_data;
};

/* A table that is stored. */
struct stored_table {
    const struct query_table *table;
    struct clickhouse_table stored;
    struct buffer insert; /* the statement, NUL-terminated */
    struct clickhouse_column *column;
};

/* Call it before there are threads. The options are copied, but not what they point to. NULL: the
 * message says why. */
row_store *row_store_new(const struct row_store_options *options, char *message, size_t size);

/* Sends the rest for that time at most; then frees the store. Returns how many rows were lost since
 * its beginning. */
uint64_t row_store_end(row_store *store, uint64_t ms);

const struct row_store_options *row_store_about(const row_store *store);

/* The last one is that of logs that are complete. */
const struct stored_table *row_store_tables(const row_store *store, size_t *count);

/* Sends rows to the server of their log, whose revision they have. False: they are lost, and
 * counted. */
bool row_store_put(row_store *store, const struct stored_table *table,
                   struct clickhouse_rows *rows);

/* Counts rows of a log whose server is not known. */
void row_store_lose(row_store *store, uint64_t rows);

struct delivery_counts row_store_count(const row_store *store);

/* A diagnostic. */
void row_store_note(const row_store *store, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
