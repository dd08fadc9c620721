/* tables.h — the tables of logs (query/tables.h) in ClickHouse. */
#ifndef HECTIC_SRC_CLICKHOUSE_TABLES_H
#define HECTIC_SRC_CLICKHOUSE_TABLES_H

#include "clickhouse/rows.h"
#include "query/table_rows.h"

/* The columns of a table; to be freed. NULL: out of memory. */
struct clickhouse_column *clickhouse_columns(const struct table_rows *rows);

/* One row for each log whose rows are all stored. */
enum { LOGS_PATH, LOGS_EVENTS, LOGS_COLUMNS };
extern const struct clickhouse_table clickhouse_logs;
void clickhouse_add_log(struct clickhouse_rows *rows, const char *path, uint64_t events);

/* Its `self` is a struct clickhouse_rows, or begins with one. */
extern const struct row_writer clickhouse_writer;

/* Gives the statements that make the views of query/views.h. False: `make` has
 * returned that, or out of memory. */
bool clickhouse_each_view(const struct clickhouse_schema *schema,
                          bool (*make)(void *user, const char *statement), void *user);

/* All rows of a log are on one server: which of so many, by its id. */
size_t clickhouse_shard(const uint8_t id[16], size_t servers);

#endif
