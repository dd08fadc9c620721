/* Sums over slots of time are exact, also if slots are joined because there are many rows. */
#include "timeline/bins.h"

#include "logs.h"

enum { SLOTS = 1 << 10, SUMS = 1 << 14, ROWS = 300, SHIFT = 3, ADDED = 20000 };

static uint64_t state = 7;

static uint64_t below(uint64_t most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 20) % most;
}

static uint64_t sum_between(const struct bins *b, size_t row, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t slot = from; slot < to; slot++)
        sum += bins_get(b, row, slot);
    return sum;
}

static void has_few(const struct bins *b)
{
    assert_true(b->slots == BINS_SLOTS_MIN || b->used * b->slots <= SUMS);
}

/* Adds random times to rows; adds the same to `sums`, and those of the first half of the time to
 * `early`. */
static void add(struct bins *b, size_t rows, uint64_t last, uint64_t *sums, uint64_t *early)
{
    const uint64_t middle = last / 2;
    for (size_t i = 0; i < ADDED; i++) {
        const size_t row = (size_t)below(rows);
        const uint64_t from = below(last), length = below(last / 8), to = from + length;
        assert_true(bins_add_time(b, row, from, to < last ? to : last));
        sums[row] += (to < last ? to : last) - from;
        if (from < middle) early[row] += (to < middle ? to : middle) - from;
        has_few(b);
    }
}

static void keeps_sums(void **unused)
{
    (void)unused;
    enum { LAST = SLOTS << 10 };
    uint64_t sums[ROWS] = {0}, early[ROWS] = {0};
    struct bins few = bins_new(SLOTS, SHIFT, SUMS), many = bins_new(SLOTS, SHIFT, SUMS);
    add(&few, 5, LAST, sums, early);
    assert_int_equal(few.slots, SLOTS);
    add(&many, ROWS, LAST, sums, early);
    assert_int_equal(many.slots, BINS_SLOTS_MIN);
    assert_in_range(many.slots << many.shift, LAST, 2 * LAST);
    for (size_t i = 0; i < 5; i++)
        assert_true(bins_move(i % 2 ? &many : &few, i, i % 2 ? &few : &many, i));
    for (size_t i = 0; i < ROWS; i++) {
        const struct bins *b = i < 5 && i % 2 == 0 ? &few : &many;
        const size_t middle = (LAST / 2) >> b->shift;
        assert_int_equal(sum_between(b, i, 0, b->slots), sums[i]);
        assert_int_equal(sum_between(b, i, 0, middle), early[i]);
    }
    bins_free(&few);
    bins_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
