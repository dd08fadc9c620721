/* cells.h — the cells of tables: packed, compared, and printed as text. */
#ifndef HECTIC_CELLS_H
#define HECTIC_CELLS_H

#include "tool/output/table.h"

enum {
    CELL_ROOM = 64,      /* what a cell that is no text takes as text, at most */
    CELL_PACKED = 11,    /* and packed; of a text, beside its length */
    CELL_BAR_WIDTH = 10, /* columns of a terminal */
};

/* Packs a cell: numbers into as few bytes as they need. Returns the bytes. */
size_t cell_pack(enum cell_kind kind, const struct cell *cell, unsigned char *out);

/* The cell that was packed there; a text stays where it is. Returns the bytes that it takes. */
size_t cell_unpack(enum cell_kind kind, const unsigned char *bytes, struct cell *cell);

/* A number by which known cells that are no texts are ordered. */
uint64_t cell_key(enum cell_kind kind, const struct cell *cell);

/* Prints a known cell that is not a text, with a unit. Returns the bytes. */
int cell_print(char *out, enum cell_kind kind, const struct cell *cell);

#endif
