/* view_rows.c — see view_rows.h. */
#include "tool/verbs/export/tables/view_rows.h"

#include "tool/cli/message.h"

#include <stdio.h>
#include <string.h>

static bool is_private(const char *name)
{
    return strcmp(name, "pid") == 0;
}

/* A column of the same name in a table has the same type. */
static bool is_text(const struct export_tables *tables, const char *name)
{
    for (size_t i = 0; i < query_tables_count(tables->all); i++) {
        const struct query_table *table = query_tables_at(tables->all, i);
        const size_t column = table->result ? query_table_column(table, name) : SIZE_MAX;
        if (column != SIZE_MAX) return table->column[column].type == QUERY_TEXT;
    }
    return false;
}

size_t view_columns(const struct export_tables *tables, const struct query_view *view,
                    struct view_column column[QUERY_VIEW_COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; view->column[i].name; i++)
        if (tables->has_private || !is_private(view->column[i].name))
            column[count++] = (struct view_column){view->column[i].name, view->column[i].meaning,
                                                   is_text(tables, view->column[i].name)};
    return count;
}

static bool add_row(sqlite3_stmt *statement, const struct row_writer *writer, void *self)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const size_t column = (size_t)i;
        switch (sqlite3_column_type(statement, i)) {
        case SQLITE_INTEGER:
            writer->number(self, column, (uint64_t)sqlite3_column_int64(statement, i));
            break;
        case SQLITE_TEXT:
            writer->bytes(self, column, sqlite3_column_text(statement, i),
                          (size_t)sqlite3_column_bytes(statement, i));
            break;
        default: writer->null(self, column);
        }
    }
    return writer->end_row(self);
}

/* Selects the columns one by one, since the view has private ones, too. */
static sqlite3_stmt *prepare(const struct export_tables *tables, sqlite3 *database,
                             const struct query_view *view)
{
    struct view_column column[QUERY_VIEW_COLUMNS];
    const size_t columns = view_columns(tables, view, column);
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text = sqlite3_str_new(database);
    for (size_t i = 0; i < columns; i++)
        sqlite3_str_appendf(text, "%s\"%w\"", i > 0 ? ", " : "SELECT ", column[i].name);
    sqlite3_str_appendf(text, " FROM \"%w\"", view->name);
    char *query = sqlite3_str_finish(text);
    if (query) sqlite3_prepare_v2(database, query, -1, &statement, NULL);
    sqlite3_free(query);
    return statement;
}

/* Returns SQLite's code; SQLITE_ABORT: the writer stops. */
static int read_rows(const struct export_tables *tables, sqlite3 *database,
                     const struct query_view *view, const struct row_writer *writer, void *self)
{
    sqlite3_stmt *statement = prepare(tables, database, view);
    int code = SQLITE_OK;
    while (statement && code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        code = add_row(statement, writer, self) ? SQLITE_OK : SQLITE_ABORT;
    const int ended = sqlite3_finalize(statement);
    return !statement ? SQLITE_ERROR : code == SQLITE_DONE ? ended : code;
}

bool view_rows_read(struct table_export *export, size_t log, const struct query_view *view,
                    const struct row_writer *writer, void *self)
{
    const char *path = query_logs_path(export->logs.logs, log);
    const struct query_settings settings = {.logs = log_tables_one(&export->logs, path),
                                            .prefix = "",
                                            .failed = log_tables_failed,
                                            .user = &export->logs};
    const struct query_view_form form = {.has_pids = true, .is_temporary = true};
    sqlite3 *database = NULL;
    if (!settings.logs) return tool_message("out of memory"), false;
    int code = sqlite3_open(":memory:", &database);
    if (code == SQLITE_OK)
        code = query_attach(database, &settings);
    else
        query_logs_free(settings.logs);
    if (code == SQLITE_OK) code = query_add_views(database, &form);
    if (code == SQLITE_OK) code = read_rows(&export->tables, database, view, writer, self);
    if (code != SQLITE_OK && code != SQLITE_ABORT)
        tool_message("%s: %s: SQLite: %s", path, view->name, sqlite3_errmsg(database));
    sqlite3_close(database);
    return code == SQLITE_OK;
}
