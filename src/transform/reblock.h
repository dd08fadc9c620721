/* Rewrites blocks with correct sizes and times for their events. */
#ifndef HECTIC_SRC_REBLOCK_H
#define HECTIC_SRC_REBLOCK_H

#include <hectic/writer.h>

typedef struct reblock {
    hectic_writer *writer;
    bool keep_empty;  /* write empty blocks, too */
    bool keep_times;  /* a block keeps its times if events of it are omitted */
    uint64_t changed; /* blocks that were not written unchanged */
    uint64_t omitted; /* markers that were not written: of blocks without events, before an event
                         outside blocks, which would be read as one of them */
    uint64_t added;   /* markers that were not read: of an event outside blocks, after a block that
                         was written without events */
    const hectic_event_type *empty; /* what was written last is a block without events, whose marker
                                       has this type; NULL: it is not */

    /* The block being read. */
    const hectic_event_type *declared; /* of its marker; NULL: outside blocks */
    uint64_t time, end_time;
    int64_t remaining;
    uint16_t cap;
    bool intact;      /* written unchanged so far */
    bool marker_kept; /* its marker is written, with its time, even if no event of it is */
    bool begun;       /* its marker is written */
    bool has_event;   /* and an event of it */
    bool has_ended;   /* all of its events are omitted; the next one may be outside blocks */
} reblock;

/* Writes an event, or omits it unless `keep`. `remaining`: hectic_decoder_block_remaining after it.
 */
bool reblock_event(reblock *r, const hectic_event *event, int64_t remaining, bool keep);

/* Ends the block being read: before a header, an end marker, damage, or the end. */
bool reblock_end(reblock *r);

#endif
