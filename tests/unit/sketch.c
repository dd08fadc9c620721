/* Sketches of distributions, and the bootstrap of their quantiles. */
#include "compare/sketch.h"
#include "bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 11;

static double uniform(void)
{
    return ((double)(random_next(&state) >> 12) + 0.5) / 0x1p52;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static uint64_t values_of(const struct sketch *sketch)
{
    uint64_t values = 0;
    for (size_t i = 0; i < sketch->blocks; i++)
        values += sketch->block[i].values;
    return values;
}

static void blocks_double_and_keep_all_values(void **unused)
{
    (void)unused;
    struct sketch sketch = {0};
    for (uint64_t i = 1; i <= 1000; i++) {
        assert_true(sketch_add(&sketch, i));
        assert_int_equal(values_of(&sketch), i);
        assert_true(sketch.blocks <= SKETCH_BLOCKS);
    }
    assert_int_equal(sketch.most, 64);
    for (size_t i = 0; i + 1 < sketch.blocks; i++)
        assert_int_equal(sketch.block[i].values, 64);
    sketch_clear(&sketch);
    assert_true(sketch_add(&sketch, UINT64_MAX) && sketch_add(&sketch, 0));
    assert_int_equal(sketch.block[0].bucket[0].place, SKETCH_BUCKETS - 1);
    sketch_clear(&sketch);
    assert_false(sketch_add_bucket(&sketch, 0, 1));
}

/* The quantiles of a sketch are those of its values, within a bucket. */
static void quantiles_are_those_of_the_values(void **unused)
{
    (void)unused;
    struct sketch none = {0}, all = {0};
    const struct sketch *old[] = {&none}, *new[] = {&all};
    assert_true(sketch_add(&none, 0));
    for (uint64_t i = 1; i <= 100000; i++)
        assert_true(sketch_add(&all, i * 37));
    struct quantile_shift quantile[] = {{.share = 0.5}, {.share = 0.9}, {.share = 0.99}};
    assert_true(sketch_compare(old, 1, new, 1, quantile, 3));
    for (size_t i = 0; i < 3; i++) {
        const double exact = 37 * 100000 * quantile[i].share;
        assert_true(fabs(quantile[i].shift.estimate / exact - 1) < 0.005);
    }
    sketch_clear(&none);
    sketch_clear(&all);
}

enum { RUNS = 8, VALUES = 200, PAIRS = 150 };

/* Runs differ, and neighbours depend on each other. */
static void make_runs(struct sketch *run, double scale)
{
    for (size_t i = 0; i < RUNS; i++) {
        const double own = scale * exp(0.08 * normal());
        double z = normal();
        for (size_t j = 0; j < VALUES; j++) {
            z = 0.5 * z + sqrt(0.75) * normal();
            assert_true(sketch_add(&run[i], (uint64_t)(1e6 * own * exp(0.5 * z))));
        }
    }
}

/* The interval has the true difference in 93 to 99 % of pairs: those of 8 runs are somewhat wide.
 * The quantiles of all runs are those of a normal distribution's exponential. */
static void intervals_have_the_difference(void **unused)
{
    (void)unused;
    const double spread = sqrt(0.25 + 0.08 * 0.08), z[] = {0, 1.2815515655446004};
    size_t covered[2] = {0}, wrong[2] = {0};
    for (size_t i = 0; i < PAIRS; i++) {
        struct sketch old[RUNS] = {{.blocks = 0}}, new[RUNS] = {{.blocks = 0}},
                      same[RUNS] = {{.blocks = 0}};
        const struct sketch *side[3][RUNS];
        struct quantile_shift quantile[] = {{.share = 0.5}, {.share = 0.9}};
        make_runs(old, 1);
        make_runs(new, 1.1);
        make_runs(same, 1);
        for (size_t j = 0; j < RUNS; j++) {
            side[0][j] = &old[j];
            side[1][j] = &new[j];
            side[2][j] = &same[j];
        }
        assert_true(sketch_compare(side[0], RUNS, side[1], RUNS, quantile, 2));
        for (size_t j = 0; j < 2; j++) {
            const double shift = 0.1 * 1e6 * exp(spread * z[j]);
            covered[j] += quantile[j].shift.low <= shift && shift <= quantile[j].shift.high;
        }
        assert_true(sketch_compare(side[0], RUNS, side[2], RUNS, quantile, 2));
        for (size_t j = 0; j < 2; j++)
            wrong[j] += quantile[j].p <= 0.05;
        for (size_t j = 0; j < RUNS; j++) {
            sketch_clear(&old[j]);
            sketch_clear(&new[j]);
            sketch_clear(&same[j]);
        }
    }
    for (size_t j = 0; j < 2; j++) {
        print_message("quantile %zu: %.1f %% of the intervals have the difference; p <= 0.05 for "
                      "%.1f %% of equal sides\n",
                      j, 100.0 * (double)covered[j] / PAIRS, 100.0 * (double)wrong[j] / PAIRS);
        assert_in_range(covered[j], 0.92 * PAIRS, PAIRS);
        assert_in_range(wrong[j], 0, 0.08 * PAIRS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_double_and_keep_all_values),
        cmocka_unit_test(quantiles_are_those_of_the_values),
        cmocka_unit_test(intervals_have_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
