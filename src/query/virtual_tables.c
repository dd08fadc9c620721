/* virtual_tables.c — see query.h. */
#include "query/copies.h"
#include "query/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 16 };
static const double cost_max = 1e90;

/* What the tables of a connection share. */
struct database {
    unsigned users;
    struct query_settings settings;
    query_tables *tables;
    query_copies *copies; /* NULL: not needed so far */
    size_t cursors;
    uint64_t statements; /* how often there were no cursors */
};

/* How a table is read. */
struct plan {
    struct query_term term[TERMS_MAX];
    size_t terms;
    query_columns columns;
    bool by_type, by_name, descending, in_order;
};

struct virtual_table {
    sqlite3_vtab base;
    struct database *database;
    const struct query_table *table;
    int *short_name; /* the columns with short names */
    size_t short_names;
    struct plan **plan;
    size_t plans;
    uint64_t statement; /* the latest, and how often it has read the table */
    unsigned scans;
    uint64_t key; /* of the latest scan, for these logs: see logs_key */
    size_t key_log, key_end;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct plan *plan;
    struct query_scan scan;
    size_t log, logs_end; /* the current one, and after the last one */
    void *rows;           /* NULL: none are open */
    bool has_ended;
    unsigned scans;
    sqlite3_stmt *select; /* of a copy, for the plan; NULL: none */
    const struct plan *select_plan;
    const struct query_copy *select_copy;
    uint64_t select_terms; /* bits of the terms of the plan that it has */
    bool is_copy;          /* the rows come from there */
};

static struct virtual_table *table_of(struct cursor *cursor)
{
    return (struct virtual_table *)(void *)cursor->base.pVtab;
}

/* --- Tables ---------------------------------------------------------------------------------- */

/* The column of the table; QUERY_LOG: its log. */
static int column_of(const struct virtual_table *virtual, int number)
{
    const int columns = (int)virtual->table->columns;
    if (number <= columns) return number - 1;
    return virtual->short_name[number - columns - 1];
}

static const char *declared_type(enum query_type type)
{
    return type == QUERY_TEXT   ? "TEXT"
           : type == QUERY_REAL ? "REAL"
           : type == QUERY_BLOB ? "BLOB"
                                : "INTEGER";
}

static int declare(sqlite3 *connection, struct virtual_table *virtual)
{
    const struct query_table *table = virtual->table;
    const struct query_settings *settings = &virtual->database->settings;
    const bool is_hidden = settings->takes_path || query_logs_count(settings->logs) == 1;
    sqlite3_str *text = sqlite3_str_new(connection);
    sqlite3_str_appendf(text, "CREATE TABLE t(log TEXT%s", is_hidden ? " HIDDEN" : "");
    for (size_t i = 0; i < table->columns; i++)
        sqlite3_str_appendf(text, ",\"%w\" %s", table->column[i].name,
                            declared_type(table->column[i].type));
    for (size_t i = 0; i < virtual->short_names; i++) {
        const struct query_column *column = &table->column[virtual->short_name[i]];
        sqlite3_str_appendf(text, ",\"%.*w\" %s HIDDEN", (int)query_short_length(column),
                            column->name, declared_type(column->type));
    }
    sqlite3_str_appendall(text, ")");
    char *statement = sqlite3_str_finish(text);
    if (settings->is_declaring) *settings->is_declaring = true;
    const int code = statement ? sqlite3_declare_vtab(connection, statement) : SQLITE_NOMEM;
    if (settings->is_declaring) *settings->is_declaring = false;
    sqlite3_free(statement);
    return code;
}

/* What a module is made with. */
struct module {
    struct database *database;
    const struct query_table *table;
};

static int disconnect(sqlite3_vtab *base)
{
    struct virtual_table *virtual = (struct virtual_table *)(void *)base;
    for (size_t i = 0; i < virtual->plans; i++)
        free(virtual->plan[i]);
    free(virtual->plan);
    free(virtual->short_name);
    free(virtual);
    return SQLITE_OK;
}

