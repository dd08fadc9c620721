/* state_blocks.h — which parts of the blocks of caps are needed for an interval: those with its
 * events, and before them those from which the state of each cap at its beginning follows.
 *
 * All other blocks need not be read: an interval of a large log costs what it holds. Events without
 * a cap are not the concern of this: they are all read. */
#ifndef HECTIC_SRC_STATE_BLOCKS_H
#define HECTIC_SRC_STATE_BLOCKS_H

#include "read/survey.h"

/* A finished block of a cap. */
struct block {
    uint64_t position;
    uint64_t begin, end; /* ns: when it was begun and written */
    uint32_t size;
    uint16_t cap;
};

/* Complete events of a block. */
struct block_part {
    struct block block;
    uint64_t from, to; /* positions */
};

enum { STATE_TYPES = 256 };

struct state_blocks {
    /* Given: */
    const hectic_input *input;
    const hectic_header *header;
    uint64_t from, to; /* ns */
    struct block *block;
    size_t count;
    const uint8_t *read_caps; /* bits: caps with further blocks, which are read in any case */
    /* Found: */
    list parts;               /* of struct block_part */
    bool occurs[STATE_TYPES]; /* event types, in what was read and in samples of the rest */
    bool is_unfit;            /* other events of caps matter, too: read everything */
};

/* Sorts the blocks by cap. False with *error: out of memory, or the input cannot be read. */
bool state_blocks_find(struct state_blocks *s, hectic_error *error);
void state_blocks_clear(struct state_blocks *s);

#endif
