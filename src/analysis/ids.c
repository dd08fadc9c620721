/* ids.c — see ids.h. */
#include "analysis/ids.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

bool ids_init(struct ids *ids)
{
    *ids = (struct ids){.slot = calloc(SLOTS_MIN, sizeof *ids->slot), .mask = SLOTS_MIN - 1};
    return ids->slot != NULL;
}

void ids_free(struct ids *ids)
{
    free(ids->slot);
}

static bool grow(struct ids *ids)
{
    const struct ids old = *ids;
    ids->mask = 2 * old.mask + 1;
    ids->slot = calloc((size_t)ids->mask + 1, sizeof *ids->slot);
    if (!ids->slot) {
        *ids = old;
        return false;
    }
    for (size_t i = 0; i <= old.mask; i++)
        if (old.slot[i].place) *ids_slot(ids, old.slot[i].id) = old.slot[i];
    free(old.slot);
    return true;
}

bool ids_add(struct ids *ids, uint32_t id, uint32_t place)
{
    /* At most three quarters are used. */
    if (ids->count >= ids->mask / 4 * 3 && !grow(ids)) return false;
    *ids_slot(ids, id) = (struct id){id, place + 1};
    ids->count++;
    return true;
}

void ids_remove(struct ids *ids, uint32_t id)
{
    uint32_t gap = (uint32_t)(ids_slot(ids, id) - ids->slot);
    /* Moves later entries into the gap, unless it precedes their home slot. */
    for (uint32_t i = (gap + 1) & ids->mask; ids->slot[i].place; i = (i + 1) & ids->mask) {
        const uint32_t home = ids_home(ids, ids->slot[i].id);
        if (((i - home) & ids->mask) < ((i - gap) & ids->mask)) continue;
        ids->slot[gap] = ids->slot[i];
        gap = i;
    }
    ids->slot[gap].place = 0;
    ids->count--;
}

void ids_clear(struct ids *ids)
{
    memset(ids->slot, 0, ((size_t)ids->mask + 1) * sizeof *ids->slot);
    ids->count = 0;
}

static int by_id(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

struct id *ids_sorted(const struct ids *ids)
{
    struct id *sorted = malloc((ids->count + (size_t)1) * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i <= ids->mask && sorted; i++)
        if (ids->slot[i].place) sorted[count++] = ids->slot[i];
    if (sorted) qsort(sorted, count, sizeof *sorted, by_id);
    return sorted;
}
