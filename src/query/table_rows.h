/* table_rows.h — the rows of a table of one log, value by value, for what stores them. */
#ifndef HECTIC_SRC_QUERY_TABLE_ROWS_H
#define HECTIC_SRC_QUERY_TABLE_ROWS_H

#include "query/tables.h"

/* Takes the values of rows: one for each column, and then the end of the row. */
struct row_writer {
    void (*null)(void *self, size_t column);
    void (*number)(void *self, size_t column, uint64_t number); /* of numbers and flags */
    void (*real)(void *self, size_t column, double real);
    void (*bytes)(void *self, size_t column, const void *bytes, size_t size); /* texts and blobs */
    bool (*end_row)(void *self); /* false: reading stops */
};

enum value_type { VALUE_NUMBER, VALUE_REAL, VALUE_FLAG, VALUE_TEXT, VALUE_BLOB };

/* A column that is stored: values of its type, or null. */
struct row_column {
    const struct query_column *column;
    enum value_type type;
    size_t number; /* in the table */
};

struct table_rows {
    const struct query_table *table;
    struct row_column *column;
    size_t columns;
    const struct row_writer *writer;
    void *self; /* of the writer; set it before rows are added */
    char *text; /* a text in its exact form */
    size_t text_size;
};

/* Finds the columns: those that are not private, or all. False: out of memory. Free it in any case.
 */
bool table_rows_begin(struct table_rows *rows, const struct query_table *table, bool has_private,
                      const struct row_writer *writer);
void table_rows_free(struct table_rows *rows);

/* The columns to be read. */
query_columns table_rows_columns(const struct table_rows *rows);

/* Adds a row of a result; `rows` is the table_rows. False: out of memory, or the writer stops. */
bool table_rows_take(void *rows, const hectic_row *row);

/* The same for the current row of a table of events. */
bool table_rows_add(struct table_rows *rows, void *events);

#endif
