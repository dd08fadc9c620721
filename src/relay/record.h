/* A program's log in files that are turned over by size and time, each a whole log by itself,
 * packed by zstd: NAME-2026-11-21T10:20:30-1.eventlog.zst. In the loop's thread. */
#ifndef HECTIC_SRC_RECORD_H
#define HECTIC_SRC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* How recording goes: of one record, or of several together. All but the first only grow. */
typedef struct record_counts {
    uint64_t failing;  /* records that nothing can be written to just now: 0 or 1 of one */
    uint64_t failures; /* how often that has begun */
    uint64_t bytes;    /* written to files, packed */
    uint64_t missed;   /* events that are in no file, since it failed */
} record_counts;

struct record_options {
    const char *directory;
    uint64_t file_bytes; /* decompressed, after which another file begins */
    uint64_t file_ms;    /* likewise */
    uint64_t free_bytes; /* what must stay free in the file system: else the oldest go */
    uint64_t sync_ms;    /* how old what is not on the disk may be */
    size_t state_bytes;  /* as of hectic_server_options */
    record_counts *all;  /* counts those of this record as well; NULL: there is no such */
    /* Says that it fails, and why; that it does not any more, and what is missing. NULL: nobody
     * listens. It may be called as long as the loop runs. */
    void (*report)(void *user, const char *text);
    void *user;
};

typedef struct record record;

/* Makes the directory where it is not there. False, and why in the message: nothing can be written
 * to it, or too little would stay free. */
bool record_prepare(const struct record_options *options, char *message, size_t size);

/* NULL: no memory. `name` begins the files' names. */
record *record_new(uv_loop_t *loop, const struct record_options *options, const char *name);

/* A header, by itself, or whole blocks. What cannot be written (a full disk) is missing; another
 * file begins as soon as there is room again, with a message that says how many events are. */
void record_write(record *r, const uint8_t *bytes, size_t size);
const record_counts *record_counted(const record *r);

void record_tick(record *r); /* now and then: what is due by time */
void record_end(record *r);  /* the end marker; it is freed when all is on the disk */

#endif
