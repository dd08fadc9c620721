/* database.c — see database.h. */
#include "tool/verbs/sql/database.h"

#include "os/clock.h"
#include "query/views.h"
#include "tool/cli/message.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INSTRUCTIONS = 1000,     /* of SQLite, between two looks at the clock */
    VALUE_MAX = 64 << 20,    /* bytes of a text */
    STATEMENT_MAX = 1 << 20, /* bytes */
};
static const uint64_t default_memory = UINT64_C(1) << 30, default_time = UINT64_C(600000000000);

/* --- Logs ------------------------------------------------------------------------------------ */

static void worsen(struct sql_database *database, int code)
{
    if (code > database->code) database->code = code;
}

/* Copies what can be read only once to a temporary file. */
static bool copy_bytes(hectic_input *input, const char *path, FILE *file)
{
    static char buffer[1 << 16] __attribute__((aligned(HECTIC_INPUT_ALIGNMENT)));
    hectic_error error = {0};
    for (ptrdiff_t size; (size = hectic_input_read(input, buffer, sizeof buffer, &error)) != 0;) {
        if (size < 0) return tool_log_error(path, &error), false;
        if (fwrite(buffer, 1, (size_t)size, file) != (size_t)size) {
            tool_message("a temporary file cannot be written: %s", strerror(errno));
            return false;
        }
    }
    if (fflush(file) == 0) return true;
    tool_message("a temporary file cannot be written: %s", strerror(errno));
    return false;
}

static bool keep_copy(struct sql_database *database, const char *path)
{
    struct sql_copy *grown =
        realloc(database->copy, (database->copies + 1) * sizeof *database->copy);
    if (grown) database->copy = grown;
    hectic_input *input = grown ? tool_input_open(path) : NULL;
    FILE *file = input ? tmpfile() : NULL;
    if (input && !file) tool_message("no temporary file: %s", strerror(errno));
    const bool done = file && copy_bytes(input, path, file);
    const int fd = done ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file) fclose(file);
    hectic_input_free(input);
    if (fd < 0) return false;
    database->copy[database->copies++] = (struct sql_copy){path, fd};
    return true;
}

static hectic_input *open_bytes(void *user, const char *path, hectic_error *error)
{
    const struct sql_database *database = user;
    char name[64];
    for (size_t i = 0; i < database->copies; i++) {
        if (strcmp(database->copy[i].path, path) != 0) continue;
        snprintf(name, sizeof name, "/proc/self/fd/%d", database->copy[i].fd);
        return hectic_input_open(name, error);
    }
    hectic_input *input = tool_input_open(path);
    if (!input) *error = (hectic_error){.kind = HECTIC_ERROR_KINDS}; /* was reported */
    return input;
}

static void report_log(void *user, const char *path, const hectic_log *log)
{
    struct sql_database *database = user;
    const struct output_settings *output = &database->settings->output;
    worsen(database, tool_log_report(log, path, HECTIC_COMPLETE, output));
    tool_note_coverage(log, path, UINT64_MAX, output);
}

/* Of several logs, those that cannot be read are left out. */
static bool log_failed(void *user, const char *path, const hectic_error *error)
{
    struct sql_database *database = user;
    const bool is_alone = database->files.count == 1;
    if (error->kind != HECTIC_ERROR_KINDS) tool_log_error(path, error);
    worsen(database, is_alone ? TOOL_UNUSABLE : TOOL_DAMAGED);
    return !is_alone;
}

/* --- Limits ---------------------------------------------------------------------------------- */

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
    case SQLITE_FUNCTION: return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
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
    sqlite3_progress_handler(sqlite, INSTRUCTIONS, look_at_clock, database);
    sqlite3_set_authorizer(sqlite, authorize, database);
}

/* --- Opening --------------------------------------------------------------------------------- */

static int find_logs(struct sql_database *database, query_logs *logs, int count, char **paths)
{
    size_t number;
    for (int i = 0; i < count; i++)
        if (!log_files_add(&database->files, paths[i])) return TOOL_UNUSABLE;
    for (size_t i = 0; i < database->files.count; i++) {
        const char *path = database->files.path[i];
        const bool once = strcmp(path, "-") == 0 || live_log_may_be(path);
        if (once && !keep_copy(database, path)) return TOOL_UNUSABLE;
        if (!query_logs_add(logs, path, &number))
            return tool_message("out of memory"), TOOL_UNUSABLE;
    }
    return TOOL_OK;
}

static int attach(struct sql_database *database, query_logs *logs)
{
    const struct query_settings settings = {
        .logs = logs,
        .prefix = "",
        .failed = log_failed,
        .user = database,
        .is_declaring = &database->is_declaring,
    };
    int code = sqlite3_open_v2(":memory:", &database->sqlite,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK)
        code = query_attach(database->sqlite, &settings);
    else
        query_logs_free(logs);
    if (code == SQLITE_OK) code = query_add_views(database->sqlite, database->files.count > 1);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database->sqlite, "PRAGMA cache_size=-8000", NULL, NULL, NULL);
    if (code == SQLITE_OK) return limit(database), TOOL_OK;
    tool_message("SQLite: %s",
                 database->sqlite ? sqlite3_errmsg(database->sqlite) : sqlite3_errstr(code));
    return TOOL_UNUSABLE;
}

int sql_open(struct sql_database *database, const struct sql_settings *settings, int logs,
             char **paths)
{
    *database = (struct sql_database){.settings = settings};
    const struct query_logs_hooks hooks = {.open = open_bytes,
                                           .closing = report_log,
                                           .is_interrupted = is_interrupted,
                                           .user = database};
    query_logs *found = query_logs_new(&hooks);
    database->tables = query_tables_new();
    if (!found || !database->tables) {
        query_logs_free(found);
        return tool_message("out of memory"), TOOL_UNUSABLE;
    }
    const int code = find_logs(database, found, logs, paths);
    if (code != TOOL_OK) return query_logs_free(found), code;
    return attach(database, found);
}

int sql_close(struct sql_database *database, int code)
{
    sqlite3_close(database->sqlite);
    query_tables_free(database->tables);
    for (size_t i = 0; i < database->copies; i++)
        close(database->copy[i].fd);
    free(database->copy);
    log_files_free(&database->files);
    return code == TOOL_OK ? database->code : code;
}

void sql_start_clock(struct sql_database *database)
{
    const uint64_t time = database->settings->time;
    database->is_late = false;
    database->deadline = clock_ns() + (time ? time : default_time);
}
