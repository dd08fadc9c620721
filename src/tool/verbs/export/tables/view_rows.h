/* view_rows.h — the rows of a view (query/views.h) of one log, for a format of tables. */
#ifndef HECTIC_EXPORT_VIEW_ROWS_H
#define HECTIC_EXPORT_VIEW_ROWS_H

#include "query/views.h"
#include "tool/verbs/export/tables/table_export.h"

/* Its columns: those that are not private, or all. */
struct view_column {
    const char *name, *meaning;
    bool is_text; /* otherwise, a number */
};
size_t view_columns(const struct export_tables *tables, const struct query_view *view,
                    struct view_column column[QUERY_VIEW_COLUMNS]);

/* Gives all rows of the view to a writer. False after a message, or if the writer stops. */
bool view_rows_read(struct table_export *export, size_t log, const struct query_view *view,
                    const struct row_writer *writer, void *self);

#endif
