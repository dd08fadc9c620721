/* A Haskell program as it is, made ready to be started with its eventlog on.
 *
 * It writes its log into a file of ours, not into a pipe: a program never waits for the reader of a
 * file, nor does it notice when that reader dies. The file has no name once the program has opened
 * it, and what was read is given back to the disk at once. */
#ifndef HECTIC_SRC_LAUNCH_H
#define HECTIC_SRC_LAUNCH_H

#include "source/executable.h"

#include <stdint.h>
#include <sys/types.h>

enum launch_through { LAUNCH_WHAT_IT_TAKES, LAUNCH_ARGUMENTS, LAUNCH_ENVIRONMENT };

struct launch_options {
    enum launch_through through;
    const char *rts; /* more options for the runtime; NULL: none */
    uint64_t every;  /* ns: how often a newer runtime is to write */
};

struct launch {
    struct executable executable;
    char **arguments, **environment; /* to start it with: execve(executable.path, …) */
    char **own, *options;            /* which those point to */
    char *folder, *path;             /* of the log; path NULL: it has no name any more */
    int fd;                          /* of the log */
    uint64_t position, punched;
};

/* `arguments`, of which the first is the program's name, have to live as long. Returns 0, or an
 * exit code with a message. In any case launch_clear has to be called. */
int launch_prepare(struct launch *launch, const struct launch_options *options, char **arguments,
                   char *message, size_t size);

/* What it has written since. 0: nothing; negative: an error, and errno. */
ssize_t launch_read(struct launch *launch, void *buffer, size_t size);

/* Of a program that has ended: why it may have written no log. */
extern const char launch_no_log[];

void launch_clear(struct launch *launch);

#endif
