/* times.h — points in time as a command line gives them. */
#ifndef HECTIC_TIMES_H
#define HECTIC_TIMES_H

#include "tool.h"

/* "1.5s", "20ms", "3us", "100ns", "2m", "1h", "7d", or "100" as nanoseconds, exactly; what is below
 * one is cut off. */
bool time_parse(const char *text, uint64_t *ns);

/* Sets *time to that of `text`, which may also be marker:NAME; leaves it where `text` is NULL.
 * Makes `input` random for a marker; where that is NULL, there are none. Returns the exit code,
 * after a message. */
int time_resolve(const char *option, const char *text, hectic_input *input, const char *path,
                 uint64_t *time);

/* Sets *time to the first marker of that name that is not before `after`. The same for the rest. */
int time_of_marker(hectic_input *input, const char *path, const char *name, uint64_t after,
                   uint64_t *time);

#endif
