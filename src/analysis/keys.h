/* keys.h — a table from numbers to what is known of them: open addressing, linear probing.
 *
 * Keys are not removed, which would cost more than all the rest: one that is in state 0 and has no
 * place is dead, and is left out when the table is full and made anew. */
#ifndef HECTIC_SRC_KEYS_H
#define HECTIC_SRC_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_slot {
    uint64_t key;
    uint64_t since;
    uint64_t place;
    uint32_t stays; /* 1 + where its profile is, or 0 */
    uint8_t state;
    bool is_used, has_place;
    bool is_listed; /* the engine's own business */
};

struct keys {
    struct key_slot *slot; /* NULL: none yet */
    size_t mask;           /* one less than the slots, a power of two */
    unsigned shift;
    size_t count; /* of used slots, dead ones too */
};

static inline bool key_is_dead(const struct key_slot *slot)
{
    return slot->state == 0 && !slot->has_place;
}

static inline size_t keys_home(const struct keys *keys, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> keys->shift);
}

/* NULL where the key is not there. Slots stay where they are until a key is added. */
static inline struct key_slot *keys_find(const struct keys *keys, uint64_t key)
{
    if (keys->count == 0) return NULL;
    for (size_t i = keys_home(keys, key);; i = (i + 1) & keys->mask) {
        struct key_slot *slot = &keys->slot[i];
        if (!slot->is_used) return NULL;
        if (slot->key == key) return slot;
    }
}

/* Adds a key that is not there; it is dead at first. NULL: no memory. */
struct key_slot *keys_add(struct keys *keys, uint64_t key);

size_t keys_count_live(const struct keys *keys);

void keys_free(struct keys *keys);

/* The same as a set of numbers, which takes less than a byte for each where they are dense: by
 * number / 64, a bit in `place`. A table is one or the other. */
bool keys_hold(const struct keys *keys, uint64_t number);
bool keys_put(struct keys *keys, uint64_t number); /* false: no memory */
void keys_take_out(struct keys *keys, uint64_t number);

#endif
