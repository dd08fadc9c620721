/* tables.h — the catalogue of results, tables.def, as data. For each table and record T of it:
 *
 *   struct T_cells     its cells, as members with the names of its columns
 *   union T_row        the same, also as `of`, and as an array, `cells`
 *   T_columns          describes them; ends with a column without a name
 */
#ifndef HECTIC_SRC_TABLES_H
#define HECTIC_SRC_TABLES_H

#include "tables/cells.h"

#include <stddef.h>
#include <string.h>

#define C(name, type, show, heading, meaning) struct cell name;
#define SUB(record, name, show, meaning)      struct record##_cells name;
#define ROWS(record, name, show, meaning)     struct cell name;

#define TABLE(name, doc) struct name##_cells {
#define RECORD           TABLE
#define END(name)                                                                                  \
    }                                                                                              \
    ;
#include "tables/tables.def"
#undef TABLE
#undef END

#define CELLS_OF(name) (sizeof(struct name##_cells) / sizeof(struct cell))
#define TABLE(name, doc)                                                                           \
    union name##_row {                                                                             \
        struct name##_cells of;                                                                    \
        struct {
#define END(name)                                                                                  \
    }                                                                                              \
    ;                                                                                              \
    struct cell cells[CELLS_OF(name)];                                                             \
    }                                                                                              \
    ;                                                                                              \
    extern const struct table_column name##_columns[CELLS_OF(name) + 1];
#include "tables/tables.def"
#undef TABLE
#undef RECORD
#undef END
#undef C
#undef SUB
#undef ROWS

/* The number of a cell in a row. */
#define CELL_AT(name, column) (offsetof(union name##_row, column) / sizeof(struct cell))

/* Sets the cells of a row after those of READING_CELLS. `count`: CELLS_OF the table. */
static inline void cells_after_reading(struct cell *to, const struct cell *from, size_t count)
{
    memcpy(to + READING_CELLS, from + READING_CELLS, (count - READING_CELLS) * sizeof *to);
}

/* Writes the record T, whose cells follow, as an object, or as members of one. */
#define record_put(json, key, T, ...)                                                              \
    cells_put_record(json, key, T##_columns, (const union T##_row){__VA_ARGS__}.cells)
#define record_put_members(json, T, ...)                                                           \
    cells_put_members(json, T##_columns, (const union T##_row){__VA_ARGS__}.cells, false)

/* All of them. */
struct table_description {
    const char *name, *doc;
    const struct table_column *columns;
    bool is_record;
};
const struct table_description *tables_all(size_t *count);

#endif
