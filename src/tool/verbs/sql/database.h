/* database.h — the database of hectic sql: the tables of logs and nothing else. A query can read
 * them, and can neither write nor reach another file. */
#ifndef HECTIC_SQL_DATABASE_H
#define HECTIC_SQL_DATABASE_H

#include "tool/output/table.h"
#include "tool/passes/log_tables.h"

struct sql_settings {
    const char *file; /* --file: what to read the query from; NULL: an operand */
    bool schema;      /* --schema */
    uint64_t time;    /* ns: of a query, at most; 0: the default */
    uint64_t memory;  /* bytes; 0: the default */
    struct table_settings table;
    struct output_settings output;
};

struct sql_database {
    sqlite3 *sqlite;
    const struct sql_settings *settings;
    struct log_tables logs;
    query_tables *tables; /* for names */
    uint64_t deadline;    /* ns, of the monotonic clock; 0: none */
    bool is_late, is_declaring;
    bool (*was_interrupted)(void); /* by the user, at the prompt; or NULL */
    int code;                      /* the worst that logs had */
};

/* Opens a database of the logs, which may be none. Returns the exit code. Close it in any case. */
int sql_open(struct sql_database *database, const struct sql_settings *settings, int logs,
             char **paths);

/* From now on, the time of a statement counts. */
void sql_start_clock(struct sql_database *database);

/* Returns `code`, or a worse one that is due to the logs. */
int sql_close(struct sql_database *database, int code);

/* Prints the names, the columns and their meanings: of all tables, or of those named. Returns the
 * exit code. */
int sql_print_schema(const struct sql_database *database, struct sink *sink, int names,
                     char **name);

/* Prints the names of all tables and views. */
void sql_print_names(const struct sql_database *database, struct sink *sink);

/* Runs the statements of a text, and prints their rows. Returns the exit code. */
int sql_run(struct sql_database *database, const char *text, struct sink *sink);

/* Asks for statements on the terminal until the input ends. Returns the exit code. */
int sql_prompt(struct sql_database *database, struct sink *sink);

#endif
