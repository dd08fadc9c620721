/* Records a program's log in files that are rotated by size and time. Each file is a log that
 * begins with the live state; only the last one has an end marker, if the program's log has one.
 * Files are compressed with zstd, and named by program, time (UTC) and number, so that names sort
 * by time: NAME-20261121T102030Z-000001.eventlog.zst. In the loop's thread. */
#ifndef HECTIC_SRC_RECORD_H
#define HECTIC_SRC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* Counts of one recording, or of all together. All but the first are monotonic. */
typedef struct record_counts {
    uint64_t failing;                       /* recordings that currently fail: 0 or 1 of one */
    uint64_t failures;                      /* how often a failure began */
    uint64_t bytes;                         /* written to files, compressed */
    uint64_t missed;                        /* events missing from files because of failures */
    uint64_t removed_files, removed_events; /* to keep space free; events as far as known */
} record_counts;

struct record_options {
    const char *directory;
    uint64_t file_bytes; /* decompressed; then the next file begins */
    uint64_t file_ms;    /* likewise */
    uint64_t free_bytes; /* keep this free in the file system, by removing the oldest files, where
                            that makes room for some seconds of the log */
    uint64_t sync_ms;    /* maximum age of data that is not on disk */
    size_t state_bytes;  /* as in hectic_server_options */
    record_counts *all;  /* sums that include this recording; or NULL */
    /* Reports failures with their reason, recovery with the number of missing events, and removed
     * files; or NULL. May be called as long as the loop runs. */
    void (*report)(void *user, const char *text);
    void *user;
};

typedef struct record record;

/* Creates the directory if needed. False: it is not writable or too little space is free, with the
 * reason in the message. */
bool record_prepare(const struct record_options *options, char *message, size_t size);

/* NULL: no memory. `name` is the prefix of file names. */
record *record_new(uv_loop_t *loop, const struct record_options *options, const char *name);

/* Takes a header or whole blocks. Data that cannot be written (disk full) is lost; a new file
 * begins as soon as possible, with a message that contains the number of missing events. */
void record_write(record *r, const uint8_t *bytes, size_t size);
/* The blocks have all events of all caps up to that time: another file may begin here. */
void record_end_unit(record *r, uint64_t time);
const record_counts *record_counted(const record *r);

void record_tick(record *r); /* call it periodically */
/* The log has ended; `complete`: with an end marker. Freed when all data is on disk. */
void record_end(record *r, bool complete);

#endif
