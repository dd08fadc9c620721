/* rows.h — rows of a table that wait to be written: in their order, or sorted, all or the first. */
#ifndef HECTIC_ROWS_H
#define HECTIC_ROWS_H

#include "tool/output/table.h"

struct row {
    unsigned char *bytes; /* packed cells */
    uint64_t key;         /* what is sorted by; of a text: where in bytes it is */
    uint64_t order;       /* the rows before it */
    bool known;
};

struct rows {
    const struct table_column *column;
    size_t columns;
    size_t sort; /* the column to sort by; `columns`: none */
    bool ascending;
    uint64_t limit;  /* with sort: only so many are kept; 0: all */
    uint64_t added;  /* rows so far, kept or not */
    struct row *row; /* with sort and limit: a heap, the one that comes last on top */
    size_t count, capacity;
};

/* Keeps a row, if it may be among the first. False after a message. */
bool rows_keep(struct rows *rows, const struct cell *cells);

void rows_sort(struct rows *rows);
void rows_clear(struct rows *rows); /* forgets the rows that are kept */
void rows_free(struct rows *rows);

/* Packs cells into memory of its own; NULL after a message. Sets *sorted to where the cell that is
 * sorted by is. */
unsigned char *rows_pack(const struct rows *rows, const struct cell *cells, size_t *sorted);
void rows_unpack(const struct rows *rows, const unsigned char *bytes, struct cell *cells);

#endif
