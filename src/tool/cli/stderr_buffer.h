/* stderr_buffer.h — messages on stderr. A verb that runs as a service must not depend on the reader
 * of stderr: messages go through a bounded buffer to a thread. Only that thread blocks if stderr
 * does, and it gets no SIGPIPE. Lines that do not fit are dropped; a line counts them when stderr
 * can be written again. */
#ifndef HECTIC_STDERR_BUFFER_H
#define HECTIC_STDERR_BUFFER_H

#include <stddef.h>
#include <stdio.h>

/* Starts buffering. Without memory or a thread, messages are written directly. */
void stderr_buffer_begin(void);

/* Whole lines; written directly before stderr_buffer_begin. Called by any thread. */
void stderr_buffer_write(const char *lines, size_t size);

/* A stream of such lines, written at each fflush. NULL: no memory. It has no descriptor. */
FILE *stderr_buffer_stream(void);

/* Waits until all is written, or nothing was written for a second. */
void stderr_buffer_end(void);

#endif
