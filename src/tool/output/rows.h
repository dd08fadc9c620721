/* rows.h — the rows of a table that are not written yet: in order or sorted, all or the first N. */
#ifndef HECTIC_ROWS_H
#define HECTIC_ROWS_H

#include "tool/output/table.h"

struct row {
    unsigned char *bytes; /* packed cells */
    uint64_t key;         /* sort key; of a text: its offset in bytes */
    uint64_t order;       /* the rows before it */
    bool known;
};

struct rows {
    const struct table_column *column;
    size_t columns;
    size_t sort; /* the column to sort by; `columns`: none */
    bool ascending;
    uint64_t limit;  /* with sort: how many are kept; 0: all */
    uint64_t added;  /* rows so far, kept or not */
    struct row *row; /* with sort and limit: a heap with the last row on top */
    size_t count, capacity;
};

/* Keeps a row if it can be among the first. Returns false after a message. */
bool rows_keep(struct rows *rows, const struct cell *cells);

void rows_sort(struct rows *rows);
void rows_clear(struct rows *rows); /* frees the rows that are kept */
void rows_free(struct rows *rows);

/* Packs cells into newly allocated memory; NULL after a message. Sets *sorted to the offset of the
 * cell of the sort column. */
unsigned char *rows_pack(const struct rows *rows, const struct cell *cells, size_t *sorted);
void rows_unpack(const struct rows *rows, const unsigned char *bytes, struct cell *cells);

#endif
