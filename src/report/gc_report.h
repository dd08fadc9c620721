/* gc_report.h — the rows of hectic gc. */
#ifndef HECTIC_SRC_GC_REPORT_H
#define HECTIC_SRC_GC_REPORT_H

#include "report/cells.h"

#include <hectic/collections.h>

enum { GC_COLUMNS = READING_CELLS + 19 };
extern const struct table_column gc_columns[]; /* "pause_ns" is the one to sort by */

/* The cells after READING_CELLS. */
void gc_put_cells(struct cell cell[GC_COLUMNS], const hectic_collection *collection);

#endif
