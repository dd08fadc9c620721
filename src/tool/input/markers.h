/* markers.h — times on the command line that may be those of markers in the log. */
#ifndef HECTIC_TOOL_MARKERS_H
#define HECTIC_TOOL_MARKERS_H

#include <hectic/hectic.h>

/* Sets *from and *to to the times of --from and --to, which may also be marker:NAME. NULL stands
 * for 0 and UINT64_MAX. A marker makes `input` random; if `input` is NULL, a marker is an error. A
 * live input ends when --to is reached. Returns the exit code, after a message; TOOL_USAGE also if
 * *from is later than *to. `prefix`: of "from" and "to" in messages. */
int time_resolve(const char *prefix, const char *from_text, const char *to_text,
                 hectic_input *input, const char *path, uint64_t *from, uint64_t *to);

/* Is the event a marker of that name? */
bool time_is_marker(const hectic_event *event, const char *name);

/* Sets *time to the first marker of that name at or after `after`. Returns as time_resolve does.
 * `previous`: the marker at `after`, for the message, or NULL. */
int time_of_marker(hectic_input *input, const char *path, const char *name, uint64_t after,
                   const char *previous, uint64_t *time);

#endif
