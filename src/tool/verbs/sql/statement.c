/* statement.c — runs statements and prints their rows: see database.h. */
#define _GNU_SOURCE /* strcasestr */
#include "tool/verbs/sql/database.h"

#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/output/cells.h"

#include <ctype.h>
#include <hectic/server.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Errors ---------------------------------------------------------------------------------- */

/* Does the text have the word? */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strcasestr(at, word)); at++) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_') return true;
    }
    return false;
}

/* The word may be near to the name without its unit. */
static void suggest_name(const struct query_column *column, struct suggestion *suggestion)
{
    char bare[sizeof column->name];
    struct suggestion found = {.word = suggestion->word};
    snprintf(bare, sizeof bare, "%.*s", (int)query_short_length(column), column->name);
    tool_suggest(&found, column->name);
    tool_suggest(&found, bare);
    if (!found.best || (suggestion->best && suggestion->distance <= found.distance)) return;
    suggestion->best = column->name;
    suggestion->distance = found.distance;
}

/* Finds a name near to one that does not exist, among the columns of the tables that the statement
 * names. */
static void suggest_column(const struct sql_database *database, const char *sql,
                           struct suggestion *suggestion)
{
    const char *point = strrchr(suggestion->word, '.');
    if (point) suggestion->word = point + 1;
    for (size_t i = 0; i < query_tables_count(database->tables); i++) {
        const struct query_table *table = query_tables_at(database->tables, i);
        for (size_t j = 0; j < table->columns && has_word(sql, table->name); j++)
            suggest_name(&table->column[j], suggestion);
    }
}

static void suggest_table(const struct sql_database *database, struct suggestion *suggestion)
{
    for (size_t i = 0; i < query_tables_count(database->tables); i++)
        tool_suggest(suggestion, query_tables_at(database->tables, i)->name);
}

/* "at line 2, column 7": where SQLite has found the error. Empty: it is not known. */
static void print_place(char *out, size_t size, const char *sql, int offset)
{
    int line = 1, column = 1;
    *out = 0;
    if (offset < 0) return;
    for (int i = 0; i < offset && sql[i]; i++) {
        column = sql[i] == '\n' ? 1 : column + ((sql[i] & 0xc0) != 0x80);
        line += sql[i] == '\n';
    }
    snprintf(out, size, " at line %d, column %d", line, column);
}

/* What a number with a unit is in SQL: "; did you mean time('50ms')?" */
static void print_unit(char *out, size_t size, const char *message)
{
    uint64_t value;
    char number[64];
    *out = 0;
    if (sscanf(message, "unrecognized token: \"%63[^\"]\"", number) != 1) return;
    if (time_parse(number, &value))
        snprintf(out, size, "; did you mean time('%s')?", number);
    else if (hectic_size_parse(number, &value))
        snprintf(out, size, "; did you mean %" PRIu64 "?", value);
}

/* `text`: all statements, of which one begins at `sql`. */
static int report(struct sql_database *database, const char *text, const char *sql, int code)
{
    const char *message = sqlite3_errmsg(database->sqlite);
    struct suggestion suggestion = {0};
    char place[64], unit[128];
    static const char no_column[] = "no such column: ", no_table[] = "no such table: ";
    switch (code & 0xff) {
    case SQLITE_INTERRUPT:
        if (database->is_late)
            tool_message("the query was ended after its time limit; see --time-limit");
        else
            tool_message("interrupted");
        return TOOL_UNUSABLE;
    case SQLITE_NOMEM:
        tool_message("the query needs more memory than allowed; see --memory-limit");
        return TOOL_UNUSABLE;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        tool_message("temporary files: %s; see --spool-limit, and SQLITE_TMPDIR for their folder",
                     message);
        return TOOL_UNUSABLE;
    case SQLITE_AUTH:
        tool_usage_error("only SELECT is allowed: a query reads the tables of the logs, and "
                         "nothing else (%s)",
                         message);
        return TOOL_USAGE;
    default: break;
    }
    if (database->logs.code == TOOL_UNUSABLE) return TOOL_UNUSABLE; /* a log, which was reported */
    const int offset = sqlite3_error_offset(database->sqlite);
    print_place(place, sizeof place, text, offset < 0 ? offset : offset + (int)(sql - text));
    print_unit(unit, sizeof unit, message);
    if (strncmp(message, no_column, sizeof no_column - 1) == 0) {
        suggestion.word = message + sizeof no_column - 1;
        suggest_column(database, sql, &suggestion);
    } else if (strncmp(message, no_table, sizeof no_table - 1) == 0) {
        suggestion.word = message + sizeof no_table - 1;
        suggest_table(database, &suggestion);
    }
    tool_usage_error("%s%s%s%s%s%s", message, place, suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "", unit);
    return TOOL_USAGE;
}

