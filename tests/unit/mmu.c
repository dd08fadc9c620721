/* The minimum mutator utilisation is that of all windows at all times. */
#include "bytes.h"

#include "numbers/mmu.h"

enum { LENGTH = 120, PAUSES = 12 };

/* The longest time stopped, from a table of each ns. */
static uint64_t slow_stopped(const bool stopped[LENGTH], uint64_t from, uint64_t to,
                             uint64_t window)
{
    uint64_t most = 0;
    for (uint64_t begin = from; begin + window <= to; begin++) {
        uint64_t sum = 0;
        for (uint64_t i = begin; i < begin + window; i++)
            sum += stopped[i];
        if (sum > most) most = sum;
    }
    return most;
}

static void test_random(void **s)
{
    (void)s;
    uint64_t state = 1;
    for (unsigned round = 0; round < 2000; round++) {
        hectic_pause pause[PAUSES];
        bool stopped[LENGTH] = {0};
        const size_t count = random_below(&state, PAUSES + 1);
        const uint64_t from = random_below(&state, LENGTH / 2),
                       to = from + 1 + random_below(&state, LENGTH / 2);
        for (size_t i = 0; i < count; i++) {
            const uint64_t begin = random_below(&state, LENGTH);
            const uint64_t end = begin + random_below(&state, round % 2 ? 6 : LENGTH - begin);
            pause[i] = (hectic_pause){begin, end < LENGTH ? end : LENGTH};
            for (uint64_t k = pause[i].from; k < pause[i].to; k++)
                stopped[k] = true;
        }
        const size_t prepared = hectic_mmu_prepare(pause, count, from, to);
        for (size_t i = 0; i < prepared; i++) {
            assert_true(pause[i].from >= from && pause[i].from < pause[i].to && pause[i].to <= to);
            assert_true(i == 0 || pause[i - 1].to < pause[i].from);
        }
        for (uint64_t window = 1; window <= to - from; window++)
            assert_int_equal(hectic_mmu_stopped(pause, prepared, from, to, window),
                             slow_stopped(stopped, from, to, window));
    }
}

/* Times at the end of the range of numbers. */
static void test_great(void **s)
{
    (void)s;
    hectic_pause pause[] = {{UINT64_MAX - 10, UINT64_MAX}, {5, 7}};
    assert_int_equal(hectic_mmu_prepare(pause, 2, 0, UINT64_MAX), 2);
    assert_int_equal(hectic_mmu_stopped(pause, 2, 0, UINT64_MAX, 4), 4);
    assert_int_equal(hectic_mmu_stopped(pause, 2, 0, UINT64_MAX, 100), 10);
    assert_int_equal(hectic_mmu_stopped(pause, 2, 0, UINT64_MAX, UINT64_MAX), 12);
}

static void test_windows(void **s)
{
    (void)s;
    uint64_t window[HECTIC_MMU_WINDOWS];
    assert_int_equal(hectic_mmu_windows(0, window), 0);
    assert_int_equal(hectic_mmu_windows(99999, window), 1);
    assert_int_equal(window[0], 99999);
    assert_int_equal(hectic_mmu_windows(1000000, window), 11);
    assert_int_equal(window[0], 100000);
    assert_int_equal(window[9], 800000);
    assert_int_equal(window[10], 1000000);
    const size_t count = hectic_mmu_windows(UINT64_MAX, window);
    assert_true(count <= HECTIC_MMU_WINDOWS);
    for (size_t i = 1; i < count; i++)
        assert_true(window[i] > window[i - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_great),
                                       cmocka_unit_test(test_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
