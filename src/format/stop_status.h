/* STOP_THREAD's status numbers, which differ in GHC 7.8.2: see hectic_header_shifted_stop_status.
 */
#ifndef HECTIC_SRC_STOP_STATUS_H
#define HECTIC_SRC_STOP_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STOP_HEAP_OVERFLOW = 1,
    STOP_YIELDING = 3,
    STOP_FINISHED = 5,
    STOP_FOREIGN = 6,
    STOP_BLACK_HOLE = 8
};

/* The stop status as numbered by all GHCs except 7.8.2. */
static inline uint64_t usual_stop_status(bool shifted, uint64_t status)
{
    if (!shifted || status < 8 || status > 19) return status;
    return status == 8 ? 20 : status - 1;
}

#endif
