/* columns.c — see columns.h; and hectic/tables.h: what tables there are, and their columns. */
#include "tables/columns.h"

#include "tables/tables.h"

#include <stdio.h>
#include <string.h>

#define TABLE(name, doc) static const char name##_meaning[] __attribute__((unused)) = doc;
#define RECORD           TABLE
#define END(name)
#define C(name, type, show, heading, meaning)
#define SUB(record, name, show, meaning)
#define ROWS(record, name, show, meaning)
#include "tables/tables.def"

static const struct log_table {
    hectic_table table; /* the first member: see log_table_of */
    const struct table_column *columns;
    bool has_prefix; /* rows begin with the cells of READING, which `columns` lacks */
} tables[] = {
#define LOG_TABLE(name, has_prefix, maker, part, is_live)                                          \
    {{#name, name##_meaning}, name##_columns, has_prefix},
#include "tables/log_tables.def"
};

static const struct log_table *log_table_of(const hectic_table *table)
{
    return (const struct log_table *)(const void *)table;
}

size_t table_number(const hectic_table *table)
{
    return (size_t)(log_table_of(table) - tables);
}

const hectic_table *hectic_table_at(size_t number)
{
    return number < sizeof tables / sizeof *tables ? &tables[number].table : NULL;
}

const hectic_table *hectic_table_find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].table.name, name) == 0) return &tables[i].table;
    return NULL;
}

/* --- Columns --------------------------------------------------------------------------------- */

enum { PATH_ROOM = sizeof((hectic_column *)NULL)->name };

/* A walk over the cells of a row, in order. */
struct walk {
    size_t number; /* of the column that is looked for, from here on */
    size_t cell;   /* how many cells are before it */
    char path[PATH_ROOM];
};

/* The column; NULL: it comes after these. The name of a record's member is its path. Columns that
 * are only for text, and arrays, are skipped. */
static const struct table_column *find(const struct table_column *columns, struct walk *walk)
{
    for (const struct table_column *c = columns; c->name; c++) {
        if (c->kind == CELL_RECORD) {
            const size_t length = strlen(walk->path);
            snprintf(walk->path + length, PATH_ROOM - length, "%s.", c->name);
            const struct table_column *found = find(c->record, walk);
            if (found) return found;
            walk->path[length] = 0;
            continue;
        }
        if (c->kind != CELL_ROWS && !column_is_text_only(c) && walk->number-- == 0) return c;
        walk->cell++;
    }
    return NULL;
}

static const struct table_column *column_at(const struct log_table *table, struct walk *walk)
{
    if (table->has_prefix && walk->number < READING_CELLS) {
        walk->cell = walk->number;
        return &gc_columns[walk->number];
    }
    if (table->has_prefix) {
        walk->number -= READING_CELLS;
        walk->cell = READING_CELLS;
    }
    return find(table->columns, walk);
}

static hectic_column_kind kind_of(enum cell_kind kind)
{
    switch (kind) {
    case CELL_TEXT: return HECTIC_COLUMN_TEXT;
    case CELL_NAME: return HECTIC_COLUMN_NAME;
    case CELL_ID:
    case CELL_SECTION:
    case CELL_PROCESS: return HECTIC_COLUMN_ID;
    case CELL_NS: return HECTIC_COLUMN_NS;
    case CELL_TIME: return HECTIC_COLUMN_TIME;
    case CELL_BYTES: return HECTIC_COLUMN_BYTES;
    case CELL_FLAG: return HECTIC_COLUMN_FLAG;
    case CELL_SHARE: return HECTIC_COLUMN_SHARE;
    case CELL_GROWTH: return HECTIC_COLUMN_GROWTH;
    case CELL_REAL: return HECTIC_COLUMN_REAL;
    case CELL_COUNT:
    case CELL_BAR:
    case CELL_RECORD:
    case CELL_ROWS:
    case CELL_ANY: break;
    }
    return HECTIC_COLUMN_COUNT;
}

bool hectic_table_column(const hectic_table *table, size_t number, hectic_column *column)
{
    struct walk walk = {.number = number};
    const struct table_column *found = column_at(log_table_of(table), &walk);
    if (!found) return false;
    hectic_column result = {.size = column->size,
                            .meaning = found->meaning,
                            .kind = kind_of(found->kind),
                            .is_secret = column_is_secret(found)};
    snprintf(result.name, sizeof result.name, "%s%s", walk.path, found->name);
    memcpy(column, &result, column->size < sizeof result ? column->size : sizeof result);
    return true;
}

size_t hectic_table_column_find(const hectic_table *table, const char *name)
{
    hectic_column column = {.size = sizeof column};
    for (size_t i = 0; hectic_table_column(table, i, &column); i++)
        if (strcmp(column.name, name) == 0) return i;
    return SIZE_MAX;
}

/* --- Rows ------------------------------------------------------------------------------------ */

static const struct cell *known_cell(const hectic_row *row, size_t column, unsigned first,
                                     unsigned last)
{
    if (column >= row->columns) return NULL;
    const unsigned kind = row->column[column].kind;
    const struct cell *cell = &row->cells[row->column[column].cell];
    return cell->known && kind >= first && kind <= last ? cell : NULL;
}

bool hectic_row_number(const hectic_row *row, size_t column, uint64_t *number)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_ID, HECTIC_COLUMN_FLAG);
    if (cell) *number = cell->number;
    return cell;
}

bool hectic_row_real(const hectic_row *row, size_t column, double *real)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_SHARE, HECTIC_COLUMN_REAL);
    if (cell) *real = cell->share;
    return cell;
}

const char *hectic_row_text(const hectic_row *row, size_t column)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_TEXT, HECTIC_COLUMN_NAME);
    return cell ? cell->text : NULL;
}

bool row_take(void *user, const struct cell *cells)
{
    hectic_row *row = user;
    row->cells = cells;
    row->is_stopped = !row->take(row->user, row);
    return !row->is_stopped;
}

void row_begin(hectic_row *row, const hectic_table *table)
{
    const struct log_table *of = log_table_of(table);
    const struct table_column *found;
    for (; row->columns < ROW_COLUMNS_MAX; row->columns++) {
        struct walk walk = {.number = row->columns};
        if (!(found = column_at(of, &walk))) break;
        row->column[row->columns].cell = (uint16_t)walk.cell;
        row->column[row->columns].kind = (uint16_t)kind_of(found->kind);
    }
}
