/* schema.c — see schema.h. */
#include "clickhouse/schema.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* --- Statements ------------------------------------------------------------------------------ */

static void add_escaped(struct buffer *out, char quote, const void *text, size_t size)
{
    static const char special[] = "\n\t\r\\", letters[] = "ntr\\";
    const char *bytes = text;
    buffer_add_byte(out, (uint8_t)quote);
    for (size_t i = 0; i < size; i++) {
        const char *found = bytes[i] ? strchr(special, bytes[i]) : NULL;
        if (found || bytes[i] == 0 || bytes[i] == quote) buffer_add_byte(out, '\\');
        buffer_add_byte(out, (uint8_t)(found           ? letters[found - special]
                                       : bytes[i] == 0 ? '0'
                                                       : bytes[i]));
    }
    buffer_add_byte(out, (uint8_t)quote);
}

void clickhouse_quote(struct buffer *out, const void *bytes, size_t size)
{
    add_escaped(out, '\'', bytes, size);
}

/* Appends a text, in which $ stands for an identifier, ? for a literal, and @ for itself. */
static void add(struct buffer *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        const bool is_argument = strchr("$?@", *format);
        const char *argument = is_argument ? va_arg(arguments, const char *) : NULL;
        if (!argument)
            buffer_add_byte(out, (uint8_t)*format);
        else if (*format == '@')
            buffer_add(out, argument, strlen(argument));
        else
            add_escaped(out, *format == '$' ? '`' : '\'', argument, strlen(argument));
    }
    va_end(arguments);
}

/* The names of what a table is made of. */
struct names {
    char rows[NAME_SIZE], here[NAME_SIZE];
    const char *database, *all, *view; /* `view`: `here` with a cluster, else `all` */
};

static void find_names(struct names *names, const struct clickhouse_schema *schema,
                       const char *table)
{
    snprintf(names->rows, sizeof names->rows, "%s_rows", table);
    snprintf(names->here, sizeof names->here, "%s_here", table);
    names->database = schema->database;
    names->all = table;
    names->view = schema->cluster ? names->here : table;
}

/* --- Columns --------------------------------------------------------------------------------- */

const struct clickhouse_common clickhouse_common[CLICKHOUSE_COMMON] = {
    [CLICKHOUSE_LOG] = {"log", "UUID", "the log, by its first events"},
    [CLICKHOUSE_DAY] = {"day", "Date", "when the program began: the partition"},
    [CLICKHOUSE_HOST] = {"host", "String", "where it ran, as far as that is known"},
    [CLICKHOUSE_REVISION] = {"revision", "UInt64",
                             "of rows with the same log and sequence, the "
                             "highest remains"},
    [CLICKHOUSE_SEQUENCE] = {"sequence", "UInt64",
                             "the number of the row in the table of its "
                             "log, from 0"},
};

const char *clickhouse_type_name(enum clickhouse_type type)
{
    static const char *const types[] = {
        [CLICKHOUSE_NUMBER] = "Nullable(UInt64)",
        [CLICKHOUSE_REAL] = "Nullable(Float64)",
        [CLICKHOUSE_FLAG] = "Nullable(UInt8)",
        [CLICKHOUSE_BYTES] = "Nullable(String)",
    };
    return types[type];
}

static void add_column(struct buffer *out, const struct clickhouse_column *column)
{
    add(out, "$ @ COMMENT ?", column->name, clickhouse_type_name(column->type), column->meaning);
}

void clickhouse_insert(struct buffer *out, const struct clickhouse_schema *schema,
                       const struct clickhouse_table *table, const char *format)
{
    struct names names;
    find_names(&names, schema, table->name);
    add(out, "INSERT INTO $.$ (", names.database, names.rows);
    for (size_t i = 0; i < CLICKHOUSE_COMMON; i++)
        add(out, "@$", i > 0 ? ", " : "", clickhouse_common[i].name);
    for (size_t i = 0; i < table->columns; i++)
        add(out, ", $", table->column[i].name);
    add(out, ") @", format);
}

