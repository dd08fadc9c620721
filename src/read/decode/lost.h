/* lost.h — what stands for bytes of a log that cannot be read: a message (hectic/gaps.h). */
#ifndef HECTIC_SRC_LOST_H
#define HECTIC_SRC_LOST_H

#include <hectic/header.h>

/* Where the bytes begin. */
struct lost {
    uint64_t last;     /* the time of the last event before them */
    uint64_t end;      /* the position at which their block ends; 0: unknown, or outside blocks */
    uint64_t end_time; /* when it ends */
    uint16_t cap;      /* of the block */
};

/* The place where they begin. `remaining`, `end_time` and `cap` are those of the current block, as
 * hectic_decoder_block_remaining. */
struct lost lost_begin(uint64_t last, uint64_t position, int64_t remaining, uint64_t end_time,
                       uint16_t cap);

/* The time and *cap of the message: those of the end of the block if it is certain that all bytes
 * up to `position` belong to one, otherwise HECTIC_CAP_NONE and `next`, the time of the next event
 * or 0. */
uint64_t lost_end(const struct lost *lost, uint64_t position, uint64_t next, uint16_t *cap);

/* The message can be an event of a section with this header. */
bool lost_is_told(const hectic_header *header);

enum { LOST_TEXT = 64 };

/* Sets the text of the message, and returns its size. */
uint16_t lost_text(char text[LOST_TEXT], uint64_t bytes);

#endif
