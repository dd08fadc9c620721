/* end_condition.h — has a live log reached the point where it may end?
 *
 * Caps write their events at different times. The log has reached a time when each cap has passed
 * it by END_CONDITION_MIN, or the log by END_CONDITION_MAX: by its latest event, plus the
 * wall-clock time since that event arrived. (hectic_stream holds events for as long.)
 */
#ifndef HECTIC_END_CONDITION_H
#define HECTIC_END_CONDITION_H

#include "tool/cli/options.h"

#define END_CONDITION_MIN UINT64_C(500000000) /* ns */
#define END_CONDITION_MAX UINT64_C(5000000000)

struct end_condition;

struct end_condition *end_condition_new(void); /* NULL: no memory */
void end_condition_free(struct end_condition *condition);

void end_condition_ends_at_end_marker(struct end_condition *condition);

/* The end: the time `to`; the first marker of that name (not copied); the last of the first events
 * that pass the filter, up to its limit. The earliest counts. */
void end_condition_until(struct end_condition *condition, uint64_t to);
void end_condition_until_marker(struct end_condition *condition, const char *name);
bool end_condition_limit(struct end_condition *condition,
                         const struct filter_settings *filter); /* false: no memory */

/* Takes the next bytes, at a monotonic time (ns). True: the log may end after them; or there is no
 * memory for its header, so the end cannot be determined. */
bool end_condition_bytes(struct end_condition *condition, const void *bytes, size_t length,
                         uint64_t now);
bool end_condition_has_no_memory(const struct end_condition *condition);

/* When it may end if no more bytes arrive; UINT64_MAX: never. */
uint64_t end_condition_due(const struct end_condition *condition);

#endif
