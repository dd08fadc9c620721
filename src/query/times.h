/* times.h — durations and points in time, as people write them. */
#ifndef HECTIC_SRC_TIMES_H
#define HECTIC_SRC_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* "1.5s", "20ms", "3us", "100ns", "2m", "1h", "7d", or "0". Exact; fractions of a nanosecond are
 * truncated. */
bool time_parse(const char *text, uint64_t *ns);

#endif