static int connect(sqlite3 *connection, void *user, int argc, const char *const *argv,
                   sqlite3_vtab **made, char **message)
{
    const struct module *module = user;
    struct virtual_table *virtual = calloc(1, sizeof *virtual);
    (void)argc;
    (void)argv;
    (void)message;
    if (!virtual) return SQLITE_NOMEM;
    virtual->database = module->database;
    virtual->table = module->table;
    virtual->short_name = calloc(module->table->columns, sizeof *virtual->short_name);
    if (!virtual->short_name) return free(virtual), SQLITE_NOMEM;
    for (size_t i = 0; i < module->table->columns; i++)
        if (module->table->column[i].has_short_name)
            virtual->short_name[virtual->short_names++] = (int)i;
    const int code = declare(connection, virtual);
    if (code != SQLITE_OK) return disconnect(&virtual->base), code;
    *made = &virtual->base;
    return SQLITE_OK;
}

/* --- Plans ----------------------------------------------------------------------------------- */

static bool is_useful(unsigned char op, int column)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return true;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE: return column != QUERY_LOG;
    default: return false;
    }
}

static bool is_text(const struct query_table *table, int column)
{
    return column == QUERY_LOG || table->column[column].type == QUERY_TEXT;
}

static void choose_terms(const struct virtual_table *virtual, sqlite3_index_info *info,
                         struct plan *plan)
{
    for (int i = 0; i < info->nConstraint && plan->terms < TERMS_MAX; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (!constraint->usable || constraint->iColumn < 0) continue;
        const int column = column_of(virtual, constraint->iColumn);
        if (!is_useful(constraint->op, column)) continue;
        if (is_text(virtual->table, column) &&
            strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
            continue;
        plan->term[plan->terms++] = (struct query_term){column, constraint->op};
        info->aConstraintUsage[i].argvIndex = (int)plan->terms;
    }
}

static query_columns wanted_columns(const struct virtual_table *virtual,
                                    const sqlite3_index_info *info, const struct plan *plan)
{
    query_columns wanted = 0;
    const int columns = (int)(1 + virtual->table->columns + virtual->short_names);
    for (int i = 1; i < columns; i++)
        if (info->colUsed >> (i < 63 ? i : 63) & 1)
            wanted |= query_column_bit((size_t)column_of(virtual, i));
    for (size_t i = 0; i < plan->terms; i++)
        if (plan->term[i].column != QUERY_LOG)
            wanted |= query_column_bit((size_t)plan->term[i].column);
    return wanted;
}

/* Is the log one section? Opens it, for a query that will read all of it. */
static bool is_one_section(struct database *database)
{
    hectic_error error;
    if (query_logs_count(database->settings.logs) != 1) return false;
    hectic_log *log = query_log_take(database->settings.logs, 0, NULL, &error);
    const bool is_one = log && hectic_log_survey(log)->sections == 1;
    query_log_give(database->settings.logs, 0, log, true);
    return is_one;
}

static bool has_range(const struct plan *plan)
{
    for (size_t i = 0; i < plan->terms; i++)
        if (plan->term[i].column == EVENT_TIME) return true;
    return false;
}

/* In which order the rows of `events` are read. */
static void choose_order(const struct virtual_table *virtual, sqlite3_index_info *info,
                         struct plan *plan)
{
    static const query_columns types =
        UINT64_C(1) << EVENT_TYPE | UINT64_C(1) << EVENT_NAME | UINT64_C(1) << EVENT_CLASS;
    const struct query_table *table = virtual->table;
    if (table->result || virtual->database->settings.takes_path) return;
    const bool has_order = info->nOrderBy == 1 && info->aOrderBy[0].iColumn > 0;
    const int column = has_order ? column_of(virtual, info->aOrderBy[0].iColumn) : QUERY_LOG;
    const bool descending = has_order && info->aOrderBy[0].desc;
    const bool is_alone = query_logs_count(virtual->database->settings.logs) == 1;
    if (!table->shape && plan->columns != 0 && (plan->columns & ~types) == 0) {
        plan->by_name = column == EVENT_NAME;
        plan->by_type = !plan->by_name;
        plan->descending = descending;
        plan->in_order = is_alone && (column == EVENT_TYPE || column == EVENT_NAME);
    } else if (column == EVENT_TIME && !descending && !has_range(plan)) {
        plan->in_order = is_one_section(virtual->database);
    }
    info->orderByConsumed = plan->in_order;
}

/* Estimates for SQLite, which then reads large tables in outer loops, and looks up rows in inner
 * ones. */
static void estimate(const struct virtual_table *virtual, sqlite3_index_info *info,
                     const struct plan *plan)
{
    double rows = virtual->table->result ? 1e4 : virtual->table->shape ? 1e6 : 1e7;
    bool is_equal = false, is_range = false;
    for (size_t i = 0; i < plan->terms; i++) {
        if (plan->term[i].column == QUERY_LOG) continue;
        is_equal = is_equal || plan->term[i].op == SQLITE_INDEX_CONSTRAINT_EQ;
        is_range = is_range || plan->term[i].op != SQLITE_INDEX_CONSTRAINT_EQ;
    }
    if (is_equal) rows /= 500;
    if (is_range) rows /= 20;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = rows * 2 + 20;
}

/* Describes the plan for EXPLAIN QUERY PLAN. */
static char *describe(const struct virtual_table *virtual, const struct plan *plan)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < plan->terms; i++) {
        const unsigned char op = plan->term[i].op;
        const int column = plan->term[i].column;
        sqlite3_str_appendf(text, "%s%s%s?", i ? " " : "",
                            column == QUERY_LOG ? "log" : virtual->table->column[column].name,
                            op == SQLITE_INDEX_CONSTRAINT_EQ   ? "="
                            : op == SQLITE_INDEX_CONSTRAINT_GT ? ">"
                            : op == SQLITE_INDEX_CONSTRAINT_GE ? ">="
                            : op == SQLITE_INDEX_CONSTRAINT_LT ? "<"
                                                               : "<=");
    }
    if (plan->by_type || plan->by_name)
        sqlite3_str_appendf(text, "%scounts of types", plan->terms ? ", " : "");
    else if (plan->in_order)
        sqlite3_str_appendf(text, "%sin order of time", plan->terms ? ", " : "");
    return sqlite3_str_finish(text);
}

