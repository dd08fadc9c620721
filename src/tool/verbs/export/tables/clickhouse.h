/* clickhouse.h — the export to ClickHouse: its tables, and the rows of logs in them. */
#ifndef HECTIC_EXPORT_CLICKHOUSE_H
#define HECTIC_EXPORT_CLICKHOUSE_H

#include "clickhouse/tables.h"
#include "tool/verbs/export/tables/servers.h"
#include "tool/verbs/export/tables/table_export.h"

#include <stdatomic.h>

/* A log, and on which server it is. */
struct stored_log {
    struct clickhouse_log log;
    const char *url;           /* NULL: statements are written */
    atomic_uint_fast64_t rows; /* that were stored */
};

struct clickhouse_export {
    struct table_export tables;
    struct clickhouse_schema schema;
    struct clickhouse_access access;
    struct server_list servers;
    struct sink *sink;         /* of statements */
    struct stored_log *stored; /* of each log */
};

/* --- Tables: clickhouse_tables.c ------------------------------------------------------------- */

/* Are views exported, too? They need all tables. */
static inline bool clickhouse_has_views(const struct clickhouse_export *export)
{
    return !export->tables.settings->tables;
}

/* Makes the database, its tables and its views, on a server or by statements in the sink. False
 * after a message. */
bool clickhouse_make_on_server(struct clickhouse_export *export, const char *url);

/* Asks a server, and gives it to `take` with its answer. False after a message. By any thread. */
bool clickhouse_ask(const struct clickhouse_export *export, const char *url,
                    const struct buffer *question,
                    bool (*take)(void *user, clickhouse_server *server), void *user);

/* Drops the rows of programs that began more than `days` days ago. False after a message. */
bool clickhouse_drop_old(const struct clickhouse_export *export, const char *url, uint64_t days);
bool clickhouse_make_in_file(struct clickhouse_export *export);

/* --- Rows: clickhouse_parts.c ---------------------------------------------------------------- */

/* Its `begin` is to be set. */
struct table_target clickhouse_target(void);

#endif
