/* rare.h — what the requests for lists of collections, spans and sparks have in common. */
#ifndef HECTIC_SRC_VIEW_RARE_H
#define HECTIC_SRC_VIEW_RARE_H

#include "tables/cells.h"
#include "view/engine/job.h"

enum { ROWS_MAX = 10000, SLOWEST_MAX = 1000 }; /* of tables */

/* The cells of the columns READING (tables.def). */
static inline void view_section_cells(size_t section, struct cell *cell)
{
    cell[0] = cell_number(section);
    cell[1] = cell[2] = cell_unknown();
}

/* The events that hectic_sparks needs: with the counters, or also those of each spark; for their
 * durations, also those of the threads that evaluate them. */
type_set view_spark_types(bool by_events, bool durations);

#endif
