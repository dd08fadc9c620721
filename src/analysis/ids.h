/* ids.h — a map from numbers to array indices. All zero is empty. */
#ifndef HECTIC_SRC_IDS_H
#define HECTIC_SRC_IDS_H

#include "base/map.h"

struct id {
    uint64_t id;
    uint32_t place; /* the index, plus 1 */
};

/* NULL: none. Moves when a number is added or removed. */
static inline struct id *ids_find(const map *ids, uint64_t id)
{
    return map_find_number(ids, id, sizeof(struct id));
}

/* 0: none. */
static inline uint32_t ids_place(const map *ids, uint64_t id)
{
    const struct id *found = ids_find(ids, id);
    return found ? found->place : 0;
}

/* Adds a number, or changes its index. False: out of memory. */
bool ids_set(map *ids, uint64_t id, uint32_t index);

/* Removes a number if it is there. */
void ids_remove(map *ids, uint64_t id);

/* All numbers with their indices, in ascending order; free it. NULL: out of memory. */
struct id *ids_sorted(const map *ids);

#endif
