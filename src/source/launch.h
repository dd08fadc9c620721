/* Prepares the start of an unmodified Haskell program with its eventlog enabled.
 *
 * The program writes its log to a temporary file, not a pipe: it never waits for the reader, nor
 * fails when the reader exits. The file is unlinked once the program has opened it, and the parts
 * that were read are released from the disk at once. Its directory stays until the program ends; if
 * this process is killed, another one removes it then. */
#ifndef HECTIC_SRC_LAUNCH_H
#define HECTIC_SRC_LAUNCH_H

#include "source/executable.h"

#include <stdint.h>
#include <sys/types.h>

enum launch_through { LAUNCH_WHAT_IT_TAKES, LAUNCH_ARGUMENTS, LAUNCH_ENVIRONMENT };

struct launch_options {
    enum launch_through through;
    const char *rts; /* additional RTS options; NULL: none */
    uint64_t every;  /* ns: flush interval, for runtimes that have one */
    bool heap, prof; /* with a heap profile, unless `rts` has one; with a time profile */
};

struct launch {
    struct executable executable;
    char **arguments, **environment; /* to start it with: execve(executable.path, …) */
    char **own, *options;            /* storage of these */
    char *folder, *path;             /* of the log; path NULL: unlinked */
    int fd;                          /* of the log */
    int tell;                        /* connected to the process that removes it; -1 */
    uint64_t position, punched;
};

/* `arguments` begin with the program's name and must outlive the launch. Returns 0, or an exit code
 * with a message. With 0, the message is empty or a warning. Call launch_clear in either case. */
int launch_prepare(struct launch *launch, const struct launch_options *options, char **arguments,
                   char *message, size_t size);

/* The program has this pid: call it when it has started, or in its process before execve. */
void launch_tell(const struct launch *launch, pid_t program);

/* Reads new bytes of the log. 0: none; negative: an error in errno. */
ssize_t launch_read(struct launch *launch, void *buffer, size_t size);

/* Why a program that has ended may have written no log. */
extern const char launch_no_log[];

void launch_clear(struct launch *launch);

#endif
