/* schema.h — the tables of a database of ClickHouse, as statements.
 *
 * The rows of a table T are in T_rows. The same rows may be inserted again: the last ones of a log
 * and of a number in its table replace the others, when the server merges them. T is a view in
 * which that is always so; with a cluster, T_here is that view on each server, and T reads all of
 * them. */
#ifndef HECTIC_SRC_CLICKHOUSE_SCHEMA_H
#define HECTIC_SRC_CLICKHOUSE_SCHEMA_H

#include "clickhouse/server.h"

enum clickhouse_type {
    CLICKHOUSE_NUMBER, /* UInt64 */
    CLICKHOUSE_REAL,   /* Float64 */
    CLICKHOUSE_FLAG,   /* UInt8 */
    CLICKHOUSE_BYTES,  /* String */
};

/* "Nullable(UInt64)" and so on. */
const char *clickhouse_type_name(enum clickhouse_type type);

/* The columns that all tables begin with. */
enum clickhouse_common_column {
    CLICKHOUSE_LOG,
    CLICKHOUSE_DAY,
    CLICKHOUSE_HOST,
    CLICKHOUSE_REVISION,
    CLICKHOUSE_SEQUENCE,
    CLICKHOUSE_COMMON
};
struct clickhouse_common {
    const char *name, *type, *meaning;
};
extern const struct clickhouse_common clickhouse_common[CLICKHOUSE_COMMON];

/* A column whose values may be null. */
struct clickhouse_column {
    const char *name, *meaning;
    enum clickhouse_type type;
};

struct clickhouse_table {
    const char *name;
    const struct clickhouse_column *column;
    size_t columns;
};

struct clickhouse_schema {
    const char *database;
    const char *cluster; /* as the servers are configured; NULL: one server */
};

/* Which rows replace which, and what all columns of a log share. */
struct clickhouse_log {
    uint8_t id[16];
    uint16_t day;      /* since 1970: the partition */
    const char *host;  /* not copied */
    uint64_t revision; /* of rows with the same number, the highest remains */
};

/* Appends the statement that rows in that format follow. */
void clickhouse_insert(struct buffer *out, const struct clickhouse_schema *schema,
                       const struct clickhouse_table *table, const char *format);

/* Appends the statements that make the database, and that make a table with its views, which are
 * not there. */
void clickhouse_create_database(struct buffer *out, const struct clickhouse_schema *schema);
void clickhouse_create_table(struct buffer *out, const struct clickhouse_schema *schema,
                             const struct clickhouse_table *table);

/* Makes the database, and a table, or adds to it the columns that it has not; then its views.
 * False: clickhouse_error says why. */
bool clickhouse_make_database(clickhouse_server *server, const struct clickhouse_schema *schema);
bool clickhouse_make_table(clickhouse_server *server, const struct clickhouse_schema *schema,
                           const struct clickhouse_table *table);

/* The statement, NUL-terminated, that makes a view with a SELECT in which @ is the database and a
 * point. */
void clickhouse_create_view(struct buffer *out, const struct clickhouse_schema *schema,
                            const char *name, const char *select);

/* A log's id as a UUID. */
enum { CLICKHOUSE_ID_SIZE = 40 };
void clickhouse_id_text(const uint8_t id[16], char text[CLICKHOUSE_ID_SIZE]);

/* A statement, NUL-terminated, that answers how many rows the table `logs` has for that log. */
void clickhouse_select_log(struct buffer *out, const struct clickhouse_schema *schema,
                           const char *id);

/* A statement, NUL-terminated, that answers a statement in each line: they drop the partitions of
 * the server's tables whose programs began more than `days` days ago. */
void clickhouse_select_old(struct buffer *out, const struct clickhouse_schema *schema,
                           uint64_t days);

/* Appends a text as a literal, without a newline. */
void clickhouse_quote(struct buffer *out, const void *bytes, size_t size);

#endif
