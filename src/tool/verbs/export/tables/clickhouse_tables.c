/* clickhouse_tables.c — the tables of the database: see clickhouse.h. */
#include "tool/verbs/export/tables/clickhouse.h"

#include "tool/cli/message.h"

#include <stdlib.h>
#include <string.h>

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
        if (table_rows_begin(&rows, tables->chosen[i], tables->has_private, &none))
            column = clickhouse_columns(&rows);
        if (!column) tool_message("out of memory");
        done = column &&
               make(export, user,
                    &(struct clickhouse_table){tables->chosen[i]->name, column, rows.columns});
        free(column);
        table_rows_free(&rows);
    }
    return done;
}

/* What the statements of views are given to. */
struct views_maker {
    struct clickhouse_export *export;
    clickhouse_server *server; /* NULL: the sink */
};

static bool print_statement(const struct clickhouse_export *export, const char *statement)
{
    sink_print(export->sink, "%s;\n", statement);
    return !sink_failed(export->sink);
}

static bool make_view(void *user, const char *statement)
{
    const struct views_maker *maker = user;
    if (!maker->server) return print_statement(maker->export, statement);
    if (clickhouse_run(maker->server, statement, NULL)) return true;
    tool_message("%s: %s", maker->export->access.url, clickhouse_error(maker->server));
    return false;
}

static bool make_views(struct clickhouse_export *export, clickhouse_server *server)
{
    return !clickhouse_has_views(export) ||
           clickhouse_each_view(&export->schema, make_view, &(struct views_maker){export, server});
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
    done = done && make_tables(export, make_on_server, server) && make_views(export, server);
    clickhouse_server_free(server);
    return done;
}

bool clickhouse_ask(const struct clickhouse_export *export, const char *url,
                    const struct buffer *question,
                    bool (*take)(void *user, clickhouse_server *server), void *user)
{
    struct clickhouse_access access = export->access;
    access.url = url;
    clickhouse_server *server = clickhouse_server_new(&access);
    const bool done = server && !question->failed &&
                      clickhouse_run(server, (const char *)question->bytes, NULL) &&
                      take(user, server);
    if (!done) tool_message("%s: %s", url, server ? clickhouse_error(server) : "out of memory");
    clickhouse_server_free(server);
    return done;
}

/* Runs the statements of an answer, a line each. */
static bool run_answer(void *user, clickhouse_server *server)
{
    char *statements = strdup(clickhouse_answer(server)), *rest = NULL;
    bool done = statements;
    (void)user;
    for (char *line = done ? strtok_r(statements, "\n", &rest) : NULL; line && done;
         line = strtok_r(NULL, "\n", &rest))
        done = clickhouse_run(server, line, NULL);
    free(statements);
    return done;
}

bool clickhouse_drop_old(const struct clickhouse_export *export, const char *url, uint64_t days)
{
    struct buffer question = {0};
    clickhouse_select_old(&question, &export->schema, days);
    const bool done = clickhouse_ask(export, url, &question, run_answer, NULL);
    buffer_free(&question);
    return done;
}

bool clickhouse_make_in_file(struct clickhouse_export *export)
{
    struct buffer statement = {0};
    clickhouse_create_database(&statement, &export->schema);
    buffer_add_byte(&statement, 0);
    if (statement.failed) tool_message("out of memory");
    const bool done = !statement.failed && print_statement(export, (const char *)statement.bytes) &&
                      make_tables(export, print_table, NULL) && make_views(export, NULL);
    buffer_free(&statement);
    return done;
}
