/* top.h — the screen of `hectic top`, for other verbs. */
#ifndef HECTIC_TOP_H
#define HECTIC_TOP_H

#include <stdbool.h>

/* Starts a program (run:COMMAND), with a heap profile and a time profile if requested, and shows it
 * on the screen, as `hectic top SOURCE` does, until the user quits. Returns the exit code. */
int top_run(const char *source, bool heap, bool prof);

#endif
