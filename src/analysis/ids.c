/* ids.c — see ids.h. */
#include "analysis/ids.h"

#include <stdlib.h>

bool ids_set(map *ids, uint64_t id, uint32_t index)
{
    ids->entry_size = sizeof(struct id);
    ids->unsorted = ids->by_number = true;
    struct id *entry = map_add(ids, (map_key){id, 1});
    if (entry) entry->place = index + 1;
    return entry;
}

void ids_remove(map *ids, uint64_t id)
{
    struct id *entry = ids_find(ids, id);
    if (entry) map_remove(ids, entry);
}

static int by_id(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

struct id *ids_sorted(const map *ids)
{
    struct id *sorted = malloc((ids->count + 1) * sizeof *sorted);
    size_t count = 0;
    for (const struct id *id = NULL; sorted && (id = map_next(ids, id));)
        sorted[count++] = *id;
    if (sorted) qsort(sorted, count, sizeof *sorted, by_id);
    return sorted;
}
