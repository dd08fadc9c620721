/* Inspects a Haskell program without running it. */
#ifndef HECTIC_SRC_EXECUTABLE_H
#define HECTIC_SRC_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Accepted RTS options on the command line, by -rtsopts. */
enum executable_options {
    EXECUTABLE_UNKNOWN, /* stripped, or a script */
    EXECUTABLE_ALL,
    EXECUTABLE_SOME, /* the default: safe ones, including those of the eventlog */
    EXECUTABLE_NONE, /* GHCRTS is ignored, too */
};

/* Was it linked with -prof? */
enum executable_profiling {
    PROFILING_UNKNOWN, /* not readable, or not a Haskell program */
    PROFILING_ABSENT,
    PROFILING_PRESENT,
};

struct executable {
    char *path; /* to be freed */
    enum executable_options options;
    bool is_script;
    bool is_haskell;
    bool has_eventlog;       /* as far as known */
    bool has_flush_interval; /* --eventlog-flush-interval */
    enum executable_profiling profiling;
    bool is_threaded; /* linked with -threaded, as far as known */
};

/* Exit codes as those of env and timeout. */
enum { EXECUTABLE_FAILED = 125, EXECUTABLE_CANNOT = 126, EXECUTABLE_NOT_FOUND = 127 };

/* Finds it as a shell does. Returns 0, or one of these codes with a message. */
int executable_look(const char *name, struct executable *executable, char *message, size_t size);

#endif