static bool same_plan(const struct plan *a, const struct plan *b)
{
    bool same = a->terms == b->terms && a->columns == b->columns && a->by_type == b->by_type &&
                a->by_name == b->by_name && a->descending == b->descending &&
                a->in_order == b->in_order;
    for (size_t i = 0; i < a->terms && same; i++)
        same = a->term[i].column == b->term[i].column && a->term[i].op == b->term[i].op;
    return same;
}

/* Keeps the plan, and sets its number. False: no memory. */
static bool keep_plan(struct virtual_table *virtual, const struct plan *plan, int *number)
{
    for (size_t i = 0; i < virtual->plans; i++)
        if (same_plan(virtual->plan[i], plan)) return *number = (int)i, true;
    struct plan **grown = realloc(virtual->plan, (virtual->plans + 1) * sizeof(struct plan *));
    if (grown) virtual->plan = grown;
    struct plan *kept = malloc(sizeof *kept);
    if (!grown || !kept) return free(kept), false;
    *kept = *plan;
    *number = (int)virtual->plans;
    virtual->plan[virtual->plans++] = kept;
    return true;
}

/* Does the plan lack the path of a log, which the table needs? SQLite asks for such plans, too: as
 * the part of an OR, or of another order of the tables. */
static bool lacks_path(const struct virtual_table *virtual, const struct plan *plan)
{
    bool has_path = !virtual->database->settings.takes_path;
    for (size_t i = 0; i < plan->terms; i++)
        has_path = has_path || plan->term[i].column == QUERY_LOG;
    return !has_path;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct virtual_table *virtual = (struct virtual_table *)(void *)base;
    struct plan plan = {0};
    choose_terms(virtual, info, &plan);
    plan.columns = wanted_columns(virtual, info, &plan);
    choose_order(virtual, info, &plan);
    estimate(virtual, info, &plan);
    if (lacks_path(virtual, &plan)) info->estimatedCost = cost_max; /* and `filter` refuses it */
    if (!keep_plan(virtual, &plan, &info->idxNum)) return SQLITE_NOMEM;
    info->idxStr = describe(virtual, &plan);
    info->needToFreeIdxStr = 1;
    return SQLITE_OK;
}

