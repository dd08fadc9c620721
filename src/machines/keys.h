/* keys.h — a map from keys to their states. All zero is empty.
 *
 * Keys are not removed, which would move others: a key in state 0 without a place is dead, and is
 * dropped when the full map is rebuilt. */
#ifndef HECTIC_SRC_KEYS_H
#define HECTIC_SRC_KEYS_H

#include "base/map.h"

struct key_slot {
    uint64_t key;
    uint32_t stays; /* 1 + the index of its profile, or 0 */
    uint8_t state;
    bool is_used, has_place;
    bool is_listed, is_unsettled; /* used by the engine */
    uint64_t since;
    uint64_t place;
};

static inline bool key_is_dead(const struct key_slot *slot)
{
    return slot->state == 0 && !slot->has_place;
}

/* NULL if the key is not in the map. Slots do not move until a key is added. */
static inline struct key_slot *keys_find(const map *keys, uint64_t key)
{
    return map_find_number(keys, key, sizeof(struct key_slot));
}

/* Adds a key that is not in the map; it is dead initially. NULL: out of memory. */
struct key_slot *keys_add(map *keys, uint64_t key);

/* The live keys, in ascending order; free it. NULL: out of memory. */
struct key_slot **keys_sorted(const map *keys, size_t *count);

#endif
