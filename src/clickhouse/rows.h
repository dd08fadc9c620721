/* rows.h — rows as ClickHouse takes them: blocks of columns (Native), or the VALUES of a statement.
 */
#ifndef HECTIC_SRC_CLICKHOUSE_ROWS_H
#define HECTIC_SRC_CLICKHOUSE_ROWS_H

#include "clickhouse/schema.h"

struct clickhouse_rows {
    const struct clickhouse_log *log;
    const struct clickhouse_table *table;
    bool is_text;       /* VALUES */
    bool failed;        /* out of memory: nothing is added any more */
    size_t count, size; /* the rows that are kept, and about how many bytes they have */
    uint64_t next;      /* the number of the next row in the table, from 0 */
    struct buffer text; /* VALUES */
    struct clickhouse_values {
        struct buffer nulls; /* a byte for each row: 1 is null */
        struct buffer values;
    } * column; /* otherwise */
};

/* Prepares the rows of a table of a log. Free them in any case. */
void clickhouse_rows_begin(struct clickhouse_rows *rows, const struct clickhouse_log *log,
                           const struct clickhouse_table *table, bool is_text);
void clickhouse_rows_free(struct clickhouse_rows *rows);

/* The values of a row, in the order of the columns, all of them; then its end. */
void clickhouse_add_null(struct clickhouse_rows *rows, size_t column);
void clickhouse_add_number(struct clickhouse_rows *rows, size_t column, uint64_t number);
void clickhouse_add_real(struct clickhouse_rows *rows, size_t column, double real);
void clickhouse_add_bytes(struct clickhouse_rows *rows, size_t column, const void *bytes,
                          size_t size);
void clickhouse_end_row(struct clickhouse_rows *rows);

/* Moves the rows to a buffer, as they follow an INSERT statement: blocks to its end, VALUES to an
 * empty one. False: out of memory. */
bool clickhouse_rows_take(struct clickhouse_rows *rows, struct buffer *out);

#endif
