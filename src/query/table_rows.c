/* table_rows.c — see table_rows.h. */
#include "query/table_rows.h"

#include "render/text.h"
#include "tables/columns.h"

#include <stdlib.h>
#include <string.h>

/* --- Columns --------------------------------------------------------------------------------- */

static enum value_type type_of(const struct query_column *column)
{
    static const enum value_type types[] = {
        [QUERY_INTEGER] = VALUE_NUMBER,
        [QUERY_REAL] = VALUE_REAL,
        [QUERY_TEXT] = VALUE_TEXT,
        [QUERY_BLOB] = VALUE_BLOB,
    };
    return column->kind == HECTIC_COLUMN_FLAG ? VALUE_FLAG : types[column->type];
}

bool table_rows_begin(struct table_rows *rows, const struct query_table *table, bool has_private,
                      const struct row_writer *writer)
{
    *rows = (struct table_rows){.table = table, .writer = writer};
    rows->column = calloc(table->columns + 1, sizeof *rows->column);
    for (size_t i = 0; rows->column && i < table->columns; i++)
        if (has_private || !query_column_is_private(&table->column[i]))
            rows->column[rows->columns++] = (struct row_column){
                .column = &table->column[i], .type = type_of(&table->column[i]), .number = i};
    return rows->column;
}

void table_rows_free(struct table_rows *rows)
{
    free(rows->column);
    free(rows->text);
}

query_columns table_rows_columns(const struct table_rows *rows)
{
    query_columns columns = 0;
    for (size_t i = 0; i < rows->columns; i++)
        columns |= query_column_bit(rows->column[i].number);
    return columns;
}

/* --- Rows ------------------------------------------------------------------------------------ */

/* A text of the log. Only one that is no UTF-8 needs another form, since readers refuse it. */
static bool add_text(struct table_rows *rows, size_t i, const void *bytes, size_t size)
{
    enum { EXPANSION = 4 };
    const bool is_name = rows->column[i].column->kind == HECTIC_COLUMN_NAME;
    if (is_name || text_is_utf8(bytes, size))
        return rows->writer->bytes(rows->self, i, bytes, size), true;
    if (rows->text_size < EXPANSION * size) {
        free(rows->text);
        rows->text_size = EXPANSION * size;
        rows->text = malloc(rows->text_size);
    }
    if (!rows->text) return rows->text_size = 0, false;
    const char *end = put_exact(rows->text, bytes, size);
    rows->writer->bytes(rows->self, i, rows->text, (size_t)(end - rows->text));
    return true;
}

/* A value of a row of a result. The column's type is that of its cells. */
static bool add_cell(struct table_rows *rows, size_t i, const hectic_row *row)
{
    const struct cell *cell = &row->cells[row->column[rows->column[i].number].cell];
    if (!cell->known) return rows->writer->null(rows->self, i), true;
    switch (rows->column[i].type) {
    case VALUE_NUMBER:
    case VALUE_FLAG: rows->writer->number(rows->self, i, cell->number); break;
    case VALUE_REAL: rows->writer->real(rows->self, i, cell->share); break;
    case VALUE_TEXT:
    case VALUE_BLOB:
        if (cell->text) return add_text(rows, i, cell->text, strlen(cell->text));
        rows->writer->null(rows->self, i);
    }
    return true;
}

bool table_rows_take(void *user, const hectic_row *row)
{
    struct table_rows *rows = user;
    bool done = true;
    for (size_t i = 0; i < rows->columns && done; i++)
        done = add_cell(rows, i, row);
    return done && rows->writer->end_row(rows->self);
}

/* A value of an event. That of a field that has another type in another shape is unknown. */
static bool add_value(struct table_rows *rows, size_t i, const struct query_value *value)
{
    if (value->type != rows->column[i].column->type)
        rows->writer->null(rows->self, i);
    else if (value->type == QUERY_INTEGER)
        rows->writer->number(rows->self, i, value->number);
    else if (value->type == QUERY_TEXT)
        return add_text(rows, i, value->bytes, value->size);
    else
        rows->writer->bytes(rows->self, i, value->bytes, value->size);
    return true;
}

bool table_rows_add(struct table_rows *rows, void *events)
{
    bool done = true;
    for (size_t i = 0; i < rows->columns && done; i++) {
        struct query_value value;
        rows->table->kind->get(events, rows->column[i].number, &value);
        done = add_value(rows, i, &value);
    }
    return done && rows->writer->end_row(rows->self);
}
