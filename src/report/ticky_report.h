/* ticky_report.h — the rows of hectic ticky, and the totals of a section as JSON. */
#ifndef HECTIC_SRC_TICKY_REPORT_H
#define HECTIC_SRC_TICKY_REPORT_H

#include "tables/tables.h"

#include "profiles/ticky.h"

enum { TICKY_COLUMNS = CELLS_OF(ticky), TICKY_LABEL = CELL_AT(ticky, label) };

/* What the shares and rates of a row refer to. */
struct ticky_whole {
    bool is_slice;
    uint64_t from, to; /* ns: of the slice */
    uint64_t ns;       /* 0: unknown */
    uint64_t ticked;   /* bytes: of all counters */
    bool has_allocated;
    uint64_t allocated; /* bytes: of the program */
};

/* The cells of a counter; the sums of all counters are a row without a label. */
void ticky_put_cells(struct cell cell[TICKY_COLUMNS], size_t section,
                     const hectic_ticky_counter *counter, const struct ticky_whole *whole);

/* What JSON has of a section. */
struct ticky_section {
    size_t number;
    uint64_t duration; /* ns */
    hectic_ticky_totals totals;
};

void ticky_put_section(struct json *json, const struct ticky_section *section);

#endif
