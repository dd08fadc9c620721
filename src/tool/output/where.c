/* where.c — see where.h. The condition is the result column of a statement, whose parameters are
 * the cells: SELECT condition FROM (SELECT ?1 AS thread, …). */
#include "tool/output/where.h"

#include "query/query.h"
#include "tables/cells.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"

#include <ctype.h>
#include <hectic/server.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct where {
    const struct table_column *columns;
    const char *condition;
    sqlite3 *database;
    sqlite3_stmt *statement;
};

/* --- Numbers with units ---------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of a quoted text or name at the beginning; 0: there is none. */
static size_t quoted_length(const char *text)
{
    if (*text != '\'' && *text != '"' && *text != '`') return 0;
    const char *end = strchr(text + 1, *text);
    return end ? (size_t)(end + 1 - text) : strlen(text);
}

/* 5% is a share, unless another operand follows: 5 % 2. */
static bool is_percent(const char *after)
{
    if (*after != '%') return false;
    after++;
    after += strspn(after, " \t\n");
    return *after == 0 || *after == ')' || *after == ',' || isalpha((unsigned char)*after);
}

/* Appends the number at the beginning in the unit of its column: ns, bytes, or a share of 1.
 * Returns its length. */
static size_t append_number(sqlite3_str *out, const char *text)
{
    char number[64], unit[66];
    uint64_t value;
    const size_t digits = strspn(text, "0123456789.");
    size_t length = digits;
    while (is_word(text[length]))
        length++;
    if (is_percent(text + digits)) {
        sqlite3_str_appendf(out, "(%.*s / 100.0)", (int)digits, text);
        return digits + 1;
    }
    snprintf(number, sizeof number, "%s%.*s", *text == '.' ? "0" : "", (int)length, text);
    snprintf(unit, sizeof unit, "1%.*s", (int)(length - digits), text + digits);
    const bool has_unit = length > digits && length + 1 < sizeof number;
    if (has_unit && (time_parse(number, &value) || hectic_size_parse(number, &value)))
        sqlite3_str_appendf(out, "%llu", (unsigned long long)value);
    else if (has_unit && hectic_size_parse(unit, &value))
        sqlite3_str_appendf(out, "%!.17g", strtod(number, NULL) * (double)value); /* 0.5MB */
    else
        sqlite3_str_append(out, text, (int)length);
    return length;
}

/* 5, or .5 */
static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[*text == '.']);
}

static void append_condition(sqlite3_str *out, const char *text)
{
    bool is_inside = false; /* of a word */
    while (*text) {
        const size_t quoted = quoted_length(text);
        size_t length = quoted ? quoted : 1;
        if (!is_inside && is_number(text))
            length = append_number(out, text);
        else
            sqlite3_str_append(out, text, (int)length);
        text += length;
        is_inside = is_word(text[-1]);
    }
}

/* --- Columns --------------------------------------------------------------------------------- */

static bool is_name(const struct table_column *columns, const char *name, size_t length)
{
    for (; columns->name; columns++)
        if (strlen(columns->name) == length && strncmp(columns->name, name, length) == 0)
            return true;
    return false;
}

/* Is the column known by its name without the unit, too? */
static bool has_short_name(const struct table_column *columns, size_t number)
{
    const char *name = columns[number].name;
    const size_t length = column_bare_length(name);
    if (length == strlen(name) || is_name(columns, name, length)) return false;
    for (size_t i = 0; i < number; i++)
        if (column_bare_length(columns[i].name) == length &&
            strncmp(columns[i].name, name, length) == 0)
            return false;
    return true;
}

/* A value is compared as one of a column of its type: '0' with a number as a number. */
static const char *type_of(enum cell_kind kind)
{
    return kind_is_text(kind) ? "TEXT" : "NUMERIC";
}

static char *statement_of(const struct where *where)
{
    sqlite3_str *out = sqlite3_str_new(where->database);
    const char *separator = "";
    sqlite3_str_appendall(out, "SELECT (");
    append_condition(out, where->condition);
    sqlite3_str_appendall(out, "\n) FROM (SELECT ");
    for (size_t i = 0; where->columns[i].name; i++) {
        const char *name = where->columns[i].name;
        const char *type = type_of(where->columns[i].kind);
        if (column_is_text_only(&where->columns[i])) continue;
        sqlite3_str_appendf(out, "%sCAST(?%d AS %s) AS \"%w\"", separator, (int)i + 1, type, name);
        separator = ", ";
        if (has_short_name(where->columns, i))
            sqlite3_str_appendf(out, ", CAST(?%d AS %s) AS \"%.*w\"", (int)i + 1, type,
                                (int)column_bare_length(name), name);
    }
    sqlite3_str_appendall(out, ")");
    return sqlite3_str_finish(out);
}

