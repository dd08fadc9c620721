/* bins.c — see bins.h. */
#include "timeline/bins.h"

#include "numbers/saturating.h"
#include "numbers/uint256.h"

#include <stdlib.h>
#include <string.h>

struct bins bins_new(size_t slots, unsigned shift, size_t sums)
{
    return (struct bins){.slots = slots, .shift = shift, .sums = sums};
}

void bins_free(struct bins *b)
{
    for (size_t i = 0; i < b->rows; i++)
        free(b->row[i]);
    free(b->row);
    *b = (struct bins){0};
}

static void fold(struct bins *b)
{
    for (size_t i = 0; i < b->rows; i++) {
        uint64_t *sum = b->row[i];
        if (!sum) continue;
        for (size_t k = 0; k < b->slots / 2; k++) {
            sum[k] = sum[2 * k];
            saturating_add(&sum[k], sum[2 * k + 1]);
        }
        memset(sum + b->slots / 2, 0, b->slots / 2 * sizeof *sum);
    }
    b->shift++;
}

void bins_reach(struct bins *b, uint64_t time)
{
    while (time >> b->shift >= b->slots)
        fold(b);
}

/* Joins slots, and gives the memory of the others back. */
static void halve(struct bins *b)
{
    fold(b);
    b->slots /= 2;
    for (size_t i = 0; i < b->rows; i++) {
        uint64_t *less = b->row[i] ? realloc(b->row[i], b->slots * sizeof *less) : NULL;
        if (less) b->row[i] = less;
    }
}

/* The sums of a row, with slots up to a time. NULL: out of memory. */
static uint64_t *reach(struct bins *b, size_t row, uint64_t time)
{
    bins_reach(b, time);
    if (row >= b->rows) {
        uint64_t **grown = realloc(b->row, (row + 1) * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + b->rows, 0, (row + 1 - b->rows) * sizeof *grown);
        b->row = grown;
        b->rows = row + 1;
    }
    if (b->row[row]) return b->row[row];
    while ((b->used + 1) * b->slots > b->sums && b->slots > BINS_SLOTS_MIN)
        halve(b);
    b->row[row] = calloc(b->slots, sizeof **b->row);
    b->used += b->row[row] != NULL;
    return b->row[row];
}

void bins_clear(struct bins *b, size_t row)
{
    if (row < b->rows && b->row[row]) memset(b->row[row], 0, b->slots * sizeof **b->row);
}

bool bins_move(struct bins *to, size_t row, struct bins *from, size_t from_row)
{
    if (from_row >= from->rows || !from->row[from_row]) return true;
    if (!reach(to, row, 0)) return false;
    while (from->slots > to->slots)
        halve(from);
    while (to->slots > from->slots)
        halve(to);
    while (from->shift < to->shift)
        fold(from);
    while (to->shift < from->shift)
        fold(to);
    uint64_t *sum = to->row[row], *gained = from->row[from_row];
    for (size_t i = 0; i < to->slots; i++)
        saturating_add(&sum[i], gained[i]);
    bins_clear(from, from_row);
    return true;
}

bool bins_spread(struct bins *b, size_t row, uint64_t from, uint64_t to, uint64_t amount)
{
    uint64_t *sum = reach(b, row, to);
    if (!sum) return false;
    const size_t last = (size_t)(to >> b->shift);
    uint64_t given = 0;
    for (size_t slot = (size_t)(from >> b->shift); slot < last; slot++) {
        const uint64_t until = ((uint64_t)slot + 1) << b->shift;
        const double share = (double)(until - from) / (double)(to - from);
        uint64_t so_far = share < 1 ? (uint64_t)((double)amount * share) : amount;
        if (so_far > amount) so_far = amount;
        saturating_add(&sum[slot], so_far - given);
        given = so_far;
    }
    saturating_add(&sum[last], amount - given);
    return true;
}

bool bins_add_time(struct bins *b, size_t row, uint64_t from, uint64_t to)
{
    if (from >= to) return true;
    const uint64_t first = from >> b->shift, last = (to - 1) >> b->shift;
    uint64_t *sum = row < b->rows ? b->row[row] : NULL;
    if (sum && first == last && last < b->slots) { /* usually */
        saturating_add(&sum[first], to - from);
        return true;
    }
    sum = reach(b, row, to - 1);
    if (!sum) return false;
    for (size_t slot = (size_t)(from >> b->shift); from < to; slot++) {
        const uint64_t end = ((uint64_t)slot + 1) << b->shift;
        const uint64_t until = end > from && end < to ? end : to;
        saturating_add(&sum[slot], until - from);
        from = until;
    }
    return true;
}

const uint64_t *bins_row(const struct bins *b, size_t row)
{
    return row < b->rows ? b->row[row] : NULL;
}

/* The part of a sum that belongs to the first `length` ns of 2^shift. */
static uint64_t first_part(uint64_t sum, uint64_t length, unsigned shift)
{
    const uint128 part = uint128_product(sum, length);
    return part.high << (64 - shift) | part.low >> shift;
}

uint64_t bins_between(const struct bins *b, size_t row, uint64_t from, uint64_t to)
{
    uint64_t between = 0;
    for (uint64_t slot = from >> b->shift; slot << b->shift < to && slot < b->slots; slot++) {
        const uint64_t begin = slot << b->shift, end = (slot + 1) << b->shift;
        const uint64_t sum = bins_get(b, row, (size_t)slot);
        saturating_add(&between, first_part(sum, (end < to ? end : to) - begin, b->shift) -
                                     first_part(sum, begin > from ? 0 : from - begin, b->shift));
    }
    return between;
}

uint64_t bins_get(const struct bins *b, size_t row, size_t slot)
{
    const uint64_t *sum = bins_row(b, row);
    return sum && slot < b->slots ? sum[slot] : 0;
}
