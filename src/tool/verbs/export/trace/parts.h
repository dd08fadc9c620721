/* parts.h — several readers of a log as one, which reads it once. */
#ifndef HECTIC_EXPORT_PARTS_H
#define HECTIC_EXPORT_PARTS_H

#include "results/reading.h"
#include "results/rows.h"

enum { PARTS_MAX = 16 };

struct parts_part {
    const struct reader *reader; /* without slices; events end with the interval */
    void *user;
    size_t offset; /* of what it keeps */
    void *owned;
    struct row_taker taker; /* of a table: its reader may keep a pointer to it */
    const struct row_taker *rows[MAKER_TABLES];
    struct reading view; /* of the current process, for this part */
};

/* Stays in its place. Zero: none. */
struct parts {
    struct reader reader; /* of all of them; its user is this */
    size_t count;
    struct parts_part part[PARTS_MAX];
};

void parts_add(struct parts *parts, const struct reader *reader, void *user);

/* The rows of a table of a maker. False: out of memory. */
bool parts_add_rows(struct parts *parts, const struct row_maker *maker, unsigned table,
                    const struct row_taker *rows);

void parts_free(struct parts *parts);

#endif
