/* stack_messages.h — the messages of ghc-stack-profiler: call stacks in USER_BINARY_MSG events.
 *
 * All its releases are read: they differ in their frames, in the size of thread numbers, and in the
 * order of frames. A message belongs to a release if it has exactly the size that its fields say.
 *
 * Strings and source locations may be defined after their first use, since the messages of a cap
 * may stand before those of another. A name that is redefined begins a new symbol.
 */
#ifndef HECTIC_SRC_STACK_MESSAGES_H
#define HECTIC_SRC_STACK_MESSAGES_H

#include "profiles/stacks.h"

struct stack_messages;

/* A call stack, complete. */
struct call_stack {
    uint32_t cap;
    uint64_t thread;
    uint32_t node;
};

enum stack_message {
    STACK_MESSAGE_OTHER, /* a foreign message, a definition, or a part of a call stack */
    STACK_MESSAGE_STACK,
    STACK_MESSAGE_MALFORMED,
    STACK_MESSAGE_NO_MEMORY,
};

/* NULL: out of memory. */
struct stack_messages *stack_messages_new(hectic_symbols *symbols, hectic_stacks *stacks);
void stack_messages_free(struct stack_messages *messages);

/* Takes a USER_BINARY_MSG event. Sets *stack for STACK_MESSAGE_STACK. */
enum stack_message stack_messages_event(struct stack_messages *messages, const hectic_event *event,
                                        struct call_stack *stack);

/* Names the symbols whose definitions have come after their first use. */
void stack_messages_resolve(struct stack_messages *messages);

/* Call stacks whose last part is missing, so far. */
uint64_t stack_messages_incomplete(const struct stack_messages *messages);

#endif