/* --- Reading logs ---------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
    struct database *database = ((struct virtual_table *)(void *)base)->database;
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) return SQLITE_NOMEM;
    if (database->cursors++ == 0) database->statements++;
    *made = &cursor->base;
    return SQLITE_OK;
}

static void close_rows(struct cursor *cursor)
{
    if (cursor->rows) table_of(cursor)->table->kind->close(cursor->rows);
    cursor->rows = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    table_of(cursor)->database->cursors--;
    close_rows(cursor);
    sqlite3_finalize(cursor->select);
    free(cursor);
    return SQLITE_OK;
}

/* The log cannot be read: it is left out, or the query fails. */
static int log_failed(struct cursor *cursor, const hectic_error *error)
{
    struct virtual_table *virtual = table_of(cursor);
    const struct query_settings *settings = &virtual->database->settings;
    const char *path = query_logs_path(settings->logs, cursor->log);
    char text[300];
    if (error->kind == HECTIC_NO_MEMORY) return SQLITE_NOMEM;
    if (error->kind == HECTIC_IO && error->number == EINTR) return SQLITE_INTERRUPT;
    if (settings->failed && settings->failed(settings->user, path, error)) return SQLITE_OK;
    if (error->kind < HECTIC_ERROR_KINDS)
        hectic_error_text(error, text, sizeof text);
    else
        snprintf(text, sizeof text, "it cannot be read"); /* the hook has reported why */
    sqlite3_free(virtual->base.zErrMsg);
    virtual->base.zErrMsg = sqlite3_mprintf("%s: %s", path, text);
    return SQLITE_ERROR;
}

/* Reads the next row from the logs. */
static int next_of_logs(struct cursor *cursor)
{
    const struct virtual_table *virtual = table_of(cursor);
    const struct query_rows_kind *kind = virtual->table->kind;
    while (cursor->log < cursor->logs_end) {
        hectic_error error = {0};
        if (!cursor->rows)
            cursor->rows = kind->open(virtual->database->settings.logs, cursor->log, virtual->table,
                                      &cursor->scan, &error);
        if (cursor->rows && kind->next(cursor->rows, &error)) return SQLITE_OK;
        close_rows(cursor);
        const int code = error.kind != HECTIC_OK ? log_failed(cursor, &error) : SQLITE_OK;
        if (code != SQLITE_OK) return code;
        cursor->log++;
    }
    cursor->has_ended = true;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    if (!cursor->is_copy) return next_of_logs(cursor);
    const int code = sqlite3_step(cursor->select);
    cursor->has_ended = code != SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int eof(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)(void *)base)->has_ended;
}

static uint64_t id_of(struct cursor *cursor)
{
    return (uint64_t)cursor->log << 44 ^ table_of(cursor)->table->kind->id(cursor->rows);
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    *row = cursor->is_copy
               ? sqlite3_column_int64(cursor->select, sqlite3_column_count(cursor->select) - 1)
               : (sqlite3_int64)id_of(cursor);
    return SQLITE_OK;
}

/* For SQLite, NULL is null. */
static const void *bytes_of(const struct query_value *value)
{
    return value->size > 0 ? value->bytes : "";
}

static void set_result(sqlite3_context *result, const struct query_value *value)
{
    switch (value->type) {
    case QUERY_INTEGER:
        if (value->number > INT64_MAX)
            sqlite3_result_double(result, (double)value->number);
        else
            sqlite3_result_int64(result, (sqlite3_int64)value->number);
        break;
    case QUERY_REAL: sqlite3_result_double(result, value->real); break;
    case QUERY_TEXT:
        sqlite3_result_text64(result, bytes_of(value), value->size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case QUERY_BLOB:
        sqlite3_result_blob64(result, bytes_of(value), value->size, SQLITE_TRANSIENT);
        break;
    case QUERY_NULL: break;
    }
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *result, int number)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    const struct virtual_table *virtual = table_of(cursor);
    const int wanted = column_of(virtual, number);
    if (cursor->is_copy) {
        sqlite3_result_value(result, sqlite3_column_value(cursor->select, wanted + 1));
        return SQLITE_OK;
    }
    if (wanted == QUERY_LOG) {
        sqlite3_result_text(result, query_logs_path(virtual->database->settings.logs, cursor->log),
                            -1, SQLITE_TRANSIENT);
        return SQLITE_OK;
    }
    struct query_value value;
    virtual->table->kind->get(cursor->rows, (size_t)wanted, &value);
    set_result(result, &value);
    return SQLITE_OK;
}

/* --- Copies ---------------------------------------------------------------------------------- */

static int next_to_copy(void *user, bool *is_row)
{
    struct cursor *cursor = user;
    const int code = next_of_logs(cursor);
    *is_row = !cursor->has_ended;
    return code;
}

