/* table_export.h — reads the tables of logs for a format: threads read the results of a log in a
 * few passes, and each table of events in one. */
#ifndef HECTIC_EXPORT_TABLE_EXPORT_H
#define HECTIC_EXPORT_TABLE_EXPORT_H

#include "query/table_rows.h"
#include "tool/passes/log_tables.h"
#include "tool/verbs/export/tables/chosen.h"

/* Where a format puts the rows of a table of one log: a part. */
struct table_target {
    struct row_writer writer; /* `self` is the part */

    /* Learns about a log, before the first of its parts. False after a message. May be NULL. */
    bool (*begin)(void *user, size_t number, hectic_log *log);

    /* All parts of a log are done. False after a message. May be NULL. */
    bool (*end)(void *user, size_t number);

    /* Begins a part. NULL after a message. */
    void *(*open)(void *user, size_t log, const struct table_rows *rows);

    /* Writes the rest: all rows are there. May wait. False: it failed. */
    bool (*finish)(void *part);

    /* Says why the writer or `finish` failed. */
    void (*explain)(const void *part);

    /* Ends and frees a part, which is published if it is done. False after a message. */
    bool (*close)(void *part, bool done);
};

/* Rows are written, and parts finished, by several threads; of the others, one is called at a time.
 */

struct table_export {
    const struct export_settings *settings;
    struct export_tables tables;
    struct log_tables logs;
    char **name; /* of each log, valid UTF-8: its path in its exact form, if it is none */
    struct table_run *run;
};

/* Finds the tables, and the logs at these paths; `events`: the table of events that is exported
 * without --table. It stays in its place while it is open. Returns the exit code. Close it in any
 * case. */
int table_export_open(struct table_export *export, const struct export_settings *settings,
                      const char *events, int count, char **path);

/* How many logs there are. */
static inline size_t table_export_logs(const struct table_export *export)
{
    return query_logs_count(export->logs.logs);
}

/* Reads all tables, by so many threads at most; 1: one table after the other. Returns the exit
 * code. */
int table_export_run(struct table_export *export, const struct table_target *target, void *user,
                     size_t threads);

/* Has a part failed, so that the others need not go on? By any thread. */
bool table_export_stops(const struct table_export *export);

/* Returns `code`, or a worse one that is due to the logs. */
int table_export_close(struct table_export *export, int code);

#endif
