/* Histograms: quantiles against sorted numbers. */
#include "numbers/histogram.h"
#include "bytes.h"

enum { NUMBERS = 20000 };

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void assert_quantiles(const hectic_histogram *histogram, uint64_t *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, by_size);
    assert_int_equal(histogram->count, count);
    assert_int_equal(histogram->min, numbers[0]);
    assert_int_equal(histogram->max, numbers[count - 1]);
    for (unsigned percent = 0; percent <= 100; percent++) {
        const size_t rank = percent == 0 ? 0 : (percent * count + 99) / 100 - 1;
        const uint64_t exact = numbers[rank];
        const uint64_t found = hectic_histogram_quantile(histogram, percent / 100.0);
        const uint64_t off = found > exact ? found - exact : exact - found;
        assert_true(off <= exact / 128);
    }
    assert_int_equal(hectic_histogram_quantile(histogram, 1), histogram->max);
}

/* For sorted numbers: counts all that are clearly below the limit, and none above. */
static void assert_within(const hectic_histogram *histogram, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += 97) {
        const uint64_t limit = numbers[i];
        const uint64_t within = hectic_histogram_within(histogram, limit);
        size_t sure = 0, most = i;
        while (sure < i && numbers[sure] <= limit - limit / 64)
            sure++;
        while (most < count && numbers[most] <= limit)
            most++;
        assert_true(within >= sure && within <= most);
    }
    assert_int_equal(hectic_histogram_within(histogram, UINT64_MAX), count);
}

static void quantiles_are_near(void **state)
{
    (void)state;
    uint64_t seed = 1, *numbers = malloc(NUMBERS * sizeof *numbers);
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        hectic_histogram histogram = {0};
        uint64_t sum = 0;
        for (size_t i = 0; i < NUMBERS; i++) {
            numbers[i] = random_next(&seed) >> (64 - bits) >> random_below(&seed, bits);
            sum = numbers[i] > UINT64_MAX - sum ? UINT64_MAX : sum + numbers[i];
            assert_true(hectic_histogram_add(&histogram, numbers[i]));
        }
        assert_int_equal(histogram.sum, sum);
        assert_quantiles(&histogram, numbers, NUMBERS);
        assert_within(&histogram, numbers, NUMBERS);
        hectic_histogram_clear(&histogram);
        assert_int_equal(histogram.count, 0);
        assert_int_equal(hectic_histogram_within(&histogram, 0), 0);
    }
    free(numbers);
}

static void edges_have_buckets(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int side = -1; side <= 1; side++) {
            hectic_histogram histogram = {0};
            const uint64_t number = (UINT64_C(1) << bit) + (uint64_t)(int64_t)side;
            assert_true(hectic_histogram_add(&histogram, number));
            assert_int_equal(hectic_histogram_quantile(&histogram, 0.5), number);
            hectic_histogram_clear(&histogram);
        }
    }
}

static void empty_has_zeros(void **state)
{
    (void)state;
    const hectic_histogram histogram = {0};
    assert_int_equal(hectic_histogram_quantile(&histogram, 0.5), 0);
    assert_int_equal(hectic_histogram_quantile(&histogram, 1), 0);
}

static void merging_is_adding(void **state)
{
    (void)state;
    uint64_t seed = 2, *numbers = malloc(NUMBERS * sizeof *numbers);
    hectic_histogram parts[2] = {0};
    for (size_t i = 0; i < NUMBERS; i++) {
        numbers[i] = random_next(&seed) >> random_below(&seed, 64);
        assert_true(hectic_histogram_add(&parts[i % 2], numbers[i]));
    }
    const hectic_histogram none = {0};
    assert_true(hectic_histogram_merge(&parts[0], &parts[1]));
    assert_true(hectic_histogram_merge(&parts[0], &none));
    assert_quantiles(&parts[0], numbers, NUMBERS);
    hectic_histogram_clear(&parts[0]);
    hectic_histogram_clear(&parts[1]);
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_near),
        cmocka_unit_test(edges_have_buckets),
        cmocka_unit_test(empty_has_zeros),
        cmocka_unit_test(merging_is_adding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