/* --- Columns --------------------------------------------------------------------------------- */

/* How text shows the numbers of a column. */
enum number_form { FORM_PLAIN, FORM_COUNT, FORM_NS, FORM_TIME, FORM_BYTES, FORM_SHARE, FORM_FLAG };

static enum number_form form_of_kind(hectic_column_kind kind)
{
    switch (kind) {
    case HECTIC_COLUMN_COUNT: return FORM_COUNT;
    case HECTIC_COLUMN_NS: return FORM_NS;
    case HECTIC_COLUMN_TIME: return FORM_TIME;
    case HECTIC_COLUMN_BYTES:
    case HECTIC_COLUMN_GROWTH: return FORM_BYTES;
    case HECTIC_COLUMN_SHARE: return FORM_SHARE;
    case HECTIC_COLUMN_FLAG: return FORM_FLAG;
    case HECTIC_COLUMN_TEXT:
    case HECTIC_COLUMN_NAME:
    case HECTIC_COLUMN_ID:
    case HECTIC_COLUMN_REAL: break;
    }
    return FORM_PLAIN;
}

static bool ends_with(const char *name, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length >= size && strncasecmp(name + length - size, end, size) == 0;
}

/* Of a column by its short name, in one of the tables that the statement names. */
static enum number_form form_of_column(const struct sql_database *database, const char *sql,
                                       const char *name, size_t length)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *bare = strrchr(word, '.') ? strrchr(word, '.') + 1 : word;
    for (size_t i = 0; i < query_tables_count(database->tables); i++) {
        const struct query_table *table = query_tables_at(database->tables, i);
        const size_t column =
            has_word(sql, table->name) ? query_table_column(table, bare) : SIZE_MAX;
        if (column != SIZE_MAX) return form_of_kind(table->column[column].kind);
    }
    return FORM_PLAIN;
}

/* The length of a name at the beginning, as `g.pause_ns`. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '.')
        length++;
    return length;
}

/* Skips a function that keeps the unit of its first argument. */
static bool skip_function(const char **text)
{
    static const char *const keep_unit[] = {"sum(", "min(",   "max(",
                                            "avg(", "total(", "percentile("};
    for (size_t i = 0; i < sizeof keep_unit / sizeof *keep_unit; i++) {
        const size_t length = strlen(keep_unit[i]);
        if (strncasecmp(*text, keep_unit[i], length) != 0) continue;
        *text += length;
        return true;
    }
    return false;
}

/* Of a column of a result by its heading: by the unit that ends a name, alone or in functions that
 * keep it. Other expressions may have another unit. */
static enum number_form form_of_heading(const struct sql_database *database, const char *sql,
                                        const char *heading)
{
    size_t functions = 0;
    if (strncasecmp(heading, "count(", 6) == 0 && strchr(heading, ')') &&
        strchr(heading, ')')[1] == 0)
        return FORM_COUNT;
    while (skip_function(&heading))
        functions++;
    const size_t length = name_length(heading);
    const char *after = heading + length;
    if (functions > 0 && *after == ',') after += strcspn(after, ")"); /* of percentile */
    if (length == 0 || strspn(after, ")") != functions || after[functions] != 0) return FORM_PLAIN;
    if (ends_with(heading, length, "_ns")) return FORM_NS;
    if (ends_with(heading, length, "_bytes")) return FORM_BYTES;
    if (ends_with(heading, length, "_share")) return FORM_SHARE;
    return functions > 0 ? form_of_column(database, sql, heading, length) : FORM_PLAIN;
}

/* The column of the catalogue that a column of the result is, unchanged. NULL: none. */
static const struct query_column *origin(const struct sql_database *database, sqlite3_stmt *rows,
                                         int column)
{
    const char *table = sqlite3_column_table_name(rows, column);
    const char *name = sqlite3_column_origin_name(rows, column);
    const struct query_table *found = table ? query_tables_find(database->tables, table) : NULL;
    const size_t number = found && name ? query_table_column(found, name) : SIZE_MAX;
    return number != SIZE_MAX ? &found->column[number] : NULL;
}

