/* Logs the difference between two states of threads and caps as events, so that readers have the
 * correct state after a gap.
 *
 * Independent of the runtime. All events have the same time; those of a thread are minimal and in a
 * valid order. */
#ifndef HECTIC_GAP_H
#define HECTIC_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A live thread. */
typedef struct gap_thread {
    uint64_t id;
    const char *label; /* NULL: unknown */
    uint16_t label_length;
    uint16_t cap;
    uint16_t status; /* as in STOP_THREAD: why it is blocked; 0: runnable */
} gap_thread;

/* Capabilities; the first `enabled` ones of `count` are enabled. */
typedef struct gap_caps {
    uint32_t count, enabled;
} gap_caps;

/* Writes events in blocks. Initialize with zeros, except `time`, `write` and `user`. */
typedef struct gap_writer {
    uint64_t time;
    void (*write)(void *user, const void *bytes, size_t length);
    void *user;
    size_t size;
    uint16_t cap;           /* of the open block, if size > 0 */
    uint8_t bytes[1 << 16]; /* of the open block */
} gap_writer;

void gap_message(gap_writer *w, const char *text);
/* Both sorted by id. */
void gap_threads(gap_writer *w, const gap_thread *before, size_t before_count,
                 const gap_thread *after, size_t after_count);
void gap_of_caps(gap_writer *w, gap_caps before, gap_caps after);
void gap_end(gap_writer *w); /* writes the open block */

#endif
