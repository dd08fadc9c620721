/* trace_writer.h — what a trace of a program is made of, and a format that it is written in. */
#ifndef HECTIC_EXPORT_TRACE_WRITER_H
#define HECTIC_EXPORT_TRACE_WRITER_H

#include "profiles/stacks.h"
#include "tool/files/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind { TRACE_PROCESS, TRACE_GROUP, TRACE_SLICES, TRACE_COUNTER };

/* All texts are valid UTF-8. */
struct trace_track {
    uint64_t id;     /* not 0 */
    uint64_t parent; /* 0: none. It was announced before */
    enum trace_kind kind;
    uint32_t pid;
    const char *name; /* of a process: of its program; NULL: unknown */
    const char *unit; /* of a counter; "" counts */
    uint64_t rank;    /* among those of its parent */
};

struct trace_arg {
    const char *name;
    const char *text; /* NULL: a number */
    uint64_t number;
    bool is_real;
    double real;
};

/* A node of a tree of stacks. */
struct trace_stack {
    uint64_t id; /* of the tree in the trace */
    const hectic_stacks *stacks;
    const hectic_symbols *symbols;
    uint32_t node;
};

enum { TRACE_ARGS = 24 };

struct trace_event {
    uint64_t track;
    uint32_t pid;
    uint64_t from, to; /* ns; of an instant, `from` */
    const char *name, *category;
    bool is_constant; /* the name stays in its place, as categories and names of arguments do */
    bool is_rare;     /* the name is that of this event */
    uint64_t flow_out, flow_in;      /* an arrow from the event with the one to that with the other
                                        of the same number; 0: none */
    const struct trace_stack *stack; /* NULL: none */
    size_t args;
    struct trace_arg arg[TRACE_ARGS]; /* the others are not set: there are very many events */
};

/* Slices of a track are disjoint, or one contains the other; they come in the order of their ends.
 * Other events come in any order. Each function returns false if memory runs out. */
struct trace_writer {
    void *(*begin)(struct sink *sink); /* NULL: no memory */
    bool (*track)(void *self, const struct trace_track *track);
    bool (*slice)(void *self, const struct trace_event *event);
    bool (*instant)(void *self, const struct trace_event *event);
    bool (*counter)(void *self, const struct trace_track *track, uint64_t time, uint64_t value);
    uint64_t (*end)(void *self); /* frees it. Returns how many bytes were written */
};
extern const struct trace_writer perfetto_writer, chrome_writer;

/* The bytes of the texts of its arguments, and of its name if that is not constant: TRACE_NAME_MAX
 * is enough for one that is. */
enum { TRACE_NAME_MAX = 1024 };
size_t trace_texts(const struct trace_event *event);

/* The innermost frames of a stack, outermost first: at most TRACE_FRAMES. Returns their number. */
enum { TRACE_FRAMES = 512, TRACE_FRAME_TEXT = 1024 };
size_t trace_frames(const struct trace_stack *stack, uint32_t node[TRACE_FRAMES]);

/* The name of a node's innermost frame. Returns `text`. */
const char *trace_frame(const struct trace_stack *stack, uint32_t node,
                        char text[TRACE_FRAME_TEXT]);

#endif
