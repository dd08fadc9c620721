/* sqlite.c — the tables of logs as a database of SQLite. */
#include "tool/verbs/export/tables/chosen.h"

#include "query/views.h"
#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/files/output_file.h"
#include "tool/passes/log_tables.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Views need it. */
static const char events_by_default[] = "ev_HEAP_ALLOCATED";
static const char prefix[] = "hectic_"; /* of the tables that read logs */

struct sqlite_export {
    const struct export_settings *settings;
    struct export_tables tables;
    sqlite3 *database;
};

/* --- Statements ------------------------------------------------------------------------------ */

/* Runs the statement, and frees it. */
static bool execute(const struct sqlite_export *export, sqlite3_str *text)
{
    char *statement = sqlite3_str_finish(text);
    const int code =
        statement ? sqlite3_exec(export->database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(statement);
    return code == SQLITE_OK;
}

static const char *type_name(const struct query_column *column)
{
    static const char *const names[] = {[QUERY_INTEGER] = "INTEGER",
                                        [QUERY_REAL] = "REAL",
                                        [QUERY_TEXT] = "TEXT",
                                        [QUERY_BLOB] = "BLOB"};
    return names[column->type];
}

static bool create_table(const struct sqlite_export *export, const struct query_table *table)
{
    sqlite3_str *text = sqlite3_str_new(export->database);
    sqlite3_str_appendf(text, "CREATE TABLE \"%w\"(log TEXT", table->name);
    for (size_t i = 0; i < table->columns; i++)
        if (export_wants_column(&export->tables, &table->column[i]))
            sqlite3_str_appendf(text, ", \"%w\" %s", table->column[i].name,
                                type_name(&table->column[i]));
    sqlite3_str_appendall(text, ")");
    return execute(export, text);
}

static bool copy_rows(const struct sqlite_export *export, const struct query_table *table)
{
    sqlite3_str *text = sqlite3_str_new(export->database);
    sqlite3_str_appendf(text, "INSERT INTO \"%w\" SELECT log", table->name);
    for (size_t i = 0; i < table->columns; i++)
        if (export_wants_column(&export->tables, &table->column[i]))
            sqlite3_str_appendf(text, ", \"%w\"", table->column[i].name);
    sqlite3_str_appendf(text, " FROM \"%s%w\"", prefix, table->name);
    return execute(export, text);
}

/* On the time, and on what a row is about. */
static bool create_indices(const struct sqlite_export *export, const struct query_table *table)
{
    static const char *const names[] = {"time_ns", "start_ns", "thread"};
    bool done = true;
    for (size_t i = 0; i < sizeof names / sizeof *names && done; i++) {
        if (query_table_column(table, names[i]) == SIZE_MAX) continue;
        sqlite3_str *text = sqlite3_str_new(export->database);
        /* Tables have no such names: ev_A_B is one. */
        sqlite3_str_appendf(text, "CREATE INDEX \"%w by %s\" ON \"%w\"(\"%w\")", table->name,
                            names[i], table->name, names[i]);
        done = execute(export, text);
    }
    return done;
}

static bool describe_columns(const struct sqlite_export *export, const struct query_table *table)
{
    bool done = true;
    for (size_t i = 0; i < table->columns && done; i++) {
        const struct query_column *column = &table->column[i];
        if (!export_wants_column(&export->tables, column)) continue;
        sqlite3_str *text = sqlite3_str_new(export->database);
        sqlite3_str_appendf(text, "INSERT INTO columns_of_tables VALUES(%Q, %Q, %Q)", table->name,
                            column->name, column->meaning);
        done = execute(export, text);
    }
    return done;
}

/* --- The database ---------------------------------------------------------------------------- */

static bool write_database(struct sqlite_export *export, struct progress *progress)
{
    bool done = sqlite3_exec(export->database,
                             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
                             "CREATE TABLE columns_of_tables(table_name TEXT, column_name TEXT,"
                             " meaning TEXT)",
                             NULL, NULL, NULL) == SQLITE_OK;
    const struct query_view_form views = {.has_logs = true,
                                          .has_pids = export->settings->has_private};
    for (size_t i = 0; i < export->tables.count && done; i++) {
        const struct query_table *table = export->tables.chosen[i];
        done = create_table(export, table) && copy_rows(export, table) &&
               create_indices(export, table) && describe_columns(export, table);
        progress_update(progress, (double)(i + 1) / (double)export->tables.count);
    }
    if (done && !export->settings->tables)
        done = query_add_views(export->database, &views) == SQLITE_OK;
    return done && sqlite3_exec(export->database, "COMMIT; ANALYZE", NULL, NULL, NULL) == SQLITE_OK;
}

/* Writes the tables of the logs to the file. False after a message. */
static bool write_file(struct sqlite_export *export, struct log_tables *logs, const char *path)
{
    const struct query_settings settings = {
        .logs = logs->logs, .prefix = prefix, .failed = log_tables_failed, .user = logs};
    struct progress progress = progress_start(&export->settings->output);
    int code = sqlite3_open_v2(path, &export->database, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) {
        logs->logs = NULL; /* the connection's */
        code = query_attach(export->database, &settings);
    }
    const bool done = code == SQLITE_OK && write_database(export, &progress);
    progress_end(&progress);
    if (!done && logs->code != TOOL_UNUSABLE) /* otherwise a log cannot be read */
        tool_message("%s: SQLite: %s", export->settings->output.path,
                     export->database ? sqlite3_errmsg(export->database) : sqlite3_errstr(code));
    return sqlite3_close(export->database) == SQLITE_OK && done;
}

static int write_output(struct sqlite_export *export, struct log_tables *logs)
{
    struct output_file file;
    if (!output_file_open_named(&file, export->settings->output.path)) return TOOL_UNUSABLE;
    const bool done = write_file(export, logs, file.temporary) && output_file_publish(&file, false);
    output_file_close(&file);
    return done ? TOOL_OK : TOOL_UNUSABLE;
}

int sqlite_tables(const struct export_settings *settings, int count, char **path)
{
    struct sqlite_export export = {.settings = settings};
    struct log_tables logs = {.output = &settings->output};
    if (strcmp(settings->output.path, "-") == 0) {
        tool_usage_error("--format sqlite writes a file, not standard output");
        return TOOL_USAGE;
    }
    int code = export_tables_choose(&export.tables, settings, events_by_default);
    if (code == TOOL_OK && !sink_may_replace(&settings->output)) code = TOOL_UNUSABLE;
    if (code == TOOL_OK) code = log_tables_open(&logs, count, path);
    if (code == TOOL_OK) code = write_output(&export, &logs);
    code = log_tables_close(&logs, code);
    export_tables_free(&export.tables);
    return code;
}
