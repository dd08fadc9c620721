/* chunks.h — the parts of a section of a log, with their times, in fixed memory: from them, an
 * interval is read without the rest of the log. */
#ifndef HECTIC_SRC_TIMELINE_CHUNKS_H
#define HECTIC_SRC_TIMELINE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNKS_MAX = 1 << 17, CHUNK_BYTES = 1 << 15 };

/* Complete events that follow each other. */
struct timeline_chunk {
    uint64_t position;    /* in the log */
    uint64_t length;      /* bytes; 0: a message about lost ones, as in decode/order.h */
    uint64_t first, last; /* the earliest and the latest time, ns */
    uint64_t types;       /* of its events: type_set_folded */
    /* The framing at its beginning, as in a stepper (decode/step.h). */
    int64_t remaining;
    uint16_t cap;
};

struct chunks {
    size_t count, capacity;
    struct timeline_chunk *chunk; /* in the order of the file */
    uint64_t bytes;               /* a chunk is closed when it has at least so many */
    uint64_t additions;           /* calls of chunks_add and chunks_insert: they differ if and only
                                     if something was added between */
    bool is_cut;                  /* the log was cut: later events than `end` do not count */
    uint64_t end;
};

void chunks_free(struct chunks *chunks);

/* Adds events at the end. A new chunk begins there if the last one is full. False: out of memory.
 */
bool chunks_add(struct chunks *chunks, const struct timeline_chunk *events);

/* The same, at their place among the others. */
bool chunks_insert(struct chunks *chunks, const struct timeline_chunk *events);

/* The last time of an interval that ends before `to`, without events that do not count. */
uint64_t chunks_last(const struct chunks *chunks, uint64_t to);

#endif