/* A statement with its rows. */
struct result {
    const struct sql_database *database;
    sqlite3_stmt *rows;
    int columns;
    bool is_text, is_json;
    struct table_column *column;
    enum number_form *form;
    struct cell *cell;
    char (*number)[CELL_ROOM];
    char **buffer; /* of each column: a value that is printed in another form */
    char **key;    /* of each column: its name, if an earlier one has it, too; or NULL */
    struct table *table;
};

/* Columns that say which log, section or process are left out of text if they say nothing. */
static unsigned show_of(const struct query_column *column, int columns)
{
    static const char *const optional[] = {"section", "process", "pid"};
    for (size_t i = 0; i < 3 && column && columns > 1; i++)
        if (strcmp(column->name, optional[i]) == 0) return OPTIONAL;
    return 0;
}

/* JSON needs different names: the second `thread` is `thread_2`. NULL: out of memory. */
static const char *unique_name(struct result *result, int column)
{
    const char *name = sqlite3_column_name(result->rows, column);
    int same = 1;
    for (int i = 0; i < column && name; i++)
        same += strcmp(sqlite3_column_name(result->rows, i), name) == 0;
    if (!name || same == 1) return name;
    if (asprintf(&result->key[column], "%s_%d", name, same) < 0) result->key[column] = NULL;
    return result->key[column];
}

