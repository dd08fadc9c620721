/* What can be seen of a Haskell program without running it. */
#ifndef HECTIC_SRC_EXECUTABLE_H
#define HECTIC_SRC_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Which runtime options it takes on its command line, as its -rtsopts said. */
enum executable_options {
    EXECUTABLE_UNKNOWN, /* it was stripped, or is a script */
    EXECUTABLE_ALL,
    EXECUTABLE_SOME, /* the default: those for the eventlog, and few others */
    EXECUTABLE_NONE, /* and GHCRTS is ignored */
};

struct executable {
    char *path; /* to be freed */
    enum executable_options options;
    bool is_script;
    bool is_haskell;
    bool has_eventlog;       /* as far as can be seen */
    bool has_flush_interval; /* --eventlog-flush-interval */
};

/* Exit codes of those who start programs, as those of env and timeout. */
enum { EXECUTABLE_FAILED = 125, EXECUTABLE_CANNOT = 126, EXECUTABLE_NOT_FOUND = 127 };

/* Finds it as a shell does. Returns 0, or one of the above with a message. */
int executable_look(const char *name, struct executable *executable, char *message, size_t size);

#endif
