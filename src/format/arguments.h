/* arguments.h — the arguments of a logged program (PROGRAM_ARGS), as its runtime divides them. */
#ifndef HECTIC_SRC_ARGUMENTS_H
#define HECTIC_SRC_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* An argument. All zero begins. */
struct argument {
    const char *text;
    bool is_rts;  /* an option of the runtime, between +RTS and -RTS */
    bool is_over; /* "--", or behind it, or behind "--RTS": the runtime reads no more options */
};

/* Goes on to the next argument, or the first, which is the program's name; leaves out +RTS, -RTS
 * and --RTS. `list` has `size` bytes, with a NUL after each argument. False: there is none. */
bool argument_next(const char *list, size_t size, struct argument *argument);

#endif
