/* log_tables.h — the logs of operands as tables (src/query), for verbs that read several logs. */
#ifndef HECTIC_LOG_TABLES_H
#define HECTIC_LOG_TABLES_H

#include "query/query.h"
#include "tool/cli/options.h"
#include "tool/files/log_files.h"

/* Standard input, or another log that can be read only once: its bytes. */
struct log_copy {
    const char *path;
    int fd;
};

struct log_tables {
    query_logs *logs; /* given to query_attach, or freed by log_tables_close */
    struct log_files files;
    struct log_copy *copy;
    size_t copies;
    struct log_reports {
        bool damage, failure; /* were reported */
    } * reported;             /* of each file */
    const struct output_settings *output;
    bool (*is_interrupted)(void *user); /* NULL: never */
    void *user;
    int code; /* the worst that logs had */
};

/* Finds the logs at these paths, which may be folders. Set output and is_interrupted first, the
 * rest is zero; it stays in its place while it is open. Returns the exit code. Close it in any
 * case. */
int log_tables_open(struct log_tables *tables, int count, char **paths);

/* May there be several logs? Then results name them. */
static inline bool log_tables_are_several(const struct log_tables *tables)
{
    return tables->files.count > 1 || tables->files.has_folder;
}

/* For query_settings: of several logs, those that cannot be read are reported and left out. */
bool log_tables_failed(void *tables, const char *path, const hectic_error *error);

/* Returns `code`, or a worse one that is due to the logs. Close the database before it. */
int log_tables_close(struct log_tables *tables, int code);

#endif
