/* copies.h — copies of rows that a query reads again and again, as the inner loop of a join does:
 * tables of a temporary database of SQLite, which moves what does not fit its cache to a temporary
 * file, and makes indices. */
#ifndef HECTIC_SRC_QUERY_COPIES_H
#define HECTIC_SRC_QUERY_COPIES_H

#include "query/rows.h"
#include "query/sqlite.h"
#include "query/tables.h"

typedef struct query_copies query_copies;

/* `limit`: bytes of the temporary file, at most; 0: none. NULL: out of memory, or no temporary
 * database. */
query_copies *query_copies_new(uint64_t limit);
void query_copies_free(query_copies *copies);

/* A copy of a table. The first column is `log`, the others are those of the table. */
struct query_copy {
    const struct query_table *table;
    uint64_t logs;         /* which logs: what the caller chooses */
    query_columns columns; /* the others are null */
    uint64_t number;
};

/* The copy with these columns, if it was made. */
const struct query_copy *query_copies_find(const query_copies *copies,
                                           const struct query_table *table, uint64_t logs,
                                           query_columns columns);

/* Makes a copy of the rows that `next` returns, by `get` for each column. SQLITE_OK, or an error;
 * `next` sets it to what it returns. */
struct query_copy_source {
    int (*next)(void *user, bool *is_row);
    void (*bind)(void *user, sqlite3_stmt *insert, int place, int column);
    void *user;
};
int query_copies_make(query_copies *copies, const struct query_table *table, uint64_t logs,
                      query_columns columns, const struct query_copy_source *source,
                      const struct query_copy **copy);

/* A condition on a column. */
enum { QUERY_LOG = -1 }; /* the column `log` */
enum { QUERY_ID = -2 };  /* the last column of a copy: query_rows_kind.id, with the log */
struct query_term {
    int column;
    unsigned char op; /* SQLITE_INDEX_CONSTRAINT_EQ, GT, LE, LT, GE */
};

/* A statement that selects the rows that fulfil the terms, whose values are its parameters in their
 * order; with an index, if there are any. `in_order`: the rows are in the order of the table. */
int query_copies_select(query_copies *copies, const struct query_copy *copy,
                        const struct query_term *term, size_t terms, bool in_order,
                        sqlite3_stmt **select);

#endif
