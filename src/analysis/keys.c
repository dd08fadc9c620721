/* keys.c — see keys.h. */
#include "analysis/keys.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 256 };

static struct key_slot *put(struct keys *keys, const struct key_slot *slot)
{
    size_t i = keys_home(keys, slot->key);
    while (keys->slot[i].is_used)
        i = (i + 1) & keys->mask;
    keys->slot[i] = *slot;
    keys->count++;
    return &keys->slot[i];
}

size_t keys_count_live(const struct keys *keys)
{
    size_t live = 0;
    for (size_t i = 0; keys->slot && i <= keys->mask; i++)
        live += keys->slot[i].is_used && !key_is_dead(&keys->slot[i]);
    return live;
}

/* Rebuilds the table with the live keys, at most half full. */
static bool rebuild(struct keys *keys)
{
    const size_t live = keys_count_live(keys);
    size_t slots = SLOTS_MIN;
    unsigned shift = 56;
    for (; slots / 2 < live + 1; slots *= 2)
        shift--;
    struct keys fresh = {.mask = slots - 1, .shift = shift};
    fresh.slot = calloc(slots, sizeof *fresh.slot);
    if (fresh.slot == NULL) return false;
    for (size_t i = 0; keys->slot && i <= keys->mask; i++)
        if (keys->slot[i].is_used && !key_is_dead(&keys->slot[i])) put(&fresh, &keys->slot[i]);
    free(keys->slot);
    *keys = fresh;
    return true;
}

struct key_slot *keys_add(struct keys *keys, uint64_t key)
{
    /* At most three quarters are used, to keep probing short. */
    if ((keys->slot == NULL || keys->count >= (keys->mask + 1) / 4 * 3) && !rebuild(keys))
        return NULL;
    return put(keys, &(struct key_slot){.key = key, .is_used = true});
}

bool keys_hold(const struct keys *keys, uint64_t number)
{
    const struct key_slot *page = keys_find(keys, number / 64);
    return page && (page->place >> number % 64 & 1);
}

bool keys_put(struct keys *keys, uint64_t number)
{
    struct key_slot *page = keys_find(keys, number / 64);
    if (page == NULL) page = keys_add(keys, number / 64);
    if (page == NULL) return false;
    page->has_place = true; /* otherwise it would be dead */
    page->place |= UINT64_C(1) << number % 64;
    return true;
}

void keys_take_out(struct keys *keys, uint64_t number)
{
    struct key_slot *page = keys_find(keys, number / 64);
    if (page) page->place &= ~(UINT64_C(1) << number % 64);
}

bool keys_copy(struct keys *copy, const struct keys *keys)
{
    *copy = *keys;
    if (!keys->slot) return true;
    copy->slot = malloc((keys->mask + 1) * sizeof *copy->slot);
    if (copy->slot) memcpy(copy->slot, keys->slot, (keys->mask + 1) * sizeof *copy->slot);
    if (!copy->slot) *copy = (struct keys){0};
    return copy->slot;
}

void keys_free(struct keys *keys)
{
    free(keys->slot);
    *keys = (struct keys){0};
}
