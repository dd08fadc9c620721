/* extension.c — a loadable extension of SQLite: hectic_threads('Main.eventlog') and so on. */
#include "query/query.h"

SQLITE_EXTENSION_INIT1

/* Called by SQLite when the extension is loaded, by the name that follows from that of the file. */
__attribute__((visibility("default"))) int sqlite3_hectic_init(sqlite3 *database, char **message,
                                                               const sqlite3_api_routines *api);

int sqlite3_hectic_init(sqlite3 *database, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    (void)message;
    query_logs *logs = query_logs_new(NULL);
    if (!logs) return SQLITE_NOMEM;
    return query_attach(
        database, &(struct query_settings){.logs = logs, .takes_path = true, .prefix = "hectic_"});
}
