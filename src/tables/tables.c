/* tables.c — see tables.h. */
#include "tables/tables.h"

#define TABLE(name, doc) const struct table_column name##_columns[CELLS_OF(name) + 1] = {
#define RECORD           TABLE
#define END(name)                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }                                                                                              \
    }                                                                                              \
    ;
#define C(name, type, show, heading, meaning) {#name, heading, CELL_##type, show, meaning, NULL},
#define SUB(record, name, show, meaning)      {#name, "", CELL_RECORD, show, meaning, record##_columns},
#define ROWS(record, name, show, meaning)     {#name, "", CELL_ROWS, show, meaning, record##_columns},
#include "tables/tables.def"
#undef TABLE
#undef RECORD
#undef END
#undef C
#undef SUB
#undef ROWS

#define C(name, type, show, heading, meaning)
#define SUB(record, name, show, meaning)
#define ROWS(record, name, show, meaning)                                                          \
    _Static_assert(CELLS_OF(record) <= RECORD_CELLS_MAX, "a row fits");
#define END(name)
#define TABLE(name, doc)
#define RECORD(name, doc)
#include "tables/tables.def"
#undef TABLE
#undef RECORD
#undef ROWS
#define ROWS(record, name, show, meaning)
#define TABLE(name, doc)  {#name, doc, name##_columns, false},
#define RECORD(name, doc) {#name, doc, name##_columns, true},

const struct table_description *tables_all(size_t *count)
{
    static const struct table_description all[] = {
#include "tables/tables.def"
    };
    *count = sizeof all / sizeof *all;
    return all;
}
