/* row.h — the tables that have rows while a log is written. */
#ifndef HECTIC_SRC_ROW_H
#define HECTIC_SRC_ROW_H

#include "results/rows.h"
#include "tables/columns.h"

/* No maker: the table has no rows before a log has been read. */
struct made_table table_live_rows(const hectic_table *table);

#endif
