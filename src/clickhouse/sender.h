/* sender.h — sends blocks of rows to a server of ClickHouse, by threads of its own, in their order.
 *
 * Blocks wait in memory while the server answers; if it does not, or is too slow, the oldest ones
 * are moved to a spool on disk, until that is full. Then new blocks are dropped and counted, as is
 * one that the server refuses again and again. A block may be sent twice, which the tables allow
 * (schema.h). */
#ifndef HECTIC_SRC_CLICKHOUSE_SENDER_H
#define HECTIC_SRC_CLICKHOUSE_SENDER_H

#include "clickhouse/server.h"
#include "clickhouse/spool.h"

typedef struct clickhouse_sender clickhouse_sender;

struct clickhouse_sender_options {
    const char *url, *user, *password; /* as in clickhouse_access */
    const char *spool;                 /* the folder */
    uint64_t spool_max;                /* bytes */
    /* Makes the database and its tables: before the first block, and again after a failure. */
    bool (*prepare)(void *user, clickhouse_server *server);
    void (*note)(void *user, const char *text); /* diagnostics, by any thread */
    void *user_data;                            /* passed to both */
};

struct clickhouse_counts {
    uint64_t sent_rows;
    uint64_t lost_rows, lost_blocks;
    uint64_t waiting_rows;  /* in memory and in the spool */
    uint64_t spooled_bytes; /* in the spool */
    uint64_t failing;       /* servers that do not take rows now */
};

/* Call it before there are threads. The options are copied, but not what they point to. NULL: the
 * message says why. */
clickhouse_sender *clickhouse_sender_new(const struct clickhouse_sender_options *options,
                                         char *message, size_t size);

/* Takes the bytes: a statement, NUL-terminated, and the rows; *bytes becomes an empty buffer.
 * False: they are lost, and counted. */
bool clickhouse_sender_put(clickhouse_sender *sender, struct buffer *bytes, uint64_t rows);

/* Counts rows that are lost for another reason. */
void clickhouse_sender_lose(clickhouse_sender *sender, uint64_t rows);

/* Adds its counts. */
void clickhouse_sender_count(clickhouse_sender *sender, struct clickhouse_counts *counts);

/* Sends the rest for that time at most, and leaves what remains in the spool. */
void clickhouse_sender_end(clickhouse_sender *sender, uint64_t ms);

#endif
