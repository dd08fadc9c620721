/* views.h — views over the tables, for questions that are asked often. */
#ifndef HECTIC_SRC_QUERY_VIEWS_H
#define HECTIC_SRC_QUERY_VIEWS_H

#include "query/sqlite.h"

#include <stdbool.h>
#include <stddef.h>

enum { QUERY_VIEW_COLUMNS = 16 };

struct query_view {
    const char *name, *meaning;
    const char *sql; /* SELECT …; {log} stands for the column of the log, if there are several */
    /* The same for ClickHouse 18.16 on, without pids; @ stands for the database, with a point. */
    const char *clickhouse;
    struct {
        const char *name, *meaning;
    } column[QUERY_VIEW_COLUMNS]; /* ends with one without a name */
};

/* All of them; sets *count. */
const struct query_view *query_views(size_t *count);

/* Creates them. Returns SQLite's code. */
struct query_view_form {
    bool has_logs, has_pids; /* the tables show these columns */
    bool is_temporary;       /* the views are not stored in the database */
};
int query_add_views(sqlite3 *database, const struct query_view_form *form);

#endif
