/* program_rows.h — the rows of a program's log, made while it is written, for row_store.h: the same
 * rows, under the same id and numbers, as an export of the log. In the loop's thread. */
#ifndef HECTIC_SRC_PROGRAM_ROWS_H
#define HECTIC_SRC_PROGRAM_ROWS_H

#include "relay/row_store.h"

typedef struct program_rows program_rows;

/* NULL: out of memory. */
program_rows *program_rows_new(row_store *store);
void program_rows_free(program_rows *rows);

/* The log begins: the header must be valid until its end. */
void program_rows_begin(program_rows *rows, const hectic_header *header);

/* The next event of the log, in order of time. */
void program_rows_event(program_rows *rows, const hectic_event *event);

/* The log has ended, but for the events that still come: see live_tables_cut. */
void program_rows_cut(program_rows *rows, const hectic_section *section);

/* After all events. `name`: of the program. */
void program_rows_end(program_rows *rows, const char *name);

/* Sends what has waited long enough. `name`: for diagnostics. */
void program_rows_tick(program_rows *rows, const char *name);

#endif
