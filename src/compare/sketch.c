/* sketch.c — see sketch.h. */
#include "compare/sketch.h"

#include "base/array.h"
#include "numbers/random.h"

#include <stdlib.h>
#include <string.h>

enum { SUBDIVISION = 16, SUBDIVISION_BITS = 4 };

/* --- Blocks ---------------------------------------------------------------------------------- */

static uint16_t place_of(uint64_t value)
{
    if (value < SUBDIVISION) return (uint16_t)value;
    const unsigned power = 63 - (unsigned)__builtin_clzll(value);
    const uint64_t part = value >> (power - SUBDIVISION_BITS) & (SUBDIVISION - 1);
    return (uint16_t)((power - SUBDIVISION_BITS + 1) * SUBDIVISION + part);
}

static bool add_to_block(struct sketch_block *block, uint16_t place, uint32_t count)
{
    uint32_t low = 0, high = block->buckets;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (block->bucket[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    block->values += count;
    if (low < block->buckets && block->bucket[low].place == place) {
        uint32_t *there = &block->bucket[low].count;
        *there = *there > UINT32_MAX - count ? UINT32_MAX : *there + count;
        return true;
    }
    if (!array_reserve(block->bucket, block->capacity, block->buckets + 1)) return false;
    memmove(&block->bucket[low + 1], &block->bucket[low],
            (block->buckets++ - low) * sizeof *block->bucket);
    block->bucket[low] = (struct sketch_bucket){place, count};
    return true;
}

static void clear_block(struct sketch_block *block)
{
    free(block->bucket);
    *block = (struct sketch_block){0};
}

/* Each two neighbours become one. */
static bool halve(struct sketch *sketch)
{
    for (size_t i = 0; i < SKETCH_BLOCKS / 2; i++) {
        struct sketch_block *first = &sketch->block[2 * i], *second = first + 1;
        for (uint32_t j = 0; j < second->buckets; j++)
            if (!add_to_block(first, second->bucket[j].place, second->bucket[j].count))
                return false;
        clear_block(second);
        const struct sketch_block joined = *first;
        *first = (struct sketch_block){0};
        sketch->block[i] = joined;
    }
    sketch->blocks = SKETCH_BLOCKS / 2;
    sketch->most *= 2;
    return true;
}

bool sketch_begin_block(struct sketch *sketch)
{
    if (sketch->blocks == SKETCH_BLOCKS) return false;
    sketch->blocks++;
    return true;
}

bool sketch_add_bucket(struct sketch *sketch, uint16_t place, uint32_t count)
{
    return sketch->blocks > 0 && add_to_block(&sketch->block[sketch->blocks - 1], place, count);
}

bool sketch_add(struct sketch *sketch, uint64_t value)
{
    if (sketch->most == 0) sketch->most = 1;
    const bool is_full =
        sketch->blocks == 0 || sketch->block[sketch->blocks - 1].values >= sketch->most;
    if (is_full && sketch->blocks == SKETCH_BLOCKS && !halve(sketch)) return false;
    return (!is_full || sketch_begin_block(sketch)) &&
           sketch_add_bucket(sketch, place_of(value), 1);
}

void sketch_clear(struct sketch *sketch)
{
    for (size_t i = 0; i < sketch->blocks; i++)
        clear_block(&sketch->block[i]);
    *sketch = (struct sketch){0};
}

/* --- Quantiles ------------------------------------------------------------------------------- */

/* How often each size occurs. */
struct counts {
    uint64_t total, bucket[SKETCH_BUCKETS];
};

static void count_block(struct counts *counts, const struct sketch_block *block)
{
    for (uint32_t i = 0; i < block->buckets; i++)
        counts->bucket[block->bucket[i].place] += block->bucket[i].count;
    counts->total += block->values;
}

double sketch_edge(size_t place, double *width)
{
    const unsigned power = place < SUBDIVISION ? 0 : (unsigned)(place / SUBDIVISION) - 1;
    const uint64_t part = place < SUBDIVISION ? place : SUBDIVISION + place % SUBDIVISION;
    *width = (double)(UINT64_C(1) << power);
    return (double)(part << power);
}

/* Values are evenly spread in their bucket. */
static double quantile_of(const struct counts *counts, double share)
{
    const double wanted = share * (double)counts->total;
    double before = 0, width, edge = 0;
    for (size_t i = 0; i < SKETCH_BUCKETS; i++) {
        const double here = (double)counts->bucket[i];
        if (here == 0) continue;
        edge = sketch_edge(i, &width);
        if (before + here >= wanted) return edge + width * (wanted - before) / here;
        before += here;
    }
    return edge;
}

/* --- The bootstrap --------------------------------------------------------------------------- */

enum { DRAWS_MIN = 200, DRAWS_MAX = 1000, BLOCKS_DRAWN = 400000 };

static size_t draw(uint64_t *state, size_t count)
{
    return (size_t)(random_next(state) % count);
}

static void count_all(struct counts *counts, const struct sketch *const *side, size_t runs)
{
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < runs; i++)
        for (size_t j = 0; j < side[i]->blocks; j++)
            count_block(counts, &side[i]->block[j]);
}

/* Draws as many runs as there are, and of each as many blocks. */
static void count_drawn(struct counts *counts, const struct sketch *const *side, size_t runs,
                        uint64_t *random)
{
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < runs; i++) {
        const struct sketch *run = side[draw(random, runs)];
        for (size_t j = 0; j < run->blocks; j++)
            count_block(counts, &run->block[draw(random, run->blocks)]);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets the interval and p from the drawn differences, which it sorts. */
static void conclude(struct quantile_shift *quantile, double *difference, size_t draws)
{
    size_t below = 0, above = 0;
    qsort(difference, draws, sizeof *difference, by_value);
    for (size_t i = 0; i < draws; i++) {
        below += difference[i] <= 0;
        above += difference[i] >= 0;
    }
    const size_t fewer = below < above ? below : above;
    const double p = 2 * (double)(fewer + 1) / (double)(draws + 1);
    quantile->p = p < 1 ? p : 1;
    quantile->shift.low = difference[draws / 40];
    quantile->shift.high = difference[draws - 1 - draws / 40];
    quantile->shift.has_interval = true;
}

bool sketch_compare(const struct sketch *const *old, size_t old_count,
                    const struct sketch *const *new, size_t new_count,
                    struct quantile_shift *quantile, size_t quantiles)
{
    const size_t most = BLOCKS_DRAWN / ((old_count + new_count) * SKETCH_BLOCKS);
    const size_t draws = most < DRAWS_MIN ? DRAWS_MIN : most > DRAWS_MAX ? DRAWS_MAX : most;
    struct counts *side = malloc(2 * sizeof *side);
    double *difference = calloc(draws * quantiles, sizeof *difference);
    uint64_t random = 1;
    const bool done = side && difference;
    if (done) {
        count_all(&side[0], old, old_count);
        count_all(&side[1], new, new_count);
        for (size_t i = 0; i < quantiles; i++) {
            quantile[i].old = quantile_of(&side[0], quantile[i].share);
            quantile[i].new = quantile_of(&side[1], quantile[i].share);
            quantile[i].shift.estimate = quantile[i].new - quantile[i].old;
        }
    }
    for (size_t i = 0; i < draws && done; i++) {
        count_drawn(&side[0], old, old_count, &random);
        count_drawn(&side[1], new, new_count, &random);
        for (size_t j = 0; j < quantiles; j++)
            difference[j * draws + i] =
                quantile_of(&side[1], quantile[j].share) - quantile_of(&side[0], quantile[j].share);
    }
    for (size_t i = 0; i < quantiles && done; i++)
        conclude(&quantile[i], &difference[i * draws], draws);
    free(side);
    free(difference);
    return done;
}
