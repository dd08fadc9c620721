/* server.h — a server of ClickHouse, by its HTTP interface. Not for several threads at a time. */
#ifndef HECTIC_SRC_CLICKHOUSE_SERVER_H
#define HECTIC_SRC_CLICKHOUSE_SERVER_H

#include "base/buffer.h"

struct clickhouse_access {
    const char *url; /* http://HOST:PORT or https:…, perhaps with a path; not copied */
    const char *user, *password; /* NULL: those of ~/.netrc, or the default user; not copied */
    uint64_t patience;           /* ms: for so long requests that fail are repeated */

    /* Called once for each request that is repeated, with the reason; may be NULL. */
    void (*waits)(void *user_data, const char *url, const char *why);

    /* Called now and then during a request: true cancels it. May be NULL. */
    bool (*is_cancelled)(void *user_data);
    void *user_data;
};

typedef struct clickhouse_server clickhouse_server;

/* Call it before there are threads. NULL: out of memory. Without libcurl, all statements fail. */
clickhouse_server *clickhouse_server_new(const struct clickhouse_access *access);
void clickhouse_server_free(clickhouse_server *server);

/* Runs a statement, with the rows of an INSERT if there are any. If the server cannot be reached or
 * is overloaded, tries again, which must do no harm. False: it failed. */
bool clickhouse_run(clickhouse_server *server, const char *statement, const struct buffer *rows);

/* Has the server refused the last statement, and will refuse it again, though it answers and knows
 * the user? */
bool clickhouse_has_refused(const clickhouse_server *server);

/* What the last statement has printed, NUL-terminated: valid until the next one. */
const char *clickhouse_answer(const clickhouse_server *server);

/* Why the last statement failed: the server's message, one line. */
const char *clickhouse_error(const clickhouse_server *server);

#endif
