/* heap_bands.h — a cache from what the event of a band holds, a label or a stack, to the band's
 * node. */
#ifndef HECTIC_SRC_HEAP_BANDS_H
#define HECTIC_SRC_HEAP_BANDS_H

#include "base/map.h"

/* What the bytes are, since the same bytes may mean different bands. */
enum heap_bands_kind { HEAP_BANDS_STACK = 1, HEAP_BANDS_LABEL, HEAP_BANDS_ADDRESS };

struct heap_bands_entry {
    uint32_t tag;    /* length and kind of the bytes */
    uint32_t offset; /* of the bytes */
    uint32_t node;
};

/* All zero is empty. */
struct heap_bands {
    struct heap_bands_entry *entry;
    uint32_t count, capacity; /* capacity: a power of two, or 0 */
    map places;               /* of entries, by their bytes */
    uint8_t *bytes;
    uint32_t used, room;
    uint32_t next; /* the entry after the one found last: samples often have the same order */
    bool is_full;
};

void heap_bands_clear(struct heap_bands *b);

/* False: the bytes are not in the cache. `length` is at most 65,535. */
bool heap_bands_find(struct heap_bands *b, enum heap_bands_kind kind, const uint8_t *bytes,
                     uint32_t length, uint32_t *node);

/* Adds what was not found, if there is room and memory. */
void heap_bands_add(struct heap_bands *b, enum heap_bands_kind kind, const uint8_t *bytes,
                    uint32_t length, uint32_t node);

/* Drops all labels if there was no room: new labels may be more frequent than old ones. */
void heap_bands_renew(struct heap_bands *b);

#endif
