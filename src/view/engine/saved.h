/* saved.h — the pictures of a timeline as bytes, from which a timeline is made again without the
 * log: its slots, joined until there are few enough, its longest runs and its names. Its events and
 * its statistics are not saved. */
#ifndef HECTIC_SRC_VIEW_SAVED_H
#define HECTIC_SRC_VIEW_SAVED_H

#include "timeline/timeline_parts.h"

enum { SAVED_SLOTS_MIN = 1 << 6, SAVED_SLOTS_MAX = 1 << 15 };

/* Where bytes go. */
struct saved_output {
    void *to;
    void (*put)(void *to, const void *bytes, size_t size);
};

/* `slots`: how many there may be, from SAVED_SLOTS_MIN to SAVED_SLOTS_MAX. */
void timeline_save(const hectic_timeline *timeline, size_t slots, const struct saved_output *out);

/* NULL: these are not the bytes of a timeline, or out of memory. */
hectic_timeline *timeline_load(const uint8_t *bytes, size_t size);

#endif
