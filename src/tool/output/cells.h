/* cells.h — the cells of tables: packed, compared, and printed as text. */
#ifndef HECTIC_CELLS_H
#define HECTIC_CELLS_H

#include "tool/output/table.h"

enum {
    CELL_ROOM = 64,      /* bytes of a printed cell that is not a text, at most */
    CELL_PACKED = 11,    /* bytes of a packed cell; of a text, besides its length */
    CELL_BAR_WIDTH = 10, /* in terminal columns */
};

/* Packs a cell: numbers into as few bytes as they need. Returns the bytes. */
size_t cell_pack(enum cell_kind kind, const struct cell *cell, unsigned char *out);

/* Unpacks a cell; its text points into `bytes`. Returns the number of bytes read. */
size_t cell_unpack(enum cell_kind kind, const unsigned char *bytes, struct cell *cell);

/* The sort key of a known cell that is not a text. */
uint64_t cell_key(enum cell_kind kind, const struct cell *cell);

/* Prints a known cell that is not a text, with a unit. Returns the bytes. */
int cell_print(char *out, enum cell_kind kind, const struct cell *cell);

/* The same of a number, for arguments of printf: printed(CELL_BYTES, size).text. */
struct printed {
    char text[CELL_ROOM];
};
struct printed printed(enum cell_kind kind, uint64_t number);
struct printed printed_if(bool known, enum cell_kind kind, uint64_t number); /* N/A if not */
struct printed printed_part(uint64_t part, uint64_t whole);                  /* as a share */

/* "1 event", "1,234 events": in all texts. */
struct printed quantity(uint64_t number, const char *noun);

/* All digits of a number, without a unit. */
struct printed printed_exact(double number);

#endif
