/* filter.h — what is private of hectic/filter.h. */
#ifndef HECTIC_SRC_FILTER_H
#define HECTIC_SRC_FILTER_H

#include <hectic/filter.h>

/* For a filter of threads that does not begin with the first event: the thread that runs on a cap;
 * NULL: none. */
void filter_set_running(hectic_filter *filter, uint16_t cap, const uint32_t *thread);

/* The types that pass, as 65,536 bits, the lowest first, if events of others need not be passed to
 * the filter; otherwise NULL. */
const uint8_t *filter_types(const hectic_filter *filter);

#endif
