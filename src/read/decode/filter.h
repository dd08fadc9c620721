/* filter.h — what is private of hectic/filter.h. */
#ifndef HECTIC_SRC_FILTER_H
#define HECTIC_SRC_FILTER_H

#include <hectic/filter.h>

/* For a filter of threads that does not begin with the first event: the thread that runs on a cap;
 * NULL: none. */
void filter_set_running(hectic_filter *filter, uint16_t cap, const uint32_t *thread);

#endif
