/* clickhouse_tables.c — the tables of the database: see clickhouse.h. */
#include "tool/verbs/export/tables/clickhouse.h"

#include "tool/cli/message.h"

#include <stdlib.h>

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
    [LOGS_PATH] = {"path", "where it was when it was exported", CLICKHOUSE_BYTES},
    [LOGS_EVENTS] = {"events", "its events, with block markers", CLICKHOUSE_NUMBER},
};
const struct clickhouse_table clickhouse_logs = {"logs", logs_columns, LOGS_COLUMNS};

struct clickhouse_column *clickhouse_view_columns(const struct export_tables *tables,
                                                  const struct query_view *view, size_t *count)
{
    struct view_column from[QUERY_VIEW_COLUMNS];
    struct clickhouse_column *column = calloc(QUERY_VIEW_COLUMNS, sizeof *column);
    *count = view_columns(tables, view, from);
    for (size_t i = 0; column && i < *count; i++)
        column[i] = (struct clickhouse_column){
            from[i].name, from[i].meaning, from[i].is_text ? CLICKHOUSE_BYTES : CLICKHOUSE_NUMBER};
    return column;
}

/* --- The schema ------------------------------------------------------------------------------ */

/* Makes the tables that are exported, with those of ours, by `make`. */
static bool make_tables(struct clickhouse_export *export,
                        bool (*make)(struct clickhouse_export *export, void *user,
                                     const struct clickhouse_table *table),
                        void *user)
{
    const struct export_tables *tables = &export->tables.tables;
    static const struct row_writer none;
    bool done = make(export, user, &clickhouse_logs);
    for (size_t i = 0; i < tables->count && done; i++) {
        struct table_rows rows;
        struct clickhouse_column *column = NULL;
        if (table_rows_begin(&rows, tables, tables->chosen[i], &none))
            column = clickhouse_columns(&rows);
        if (!column) tool_message("out of memory");
        done = column &&
               make(export, user,
                    &(struct clickhouse_table){tables->chosen[i]->name, column, rows.columns});
        free(column);
        table_rows_free(&rows);
    }
    size_t count;
    const struct query_view *view = query_views(&count);
    for (size_t i = 0; i < count && done && clickhouse_has_views(export); i++) {
        size_t columns;
        if (view[i].clickhouse) continue;
        struct clickhouse_column *column = clickhouse_view_columns(tables, &view[i], &columns);
        if (!column) tool_message("out of memory");
        done =
            column && make(export, user, &(struct clickhouse_table){view[i].name, column, columns});
        free(column);
    }
    return done;
}

/* Makes the other views, by `make`, which takes a statement. */
static bool make_views(struct clickhouse_export *export,
                       bool (*make)(struct clickhouse_export *export, void *user,
                                    const char *statement),
                       void *user)
{
    size_t count;
    const struct query_view *view = query_views(&count);
    struct buffer statement = {0};
    bool done = true;
    for (size_t i = 0; i < count && done && clickhouse_has_views(export); i++) {
        if (!view[i].clickhouse) continue;
        statement.size = 0;
        clickhouse_create_view(&statement, &export->schema, view[i].name, view[i].clickhouse);
        if (statement.failed) tool_message("out of memory");
        done = !statement.failed && make(export, user, (const char *)statement.bytes);
    }
    buffer_free(&statement);
    return done;
}

static bool run_on_server(struct clickhouse_export *export, void *user, const char *statement)
{
    clickhouse_server *server = user;
    if (clickhouse_run(server, statement, NULL)) return true;
    tool_message("%s: %s", export->access.url, clickhouse_error(server));
    return false;
}

static bool print_statement(struct clickhouse_export *export, void *user, const char *statement)
{
    (void)user;
    sink_print(export->sink, "%s;\n", statement);
    return !sink_failed(export->sink);
}

static bool make_on_server(struct clickhouse_export *export, void *user,
                           const struct clickhouse_table *table)
{
    clickhouse_server *server = user;
    if (clickhouse_make_table(server, &export->schema, table)) return true;
    tool_message("%s: %s: %s", export->access.url, table->name, clickhouse_error(server));
    return false;
}

static bool print_table(struct clickhouse_export *export, void *user,
                        const struct clickhouse_table *table)
{
    struct buffer statement = {0};
    (void)user;
    clickhouse_create_table(&statement, &export->schema, table);
    if (!statement.failed) sink_text(export->sink, (const char *)statement.bytes, statement.size);
    buffer_free(&statement);
    return !sink_failed(export->sink);
}

bool clickhouse_make_on_server(struct clickhouse_export *export, const char *url)
{
    export->access.url = url;
    clickhouse_server *server = clickhouse_server_new(&export->access);
    bool done = server && clickhouse_make_database(server, &export->schema);
    if (!server)
        tool_message("out of memory");
    else if (!done)
        tool_message("%s: %s", url, clickhouse_error(server));
    done = done && make_tables(export, make_on_server, server) &&
           make_views(export, run_on_server, server);
    clickhouse_server_free(server);
    return done;
}

bool clickhouse_make_in_file(struct clickhouse_export *export)
{
    struct buffer statement = {0};
    clickhouse_create_database(&statement, &export->schema);
    buffer_add_byte(&statement, 0);
    if (statement.failed) tool_message("out of memory");
    const bool done =
        !statement.failed && print_statement(export, NULL, (const char *)statement.bytes) &&
        make_tables(export, print_table, NULL) && make_views(export, print_statement, NULL);
    buffer_free(&statement);
    return done;
}
