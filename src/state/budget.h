/* A memory limit shared by several tables. */
#ifndef HECTIC_SRC_BUDGET_H
#define HECTIC_SRC_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct budget {
    size_t used, limit; /* bytes */
} budget;

/* The cost of an allocation: its size and malloc's overhead. */
static inline size_t budget_allocation(size_t size)
{
    enum { BESIDE = 16 };
    return size > 0 ? size + BESIDE : 0;
}

/* False: not enough left; nothing was taken. */
static inline bool budget_take(budget *b, size_t size)
{
    if (b->used > b->limit || size > b->limit - b->used) return false;
    b->used += size;
    return true;
}

static inline void budget_give_back(budget *b, size_t size)
{
    b->used -= size;
}

#endif
