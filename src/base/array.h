/* array.h — arrays that grow. */
#ifndef HECTIC_SRC_BASE_ARRAY_H
#define HECTIC_SRC_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `wanted` elements, by doubling. `items` is a pointer to elements, `capacity` their
 * number, uint32_t or size_t. False: out of memory, nothing has changed. */
#define array_reserve(items, capacity, wanted)                                                     \
    ((wanted) <= (capacity) ||                                                                     \
     array_grow(&(items), sizeof *(items), &(capacity), sizeof(capacity), (wanted)))

bool array_grow(void *items, size_t item_size, void *capacity, size_t capacity_size, size_t wanted);

#endif
