/* sparks_report.h — the rows of hectic sparks. */
#ifndef HECTIC_SRC_SPARKS_REPORT_H
#define HECTIC_SRC_SPARKS_REPORT_H

#include "tables/tables.h"

#include "facts/sparks.h"

enum {
    SPARKS_COLUMNS = CELLS_OF(sparks),
    SPARKS_FIRST_NUMBER = CELL_AT(sparks, sparks), /* after the slice and the cap */
    SPARKS_DURATION_COLUMNS = CELLS_OF(sparks_duration),
};

/* The cells from SPARKS_FIRST_NUMBER on, of the time from `a` to `b`, which is `length` ns long.
 * by_events: the log has an event for each spark. */
void sparks_put_numbers(struct cell cell[SPARKS_COLUMNS], bool by_events, const hectic_spark_cap *a,
                        const hectic_spark_cap *b, uint64_t length, bool is_slice);

/* The cells of the durations of evaluations. */
void sparks_put_durations(struct cell cell[SPARKS_DURATION_COLUMNS],
                          const hectic_histogram *durations);

/* Adds a cap to the sum of all. */
void sparks_add_cap(hectic_spark_cap *sum, const hectic_spark_cap *cap, bool by_events);

#endif
