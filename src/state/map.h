/* A hash map from numbers to entries of one size, which begin with their key. */
#ifndef HECTIC_SRC_MAP_H
#define HECTIC_SRC_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not all zero, which marks a free slot. */
typedef struct map_key {
    uint64_t a, b;
} map_key;

typedef struct map {
    size_t entry_size; /* set this; all other fields are zero in an empty map */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    uint8_t *entries;
    void **sorted; /* buffer for map_sorted */
    bool unsorted; /* set this if map_sorted is not needed */
} map;

/* Entries move when others are added or removed. */
void *map_find(const map *m, map_key key); /* or NULL */
void *map_add(map *m, map_key key);        /* the entry, zeroed if new; NULL: out of memory */
void map_remove(map *m, void *entry);
size_t map_memory(const map *m);                    /* bytes in use */
size_t map_growth(const map *m);                    /* additional bytes if another entry is added */
void map_shrink(map *m);                            /* shrinks to fit */
void *map_next(const map *m, const void *previous); /* iterates in no order; NULL begins and ends */
void map_clear(map *m);
bool map_copy(map *copy, const map *m); /* false: out of memory, the copy is empty */

/* As for qsort. */
typedef int (*map_compare)(const void *a, const void *b);
/* All m->count entries in that order. The map owns the array, which is valid until entries are
 * added or removed, or it is sorted again. Does not allocate, so a signal handler may call it. */
void *const *map_sorted(const map *m, map_compare compare);

#endif