static void report(const struct where *where)
{
    static const char no_column[] = "no such column: ";
    const char *message = sqlite3_errmsg(where->database);
    struct suggestion suggestion = {.word = message + sizeof no_column - 1};
    char bare[64][64];
    const bool is_column = strncmp(message, no_column, sizeof no_column - 1) == 0;
    for (size_t i = 0; i < 64 && where->columns[i].name && is_column; i++) {
        const char *name = where->columns[i].name;
        snprintf(bare[i], sizeof bare[i], "%.*s", (int)column_bare_length(name), name);
        if (!column_is_text_only(&where->columns[i])) tool_suggest(&suggestion, bare[i]);
    }
    tool_usage_error("invalid --where \"%s\": %s%s%s%s", where->condition, message,
                     suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
}

/* --- Conditions ------------------------------------------------------------------------------ */

static int authorize(void *user, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)user, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION
               ? SQLITE_OK
               : SQLITE_DENY;
}

/* One statement, without anything after it: a condition such as "1) --" would be more. */
static bool prepare(struct where *where)
{
    const char *rest = "";
    char *statement = statement_of(where);
    const int code =
        statement ? sqlite3_prepare_v2(where->database, statement, -1, &where->statement, &rest)
                  : SQLITE_NOMEM;
    const bool is_one =
        *rest == 0 && (!where->statement || sqlite3_column_count(where->statement) == 1);
    sqlite3_free(statement);
    if (code == SQLITE_OK && is_one && where->statement) return true;
    if (code == SQLITE_OK)
        tool_usage_error("invalid --where \"%s\": it must be one expression", where->condition);
    else
        report(where);
    return false;
}

struct where *where_new(const char *condition, const struct table_column *columns, int *code)
{
    struct where *where = calloc(1, sizeof *where);
    *code = TOOL_UNUSABLE;
    if (!where ||
        sqlite3_open_v2(":memory:", &where->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        tool_message("out of memory");
        return where_free(where), NULL;
    }
    if (query_add_functions(where->database, "") != SQLITE_OK)
        return tool_message("out of memory"), where_free(where), NULL;
    sqlite3_set_authorizer(where->database, authorize, NULL);
    *where =
        (struct where){.columns = columns, .condition = condition, .database = where->database};
    *code = TOOL_USAGE;
    if (!prepare(where)) return where_free(where), NULL;
    *code = TOOL_OK;
    return where;
}

void where_free(struct where *where)
{
    if (!where) return;
    sqlite3_finalize(where->statement);
    sqlite3_close(where->database);
    free(where);
}

static void bind_cell(sqlite3_stmt *statement, int place, enum cell_kind kind,
                      const struct cell *cell)
{
    if (!cell->known)
        sqlite3_bind_null(statement, place);
    else if (kind_is_text(kind))
        sqlite3_bind_text(statement, place, cell->text, -1, SQLITE_STATIC);
    else if (kind == CELL_SHARE || kind == CELL_GROWTH || kind == CELL_REAL)
        sqlite3_bind_double(statement, place, cell->share);
    else if (cell->number > INT64_MAX)
        sqlite3_bind_double(statement, place, (double)cell->number);
    else
        sqlite3_bind_int64(statement, place, (sqlite3_int64)cell->number);
}

bool where_passes(struct where *where, const struct cell *cells, bool *failed)
{
    sqlite3_reset(where->statement);
    for (size_t i = 0; where->columns[i].name; i++)
        if (!column_is_text_only(&where->columns[i]))
            bind_cell(where->statement, (int)i + 1, where->columns[i].kind, &cells[i]);
    const int step = sqlite3_step(where->statement);
    const bool passes = step == SQLITE_ROW && sqlite3_column_double(where->statement, 0) != 0;
    *failed = step != SQLITE_ROW;
    if (*failed)
        tool_message("--where \"%s\": %s", where->condition, sqlite3_errmsg(where->database));
    return passes;
}
