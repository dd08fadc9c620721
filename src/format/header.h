/* The internals of a header, for what steps over events. */
#ifndef HECTIC_SRC_HEADER_H
#define HECTIC_SRC_HEADER_H

#include <hectic/header.h>

/* The step of an event type: the distance from an event to the next one. */
enum {
    STEP_UNDECLARED = 0, /* not declared in the header; also the end marker's entry */
    STEP_VARIABLE = 1,   /* 12 bytes and the payload, whose length the event carries */
    STEP_FIXED = 10,     /* this or more: the event's size, including type and time */
};

/* Lower numbers, all but one of those in use, are looked up in a table. Others are found by binary
 * search, so that a header's memory is proportional to its bytes. */
enum { HEADER_LOW = 256 };

struct hectic_header {
    hectic_event_type *types;
    size_t count;
    uint8_t *bytes; /* the types' texts point into them */
    size_t length;
    bool has_blocks; /* BLOCK_MARKER is declared with a sufficient size */
    size_t highs;
    uint32_t *high;            /* indices in types, sorted by number, of those from HEADER_LOW on */
    uint32_t step[HEADER_LOW]; /* by number */
    uint32_t index[HEADER_LOW]; /* by number: the type's index in types */
};

/* The type of a number from HEADER_LOW on; NULL: not declared. */
const hectic_event_type *header_high(const hectic_header *header, uint16_t number);

static inline uint32_t step_of(const hectic_event_type *type)
{
    if (!type) return STEP_UNDECLARED;
    return type->size == HECTIC_VARIABLE ? STEP_VARIABLE : STEP_FIXED + (uint32_t)type->size;
}

static inline uint32_t header_step(const hectic_header *header, uint16_t number)
{
    return number < HEADER_LOW ? header->step[number] : step_of(header_high(header, number));
}

/* The type of a declared number. */
static inline const hectic_event_type *header_declared(const hectic_header *header, uint16_t number)
{
    return number < HEADER_LOW ? &header->types[header->index[number]]
                               : header_high(header, number);
}

/* Finds the end of the header that begins at bytes[0]: its length, or 0 if more bytes are needed
 * (error->kind HECTIC_OK) or it is invalid. *cursor, initially 0, is the position up to which it
 * was parsed, so that a header that arrives byte by byte is not parsed again from its beginning. */
size_t header_measure(const uint8_t *bytes, size_t length, size_t *cursor, hectic_error *error);

/* The next defect that makes events of a header unreadable, for a header at `position` in a log;
 * *next is initially 0. False: no further defect. */
bool header_defect(const hectic_header *header, uint64_t position, size_t *next,
                   hectic_error *defect);

#endif
