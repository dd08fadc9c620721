/* fork.h — parts of a log that are read at once, each by a fork of the timeline. */
#ifndef HECTIC_SRC_TIMELINE_FORK_H
#define HECTIC_SRC_TIMELINE_FORK_H

#include "timeline/timeline_parts.h"

/* Names in events, with the positions of these events. */
struct told {
    uint64_t position; /* of the next ones */
    size_t count, capacity;
    struct name {
        uint64_t position;
        uint16_t type;
        uint16_t size;
        uint8_t *payload;
    } * name;
};

/* False: out of memory. */
bool told_add(struct told *told, uint16_t type, const uint8_t *payload, size_t size);
void told_free(struct told *told);

/* A block of the log. */
struct timeline_block {
    uint64_t position;
    uint64_t end; /* time, ns */
    uint32_t size;
    uint16_t cap;
};

/* Blocks that are taken by one timeline: the one of the section, or a fork. */
struct timeline_part {
    hectic_timeline *timeline;
    uint8_t number;       /* of the part: it owns the caps with this owner */
    const uint8_t *owner; /* by number of the cap */
    const struct timeline_block *block;
    size_t blocks;
    const hectic_timeline_source *source;
    struct chunks chunks;
    struct told told;
    bool has_failed; /* out of memory, or the source failed */
    bool is_unfit;   /* the events cannot be divided, or are damaged: read them sequentially */
};

enum { TIMELINE_PARTS_MAX = 16 };

/* For a part with a number from 1 on. NULL: out of memory. */
hectic_timeline *timeline_fork(const hectic_timeline *of, const uint8_t *owner, unsigned number);

/* Takes the blocks without a cap, and those of the caps that it owns. */
void timeline_part_read(struct timeline_part *part);

/* Joins all other parts, which are forks, to the first one. False: out of memory. */
bool timeline_join(struct timeline_part *part, size_t parts);

#endif
