/* The threads of a GHC runtime whose capabilities are all stopped. */
#ifndef HECTIC_THREADS_H
#define HECTIC_THREADS_H

#include "gap.h"

#include <stddef.h>

typedef enum threads_listing {
    THREADS_LISTED,
    THREADS_MARKED, /* the collector has some of them, until it has marked the heap: try later */
    THREADS_HIDDEN, /* they cannot be seen */
} threads_listing;

threads_listing threads_are_listed(void);

/* All that have not finished, by id, to be freed; their labels are the runtime's. NULL: no
 * memory. */
gap_thread *threads_list(size_t *count);

#endif
