/* chosen.h — which tables and columns of logs are exported. */
#ifndef HECTIC_EXPORT_CHOSEN_H
#define HECTIC_EXPORT_CHOSEN_H

#include "query/tables.h"
#include "tool/verbs/export/export.h"

struct export_tables {
    query_tables *all;
    const struct query_table **chosen; /* in the order of the catalogue */
    size_t count;
    bool has_private;
};

/* Chooses those of --table, or else the results and the table of events of that name. Returns the
 * exit code. Free them in any case. */
int export_tables_choose(struct export_tables *tables, const struct export_settings *settings,
                         const char *events);
void export_tables_free(struct export_tables *tables);

static inline bool export_wants_column(const struct export_tables *tables,
                                       const struct query_column *column)
{
    return tables->has_private || !query_column_is_private(column);
}

#endif
