/* A temporary file without a name: in $TMPDIR, or in /tmp. It is not inherited by programs that are
 * started, and is gone with its descriptor. */
#ifndef HECTIC_SRC_SPOOL_H
#define HECTIC_SRC_SPOOL_H

#include <hectic/error.h>
#include <stdbool.h>

typedef struct spool {
    int fd;
    uint64_t size;  /* bytes written to it */
    uint64_t limit; /* of them; 0: as many as leave some of the file system's room free */
    uint64_t due;   /* at which size to look at that room again */
} spool;

/* False and *error set (HECTIC_SPOOL): it cannot be made. */
bool spool_open(spool *s, uint64_t limit, hectic_error *error);

/* Adds bytes at its end. False and *error set: HECTIC_SPOOL where the system refuses or the room
 * becomes scarce, HECTIC_SPOOL_LIMIT where that would be more than the limit. */
bool spool_write(spool *s, const void *bytes, size_t size, hectic_error *error);

#endif
