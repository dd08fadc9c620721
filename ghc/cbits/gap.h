/* What must have happened to threads and caps while no events told of them: the difference of two
 * states, as events of a log. So readers know what is alive, whatever they have missed.
 *
 * It knows nothing of the runtime. All events have one time; a thread's come in an order that is
 * possible, with no more of them than are needed. */
#ifndef HECTIC_GAP_H
#define HECTIC_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread that is alive. */
typedef struct gap_thread {
    uint64_t id;
    const char *label; /* NULL: not known */
    uint16_t label_length;
    uint16_t cap;
    uint16_t status; /* of STOP_THREAD: what it waits for; 0: it may run */
} gap_thread;

/* Capabilities: the first `enabled` of `count` are. */
typedef struct gap_caps {
    uint32_t count, enabled;
} gap_caps;

/* Where events go, as blocks. Begins as zeros but for `time`, `write` and `user`. */
typedef struct gap_writer {
    uint64_t time;
    void (*write)(void *user, const void *bytes, size_t length);
    void *user;
    size_t size;
    uint16_t cap;           /* of the block that is open, if size > 0 */
    uint8_t bytes[1 << 16]; /* of that block */
} gap_writer;

void gap_message(gap_writer *w, const char *text);
/* Both sorted by id. */
void gap_threads(gap_writer *w, const gap_thread *before, size_t before_count,
                 const gap_thread *after, size_t after_count);
void gap_of_caps(gap_writer *w, gap_caps before, gap_caps after);
void gap_end(gap_writer *w); /* writes the open block */

#endif
