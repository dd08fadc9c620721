/* Messages of ghc-stack-profiler, in USER_BINARY_MSG events: call stacks, and the definitions that
 * their frames refer to. Its releases write several layouts. */
#ifndef HECTIC_SRC_STACK_WIRE_H
#define HECTIC_SRC_STACK_WIRE_H

#include <hectic/decoder.h>

enum stack_wire_kind {
    STACK_WIRE_OTHER, /* no such message, or one without content */
    STACK_WIRE_MALFORMED,
    STACK_WIRE_VERSION, /* of its messages: two bytes, and what reveals the version */
    STACK_WIRE_STRING,
    STACK_WIRE_LOCATION,
    STACK_WIRE_PART, /* of a stack, which continues in a later message */
    STACK_WIRE_LAST, /* part of a stack, or all of it */
};

/* Numbers of strings and locations are smaller. */
#define STACK_WIRE_NUMBERS_END (UINT64_C(1) << 63)
#define STACK_WIRE_NONE        UINT64_MAX

/* How the log's messages are written: known from those read so far. 0 at first. */
typedef size_t stack_wire_layout;

struct stack_wire {
    uint64_t number; /* of a definition */
    /* A string: */
    const uint8_t *text;
    size_t length;
    /* A location: */
    uint64_t file, function; /* numbers of strings; STACK_WIRE_NONE: no function */
    uint32_t row, column;
    /* A stack: */
    uint32_t cap;
    uint64_t thread;
    size_t frames;
    const uint8_t *frame; /* the next */
    stack_wire_layout layout;
};

enum stack_wire_kind stack_wire_read(const hectic_event *event, stack_wire_layout *layout,
                                     struct stack_wire *wire);

/* Is it a last part? */
bool stack_wire_is_last(const hectic_event *event);

/* Up to release 0.2: innermost frame first. */
bool stack_wire_is_innermost_first(stack_wire_layout layout);

struct stack_wire_frame {
    bool is_info_table;
    uint64_t info_table;
    uint64_t string, location; /* of no info table: numbers, or STACK_WIRE_NONE */
    bool has_numbers;          /* false: they are impossible */
};

/* The next frame; there are `frames`. */
struct stack_wire_frame stack_wire_next(struct stack_wire *wire);

#endif
