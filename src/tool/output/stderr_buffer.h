/* What the command says on stderr. A verb that runs as a service must not depend on who reads that:
 * its messages go through a bounded buffer and a thread, which alone waits where stderr takes
 * nothing, and gets no SIGPIPE where its reader has gone. Lines that have no room are dropped, and
 * counted in a line when stderr takes something again. */
#ifndef HECTIC_STDERR_BUFFER_H
#define HECTIC_STDERR_BUFFER_H

#include <stddef.h>
#include <stdio.h>

/* From now on. Without memory or a thread, messages are written as before. */
void stderr_buffer_begin(void);

/* Whole lines; written at once where stderr_buffer_begin was not called. By any thread. */
void stderr_buffer_write(const char *lines, size_t size);

/* A stream of such lines: they go out at each fflush. NULL: no memory. It has no descriptor. */
FILE *stderr_buffer_stream(void);

/* Waits until all is written, but for no longer than a second in which nothing is. */
void stderr_buffer_end(void);

#endif
