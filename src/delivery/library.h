/* library.h — shared libraries that are loaded when they are needed. */
#ifndef HECTIC_SRC_LIBRARY_H
#define HECTIC_SRC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_function {
    const char *name;
    void *pointer; /* where to store it: a pointer to its type */
};

/* Loads a library for the rest of the process, and finds these functions. False: failed, with the
 * reason, and Debian's package, in the message. */
bool library_load(const char *library, const char *package,
                  const struct library_function *functions, size_t count, char *message,
                  size_t size);

#endif
