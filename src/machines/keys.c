/* keys.c — see keys.h. */
#include "machines/keys.h"

#include <stdlib.h>

static bool is_live(const void *slot)
{
    return !key_is_dead(slot);
}

struct key_slot *keys_add(map *keys, uint64_t key)
{
    keys->entry_size = sizeof(struct key_slot);
    keys->unsorted = keys->by_number = true;
    if (map_growth(keys) > 0 && !map_rebuild(keys, is_live)) return NULL;
    struct key_slot *slot = map_add(keys, (map_key){key, 1});
    if (slot) *slot = (struct key_slot){.key = key, .is_used = true};
    return slot;
}

static int by_key(const void *a, const void *b)
{
    const struct key_slot *x = *(struct key_slot *const *)a, *y = *(struct key_slot *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

struct key_slot **keys_sorted(const map *keys, size_t *count)
{
    struct key_slot **sorted = malloc((keys->count + 1) * sizeof *sorted);
    *count = 0;
    for (struct key_slot *slot = NULL; sorted && (slot = map_next(keys, slot));)
        if (is_live(slot)) sorted[(*count)++] = slot;
    if (sorted) qsort(sorted, *count, sizeof(struct key_slot *), by_key);
    return sorted;
}