static bool describe_columns(struct result *result)
{
    const size_t columns = (size_t)result->columns;
    result->column = calloc(columns + 1, sizeof *result->column);
    result->form = calloc(columns + 1, sizeof *result->form);
    result->cell = calloc(columns + 1, sizeof *result->cell);
    result->number = calloc(columns + 1, sizeof *result->number);
    result->buffer = calloc(columns + 1, sizeof *result->buffer);
    result->key = calloc(columns + 1, sizeof *result->key);
    if (!result->column || !result->form || !result->cell || !result->number || !result->buffer ||
        !result->key)
        return false;
    for (int i = 0; i < result->columns; i++) {
        const struct query_column *found = origin(result->database, result->rows, i);
        const char *name = sqlite3_column_name(result->rows, i), *key = unique_name(result, i);
        if (!name || !key) return false;
        result->column[i] = (struct table_column){.name = result->is_json ? key : name,
                                                  .title = name,
                                                  .kind = CELL_ANY,
                                                  .show = show_of(found, result->columns)};
        result->form[i] = found
                              ? form_of_kind(found->kind)
                              : form_of_heading(result->database, sqlite3_sql(result->rows), name);
        if (result->column[i].show && strcmp(found->name, "section") == 0)
            result->column[i].kind = CELL_SECTION;
    }
    return true;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* With its unit: at least 0. `whole`: the same, exactly if it is an integer. */
static void print_size(char *out, enum number_form form, double number, uint64_t whole)
{
    const struct cell cell = {.known = true, .number = whole, .share = number};
    static const enum cell_kind kinds[] = {
        [FORM_COUNT] = CELL_COUNT, [FORM_NS] = CELL_NS,       [FORM_TIME] = CELL_TIME,
        [FORM_BYTES] = CELL_BYTES, [FORM_SHARE] = CELL_SHARE, [FORM_FLAG] = CELL_FLAG};
    out[cell_print(out, kinds[form], &cell)] = 0;
}

static void print_number(const struct result *result, int column, char *out)
{
    const enum number_form form = result->is_text ? result->form[column] : FORM_PLAIN;
    const bool is_whole = sqlite3_column_type(result->rows, column) == SQLITE_INTEGER;
    const sqlite3_int64 whole = sqlite3_column_int64(result->rows, column);
    if (form == FORM_PLAIN && is_whole && whole >= 0) {
        out[hectic_render_u64((uint64_t)whole, out)] = 0;
        return;
    }
    const double number = sqlite3_column_double(result->rows, column);
    if (form != FORM_PLAIN && fabs(number) < 0x1p63 && (is_whole || form != FORM_COUNT)) {
        const double size = fabs(number);
        *out = '-';
        print_size(out + (number < 0), form, size,
                   is_whole && whole >= 0 ? (uint64_t)whole : (uint64_t)(size + 0.5));
    } else if (is_whole) {
        snprintf(out, CELL_ROOM, "%lld", whole);
    } else {
        snprintf(out, CELL_ROOM, "%s", (const char *)sqlite3_column_text(result->rows, column));
    }
}

/* A blob as a text in hexadecimal. NULL: out of memory. */
static const char *print_blob(struct result *result, int column)
{
    const unsigned char *bytes = sqlite3_column_blob(result->rows, column);
    const size_t size = (size_t)sqlite3_column_bytes(result->rows, column);
    char *text = realloc(result->buffer[column], 2 * size + 1);
    if (!text) return NULL;
    result->buffer[column] = text;
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    text[2 * size] = 0;
    return text;
}

/* A text; a NUL in it, which would end it, becomes U+FFFD. NULL: out of memory. */
static const char *print_text(struct result *result, int column)
{
    static const char replacement[] = "\uFFFD";
    const char *bytes = (const char *)sqlite3_column_text(result->rows, column);
    const size_t size = (size_t)sqlite3_column_bytes(result->rows, column);
    if (!bytes || !memchr(bytes, 0, size)) return bytes;
    char *text = realloc(result->buffer[column], 3 * size + 1), *end = text;
    if (!text) return NULL;
    result->buffer[column] = text;
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            *end++ = bytes[i];
        else
            end = (char *)memcpy(end, replacement, 3) + 3;
    *end = 0;
    return text;
}

static struct cell cell_of(struct result *result, int column)
{
    switch (sqlite3_column_type(result->rows, column)) {
    case SQLITE_NULL: return cell_unknown();
    case SQLITE_TEXT: return cell_text(print_text(result, column));
    case SQLITE_BLOB: return cell_text(print_blob(result, column));
    case SQLITE_FLOAT:
        if (!isfinite(sqlite3_column_double(result->rows, column))) return cell_unknown();
    }
    if (result->column[column].kind == CELL_SECTION)
        return cell_number((uint64_t)sqlite3_column_int64(result->rows, column));
    print_number(result, column, result->number[column]);
    return (struct cell){.known = true, .number = 1, .text = result->number[column]};
}

/* --- Statements ------------------------------------------------------------------------------ */

static void free_result(struct result *result)
{
    for (int i = 0; i < result->columns && result->buffer && result->key; i++) {
        free(result->buffer[i]);
        free(result->key[i]);
    }
    free(result->key);
    free(result->buffer);
    free(result->number);
    free(result->cell);
    free(result->form);
    free(result->column);
    table_free(result->table);
    sqlite3_finalize(result->rows);
}

static int print_rows(struct result *result, struct sink *sink, int *code)
{
    int step;
    while ((step = sqlite3_step(result->rows)) == SQLITE_ROW && !sink_failed(sink)) {
        for (int i = 0; i < result->columns; i++)
            result->cell[i] = cell_of(result, i);
        if (!table_row(result->table, sink, result->cell)) return *code = TOOL_UNUSABLE, step;
    }
    if (step == SQLITE_DONE && !table_end(result->table, sink)) *code = TOOL_UNUSABLE;
    return step;
}

static int run_statement(struct sql_database *database, const char *text, const char *sql,
                         sqlite3_stmt *rows, struct sink *sink)
{
    const struct table_settings *settings = &database->settings->table;
    struct result result = {.database = database,
                            .rows = rows,
                            .columns = sqlite3_column_count(rows),
                            .is_text = !settings->csv && !settings->json,
                            .is_json = settings->json || settings->lines};
    int code = TOOL_OK, step = SQLITE_ROW;
    sql_start_clock(database);
    if (!describe_columns(&result)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    } else if ((result.table = table_new(NULL, result.column, settings, &code))) {
        step = print_rows(&result, sink, &code);
    }
    if (step != SQLITE_DONE && step != SQLITE_ROW) code = report(database, text, sql, step);
    free_result(&result);
    return code;
}

int sql_run(struct sql_database *database, const char *text, struct sink *sink)
{
    int code = TOOL_OK;
    bool is_empty = true;
    for (const char *rest = text; *rest && code == TOOL_OK && !sink_failed(sink);) {
        sqlite3_stmt *rows = NULL;
        const char *begin = rest;
        sql_start_clock(database);
        const int prepared = sqlite3_prepare_v2(database->sqlite, begin, -1, &rows, &rest);
        if (prepared != SQLITE_OK) return report(database, text, begin, prepared);
        if (rows) code = run_statement(database, text, begin, rows, sink);
        is_empty = is_empty && !rows;
    }
    if (!is_empty) return code;
    tool_usage_error("the query is empty");
    return TOOL_USAGE;
}
