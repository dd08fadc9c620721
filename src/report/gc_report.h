/* gc_report.h — the rows of hectic gc. */
#ifndef HECTIC_SRC_GC_REPORT_H
#define HECTIC_SRC_GC_REPORT_H

#include "tables/tables.h"

#include "facts/collections.h"

enum { GC_COLUMNS = CELLS_OF(gc) };

/* Removes what is unknown where events of some caps are missing: those may have taken part in the
 * collection, or led it. The leader has the statistics. */
void gc_forget_others(hectic_collection *collection);

/* The cells after READING_CELLS. */
void gc_put_cells(struct cell cell[GC_COLUMNS], const hectic_collection *collection);

#endif