static void bind_to_copy(void *user, sqlite3_stmt *insert, int place, int column)
{
    struct cursor *cursor = user;
    const struct virtual_table *virtual = table_of(cursor);
    struct query_value value;
    if (column == QUERY_LOG) {
        sqlite3_bind_text(insert, place,
                          query_logs_path(virtual->database->settings.logs, cursor->log), -1,
                          SQLITE_TRANSIENT);
        return;
    }
    if (column == QUERY_ID) {
        sqlite3_bind_int64(insert, place, (sqlite3_int64)id_of(cursor));
        return;
    }
    virtual->table->kind->get(cursor->rows, (size_t)column, &value);
    switch (value.type) {
    case QUERY_INTEGER:
        if (value.number > INT64_MAX)
            sqlite3_bind_double(insert, place, (double)value.number);
        else
            sqlite3_bind_int64(insert, place, (sqlite3_int64)value.number);
        break;
    case QUERY_REAL: sqlite3_bind_double(insert, place, value.real); break;
    case QUERY_TEXT:
        sqlite3_bind_text64(insert, place, bytes_of(&value), value.size, SQLITE_STATIC,
                            SQLITE_UTF8);
        break;
    case QUERY_BLOB:
        sqlite3_bind_blob64(insert, place, bytes_of(&value), value.size, SQLITE_STATIC);
        break;
    case QUERY_NULL: sqlite3_bind_null(insert, place); break;
    }
}

/* What identifies the contents of a copy, besides its table. During a statement, files count as
 * unchanged. */
static uint64_t logs_key(struct cursor *cursor, query_logs *logs)
{
    struct virtual_table *virtual = table_of(cursor);
    uint64_t version = 0;
    if (virtual->scans > 1 && virtual->key_log == cursor->log &&
        virtual->key_end == cursor->logs_end)
        return virtual->key;
    for (size_t i = cursor->log; i < cursor->logs_end; i++)
        version += query_logs_version(logs, i);
    virtual->key_log = cursor->log;
    virtual->key_end = cursor->logs_end;
    return virtual->key = version << 40 ^ (uint64_t)cursor->log << 20 ^ cursor->logs_end;
}

/* Does a join, or a subquery, read the table again and again? */
static bool is_read_again(struct cursor *cursor)
{
    struct virtual_table *virtual = table_of(cursor);
    if (virtual->statement != virtual->database->statements) virtual->scans = 0;
    virtual->statement = virtual->database->statements;
    virtual->scans++;
    cursor->scans++;
    return cursor->scans > 1 || virtual->scans > 2;
}

/* The copy of the logs that the cursor would read; made if it is worth it. */
static int find_copy(struct cursor *cursor, const struct query_copy **copy)
{
    const struct virtual_table *virtual = table_of(cursor);
    struct database *database = virtual->database;
    const bool again = is_read_again(cursor);
    const uint64_t key = logs_key(cursor, database->settings.logs);
    *copy = NULL;
    if (!database->copies && again)
        database->copies = query_copies_new(database->settings.temporary);
    if (!database->copies) return again ? SQLITE_NOMEM : SQLITE_OK;
    *copy = query_copies_find(database->copies, virtual->table, key, cursor->plan->columns);
    if (*copy || !again) return SQLITE_OK;
    const struct query_copy_source source = {next_to_copy, bind_to_copy, cursor};
    const struct query_scan scan = cursor->scan;
    cursor->scan = (struct query_scan){.columns = scan.columns, .to = UINT64_MAX};
    const int code = query_copies_make(database->copies, virtual->table, key, cursor->plan->columns,
                                       &source, copy);
    cursor->scan = scan;
    return code;
}

/* Only values of a column's own type are compared by an index: others may be converted. Texts that
 * are numbers become numbers for a column of numbers. */
