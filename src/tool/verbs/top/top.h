/* top.h — the screen of `hectic top`, for other verbs. */
#ifndef HECTIC_TOP_H
#define HECTIC_TOP_H

/* Shows a source (run:COMMAND, unix:PATH, a file …) on the screen, as `hectic top SOURCE` does
 * without options, until the user quits. Returns the exit code. */
int top_run(const char *source);

#endif
