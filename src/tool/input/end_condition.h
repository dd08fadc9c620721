/* reach.h — has a log that is still being written come to where it may end?
 *
 * Caps write their events at different times. The log has reached a time when each of its caps has
 * got further by END_CONDITION_MIN, or when it is END_CONDITION_MAX later: by its latest event,
 * and by the clock since that came. (hectic_stream holds events for as long.)
 */
#ifndef HECTIC_END_CONDITION_H
#define HECTIC_END_CONDITION_H

#include "tool/cli/tool.h"

#define END_CONDITION_MIN UINT64_C(500000000) /* ns */
#define END_CONDITION_MAX UINT64_C(5000000000)

struct end_condition;

struct end_condition *end_condition_new(void); /* NULL: no memory */
void end_condition_free(struct end_condition *reach);

void end_condition_ends_at_end_marker(struct end_condition *reach);

/* What is wanted: nothing at `to` or later; nothing later than the first marker of that name, which
 * is not copied; nothing later than the first events that pass the filter, as many as it has for a
 * limit. The least of them holds. */
void end_condition_until(struct end_condition *reach, uint64_t to);
void end_condition_until_marker(struct end_condition *reach, const char *name);
bool end_condition_limit(struct end_condition *reach,
                         const struct filter_settings *filter); /* false: no memory */

/* The log goes on, at a monotonic time (ns). True: it may end behind these bytes; or memory is
 * short for its header, and where it may end cannot be told. */
bool end_condition_bytes(struct end_condition *reach, const void *bytes, size_t length,
                         uint64_t now);
bool end_condition_has_no_memory(const struct end_condition *reach);

/* When it may end, if nothing else comes; UINT64_MAX: never. */
uint64_t end_condition_due(const struct end_condition *reach);

#endif
