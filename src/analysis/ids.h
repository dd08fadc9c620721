/* ids.h — a table from numbers to places in an array: open addressing, linear probing. 8 to 24
 * bytes for each number. */
#ifndef HECTIC_SRC_IDS_H
#define HECTIC_SRC_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id {
    uint32_t id;
    uint32_t place; /* plus 1; 0: unused */
};

struct ids {
    struct id *slot;
    uint32_t mask; /* one less than the slots, a power of two */
    uint32_t count;
};

static inline uint32_t ids_home(const struct ids *ids, uint32_t id)
{
    return (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & ids->mask;
}

/* Where the number is, or would be. */
static inline struct id *ids_slot(const struct ids *ids, uint32_t id)
{
    uint32_t i = ids_home(ids, id);
    while (ids->slot[i].place && ids->slot[i].id != id)
        i = (i + 1) & ids->mask;
    return &ids->slot[i];
}

bool ids_init(struct ids *ids); /* false: no memory */
void ids_free(struct ids *ids);

/* Adds a number that is not there. False: no memory. */
bool ids_add(struct ids *ids, uint32_t id, uint32_t place);

/* Removes a number that is there. */
void ids_remove(struct ids *ids, uint32_t id);

void ids_clear(struct ids *ids);

/* All numbers with their places, the least first; NULL: no memory. To be freed. */
struct id *ids_sorted(const struct ids *ids);

#endif