static bool fits(const struct query_table *table, int column, sqlite3_value *value)
{
    if (is_text(table, column)) return sqlite3_value_type(value) == SQLITE_TEXT;
    const int type = sqlite3_value_numeric_type(value);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Nothing is equal to NULL, above or below it. */
static bool has_null(const struct plan *plan, sqlite3_value **values)
{
    for (size_t i = 0; i < plan->terms; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
    return false;
}

static int select_from_copy(struct cursor *cursor, const struct query_copy *copy,
                            sqlite3_value **values)
{
    struct virtual_table *virtual = table_of(cursor);
    const struct plan *plan = cursor->plan;
    struct query_term term[TERMS_MAX];
    sqlite3_value *fitting[TERMS_MAX];
    size_t terms = 0;
    uint64_t chosen = 0; /* bits of the plan's terms */
    for (size_t i = 0; i < plan->terms; i++) {
        if (!fits(virtual->table, plan->term[i].column, values[i])) continue;
        chosen |= UINT64_C(1) << i;
        term[terms] = plan->term[i];
        fitting[terms++] = values[i];
    }
    if (!cursor->select || cursor->select_plan != plan || cursor->select_copy != copy ||
        cursor->select_terms != chosen) {
        sqlite3_finalize(cursor->select);
        cursor->select = NULL;
        const int code = query_copies_select(virtual->database->copies, copy, term, terms,
                                             plan->in_order, &cursor->select);
        if (code != SQLITE_OK) return code;
        cursor->select_plan = plan;
        cursor->select_copy = copy;
        cursor->select_terms = chosen;
    }
    sqlite3_reset(cursor->select);
    for (size_t i = 0; i < terms; i++)
        sqlite3_bind_value(cursor->select, (int)i + 1, fitting[i]);
    cursor->is_copy = true;
    return next(&cursor->base);
}

/* --- Bounds ---------------------------------------------------------------------------------- */

/* An integer that is not below the value (above, with `up`), as far as it is in the range. */
static bool whole(sqlite3_value *value, bool up, uint64_t *number)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        const sqlite3_int64 given = sqlite3_value_int64(value);
        *number = given > 0 ? (uint64_t)given : 0;
        return true;
    }
    if (sqlite3_value_type(value) != SQLITE_FLOAT) return false;
    const double given = sqlite3_value_double(value);
    if (given >= 0x1p62) return false;
    *number = given > 0 ? (uint64_t)given + (up && given > (double)(uint64_t)given) : 0;
    return true;
}

static void bound_time(struct query_scan *scan, unsigned char op, sqlite3_value *value)
{
    const bool is_lower = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
                          op == SQLITE_INDEX_CONSTRAINT_EQ;
    const bool is_upper = op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ||
                          op == SQLITE_INDEX_CONSTRAINT_EQ;
    uint64_t time;
    if (is_lower && whole(value, false, &time) && time > scan->from) scan->from = time;
    if (is_upper && whole(value, true, &time) && time < scan->to) scan->to = time + 1;
}

static bool is_number_to(sqlite3_value *value, uint64_t last, uint64_t *number)
{
    if (sqlite3_value_type(value) != SQLITE_INTEGER || sqlite3_value_int64(value) < 0) return false;
    *number = (uint64_t)sqlite3_value_int64(value);
    return *number <= last;
}

static void bound_event(const struct query_table *table, struct query_scan *scan,
                        const struct query_term *term, sqlite3_value *value)
{
    uint64_t number;
    if (term->column == EVENT_TIME) bound_time(scan, term->op, value);
    if (term->op != SQLITE_INDEX_CONSTRAINT_EQ) return;
    if (term->column == EVENT_CAP && is_number_to(value, HECTIC_CAP_NONE - 1, &number)) {
        scan->has_cap = true;
        scan->cap = (uint16_t)number;
    } else if (term->column == EVENT_THREAD && is_number_to(value, UINT32_MAX, &number)) {
        scan->has_thread = true;
        scan->thread = (uint32_t)number;
    } else if (table->shape) {
        return;
    } else if (term->column == EVENT_TYPE && is_number_to(value, UINT16_MAX, &number)) {
        scan->has_type = true;
        scan->type = (uint16_t)number;
    } else if (term->column == EVENT_NAME && sqlite3_value_type(value) == SQLITE_TEXT) {
        const hectic_shape *shape = hectic_shape_by_name((const char *)sqlite3_value_text(value));
        scan->has_type = shape;
        scan->type = shape ? shape->number : 0;
    }
}

/* Leaves out what SQLite would leave out, before it is passed to the query. */
static void bound_result(const struct query_table *table, struct query_scan *scan,
                         const struct query_term *term, sqlite3_value *value)
{
    if (term->column == QUERY_LOG || term->op != SQLITE_INDEX_CONSTRAINT_EQ ||
        scan->equals == QUERY_EQUALS)
        return;
    struct query_equal *equal = &scan->equal[scan->equals];
    const enum query_type type = table->column[term->column].type;
    const int given = sqlite3_value_type(value);
    equal->column = (size_t)term->column;
    if (type == QUERY_TEXT && given == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        const size_t size = (size_t)sqlite3_value_bytes(value);
        if (!text || size >= sizeof equal->text || memchr(text, 0, size)) return;
        memcpy(equal->text, text, size + 1);
    } else if (type != QUERY_INTEGER || !is_number_to(value, INT64_MAX, &equal->number)) {
        return;
    }
    scan->equals++;
}

