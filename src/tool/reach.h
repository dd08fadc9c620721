/* reach.h — has a log that is still being written come to where it may end?
 *
 * Caps write their events at different times. The log has reached a time when each of its caps has
 * got further by REACH_LEAST, or when it is REACH_MOST later: by its latest event, and by the clock
 * since that came. (hectic_stream holds events for as long.)
 */
#ifndef HECTIC_REACH_H
#define HECTIC_REACH_H

#include "tool.h"

#define REACH_LEAST UINT64_C(500000000) /* ns */
#define REACH_MOST  UINT64_C(5000000000)

struct reach;

struct reach *reach_new(void); /* NULL: no memory */
void reach_free(struct reach *reach);

void reach_ends_at_end_marker(struct reach *reach);

/* What is wanted: nothing at `to` or later; nothing later than the first marker of that name, which
 * is not copied; nothing later than the first events that pass the filter, as many as it has for a
 * limit. The least of them holds. */
void reach_until(struct reach *reach, uint64_t to);
void reach_until_marker(struct reach *reach, const char *name);
bool reach_limit(struct reach *reach, const struct filter_settings *filter); /* false: no memory */

/* The log goes on, at a monotonic time (ns). True: it may end behind these bytes; or memory is
 * short for its header, and where it may end cannot be told. */
bool reach_bytes(struct reach *reach, const void *bytes, size_t length, uint64_t now);
bool reach_has_no_memory(const struct reach *reach);

/* When it may end, if nothing else comes; UINT64_MAX: never. */
uint64_t reach_due(const struct reach *reach);

#endif
