/* sketch.h — the values of a run in the order of time, such as its pauses, in little memory: blocks
 * of neighbours, and how often each size occurs in a block. The bootstrap draws from the blocks,
 * since neighbours depend on each other. */
#ifndef HECTIC_SRC_COMPARE_SKETCH_H
#define HECTIC_SRC_COMPARE_SKETCH_H

#include "compare/rank_test.h"

#include <stdint.h>

/* There are 16 buckets for each power of two; values below 16 have one each. */
enum { SKETCH_BLOCKS = 16, SKETCH_BUCKETS = 976 };

struct sketch_bucket {
    uint16_t place; /* below SKETCH_BUCKETS */
    uint32_t count; /* saturates */
};

struct sketch_block {
    struct sketch_bucket *bucket; /* by place, in ascending order */
    uint32_t buckets, capacity;
    uint64_t values;
};

/* All zeros is an empty one. */
struct sketch {
    struct sketch_block block[SKETCH_BLOCKS];
    size_t blocks;
    uint64_t most; /* values of a block; it doubles when all blocks are full */
};

/* Adds the next value. False: out of memory. */
bool sketch_add(struct sketch *sketch, uint64_t value);

/* Adds to a bucket of the last block, or of a new one. False: out of memory, or there are too many
 * blocks. */
bool sketch_begin_block(struct sketch *sketch);
bool sketch_add_bucket(struct sketch *sketch, uint16_t place, uint32_t count);
void sketch_clear(struct sketch *sketch);

/* The smallest value of a bucket; *width: how many values belong to it. */
double sketch_edge(size_t place, double *width);

/* How a quantile of all values of a side differs between both sides: the interval of 95 % and the
 * two-sided p of a bootstrap, which draws runs, and blocks of each. The result is always the same.
 */
struct quantile_shift {
    double share;    /* which quantile: 0 … 1 */
    double old, new; /* the quantile of all values of a side */
    struct shift shift;
    double p;
};
bool sketch_compare(const struct sketch *const *old, size_t old_count,
                    const struct sketch *const *new, size_t new_count,
                    struct quantile_shift *quantile, size_t quantiles);

#endif