/* Which logs are read. False: none. */
static bool choose_logs(struct cursor *cursor, sqlite3_value **values)
{
    struct database *database = table_of(cursor)->database;
    query_logs *logs = database->settings.logs;
    cursor->log = 0;
    cursor->logs_end = query_logs_count(logs);
    for (size_t i = 0; i < cursor->plan->terms; i++) {
        if (cursor->plan->term[i].column != QUERY_LOG) continue;
        const char *path = (const char *)sqlite3_value_text(values[i]);
        size_t number = 0;
        if (!path) return false;
        if (database->settings.takes_path) {
            if (!query_logs_add(logs, path, &number)) return false;
        } else {
            while (number < cursor->logs_end && strcmp(query_logs_path(logs, number), path) != 0)
                number++;
            if (number == cursor->logs_end) return false;
        }
        cursor->log = number;
        cursor->logs_end = number + 1;
    }
    return true;
}

static int refuse(struct virtual_table *virtual)
{
    const char *prefix = virtual->database->settings.prefix, *name = virtual->table->name;
    sqlite3_free(virtual->base.zErrMsg);
    virtual->base.zErrMsg = sqlite3_mprintf("%s%s needs the path of a log: %s%s('Main.eventlog')",
                                            prefix, name, prefix, name);
    return SQLITE_ERROR;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *description, int argc,
                  sqlite3_value **values)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    struct virtual_table *virtual = table_of(cursor);
    const struct query_copy *copy;
    (void)description;
    (void)argc;
    close_rows(cursor);
    cursor->plan = virtual->plan[number];
    if (lacks_path(virtual, cursor->plan)) return refuse(virtual);
    cursor->scan = (struct query_scan){.columns = cursor->plan->columns,
                                       .to = UINT64_MAX,
                                       .by_type = cursor->plan->by_type,
                                       .by_name = cursor->plan->by_name,
                                       .descending = cursor->plan->descending};
    cursor->is_copy = false;
    cursor->has_ended = has_null(cursor->plan, values) || !choose_logs(cursor, values);
    if (cursor->has_ended) return SQLITE_OK;
    const int code = cursor->plan->by_type || cursor->plan->by_name ? (copy = NULL, SQLITE_OK)
                                                                    : find_copy(cursor, &copy);
    if (code != SQLITE_OK) return code;
    cursor->has_ended = false;
    if (copy) return select_from_copy(cursor, copy, values);
    for (size_t i = 0; i < cursor->plan->terms; i++)
        (virtual->table->result ? bound_result : bound_event)(virtual->table, &cursor->scan,
                                                              &cursor->plan->term[i], values[i]);
    if (cursor->scan.from >= cursor->scan.to) cursor->logs_end = cursor->log;
    return next_of_logs(cursor);
}

/* --- Modules --------------------------------------------------------------------------------- */

static const sqlite3_module virtual_tables = {
    .iVersion = 0,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = eof,
    .xColumn = column,
    .xRowid = row_id,
};

static void release(struct database *database)
{
    if (--database->users > 0) return;
    query_copies_free(database->copies);
    query_tables_free(database->tables);
    query_logs_free(database->settings.logs);
    free(database);
}

static void free_module(void *user)
{
    struct module *module = user;
    release(module->database);
    free(module);
}

int query_attach(sqlite3 *connection, const struct query_settings *settings)
{
    struct database *database = calloc(1, sizeof *database);
    if (!database) return query_logs_free(settings->logs), SQLITE_NOMEM;
    *database = (struct database){.users = 1, .settings = *settings};
    database->tables = query_tables_new();
    int code = database->tables ? query_add_functions(connection, settings->prefix) : SQLITE_NOMEM;
    for (size_t i = 0; code == SQLITE_OK && i < query_tables_count(database->tables); i++) {
        struct module *module = malloc(sizeof *module);
        char name[128];
        if (!module) {
            code = SQLITE_NOMEM;
            break;
        }
        *module = (struct module){database, query_tables_at(database->tables, i)};
        database->users++;
        snprintf(name, sizeof name, "%s%s", settings->prefix, module->table->name);
        code = sqlite3_create_module_v2(connection, name, &virtual_tables, module, free_module);
    }
    release(database);
    return code;
}
