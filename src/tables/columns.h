/* columns.h — a row of a table (hectic/tables.h), from the cells that its reader gives. */
#ifndef HECTIC_SRC_TABLES_COLUMNS_H
#define HECTIC_SRC_TABLES_COLUMNS_H

#include "tables/cells.h"

#include <hectic/tables.h>

enum { ROW_COLUMNS_MAX = 128 };

struct hectic_row {
    size_t columns;
    struct {
        uint16_t cell;
        uint16_t kind; /* hectic_column_kind */
    } column[ROW_COLUMNS_MAX];
    const struct cell *cells;
    bool (*take)(void *user, const hectic_row *row); /* as in hectic_table_read */
    void *user;
    bool is_stopped; /* `take` has returned false */
};

/* The place of the table among those of hectic_table_at. */
size_t table_number(const hectic_table *table);

/* Sets the columns of the table; `take` and `user` are set, the rest is zero. */
void row_begin(hectic_row *row, const hectic_table *table);

/* Gives a row with these cells to `take`: a row_taker's function, whose `user` is the row. */
bool row_take(void *row, const struct cell *cells);

#endif
