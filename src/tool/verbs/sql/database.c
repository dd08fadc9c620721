/* database.c — see database.h. */
#include "tool/verbs/sql/database.h"

#include "os/clock.h"
#include "query/views.h"
#include "tool/cli/message.h"

#include <string.h>

enum {
    INSTRUCTIONS = 1000,     /* of SQLite, between two looks at the clock */
    VALUE_MAX = 64 << 20,    /* bytes of a text */
    STATEMENT_MAX = 1 << 20, /* bytes */
};
static const uint64_t default_memory = UINT64_C(1) << 30, default_time = UINT64_C(600000000000);

/* --- Limits ---------------------------------------------------------------------------------- */

/* Functions that do more than calculate: the second one returns an address of the process. */
static bool is_denied(const char *function)
{
    return function && (sqlite3_stricmp(function, "load_extension") == 0 ||
                        sqlite3_stricmp(function, "fts3_tokenizer") == 0);
}

/* What a statement may do: read. */
static int authorize(void *user, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    const struct sql_database *database = user;
    (void)a, (void)c, (void)d;
    if (database->is_declaring) return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return is_denied(b) ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/* Called between instructions of SQLite: not 0 ends the statement. */
static int look_at_clock(void *user)
{
    struct sql_database *database = user;
    database->is_late = database->deadline > 0 && clock_ns() > database->deadline;
    return database->is_late;
}

static bool is_interrupted(void *user)
{
    const struct sql_database *database = user;
    return look_at_clock(user) || (database->was_interrupted && database->was_interrupted());
}

static void limit(struct sql_database *database)
{
    sqlite3 *sqlite = database->sqlite;
    const uint64_t memory = database->settings->memory;
    sqlite3_hard_heap_limit64((sqlite3_int64)(memory ? memory : default_memory));
    sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    sqlite3_limit(sqlite, SQLITE_LIMIT_SQL_LENGTH, STATEMENT_MAX);
    sqlite3_limit(sqlite, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(sqlite, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    /* Otherwise a name in quotes that no column has would be a text. */
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_progress_handler(sqlite, INSTRUCTIONS, look_at_clock, database);
    sqlite3_set_authorizer(sqlite, authorize, database);
}

/* --- Opening --------------------------------------------------------------------------------- */

/* SQLite declares its own virtual tables when they are used for the first time, which `authorize`
 * would refuse. */
static const char prepare[] = "PRAGMA cache_size=-8000;"
                              "SELECT * FROM json_each('[]'), json_tree('[]')";

static int attach(struct sql_database *database)
{
    const struct query_settings settings = {
        .logs = database->logs.logs,
        .prefix = "",
        .failed = log_tables_failed,
        .user = &database->logs,
        .temporary = tool_spool_limit(),
        .is_declaring = &database->is_declaring,
    };
    const struct query_view_form views = {.has_logs = log_tables_are_several(&database->logs),
                                          .has_pids = true,
                                          .is_temporary = true};
    int code =
        sqlite3_open_v2(":memory:", &database->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) {
        database->logs.logs = NULL; /* the connection's */
        code = query_attach(database->sqlite, &settings);
    }
    if (code == SQLITE_OK) code = query_add_views(database->sqlite, &views);
    if (code == SQLITE_OK) code = sqlite3_exec(database->sqlite, prepare, NULL, NULL, NULL);
    if (code == SQLITE_OK) return limit(database), TOOL_OK;
    tool_message("SQLite: %s",
                 database->sqlite ? sqlite3_errmsg(database->sqlite) : sqlite3_errstr(code));
    return TOOL_UNUSABLE;
}

int sql_open(struct sql_database *database, const struct sql_settings *settings, int logs,
             char **paths)
{
    *database = (struct sql_database){
        .settings = settings,
        .logs = {.output = &settings->output, .is_interrupted = is_interrupted, .user = database}};
    database->tables = query_tables_new();
    if (!database->tables) return tool_message("out of memory"), TOOL_UNUSABLE;
    const int code = log_tables_open(&database->logs, logs, paths);
    return code == TOOL_OK ? attach(database) : code;
}

int sql_close(struct sql_database *database, int code)
{
    sqlite3_close(database->sqlite);
    query_tables_free(database->tables);
    return log_tables_close(&database->logs, code);
}

void sql_start_clock(struct sql_database *database)
{
    const uint64_t time = database->settings->time;
    database->is_late = false;
    database->deadline = clock_ns() + (time ? time : default_time);
}
