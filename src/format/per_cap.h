/* A number for each cap, 0 at first. Memory is taken where numbers are put: there can be 65,536
 * caps, of which logs have few. All zero is a table of zeros. */
#ifndef HECTIC_SRC_PER_CAP_H
#define HECTIC_SRC_PER_CAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { PER_CAP_PAGE = 256 };

typedef struct per_cap {
    uint32_t *page[PER_CAP_PAGE]; /* by the upper byte of the cap's number; NULL: zeros */
} per_cap;

static inline uint32_t per_cap_get(const per_cap *t, uint16_t cap)
{
    const uint32_t *page = t->page[cap / PER_CAP_PAGE];
    return page ? page[cap % PER_CAP_PAGE] : 0;
}

/* Where the cap's number stands; NULL: no memory. */
static inline uint32_t *per_cap_at(per_cap *t, uint16_t cap)
{
    uint32_t **page = &t->page[cap / PER_CAP_PAGE];
    if (!*page) *page = calloc(PER_CAP_PAGE, sizeof **page);
    return *page ? &(*page)[cap % PER_CAP_PAGE] : NULL;
}

/* Sets a number that is there, or is 0 all the same. */
static inline void per_cap_clear_one(per_cap *t, uint16_t cap)
{
    uint32_t *page = t->page[cap / PER_CAP_PAGE];
    if (page) page[cap % PER_CAP_PAGE] = 0;
}

static inline void per_cap_clear(per_cap *t)
{
    for (unsigned i = 0; i < PER_CAP_PAGE; i++) {
        free(t->page[i]);
        t->page[i] = NULL;
    }
}

bool per_cap_copy(per_cap *copy, const per_cap *t); /* false: no memory, and the copy is empty */

/* A time for each of the caps that there are. All zero is none. */
typedef struct cap_times {
    per_cap place; /* in time[], plus 1 */
    uint64_t *time;
    uint32_t count, room;
} cap_times;

/* The cap's time, 0 at first; NULL: no memory. Valid until there is another cap. */
uint64_t *cap_times_at(cap_times *t, uint16_t cap);
uint64_t cap_times_earliest(const cap_times *t); /* UINT64_MAX: there are no caps */
uint64_t cap_times_latest(const cap_times *t);   /* 0: likewise */
void cap_times_clear(cap_times *t);

#endif
