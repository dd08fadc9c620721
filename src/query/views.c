/* views.c — see views.h. */
#include "query/views.h"

#include <string.h>

/* The columns that say where something is: {log}section, process, pid. */
#define PLACE "{log}section, process, pid"
#define PLACE_COLUMNS                                                                              \
    {"section", "the section of the log, counted from 1"},                                         \
        {"process", "of a log of several processes: its capset"},                                  \
    {                                                                                              \
        "pid", "likewise: its process id"                                                          \
    }

#define CLICKHOUSE_PLACE "log, day, host, section, process"

static const struct query_view views[] = {
    {"pauses_by_second",
     "Collections that began in each second",
     "SELECT " PLACE ", start_ns / 1000000000 AS second, count(*) AS collections,"
     " sum(pause_ns) AS pause_ns, max(pause_ns) AS max_pause_ns"
     " FROM gc GROUP BY {log}section, process, pid, start_ns / 1000000000",
     "SELECT " CLICKHOUSE_PLACE ", second, count(*) AS collections, sum(pause) AS pause_ns,"
     " max(pause) AS max_pause_ns FROM (SELECT " CLICKHOUSE_PLACE ","
     " intDiv(start_ns, 1000000000) AS second, pause_ns AS pause FROM @gc)"
     " GROUP BY " CLICKHOUSE_PLACE ", second",
     {PLACE_COLUMNS,
      {"second", "from that second to the next"},
      {"collections", "how many"},
      {"pause_ns", "their pauses, added"},
      {"max_pause_ns", "the longest pause"}}},
    {"allocation_by_second",
     "What the program allocated in each second, as caps report it when they collect",
     "SELECT " PLACE ", time_ns / 1000000000 AS second, sum(bytes) AS allocated_bytes FROM sizes"
     " WHERE kind = 'allocated' GROUP BY {log}section, process, pid, time_ns / 1000000000",
     "SELECT " CLICKHOUSE_PLACE ", second, sum(bytes) AS allocated_bytes FROM (SELECT"
     " " CLICKHOUSE_PLACE ", intDiv(time_ns, 1000000000) AS second, bytes FROM @sizes"
     " WHERE kind = 'allocated') GROUP BY " CLICKHOUSE_PLACE ", second",
     {PLACE_COLUMNS,
      {"second", "from that second to the next"},
      {"allocated_bytes", "allocated by all caps"}}},
    {"cap_states",
     "What each cap did. Between the rows it was idle or had no part in a collection, or it is not "
     "recorded",
     "SELECT " PLACE ", cap, state, thread, start_ns, start_ns + duration_ns AS end_ns, duration_ns"
     " FROM thread_states WHERE state = 'running'"
     " UNION ALL SELECT " PLACE ", cap, state, NULL, start_ns, end_ns, duration_ns FROM gc_caps",
     "SELECT " CLICKHOUSE_PLACE ", cap, state, thread, start_ns, start_ns + duration_ns AS end_ns,"
     " duration_ns FROM @thread_states WHERE state = 'running'"
     " UNION ALL SELECT " CLICKHOUSE_PLACE ", cap, state, CAST(NULL AS Nullable(UInt64)) AS thread,"
     " start_ns, end_ns, duration_ns FROM @gc_caps",
     {PLACE_COLUMNS,
      {"cap", "the cap"},
      {"state", "`running` a thread; `gc_requested`, `gc`, `gc_wait`: as in gc_caps"},
      {"thread", "of `running`: the thread"},
      {"start_ns", "when it began"},
      {"end_ns", "when it ended, or the log"},
      {"duration_ns", "the time between"}}},
    {"waits_by_thread",
     "How long each thread waited, and for what",
     "SELECT " PLACE ", thread, state, reason, count(*) AS waits, sum(duration_ns) AS total_ns,"
     " max(duration_ns) AS max_ns FROM thread_states WHERE state IN ('blocked', 'runnable')"
     " GROUP BY {log}section, process, pid, thread, state, reason",
     "SELECT " CLICKHOUSE_PLACE ", thread, state, reason, count(*) AS waits,"
     " sum(duration_ns) AS total_ns, max(duration_ns) AS max_ns FROM @thread_states"
     " WHERE state IN ('blocked', 'runnable')"
     " GROUP BY " CLICKHOUSE_PLACE ", thread, state, reason",
     {PLACE_COLUMNS,
      {"thread", "the thread's number"},
      {"state", "`runnable` (for a cap), or `blocked`"},
      {"reason", "of `blocked`: for what"},
      {"waits", "how often"},
      {"total_ns", "for how long"},
      {"max_ns", "the longest time"}}},
    {"waits_by_waker",
     "Which thread ended the waits of which: what blocks whom",
     "SELECT " PLACE ", thread, reason, waker, owner, count(*) AS waits,"
     " sum(duration_ns) AS total_ns, max(duration_ns) AS max_ns FROM thread_states"
     " WHERE state = 'blocked' AND (waker IS NOT NULL OR owner IS NOT NULL)"
     " GROUP BY {log}section, process, pid, thread, reason, waker, owner",
     "SELECT " CLICKHOUSE_PLACE ", thread, reason, waker, owner, count(*) AS waits,"
     " sum(duration_ns) AS total_ns, max(duration_ns) AS max_ns FROM @thread_states"
     " WHERE state = 'blocked' AND (waker IS NOT NULL OR owner IS NOT NULL)"
     " GROUP BY " CLICKHOUSE_PLACE ", thread, reason, waker, owner",
     {PLACE_COLUMNS,
      {"thread", "the thread that waited"},
      {"reason", "for what"},
      {"waker", "the thread that ended the wait"},
      {"owner", "with `black_hole`: the thread that evaluates the value"},
      {"waits", "how often"},
      {"total_ns", "for how long"},
      {"max_ns", "the longest time"}}},
};

const struct query_view *query_views(size_t *count)
{
    *count = sizeof views / sizeof *views;
    return views;
}

/* Appends the text with what depends on the columns that the tables have. */
static void append(sqlite3_str *out, const char *text, const struct query_view_form *form)
{
    const struct {
        const char *name, *replacement;
    } places[] = {{"{log}", form->has_logs ? "log, " : ""},
                  {", pid", form->has_pids ? ", pid" : ""}};
    while (*text) {
        size_t i = 0;
        while (i < sizeof places / sizeof *places &&
               strncmp(text, places[i].name, strlen(places[i].name)) != 0)
            i++;
        if (i == sizeof places / sizeof *places) {
            sqlite3_str_appendchar(out, 1, *text++);
            continue;
        }
        sqlite3_str_appendall(out, places[i].replacement);
        text += strlen(places[i].name);
    }
}

int query_add_views(sqlite3 *database, const struct query_view_form *form)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof views / sizeof *views && code == SQLITE_OK; i++) {
        sqlite3_str *text = sqlite3_str_new(database);
        sqlite3_str_appendf(text, "CREATE %sVIEW %s AS ", form->is_temporary ? "TEMP " : "",
                            views[i].name);
        append(text, views[i].sql, form);
        char *statement = sqlite3_str_finish(text);
        code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
    }
    return code;
}
