/* lost.h — what stands for bytes of a log that cannot be read: messages (hectic/gaps.h). Where the
 * bytes are, one for each cap of which they may have events, with the time up to which its blocks
 * before them extend; after them, one with their number. */
#ifndef HECTIC_SRC_LOST_H
#define HECTIC_SRC_LOST_H

#include "format/per_cap.h"

#include <hectic/header.h>
#include <hectic/read_events.h>

/* The present block of a section, in the order of the file. */
struct block_reach {
    uint64_t after; /* the position after it in the log, by its marker */
    uint64_t end;   /* ns: the end time in its marker */
    uint64_t last;  /* ns: its latest event so far */
    uint16_t cap;   /* HECTIC_CAP_NONE: there is none */
};

static inline void reach_begin(struct block_reach *reach, uint64_t position, uint64_t time,
                               const hectic_event_block_marker *marker)
{
    *reach = (struct block_reach){
        .after = position + marker->size,
        .end = marker->end_time,
        .last = time,
        .cap = marker->cap_no,
    };
}

/* The cap has an event at that time, perhaps in this block. */
static inline void reach_event(struct block_reach *reach, uint16_t cap, uint64_t time)
{
    if (cap == reach->cap && time > reach->last) reach->last = time;
}

/* Ends the block before `position`. Returns up to which time it extends: to the end time of its
 * marker if it is complete, otherwise to its last event. */
static inline uint64_t reach_end(struct block_reach *reach, uint64_t position)
{
    if (position >= reach->after) reach_event(reach, reach->cap, reach->end);
    reach->cap = HECTIC_CAP_NONE;
    return reach->last;
}

/* Where the bytes begin. */
struct lost {
    uint64_t position;
    uint64_t last;     /* the time of the last event before them */
    uint64_t end;      /* the position at which their block ends; 0: unknown, or outside blocks */
    uint64_t end_time; /* when it ends */
    uint16_t cap;      /* of the block */
};

struct lost_message {
    uint64_t time;
    uint64_t bytes; /* 0: the cap's events are missing from here */
    uint16_t cap;
};

/* False: failed. */
typedef bool (*lost_take)(void *user, const struct lost_message *message);

/* The place where they begin. `remaining` and `reach` are those of the current block, the former as
 * hectic_decoder_block_remaining. */
struct lost lost_begin(uint64_t position, int64_t remaining, const struct block_reach *reach);

/* Is it certain that all bytes up to `position` belong to one block? */
bool lost_is_of_one(const struct lost *lost, uint64_t position);

/* Makes the messages for the bytes up to `position`. `next`: the time of the next event, or 0.
 * `caps`: up to which time the blocks of each cap extend, of those since the last bytes that may
 * have had events of any cap. The last message has the cap and the end of the block if all bytes
 * belong to one, otherwise HECTIC_CAP_NONE and `next`. False: out of memory, or `take` returned
 * false. */
bool lost_messages(const struct lost *lost, uint64_t position, uint64_t next, cap_times *caps,
                   lost_take take, void *user);

/* Makes the messages of all of these caps, and empties them. */
bool lost_caps_messages(cap_times *caps, lost_take take, void *user);

/* The messages can be events of a section with this header. */
bool lost_is_told(const hectic_header *header);

enum { LOST_TEXT = 64 };

/* Sets the text of a message, and returns its size. */
uint16_t lost_text(char text[LOST_TEXT], uint64_t bytes);

#endif
