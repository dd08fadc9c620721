/* STOP_THREAD's status numbers, which GHC 7.8.2 numbered otherwise: see
 * hectic_header_shifted_stop_status. */
#ifndef HECTIC_SRC_STOP_STATUS_H
#define HECTIC_SRC_STOP_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum { STOP_HEAP_OVERFLOW = 1, STOP_YIELDING = 3, STOP_FINISHED = 5, STOP_BLACK_HOLE = 8 };

/* The stop status that the number stands for in logs of all GHCs but 7.8.2. */
static inline uint64_t usual_stop_status(bool shifted, uint64_t status)
{
    if (!shifted || status < 8 || status > 19) return status;
    return status == 8 ? 20 : status - 1;
}

#endif
