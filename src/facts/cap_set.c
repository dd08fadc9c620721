/* cap_set.c — see cap_set.h. */
#include "facts/cap_set.h"

#include <stdlib.h>
#include <string.h>

/* The index of the cap, or of its insertion. */
static uint32_t place_of(const struct cap_set *set, uint16_t cap)
{
    uint32_t low = 0, high = cap_set_count(set);
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (set->cap[middle] < cap)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct cap_set *set, uint32_t place, uint16_t cap)
{
    return place < cap_set_count(set) && set->cap[place] == cap;
}

bool cap_set_has(const struct cap_set *set, uint16_t cap)
{
    return is_at(set, place_of(set, cap), cap);
}

bool cap_set_add(struct cap_set **set, uint16_t cap)
{
    const uint32_t place = place_of(*set, cap), count = cap_set_count(*set);
    if (is_at(*set, place, cap)) return true;
    if (!*set || count == (*set)->capacity) {
        const uint32_t capacity = count ? 2 * count : 4;
        struct cap_set *grown = realloc(*set, sizeof *grown + capacity * sizeof *grown->cap);
        if (!grown) return false;
        grown->capacity = capacity;
        *set = grown;
    }
    uint16_t *at = (*set)->cap + place;
    memmove(at + 1, at, (count - place) * sizeof *at);
    *at = cap;
    (*set)->count = count + 1;
    return true;
}
