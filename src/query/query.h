/* query.h — logs as tables of SQLite: each table of tables.h is a virtual table, whose rows are
 * read from the logs when a query needs them. Nothing is stored but what a join reads again
 * (copies.h).
 */
#ifndef HECTIC_SRC_QUERY_H
#define HECTIC_SRC_QUERY_H

#include "query/logs.h"
#include "query/sqlite.h"
#include "query/tables.h"

struct query_settings {
    query_logs *logs; /* owned from now on */
    /* The tables are functions with the path of a log: hectic_threads('Main.eventlog'). Otherwise
     * they are about all logs. */
    bool takes_path;
    const char *prefix; /* of the names of tables and functions */
    /* A log cannot be opened or read. True: it is left out. NULL: the query fails. */
    bool (*failed)(void *user, const char *path, const hectic_error *error);
    void *user;
    uint64_t temporary; /* bytes of a temporary file for joins, at most; 0: no limit */
    /* If not NULL, true while a table is declared, which an authorizer sees as its creation. */
    bool *is_declaring;
};

/* Adds the tables and functions to a connection. Returns SQLite's code. */
int query_attach(sqlite3 *database, const struct query_settings *settings);

/* Adds the functions alone: functions.c. */
int query_add_functions(sqlite3 *database, const char *prefix);

#endif
