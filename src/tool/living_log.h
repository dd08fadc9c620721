/* living_log.h — the log of a living program, as a verb reads it that has nothing to do meanwhile.
 */
#ifndef HECTIC_LIVING_LOG_H
#define HECTIC_LIVING_LOG_H

#include "tool.h"

struct living_log_calls {
    /* Either returns TOOL_OK, or the exit code with which reading ends. */
    int (*begin)(void *user); /* another log begins */
    int (*bytes)(void *user, const void *bytes, size_t length);
    bool (*is_over)(void *user); /* asked after bytes: is it enough? NULL: it never is */
    bool interrupts;             /* an interrupt ends the reading, and not the command */
};

/* Is it unix:PATH, tcp:HOST:PORT or the like, and not just a path? */
bool living_log_is(const char *text);

/* The exit code where source_open refuses it: a program that cannot be watched is no fault of
 * usage.
 */
int living_log_refused(const char *text);

/* Reads it to the end of the first log or, to `follow`, on and on. Unless it is to be quiet, says
 * on stderr what it waits for. Returns the exit code. */
int living_log_read(const char *text, bool follow, bool quiet, const struct living_log_calls *calls,
                    void *user);

#endif
