/* array.c — see array.h. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 8 };

/* One less than the largest number, so that a count of all elements, plus 1, does not overflow. */
static size_t limit_of(size_t item_size, size_t capacity_size)
{
    const size_t countable = capacity_size == sizeof(uint32_t) ? UINT32_MAX - 1 : SIZE_MAX - 1;
    return countable < SIZE_MAX / item_size ? countable : SIZE_MAX / item_size;
}

bool array_grow(void *items, size_t item_size, void *capacity, size_t capacity_size, size_t wanted)
{
    const size_t limit = limit_of(item_size, capacity_size);
    uint32_t narrow = 0;
    size_t now = 0;
    if (capacity_size == sizeof narrow) {
        memcpy(&narrow, capacity, sizeof narrow);
        now = narrow;
    } else {
        memcpy(&now, capacity, sizeof now);
    }
    if (wanted > limit) return false;
    now = now > limit / 2 ? limit : now ? 2 * now : CAPACITY_MIN;
    while (now < wanted)
        now = now > limit / 2 ? limit : 2 * now;
    void *block;
    memcpy(&block, items, sizeof block);
    block = realloc(block, now * item_size);
    if (!block) return false;
    memcpy(items, &block, sizeof block);
    narrow = (uint32_t)now;
    memcpy(capacity, capacity_size == sizeof narrow ? (void *)&narrow : (void *)&now,
           capacity_size);
    return true;
}
