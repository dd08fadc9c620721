/* What the reading rooms know of a header beyond its public face. */
#ifndef HECTIC_SRC_HEADER_H
#define HECTIC_SRC_HEADER_H

#include <hectic/header.h>

/* How far to step over an event of a type, from its first byte to the next event's. */
enum {
    STEP_UNDECLARED = 0, /* the header does not name it; also the end marker's entry */
    STEP_VARIABLE = 1,   /* 12 bytes and the payload, whose length the event carries */
    STEP_FIXED = 10,     /* this and more: the whole event, type and time included */
};

/* Numbers below this are looked up in a table: all but one of those that are in use. The others are
 * searched for, so that a header takes no more memory than its bytes call for. */
enum { HEADER_LOW = 256 };

struct hectic_header {
    hectic_event_type *types;
    size_t count;
    uint8_t *bytes; /* the types' texts point into them */
    size_t length;
    bool has_blocks; /* BLOCK_MARKER is declared, and wide enough to be one */
    size_t highs;
    uint32_t *high;             /* places in types, by number, of those from HEADER_LOW on */
    uint32_t step[HEADER_LOW];  /* by number */
    uint32_t index[HEADER_LOW]; /* by number: the type's place in types */
};

/* The type of a number from HEADER_LOW on; NULL: it is not declared. */
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

/* The type of a number that is declared. */
static inline const hectic_event_type *header_declared(const hectic_header *header, uint16_t number)
{
    return number < HEADER_LOW ? &header->types[header->index[number]]
                               : header_high(header, number);
}

/* Finds the end of the header that begins at bytes[0]: its length, or 0 where more bytes are needed
 * (error->kind HECTIC_OK) or it is none. *cursor, 0 at first, remembers how far it is understood,
 * so that a header that arrives byte by byte is not read again from its beginning. */
size_t header_measure(const uint8_t *bytes, size_t length, size_t *cursor, hectic_error *error);

/* The next thing that makes events of a header unreadable, for one that stands at `position` in a
 * log; *next is 0 at first. False: there is nothing more. */
bool header_defect(const hectic_header *header, uint64_t position, size_t *next,
                   hectic_error *defect);

#endif
