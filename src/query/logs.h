/* logs.h — the logs of a database. Each is opened when it is needed; a few stay open, so that the
 * next query need not make the first pass again. */
#ifndef HECTIC_SRC_QUERY_LOGS_H
#define HECTIC_SRC_QUERY_LOGS_H

#include <hectic/log.h>

typedef struct query_logs query_logs;

struct query_logs_hooks {
    /* Opens the bytes of a log. NULL with *error set on failure. NULL: hectic_input_open. */
    hectic_input *(*open)(void *user, const char *path, hectic_error *error);
    /* Called before a log that was opened is freed; may be NULL. */
    void (*closing)(void *user, const char *path, const hectic_log *log);
    /* Has the query been interrupted? Called by the thread that runs it; may be NULL. */
    bool (*is_interrupted)(void *user);
    void *user;
};

/* `hooks` may be NULL. NULL: out of memory. */
query_logs *query_logs_new(const struct query_logs_hooks *hooks);
void query_logs_free(query_logs *logs);

/* Sets *number to the number of the log at a path, which is added if it is new. False: out of
 * memory. */
bool query_logs_add(query_logs *logs, const char *path, size_t *number);

size_t query_logs_count(const query_logs *logs);
const char *query_logs_path(const query_logs *logs, size_t number);

/* Sets *error to HECTIC_IO with EINTR if the query has been interrupted. */
bool query_logs_interrupted(const query_logs *logs, hectic_error *error);

/* How often the file of the log has been seen to change. */
uint64_t query_logs_version(query_logs *logs, size_t number);

/* Opens a log, or takes one that is open. `options` NULL: all of it. NULL with *error set on
 * failure. Return it with query_log_give. */
hectic_log *query_log_take(query_logs *logs, size_t number, const hectic_log_options *options,
                           hectic_error *error);

/* `is_whole`: it was taken without options, and may be taken again. */
void query_log_give(query_logs *logs, size_t number, hectic_log *log, bool is_whole);

#endif
