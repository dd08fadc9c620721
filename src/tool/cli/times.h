/* times.h — times on the command line. */
#ifndef HECTIC_TIMES_H
#define HECTIC_TIMES_H

#include <hectic/hectic.h>

/* "1.5s", "20ms", "3us", "100ns", "2m", "1h", "7d", or "0". Exact; fractions of a nanosecond are
 * truncated. */
bool time_parse(const char *text, uint64_t *ns);

/* Prints that the text is no time, as tool_invalid does; without a unit, suggests one. Returns
 * false. */
bool time_invalid(const char *text, const char *option, const char *hint);

#endif