void clickhouse_id_text(const uint8_t id[16], char text[CLICKHOUSE_ID_SIZE])
{
    for (size_t i = 0; i < 16; i++)
        text +=
            snprintf(text, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

void clickhouse_select_log(struct buffer *out, const struct clickhouse_schema *schema,
                           const char *id)
{
    add(out, "SELECT count() FROM $.logs_rows WHERE log = toUUID(?)", schema->database, id);
    buffer_add_byte(out, 0);
}

/* Day 0 is that of logs that do not say when they began. */
void clickhouse_select_old(struct buffer *out, const struct clickhouse_schema *schema,
                           uint64_t days)
{
    char number[NAME_SIZE];
    struct buffer alter = {0};
    snprintf(number, sizeof number, "%" PRIu64, days);
    add(&alter, "ALTER TABLE $.`", schema->database);
    buffer_add_byte(&alter, 0);
    out->failed |= alter.failed;
    if (!out->failed)
        add(out,
            "SELECT concat(?, table, '` DROP PARTITION \\'', partition, '\\'') FROM system.parts "
            "WHERE database = ? AND active AND endsWith(table, '_rows') AND "
            "toDate(partition) != toDate(0) AND toDate(partition) < today() - @ "
            "GROUP BY table, partition ORDER BY table, partition FORMAT TSVRaw",
            (const char *)alter.bytes, schema->database, number);
    buffer_add_byte(out, 0);
    buffer_free(&alter);
}

/* --- Tables and views ------------------------------------------------------------------------ */

static void create_rows(struct buffer *out, const struct names *names,
                        const struct clickhouse_table *table)
{
    add(out, "CREATE TABLE IF NOT EXISTS $.$ (", names->database, names->rows);
    for (size_t i = 0; i < CLICKHOUSE_COMMON; i++)
        add(out, "@$ @ COMMENT ?", i > 0 ? ", " : "", clickhouse_common[i].name,
            clickhouse_common[i].type, clickhouse_common[i].meaning);
    for (size_t i = 0; i < table->columns; i++) {
        add(out, ", ");
        add_column(out, &table->column[i]);
    }
    add(out, ") ENGINE = ReplacingMergeTree(revision) PARTITION BY day ORDER BY (log, sequence)");
}

/* Names one by one, from the columns of a table or of what the server has. */
static void begin_view(struct buffer *out, const struct names *names)
{
    add(out, "CREATE VIEW IF NOT EXISTS $.$ AS SELECT ", names->database, names->view);
    for (size_t i = 0; i < CLICKHOUSE_COMMON; i++)
        if (i != CLICKHOUSE_REVISION) add(out, "@$", i > 0 ? ", " : "", clickhouse_common[i].name);
}

static void end_view(struct buffer *out, const struct names *names)
{
    add(out, " FROM $.$ FINAL", names->database, names->rows);
}

static void create_distributed(struct buffer *out, const struct names *names,
                               const struct clickhouse_schema *schema)
{
    add(out, "CREATE TABLE IF NOT EXISTS $.$ AS $.$ ENGINE = Distributed(?, ?, ?)", names->database,
        names->all, names->database, names->here, schema->cluster, names->database, names->here);
}

void clickhouse_create_database(struct buffer *out, const struct clickhouse_schema *schema)
{
    add(out, "CREATE DATABASE IF NOT EXISTS $", schema->database);
}

void clickhouse_create_table(struct buffer *out, const struct clickhouse_schema *schema,
                             const struct clickhouse_table *table)
{
    struct names names;
    find_names(&names, schema, table->name);
    create_rows(out, &names, table);
    add(out, ";\n");
    begin_view(out, &names);
    for (size_t i = 0; i < table->columns; i++)
        add(out, ", $", table->column[i].name);
    end_view(out, &names);
    add(out, ";\n");
    if (!schema->cluster) return;
    create_distributed(out, &names, schema);
    add(out, ";\n");
}

void clickhouse_create_view(struct buffer *out, const struct clickhouse_schema *schema,
                            const char *name, const char *select)
{
    add(out, "CREATE VIEW IF NOT EXISTS $.$ AS ", schema->database, name);
    for (; *select; select++)
        if (*select == '@')
            add(out, "$.", schema->database);
        else
            buffer_add_byte(out, (uint8_t)*select);
    buffer_add_byte(out, 0);
}

/* --- What the server has --------------------------------------------------------------------- */

/* Runs the statement, and empties the buffer. */
static bool run(clickhouse_server *server, struct buffer *statement)
{
    buffer_add_byte(statement, 0);
    const bool done =
        !statement->failed && clickhouse_run(server, (const char *)statement->bytes, NULL);
    statement->size = 0;
    return done;
}

/* Asks for the columns of the table and of its views: lines of a table, a column and its type, with
 * tabs; for each table and view one with an empty column and its engine. */
static bool ask_columns(clickhouse_server *server, struct buffer *statement,
                        const struct names *names)
{
    add(statement,
        "SELECT table, name, type FROM system.columns WHERE database = ? AND table IN (?, ?, ?)"
        " UNION ALL SELECT name, '', engine FROM system.tables"
        " WHERE database = ? AND name IN (?, ?, ?) FORMAT TabSeparated",
        names->database, names->rows, names->here, names->all, names->database, names->rows,
        names->here, names->all);
    return run(server, statement);
}

/* A line of the answer. */
struct line {
    const char *table, *column, *type;
    size_t table_length, column_length, type_length;
};

static bool next_line(const char **rest, struct line *line)
{
    if (!**rest) return false;
    line->table = *rest;
    line->table_length = strcspn(line->table, "\t\n");
    line->column = line->table + line->table_length + 1;
    line->column_length = strcspn(line->column, "\t\n");
    line->type = line->column + line->column_length + 1;
    line->type_length = strcspn(line->type, "\n");
    *rest = line->type + line->type_length + (line->type[line->type_length] == '\n');
    return true;
}

static bool is(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* Has the server that column, or without a name that table? Sets *line if so. */
static bool find(const char *answer, const char *table, const char *column, size_t length,
                 struct line *line)
{
    while (next_line(&answer, line))
        if (is(line->table, line->table_length, table) && line->column_length == length &&
            memcmp(line->column, column, length) == 0)
            return true;
    return false;
}

/* Adds a column that is missing; another program may do the same. */
static bool add_missing(clickhouse_server *server, struct buffer *statement,
                        const struct names *names, const struct clickhouse_table *table)
{
    for (size_t i = 0; i < table->columns; i++) {
        const struct clickhouse_column *column = &table->column[i];
        struct line line;
        if (find(clickhouse_answer(server), names->rows, column->name, strlen(column->name), &line))
            continue;
        add(statement, "ALTER TABLE $.$ ADD COLUMN ", names->database, names->rows);
        add_column(statement, column);
        const bool added = run(server, statement);
        if (!ask_columns(server, statement, names)) return false;
        if (!added && !find(clickhouse_answer(server), names->rows, column->name,
                            strlen(column->name), &line))
            return false;
    }
    return true;
}

/* Has it, with that engine, all columns of the rows? */
static bool is_current(const char *answer, const struct names *names, const char *name,
                       const char *engine)
{
    struct line line, found;
    if (!find(answer, name, "", 0, &found) || !is(found.type, found.type_length, engine))
        return false;
    for (const char *rest = answer; next_line(&rest, &line);)
        if (is(line.table, line.table_length, names->rows) && line.column_length > 0 &&
            !is(line.column, line.column_length, clickhouse_common[CLICKHOUSE_REVISION].name) &&
            !find(answer, name, line.column, line.column_length, &found))
            return false;
    return true;
}

static bool drop(clickhouse_server *server, struct buffer *statement, const struct names *names,
                 const char *name)
{
    add(statement, "DROP TABLE IF EXISTS $.$", names->database, name);
    return run(server, statement);
}

static bool make_view(clickhouse_server *server, struct buffer *statement,
                      const struct names *names)
{
    struct buffer view = {0};
    struct line line;
    begin_view(&view, names);
    for (const char *rest = clickhouse_answer(server); next_line(&rest, &line);) {
        bool is_common = line.column_length == 0 || !is(line.table, line.table_length, names->rows);
        for (size_t i = 0; i < CLICKHOUSE_COMMON; i++)
            is_common = is_common || is(line.column, line.column_length, clickhouse_common[i].name);
        if (is_common) continue;
        buffer_add(&view, ", ", 2);
        add_escaped(&view, '`', line.column, line.column_length);
    }
    end_view(&view, names);
    const bool done = drop(server, statement, names, names->view) && run(server, &view);
    buffer_free(&view);
    return done;
}

static bool make_distributed(clickhouse_server *server, struct buffer *statement,
                             const struct names *names, const struct clickhouse_schema *schema)
{
    if (!drop(server, statement, names, names->all)) return false;
    create_distributed(statement, names, schema);
    return run(server, statement);
}

static bool make_table(clickhouse_server *server, struct buffer *statement,
                       const struct clickhouse_schema *schema, const struct clickhouse_table *table)
{
    struct names names;
    find_names(&names, schema, table->name);
    create_rows(statement, &names, table);
    struct line line;
    if (!run(server, statement) || !ask_columns(server, statement, &names) ||
        !add_missing(server, statement, &names, table))
        return false;
    /* An export without the cluster leaves what reads it as it is. */
    if (find(clickhouse_answer(server), names.here, "", 0, &line)) names.view = names.here;
    if (!is_current(clickhouse_answer(server), &names, names.view, "View") &&
        (!make_view(server, statement, &names) || !ask_columns(server, statement, &names)))
        return false;
    return !schema->cluster ||
           is_current(clickhouse_answer(server), &names, names.all, "Distributed") ||
           make_distributed(server, statement, &names, schema);
}

bool clickhouse_make_database(clickhouse_server *server, const struct clickhouse_schema *schema)
{
    struct buffer statement = {0};
    clickhouse_create_database(&statement, schema);
    const bool done = run(server, &statement);
    buffer_free(&statement);
    return done;
}

bool clickhouse_make_table(clickhouse_server *server, const struct clickhouse_schema *schema,
                           const struct clickhouse_table *table)
{
    struct buffer statement = {0};
    const bool done = make_table(server, &statement, schema, table);
    buffer_free(&statement);
    return done;
}
