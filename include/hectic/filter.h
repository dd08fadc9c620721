/* hectic/filter.h — selects events by time, cap, thread, name and class.
 *
 * A filter must get every event in order of time (it tracks which thread runs on which cap).
 * Restrictions of different kinds are combined by "and", those of one kind by "or". Without
 * restrictions every event passes.
 */
#ifndef HECTIC_FILTER_H
#define HECTIC_FILTER_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_filter hectic_filter;

hectic_filter *hectic_filter_new(void);
void hectic_filter_free(hectic_filter *filter);

/** Only events with from <= time < to (nanoseconds; `to` UINT64_MAX: no end). */
void hectic_filter_time(hectic_filter *filter, uint64_t from, uint64_t to);

/** Only events of this cap (HECTIC_CAP_NONE: global events). */
void hectic_filter_cap(hectic_filter *filter, uint16_t cap);

/** Only events about this thread, or written on a cap while it ran there. False: out of memory. */
bool hectic_filter_thread(hectic_filter *filter, uint32_t thread);

/** Only events with this number. */
void hectic_filter_event(hectic_filter *filter, uint16_t number);

/** Only events of this class. */
void hectic_filter_class(hectic_filter *filter, hectic_class c);

/** True if the event passes. Call it for every event, in order. */
bool hectic_filter_pass(hectic_filter *filter, const hectic_event *event);

/** Of the last event, if it passed: the selected thread that ran on its cap, unless the event names
 *  that thread itself; 0: none. */
uint32_t hectic_filter_implied(const hectic_filter *filter);

#ifdef __cplusplus
}
#endif
#endif
