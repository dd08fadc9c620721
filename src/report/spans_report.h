/* spans_report.h — the rows of hectic spans, and its counts as JSON. */
#ifndef HECTIC_SRC_SPANS_REPORT_H
#define HECTIC_SRC_SPANS_REPORT_H

#include "tables/tables.h"

#include "facts/spans.h"

enum { SPANS_COLUMNS = CELLS_OF(spans), SPANS_EACH_COLUMNS = CELLS_OF(spans_each) };

/* The cells after READING_CELLS, of a log's part that lasts `duration`, ns. */
void spans_put_cells(struct cell cell[SPANS_COLUMNS], const hectic_span *span, uint64_t duration);

/* The same of a span that has ended. */
void spans_put_each_cells(struct cell cell[SPANS_EACH_COLUMNS], const hectic_span_one *span);

void spans_add_totals(hectic_span_totals *sum, const hectic_span_totals *totals);

/* The members of the object after the table. */
void spans_put_totals(struct json *json, const hectic_span_totals *totals);

#endif
