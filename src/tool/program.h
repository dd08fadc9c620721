/* program.h — what can be seen of a Haskell program without running it. */
#ifndef HECTIC_PROGRAM_H
#define HECTIC_PROGRAM_H

#include "tool.h"

/* Which runtime options it takes on its command line, as its -rtsopts said. */
enum program_options {
    PROGRAM_UNKNOWN, /* it was stripped, or is a script */
    PROGRAM_ALL,
    PROGRAM_SOME, /* the default: those for the eventlog, and few others */
    PROGRAM_NONE, /* and GHCRTS is ignored */
};

struct program {
    char *path; /* to be freed */
    enum program_options options;
    bool is_script;
    bool is_haskell;
    bool has_eventlog;       /* as far as can be seen */
    bool has_flush_interval; /* --eventlog-flush-interval */
};

/* Exit codes of those who start programs, as those of env and timeout. */
enum { PROGRAM_FAILED = 125, PROGRAM_NOT_EXECUTABLE = 126, PROGRAM_NOT_FOUND = 127 };

/* Finds it as a shell does. Returns TOOL_OK, or one of the above after a message. */
int program_inspect(const char *name, struct program *program);

#endif
