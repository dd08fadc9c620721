/* A number for each cap, initially 0. Memory is allocated by page: there can be 65,536 caps, but
 * logs have few. All zero is a table of zeros. */
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

/* The address of the cap's number; NULL: out of memory. */
static inline uint32_t *per_cap_at(per_cap *t, uint16_t cap)
{
    uint32_t **page = &t->page[cap / PER_CAP_PAGE];
    if (!*page) *page = calloc(PER_CAP_PAGE, sizeof **page);
    return *page ? &(*page)[cap % PER_CAP_PAGE] : NULL;
}

/* Sets a number to 0, without allocating. */
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

bool per_cap_copy(per_cap *copy, const per_cap *t); /* false: out of memory, the copy is empty */

/* A time for each existing cap. All zero: no caps. */
typedef struct cap_time {
    uint64_t time;
    uint16_t cap;
} cap_time;

typedef struct cap_times {
    per_cap place; /* index in of[], plus 1 */
    cap_time *of;  /* in the order in which the caps were added */
    uint32_t count, capacity;
} cap_times;

/* The cap's time, initially 0; NULL: out of memory. Valid until a cap is added. */
uint64_t *cap_times_at(cap_times *t, uint16_t cap);
/* False: the cap has no time. */
bool cap_times_get(const cap_times *t, uint16_t cap, uint64_t *time);
/* Raises the cap's time to `time`; the times of all caps of `from`. False: out of memory. */
bool cap_times_raise_one(cap_times *t, uint16_t cap, uint64_t time);
bool cap_times_raise(cap_times *t, const cap_times *from);
uint64_t cap_times_earliest(const cap_times *t); /* UINT64_MAX: no caps */
void cap_times_empty(cap_times *t);              /* keeps its memory */
void cap_times_clear(cap_times *t);

#endif
