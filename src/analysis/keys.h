/* keys.h — a hash table from keys to their states: open addressing, linear probing.
 *
 * Keys are not removed, which would be expensive: a key in state 0 without a place is dead, and is
 * dropped when the full table is rebuilt. */
#ifndef HECTIC_SRC_KEYS_H
#define HECTIC_SRC_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_slot {
    uint64_t key;
    uint64_t since;
    uint64_t place;
    uint32_t stays; /* 1 + the index of its profile, or 0 */
    uint8_t state;
    bool is_used, has_place;
    bool is_listed; /* used by the engine */
};

struct keys {
    struct key_slot *slot; /* NULL: empty */
    size_t mask;           /* the number of slots, a power of two, less 1 */
    unsigned shift;
    size_t count; /* used slots, including dead ones */
};

static inline bool key_is_dead(const struct key_slot *slot)
{
    return slot->state == 0 && !slot->has_place;
}

static inline size_t keys_home(const struct keys *keys, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> keys->shift);
}

/* NULL if the key is not in the table. Slots do not move until a key is added. */
static inline struct key_slot *keys_find(const struct keys *keys, uint64_t key)
{
    if (keys->count == 0) return NULL;
    for (size_t i = keys_home(keys, key);; i = (i + 1) & keys->mask) {
        struct key_slot *slot = &keys->slot[i];
        if (!slot->is_used) return NULL;
        if (slot->key == key) return slot;
    }
}

/* Adds a key that is not in the table; it is dead initially. NULL: out of memory. */
struct key_slot *keys_add(struct keys *keys, uint64_t key);

size_t keys_count_live(const struct keys *keys);

bool keys_copy(struct keys *copy, const struct keys *keys); /* false: out of memory */
void keys_free(struct keys *keys);

/* A table used as a set of numbers, with less than a byte for each if they are dense: by number /
 * 64, a bit in `place`. A table is used either way, not both. */
bool keys_hold(const struct keys *keys, uint64_t number);
bool keys_put(struct keys *keys, uint64_t number); /* false: out of memory */
void keys_take_out(struct keys *keys, uint64_t number);

#endif
