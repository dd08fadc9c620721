/* spool.h — a folder of blocks of rows that could not be sent yet, a file for each: what a process
 * has put there, the next one sends.
 *
 * A file appears whole, under its number and how many rows it has. It is not forced to the disk: it
 * survives the process, but perhaps not the machine. */
#ifndef HECTIC_SRC_CLICKHOUSE_SPOOL_H
#define HECTIC_SRC_CLICKHOUSE_SPOOL_H

#include "base/buffer.h"

typedef struct clickhouse_spool clickhouse_spool;

/* A block of rows: a statement, NUL-terminated, and what follows it. */
struct clickhouse_block {
    struct clickhouse_block *next;
    uint64_t number; /* in their order */
    uint64_t rows;
    struct buffer bytes;
};
void clickhouse_block_free(struct clickhouse_block *block);

/* Opens a folder, which is made if it is missing, for this process alone. NULL: the message says
 * why. */
clickhouse_spool *clickhouse_spool_open(const char *path, uint64_t bytes_max, char *message,
                                        size_t size);
void clickhouse_spool_close(clickhouse_spool *spool);

/* Writes and reads a file, without the list of them: by any threads. They set errno. */
bool clickhouse_spool_write(const clickhouse_spool *spool, const struct clickhouse_block *block);
struct clickhouse_block *clickhouse_spool_read(const clickhouse_spool *spool, uint64_t number,
                                               uint64_t rows);

/* The list: by one thread at a time. */
struct clickhouse_spool_state {
    uint64_t files, bytes, rows;
    uint64_t first, first_rows; /* of the lowest number, if there are files */
    uint64_t next;              /* a number that is higher than all so far */
};
struct clickhouse_spool_state clickhouse_spool_get_state(const clickhouse_spool *spool);
bool clickhouse_spool_has_room(const clickhouse_spool *spool, size_t size);

/* A file that was written is in the list. False: out of memory. */
bool clickhouse_spool_add(clickhouse_spool *spool, const struct clickhouse_block *block);

/* Removes the first file. */
void clickhouse_spool_remove(clickhouse_spool *spool);

#endif
