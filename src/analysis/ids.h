/* ids.h — a hash table from numbers to array indices: open addressing, linear probing. 8 to 24
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
    uint32_t mask; /* the number of slots, a power of two, less 1 */
    uint32_t count;
};

static inline uint32_t ids_home(const struct ids *ids, uint32_t id)
{
    return (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & ids->mask;
}

/* The slot of the number, or of its insertion. */
static inline struct id *ids_slot(const struct ids *ids, uint32_t id)
{
    uint32_t i = ids_home(ids, id);
    while (ids->slot[i].place && ids->slot[i].id != id)
        i = (i + 1) & ids->mask;
    return &ids->slot[i];
}

bool ids_init(struct ids *ids); /* false: out of memory */
void ids_free(struct ids *ids);

/* Adds a number that is not in the table. False: out of memory. */
bool ids_add(struct ids *ids, uint32_t id, uint32_t place);

/* Removes a number that is in the table. */
void ids_remove(struct ids *ids, uint32_t id);

void ids_clear(struct ids *ids);

/* All numbers with their indices, in ascending order; free it. NULL: out of memory. */
struct id *ids_sorted(const struct ids *ids);

#endif
