/* copies.c — see copies.h. */
#include "query/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query_copies {
    sqlite3 *database;
    uint64_t count;
    struct query_copy **copy;
};

enum { PAGE = 4096 };

static int set_limit(sqlite3 *database, uint64_t limit)
{
    char text[64];
    if (limit == 0) return SQLITE_OK;
    const uint64_t pages = limit / PAGE + 1;
    snprintf(text, sizeof text, "PRAGMA max_page_count=%llu",
             (unsigned long long)(pages < UINT32_MAX ? pages : UINT32_MAX - 1));
    return sqlite3_exec(database, text, NULL, NULL, NULL);
}

query_copies *query_copies_new(uint64_t limit)
{
    static const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
    query_copies *copies = calloc(1, sizeof *copies);
    if (!copies) return NULL;
    if (sqlite3_open_v2("", &copies->database, flags, NULL) == SQLITE_OK &&
        sqlite3_exec(copies->database,
                     "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                     "PRAGMA cache_size=-8000; PRAGMA locking_mode=EXCLUSIVE",
                     NULL, NULL, NULL) == SQLITE_OK &&
        set_limit(copies->database, limit) == SQLITE_OK)
        return copies;
    query_copies_free(copies);
    return NULL;
}

void query_copies_free(query_copies *copies)
{
    if (!copies) return;
    sqlite3_close(copies->database);
    for (uint64_t i = 0; i < copies->count; i++)
        free(copies->copy[i]);
    free(copies->copy);
    free(copies);
}

const struct query_copy *query_copies_find(const query_copies *copies,
                                           const struct query_table *table, uint64_t logs,
                                           query_columns columns)
{
    for (uint64_t i = 0; i < copies->count; i++) {
        const struct query_copy *copy = copies->copy[i];
        if (copy->table == table && copy->logs == logs && (columns & ~copy->columns) == 0)
            return copy;
    }
    return NULL;
}

static const char *declared_type(enum query_type type)
{
    return type == QUERY_TEXT ? "TEXT" : type == QUERY_REAL ? "REAL" : "INTEGER";
}

static int create(query_copies *copies, const struct query_copy *copy, sqlite3_stmt **insert)
{
    sqlite3_str *create = sqlite3_str_new(copies->database);
    sqlite3_str *values = sqlite3_str_new(copies->database);
    sqlite3_str_appendf(create, "CREATE TABLE t%llu(log TEXT", copy->number);
    sqlite3_str_appendf(values, "INSERT INTO t%llu VALUES(?", copy->number);
    for (size_t i = 0; i < copy->table->columns; i++) {
        sqlite3_str_appendf(create, ",c%d %s", (int)i, declared_type(copy->table->column[i].type));
        sqlite3_str_appendall(values, ",?");
    }
    sqlite3_str_appendall(create, ",id INTEGER)");
    sqlite3_str_appendall(values, ",?)");
    char *statement = sqlite3_str_finish(create), *row = sqlite3_str_finish(values);
    int code = statement && row ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = sqlite3_exec(copies->database, statement, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(copies->database, row, -1, insert, NULL);
    sqlite3_free(statement);
    sqlite3_free(row);
    return code;
}

static int insert_rows(query_copies *copies, const struct query_copy *copy, sqlite3_stmt *insert,
                       const struct query_copy_source *source)
{
    bool is_row = false;
    int code = sqlite3_exec(copies->database, "BEGIN", NULL, NULL, NULL);
    while (code == SQLITE_OK && (code = source->next(source->user, &is_row)) == SQLITE_OK &&
           is_row) {
        source->bind(source->user, insert, 1, QUERY_LOG);
        for (size_t i = 0; i < copy->table->columns; i++)
            if (query_wants(copy->columns, i))
                source->bind(source->user, insert, (int)i + 2, (int)i);
        source->bind(source->user, insert, (int)copy->table->columns + 2, QUERY_ID);
        sqlite3_step(insert);
        code = sqlite3_reset(insert);
    }
    sqlite3_exec(copies->database, code == SQLITE_OK ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
    return code;
}

int query_copies_make(query_copies *copies, const struct query_table *table, uint64_t logs,
                      query_columns columns, const struct query_copy_source *source,
                      const struct query_copy **made)
{
    struct query_copy **grown =
        realloc(copies->copy, (size_t)(copies->count + 1) * sizeof *copies->copy);
    struct query_copy *copy = malloc(sizeof *copy);
    sqlite3_stmt *insert = NULL;
    if (grown) copies->copy = grown;
    if (!grown || !copy) return free(copy), SQLITE_NOMEM;
    *copy = (struct query_copy){table, logs, columns, copies->count + 1};
    int code = create(copies, copy, &insert);
    if (code == SQLITE_OK) code = insert_rows(copies, copy, insert, source);
    sqlite3_finalize(insert);
    /* The names of tables are not used again, even if this one was not filled. */
    copies->copy[copies->count++] = copy;
    if (code != SQLITE_OK) copy->table = NULL;
    *made = copy;
    return code;
}

struct column_name {
    char text[16];
};

static struct column_name name_of(int column)
{
    struct column_name name = {"log"};
    if (column != QUERY_LOG) snprintf(name.text, sizeof name.text, "c%d", column);
    return name;
}

static const char *operator_of(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return "=";
    case SQLITE_INDEX_CONSTRAINT_GT: return ">";
    case SQLITE_INDEX_CONSTRAINT_GE: return ">=";
    case SQLITE_INDEX_CONSTRAINT_LT: return "<";
    default: return "<=";
    }
}

/* An index on the columns that must be equal, and one that must be in a range. */
static int make_index(query_copies *copies, const struct query_copy *copy,
                      const struct query_term *term, size_t terms)
{
    char columns[1024] = "", name[1024] = "";
    size_t used = 0, length = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < terms && used < 900 && length < 900; i++) {
            const bool is_equal = term[i].op == SQLITE_INDEX_CONSTRAINT_EQ;
            const struct column_name column = name_of(term[i].column);
            if (is_equal != (pass == 0)) continue;
            used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%s", used ? "," : "",
                                     column.text);
            length += (size_t)snprintf(name + length, sizeof name - length, "_%s", column.text);
            if (pass == 1) break;
        }
    char *statement = sqlite3_mprintf("CREATE INDEX IF NOT EXISTS i%llu%s ON t%llu(%s)",
                                      copy->number, name, copy->number, columns);
    const int code =
        statement ? sqlite3_exec(copies->database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(statement);
    return code;
}

int query_copies_select(query_copies *copies, const struct query_copy *copy,
                        const struct query_term *term, size_t terms, bool in_order,
                        sqlite3_stmt **select)
{
    int code = terms > 0 ? make_index(copies, copy, term, terms) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    sqlite3_str *text = sqlite3_str_new(copies->database);
    sqlite3_str_appendf(text, "SELECT * FROM t%llu", copy->number);
    for (size_t i = 0; i < terms; i++)
        sqlite3_str_appendf(text, "%s %s %s ?", i ? " AND" : " WHERE", name_of(term[i].column).text,
                            operator_of(term[i].op));
    if (in_order) sqlite3_str_appendall(text, " ORDER BY rowid");
    char *statement = sqlite3_str_finish(text);
    code = statement ? sqlite3_prepare_v2(copies->database, statement, -1, select, NULL)
                     : SQLITE_NOMEM;
    sqlite3_free(statement);
    return code;
}
