/* A map from numbers to entries of one size, which begin with their key. */
#ifndef HECTIC_SRC_MAP_H
#define HECTIC_SRC_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not all zero: that marks a free place. */
typedef struct map_key {
    uint64_t a, b;
} map_key;

typedef struct map {
    size_t entry_size; /* set this; all else is zero in an empty map */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    uint8_t *entries;
    void **sorted; /* room for map_sorted */
    bool unsorted; /* set this where map_sorted is not needed */
} map;

/* Entries move when others are added or removed. */
void *map_find(const map *m, map_key key); /* or NULL */
void *map_add(map *m, map_key key);        /* the entry, if new with zeros; NULL: no memory */
void map_remove(map *m, void *entry);
size_t map_memory(const map *m); /* bytes that it uses … */
size_t map_growth(const map *m); /* … and that it takes besides if another entry is added */
void map_shrink(map *m);         /* to what its entries need */
void *map_next(const map *m, const void *previous); /* in no order; NULL begins and ends */
void map_clear(map *m);
bool map_copy(map *copy, const map *m); /* false: no memory, and the copy is empty */

/* Less than 0, 0 or more, as a is before b, the same or after it. */
typedef int (*map_compare)(const void *a, const void *b);
/* All m->count entries in that order. The array is the map's: valid until entries are added or
 * removed, or it is sorted again. Allocates nothing, and a signal handler may call it. */
void *const *map_sorted(const map *m, map_compare compare);

#endif
