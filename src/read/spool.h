/* An unlinked temporary file in $TMPDIR or /tmp. It is close-on-exec, and removed when its
 * descriptor is closed. */
#ifndef HECTIC_SRC_SPOOL_H
#define HECTIC_SRC_SPOOL_H

#include <hectic/error.h>
#include <stdbool.h>

typedef struct spool {
    int fd;
    uint64_t size;  /* bytes written to it */
    uint64_t limit; /* maximum size; 0: keeps part of the file system free */
    uint64_t due;   /* the size at which to check the free space again */
} spool;

/* False and *error set (HECTIC_SPOOL): it cannot be created. */
bool spool_open(spool *s, uint64_t limit, hectic_error *error);

/* Appends bytes. False and *error set: HECTIC_SPOOL on a write error or if the file system is
 * nearly full, HECTIC_SPOOL_LIMIT if the limit would be exceeded. */
bool spool_write(spool *s, const void *bytes, size_t size, hectic_error *error);

#endif
