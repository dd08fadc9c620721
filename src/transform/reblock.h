/* Blocks taken apart and put together again, with sizes and times that fit what is in them. */
#ifndef HECTIC_SRC_REBLOCK_H
#define HECTIC_SRC_REBLOCK_H

#include <hectic/writer.h>

typedef struct reblock {
    hectic_writer *writer;
    bool keep_empty; /* write blocks without events, too */
    uint64_t mended; /* blocks that were not written as they were read */

    /* The block being read. */
    const hectic_event_type *declared; /* of its marker; NULL: outside of blocks */
    uint64_t time, end_time;
    int64_t remaining;
    uint16_t cap;
    bool intact; /* as far as it was read, it is written as it was */
    bool begun;  /* its marker is written */
} reblock;

/* Passes an event on. `remaining`: what hectic_decoder_block_remaining says behind it. The event is
 * left out, but its place in the block understood, where `keep` is false. */
bool reblock_event(reblock *r, const hectic_event *event, int64_t remaining, bool keep);

/* The block being read ends here: before a header, an end marker, damage, or the end. */
bool reblock_end(reblock *r);

#endif
