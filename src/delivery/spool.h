/* spool.h — a folder of blocks that could not be sent yet, a file for each: what a process
 * has put there, the next one sends.
 *
 * A file appears whole, under its number and how many items it has. It is not forced to the disk:
 * it survives the process, but perhaps not the machine. */
#ifndef HECTIC_SRC_DELIVERY_SPOOL_H
#define HECTIC_SRC_DELIVERY_SPOOL_H

#include "base/buffer.h"

typedef struct delivery_spool delivery_spool;

/* The `what` of delivery_target.send with its NUL, then the body. */
struct delivery_block {
    struct delivery_block *next;
    uint64_t number; /* in their order */
    uint64_t items;
    struct buffer bytes;
};
void delivery_block_free(struct delivery_block *block);

/* The folder of a server in the one of all: made from its address. */
void delivery_spool_folder(char *folder, size_t size, const char *all, const char *url);

/* Opens a folder, which is made if it is missing, for this process alone. NULL: the message says
 * why. */
delivery_spool *delivery_spool_open(const char *path, uint64_t bytes_max, char *message,
                                    size_t size);
void delivery_spool_close(delivery_spool *spool);

/* Writes and reads a file, without the list of them: by any threads. They set errno. */
bool delivery_spool_write(const delivery_spool *spool, const struct delivery_block *block);
struct delivery_block *delivery_spool_read(const delivery_spool *spool, uint64_t number,
                                           uint64_t items);

/* The list: by one thread at a time. */
struct delivery_spool_state {
    uint64_t files, bytes, items;
    uint64_t first, first_items; /* of the lowest number, if there are files */
    uint64_t next;               /* a number that is higher than all so far */
};
struct delivery_spool_state delivery_spool_get_state(const delivery_spool *spool);
bool delivery_spool_has_room(const delivery_spool *spool, size_t size);

/* A file that was written is in the list. False: out of memory. */
bool delivery_spool_add(delivery_spool *spool, const struct delivery_block *block);

/* Removes the first file. */
void delivery_spool_remove(delivery_spool *spool);

#endif
