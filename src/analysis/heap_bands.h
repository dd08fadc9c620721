/* heap_bands.h — a cache from what the event of a band holds, a label or a stack, to the band's
 * node. Finds bands that follow each other as in the sample before without a hash, and others by
 * one hash of all bytes. */
#ifndef HECTIC_SRC_HEAP_BANDS_H
#define HECTIC_SRC_HEAP_BANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_bands_entry {
    uint32_t hash;
    uint32_t offset; /* of its bytes */
    uint32_t length; /* and what it is: length * HEAP_BANDS_KINDS + kind */
    uint32_t node;
    uint32_t next; /* the entry that followed this one last time */
};

/* What the bytes are, since the same bytes may mean different bands. */
enum { HEAP_BANDS_KINDS = 4 };

/* All zero is empty. */
struct heap_bands {
    struct heap_bands_entry *entry;
    uint32_t *slot; /* a hash table: the number of an entry, plus 1 */
    uint8_t *bytes;
    uint32_t count, capacity; /* there are twice as many slots as the capacity */
    uint32_t used, bytes_capacity;
    uint32_t previous; /* the entry found last */
    bool is_full;
};

void heap_bands_clear(struct heap_bands *b);

/* False: the bytes are not in the cache. `length` is at most 65,535. */
bool heap_bands_find(struct heap_bands *b, uint32_t kind, const uint8_t *bytes, uint32_t length,
                     uint32_t *node);

/* Adds what was not found, if there is room and memory. */
void heap_bands_add(struct heap_bands *b, uint32_t kind, const uint8_t *bytes, uint32_t length,
                    uint32_t node);

/* Forgets everything if there was no room: new labels may be more frequent than old ones. */
void heap_bands_renew(struct heap_bands *b);

#endif
