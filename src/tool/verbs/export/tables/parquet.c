/* parquet.c — the tables of logs as files of Parquet. */
#include "parquet/parquet.h"

#include "tool/cli/message.h"
#include "tool/verbs/export/tables/parquet_file.h"
#include "tool/verbs/export/tables/table_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    const struct table_export *export;
    const struct table_rows *rows;
    const char *log;
    struct parquet_file file;
    parquet_writer *writer;
};

/* --- Rows ------------------------------------------------------------------------------------ */

static void add_null(void *self, size_t column)
{
    parquet_add_null(((struct part *)self)->writer, column);
}

static void add_number(void *self, size_t column, uint64_t number)
{
    parquet_add_number(((struct part *)self)->writer, column, number);
}

static void add_real(void *self, size_t column, double real)
{
    parquet_add_real(((struct part *)self)->writer, column, real);
}

static void add_bytes(void *self, size_t column, const void *bytes, size_t size)
{
    parquet_add_bytes(((struct part *)self)->writer, column, bytes, size);
}

static bool end_row(void *self)
{
    return parquet_end_row(((struct part *)self)->writer);
}

/* --- A file ---------------------------------------------------------------------------------- */

static bool write_bytes(void *user, const void *bytes, size_t size)
{
    struct part *part = user;
    return !table_export_stops(part->export) && parquet_file_write(&part->file, bytes, size);
}

static parquet_writer *make_writer(struct part *part)
{
    static const enum parquet_type types[] = {
        [VALUE_NUMBER] = PARQUET_NUMBER, [VALUE_REAL] = PARQUET_REAL, [VALUE_FLAG] = PARQUET_FLAG,
        [VALUE_TEXT] = PARQUET_TEXT,     [VALUE_BLOB] = PARQUET_BLOB,
    };
    const struct parquet_output output = {write_bytes, part};
    const struct table_rows *rows = part->rows;
    struct parquet_column *column = calloc(rows->columns + 1, sizeof *column);
    for (size_t i = 0; column && i < rows->columns; i++)
        column[i] =
            (struct parquet_column){rows->column[i].column->name, types[rows->column[i].type]};
    parquet_writer *writer = column ? parquet_writer_new(column, rows->columns, &output) : NULL;
    free(column);
    if (!writer) tool_message("out of memory");
    return writer;
}

static bool close_part(void *self, bool done)
{
    struct part *part = self;
    const bool published = parquet_file_close(&part->file, done);
    parquet_writer_free(part->writer);
    parquet_file_free(&part->file);
    free(part);
    return published;
}

static void *open_part(void *user, size_t log, const struct table_rows *rows)
{
    const struct table_export *export = user;
    struct part *part = calloc(1, sizeof *part);
    if (!part) return tool_message("out of memory"), NULL;
    *part = (struct part){.export = export, .rows = rows, .log = export->name[log]};
    if (!parquet_file_name(&part->file, export->settings->output.path, rows->table->name,
                           part->log) ||
        !parquet_file_open(&part->file)) {
        parquet_file_free(&part->file);
        return free(part), NULL;
    }
    part->writer = make_writer(part);
    if (!part->writer) return close_part(part, false), NULL;
    return part;
}

static void explain(const void *self)
{
    const struct part *part = self;
    if (part->file.error)
        tool_message("%s: %s", part->file.path, strerror(part->file.error));
    else
        tool_message("out of memory");
}

/* --- Metadata -------------------------------------------------------------------------------- */

/* Entries of the metadata; the keys of columns are made. */
struct entries {
    struct parquet_entry *entry;
    size_t count;
    char (*key)[96];
};

static void add_entry(struct entries *entries, const char *what, const char *column,
                      const char *value)
{
    if (!value) return;
    char *key = entries->key[entries->count];
    snprintf(key, sizeof entries->key[0], "%s%s", what, column);
    entries->entry[entries->count++] = (struct parquet_entry){key, value};
}

static bool finish(void *self)
{
    const struct part *part = self;
    const struct table_rows *rows = part->rows;
    const size_t most = 3 + 2 * rows->columns;
    struct entries entries = {calloc(most, sizeof *entries.entry), 0,
                              calloc(most, sizeof *entries.key)};
    bool done = entries.entry && entries.key;
    if (done) {
        add_entry(&entries, "log", "", part->log);
        add_entry(&entries, "table", "", rows->table->name);
        add_entry(&entries, "meaning", "", rows->table->meaning);
        for (size_t i = 0; i < rows->columns; i++) {
            const struct query_column *column = rows->column[i].column;
            add_entry(&entries, "meaning.", column->name, column->meaning);
            add_entry(&entries, "unit.", column->name, query_column_unit(column));
        }
        done = parquet_finish(part->writer, entries.entry, entries.count);
    }
    free(entries.entry);
    free(entries.key);
    return done;
}

/* --- All files ------------------------------------------------------------------------------- */

/* Is nothing lost? False after a message. */
static bool may_write(const struct table_export *export)
{
    struct output_settings output = export->settings->output;
    const struct export_tables *tables = &export->tables;
    bool may = true;
    for (size_t i = 0; i < tables->count * table_export_logs(export) && may; i++) {
        struct parquet_file file;
        may = parquet_file_name(&file, export->settings->output.path,
                                tables->chosen[i % tables->count]->name,
                                export->name[i / tables->count]);
        output.path = file.path;
        may = may && sink_may_replace(&output);
        parquet_file_free(&file);
    }
    return may;
}

/* How many files may be open: where files cannot be made without a name, a signal removes only one.
 * 0 after a message. */
static size_t most_files(const struct table_export *export)
{
    struct parquet_file file;
    if (!parquet_file_name(&file, export->settings->output.path, export->tables.chosen[0]->name,
                           export->name[0]))
        return 0;
    const bool is_open = parquet_file_open(&file);
    const bool is_named = is_open && file.output.temporary;
    if (is_open) parquet_file_close(&file, false);
    parquet_file_free(&file);
    return !is_open ? 0 : is_named ? 1 : SIZE_MAX;
}

int parquet_tables(const struct export_settings *settings, int count, char **path)
{
    static const struct table_target target = {
        .writer = {add_null, add_number, add_real, add_bytes, end_row},
        .open = open_part,
        .finish = finish,
        .explain = explain,
        .close = close_part,
    };
    struct table_export export;
    int code = table_export_open(&export, settings, "events", count, path);
    const size_t threads = code == TOOL_OK && may_write(&export) ? most_files(&export) : 0;
    if (code == TOOL_OK)
        code = threads > 0 ? table_export_run(&export, &target, &export, threads) : TOOL_UNUSABLE;
    return table_export_close(&export, code);
}
