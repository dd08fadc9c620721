/* where.h — conditions on the rows of a table (--where): expressions of SQLite over its columns. */
#ifndef HECTIC_WHERE_H
#define HECTIC_WHERE_H

#include "tables/cells.h"

struct where;

/* Compiles a condition. Numbers may have units: 100ms, 2MiB, 5%. NULL after a message; *code is the
 * exit code. */
struct where *where_new(const char *condition, const struct table_column *columns, int *code);
void where_free(struct where *where);

/* Does the row fulfil it? False after a message, with *failed set: it cannot be evaluated. */
bool where_passes(struct where *where, const struct cell *cells, bool *failed);

#endif
