/* Memory that may be used: a bound that several tables share. */
#ifndef HECTIC_SRC_BUDGET_H
#define HECTIC_SRC_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct budget {
    size_t used, most; /* bytes */
} budget;

/* What an allocation takes: its bytes, and what malloc needs beside them. */
static inline size_t budget_allocation(size_t size)
{
    enum { BESIDE = 16 };
    return size > 0 ? size + BESIDE : 0;
}

/* False: there is not so much left, and nothing was taken. */
static inline bool budget_take(budget *b, size_t size)
{
    if (b->used > b->most || size > b->most - b->used) return false;
    b->used += size;
    return true;
}

static inline void budget_give_back(budget *b, size_t size)
{
    b->used -= size;
}

#endif
