/* table.c — the cost centres of a profile, or its functions. */
#include "tool/cli/message.h"
#include "tool/verbs/prof/prof.h"

struct rows {
    struct prof_view *view;
    struct table *table;
    struct sink *sink;
};

static bool put(void *user, const struct cell *cells)
{
    const struct rows *rows = user;
    rows->view->rows++;
    return table_row(rows->table, rows->sink, cells) && !sink_failed(rows->sink);
}

bool prof_put_table(struct prof_view *view, struct table *table, struct sink *sink)
{
    struct rows rows = {view, table, sink};
    bool is_lost;
    const bool done = prof_report_rows(&view->report, put, &rows, &is_lost);
    if (is_lost) tool_message("out of memory");
    return done;
}
