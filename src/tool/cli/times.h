/* times.h — times on the command line. */
#ifndef HECTIC_TIMES_H
#define HECTIC_TIMES_H

#include "query/times.h"

/* Prints that the text is no time, as tool_invalid does; without a unit, suggests one. Returns
 * false. */
bool time_invalid(const char *text, const char *option, const char *hint);

#endif
