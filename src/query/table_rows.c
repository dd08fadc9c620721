/* table_rows.c — see table_rows.h. */
#include "query/table_rows.h"

#include "render/text.h"

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

/* A value of a row of a result. */
static bool add_cell(struct table_rows *rows, size_t i, const hectic_row *row)
{
    const size_t number = rows->column[i].number;
    const char *text;
    uint64_t whole;
    double real;
    switch (rows->column[i].type) {
    case VALUE_NUMBER:
    case VALUE_FLAG:
        if (!hectic_row_number(row, number, &whole)) break;
        return rows->writer->number(rows->self, i, whole), true;
    case VALUE_REAL:
        if (!hectic_row_real(row, number, &real)) break;
        return rows->writer->real(rows->self, i, real), true;
    case VALUE_TEXT:
    case VALUE_BLOB:
        text = hectic_row_text(row, number);
        if (!text) break;
        return add_text(rows, i, text, strlen(text));
    }
    return rows->writer->null(rows->self, i), true;
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
