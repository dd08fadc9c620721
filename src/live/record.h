/* A program's log in files that are turned over by size and time, each a whole log by itself,
 * packed by zstd: NAME-2026-11-21T10:20:30-1.eventlog.zst. In the loop's thread. */
#ifndef HECTIC_SRC_RECORD_H
#define HECTIC_SRC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct record_options {
    const char *directory;
    uint64_t file_bytes; /* unpacked, after which another file begins */
    uint64_t file_ms;    /* likewise */
    uint64_t free_bytes; /* what must stay free in the file system: else the oldest go */
    uint64_t sync_ms;    /* how old what is not on the disk may be */
    size_t state_bytes;  /* of memory for the state that a file begins with; 0: 256 MiB */
};

typedef struct record record;

/* Makes the directory where it is not there. False, and why in the message: nothing can be written
 * to it. */
bool record_prepare(const char *directory, char *message, size_t size);

/* NULL, and why in the message. `name` begins the files' names. */
record *record_new(uv_loop_t *loop, const struct record_options *options, const char *name,
                   char *message, size_t size);

/* A header, by itself, or whole blocks. What cannot be written (a full disk) is missing; another
 * file begins as soon as there is room again. */
void record_write(record *r, const uint8_t *bytes, size_t size);
const char *record_trouble(const record *r); /* why nothing is written just now; NULL: it is */

void record_tick(record *r); /* now and then: what is due by time */
void record_end(record *r);  /* the end marker; frees it */

#endif
