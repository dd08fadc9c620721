/* cells.c — see cells.h. */
#include "report/cells.h"

static void put_cell(struct json *json, const struct table_column *column, const struct cell *cell)
{
    switch (column->kind) {
    case CELL_TEXT: json_text(json, column->name, cell->known ? cell->text : NULL); break;
    case CELL_FLAG: json_flag(json, column->name, cell->known, cell->number); break;
    case CELL_SHARE:
    case CELL_GROWTH: json_rounded(json, column->name, cell->known, cell->share); break;
    default: json_number(json, column->name, cell->known, cell->number); break;
    }
}

void cells_put(struct json *json, const struct table_column *columns, const struct cell *cells,
               bool has_processes)
{
    json_open(json, NULL, '{');
    for (size_t i = 0; columns[i].name; i++)
        if (!column_is_text_only(&columns[i]) && (columns[i].kind != CELL_PROCESS || has_processes))
            put_cell(json, &columns[i], &cells[i]);
    json_close(json, '}');
}
