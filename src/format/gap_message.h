/* Gap messages: their texts are in hectic/gaps.h. */
#ifndef HECTIC_SRC_GAP_MESSAGE_H
#define HECTIC_SRC_GAP_MESSAGE_H

#include <hectic/decoder.h>

enum gap_kind { GAP_NONE, GAP_DROPPED, GAP_MISSING, GAP_LOST, GAP_OFF, GAP_ON };

/* In addition to HECTIC_CLASS_BITs: logging as a whole, and unknown classes. */
#define GAP_LOGGING (UINT64_C(1) << 63)
#define GAP_UNKNOWN (UINT64_C(1) << 62)

/* In stat: events were dropped, up to the next replay. */
#define GAP_DROPS (UINT64_C(1) << 61)

/* Without these, what caps do is unknown. */
#define GAP_ACTIVITY                                                                               \
    (GAP_LOGGING | GAP_UNKNOWN | GAP_DROPS | HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER) |            \
     HECTIC_CLASS_BIT(HECTIC_CLASS_GC))

/* Without these, the states of threads are unknown. */
#define GAP_THREADS (GAP_LOGGING | GAP_UNKNOWN | HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER))

/* Without these, collections are unknown. */
#define GAP_COLLECTIONS (GAP_LOGGING | GAP_UNKNOWN | GAP_DROPS | HECTIC_CLASS_BIT(HECTIC_CLASS_GC))

/* The kind of gap that the text of a LOG_MSG reports. *number: how many events were dropped, or
 * bytes were lost (above 0), or the bits that were switched. */
enum gap_kind gap_message(const uint8_t *text, size_t size, uint64_t *number);

#endif
