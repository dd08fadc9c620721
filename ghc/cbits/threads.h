/* The threads of a GHC runtime, while all capabilities are stopped. */
#ifndef HECTIC_THREADS_H
#define HECTIC_THREADS_H

#include "gap.h"

#include <stddef.h>

typedef enum threads_listing {
    THREADS_LISTED,
    THREADS_MARKED, /* some are in the lists of the marking collector: try later */
    THREADS_HIDDEN, /* not accessible */
} threads_listing;

threads_listing threads_are_listed(void);

/* The live threads by id, to be freed; the runtime owns their labels. NULL: no memory. */
gap_thread *threads_list(size_t *count);

#endif
