/* tables.c — see tables.h. */
#include "clickhouse/tables.h"

#include "query/views.h"

#include <stdlib.h>
#include <string.h>

/* --- Columns --------------------------------------------------------------------------------- */

struct clickhouse_column *clickhouse_columns(const struct table_rows *rows)
{
    static const enum clickhouse_type types[] = {
        [VALUE_NUMBER] = CLICKHOUSE_NUMBER, [VALUE_REAL] = CLICKHOUSE_REAL,
        [VALUE_FLAG] = CLICKHOUSE_FLAG,     [VALUE_TEXT] = CLICKHOUSE_BYTES,
        [VALUE_BLOB] = CLICKHOUSE_BYTES,
    };
    struct clickhouse_column *column = calloc(rows->columns + 1, sizeof *column);
    for (size_t i = 0; column && i < rows->columns; i++)
        column[i] = (struct clickhouse_column){rows->column[i].column->name,
                                               rows->column[i].column->meaning,
                                               types[rows->column[i].type]};
    return column;
}

static const struct clickhouse_column logs_columns[] = {
    [LOGS_PATH] = {"path", "where it was when it was exported; its name at a relay",
                   CLICKHOUSE_BYTES},
    [LOGS_EVENTS] = {"events", "its events, with block markers", CLICKHOUSE_NUMBER},
};
const struct clickhouse_table clickhouse_logs = {"logs", logs_columns, LOGS_COLUMNS};

void clickhouse_add_log(struct clickhouse_rows *rows, const char *path, uint64_t events)
{
    clickhouse_add_bytes(rows, LOGS_PATH, path, strlen(path));
    clickhouse_add_number(rows, LOGS_EVENTS, events);
    clickhouse_end_row(rows);
}

/* --- Values ---------------------------------------------------------------------------------- */

static void add_null(void *self, size_t column)
{
    clickhouse_add_null(self, column);
}

static void add_number(void *self, size_t column, uint64_t number)
{
    clickhouse_add_number(self, column, number);
}

static void add_real(void *self, size_t column, double real)
{
    clickhouse_add_real(self, column, real);
}

static void add_bytes(void *self, size_t column, const void *bytes, size_t size)
{
    clickhouse_add_bytes(self, column, bytes, size);
}

static bool end_row(void *self)
{
    struct clickhouse_rows *rows = self;
    clickhouse_end_row(rows);
    return !rows->failed;
}

const struct row_writer clickhouse_writer = {add_null, add_number, add_real, add_bytes, end_row};

/* --- Views and servers ----------------------------------------------------------------------- */

bool clickhouse_each_view(const struct clickhouse_schema *schema,
                          bool (*make)(void *user, const char *statement), void *user)
{
    size_t count;
    const struct query_view *view = query_views(&count);
    struct buffer statement = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        statement.size = 0;
        clickhouse_create_view(&statement, schema, view[i].name, view[i].clickhouse);
        done = !statement.failed && make(user, (const char *)statement.bytes);
    }
    buffer_free(&statement);
    return done;
}

size_t clickhouse_shard(const uint8_t id[16], size_t servers)
{
    const uint64_t last =
        (uint64_t)id[12] << 24 | (uint64_t)id[13] << 16 | (uint64_t)id[14] << 8 | id[15];
    return (size_t)(last % servers);
}
