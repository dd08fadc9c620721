/* Exponential buckets: each time is between the limits of its bucket. */
#include "numbers/exponential.h"
#include "bytes.h"

#include <math.h>

enum { LAST = HECTIC_EXPONENTIAL_FIRST + HECTIC_EXPONENTIAL_BUCKETS - 1 };

/* The number of the only non-empty bucket. */
static int bucket_of(uint64_t ns)
{
    hectic_exponential exponential = {0};
    hectic_exponential_add(&exponential, ns);
    assert_int_equal(exponential.zeros, 0);
    int at = 0;
    while (at < HECTIC_EXPONENTIAL_BUCKETS && exponential.bucket[at] == 0)
        at++;
    assert_in_range(at, 0, HECTIC_EXPONENTIAL_BUCKETS - 1);
    assert_int_equal(exponential.bucket[at], 1);
    return at + HECTIC_EXPONENTIAL_FIRST;
}

/* 2^(number/8) s in ns, by a different algorithm: exact for powers of two. */
static long double limit_of(int number)
{
    long double limit = 1e9L;
    int part = number;
    for (; part % 8 != 0; part--)
        limit *= 1.09050773266525765920701065576070798L;
    return ldexpl(limit, part / 8);
}

static void assert_between(uint64_t ns)
{
    const int number = bucket_of(ns);
    assert_true((long double)ns <= limit_of(number));
    assert_true((long double)ns > limit_of(number - 1));
}

static void limits_belong_to_the_bucket_below(void **state)
{
    (void)state;
    const uint64_t exact = UINT64_C(1) << 50; /* ns: 13 days; beyond, doubles differ from these */
    for (int number = HECTIC_EXPONENTIAL_FIRST; number <= LAST; number++) {
        const long double limit = limit_of(number);
        if (limit >= (long double)exact) break;
        for (uint64_t ns = (uint64_t)limit - (limit > 2); ns <= (uint64_t)limit + 2; ns++)
            if (ns > 0) assert_between(ns);
    }
}

static void powers_of_two_end_their_buckets(void **state)
{
    (void)state;
    for (int power = -9; power <= 34; power++) { /* 5^9 ns … */
        const uint64_t ns = (uint64_t)ldexp(1e9, power);
        assert_int_equal(bucket_of(ns), 8 * power);
        if (power > 20) continue; /* not distinguishable as doubles */
        assert_int_equal(bucket_of(ns + 1), 8 * power + 1);
        assert_int_equal(bucket_of(ns - 1), 8 * power);
    }
}

static void all_times_have_buckets(void **state)
{
    (void)state;
    assert_int_equal(bucket_of(1), HECTIC_EXPONENTIAL_FIRST);
    assert_int_equal(bucket_of(UINT64_MAX), LAST);
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        const uint64_t ns = random_next(&seed) >> (14 + random_below(&seed, 50));
        if (ns > 0) assert_between(ns);
    }
}

static void nothing_is_zero(void **state)
{
    (void)state;
    hectic_exponential exponential = {0};
    hectic_exponential_add(&exponential, 0);
    hectic_exponential_add(&exponential, 0);
    assert_int_equal(exponential.zeros, 2);
    for (int i = 0; i < HECTIC_EXPONENTIAL_BUCKETS; i++)
        assert_int_equal(exponential.bucket[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_belong_to_the_bucket_below),
        cmocka_unit_test(powers_of_two_end_their_buckets),
        cmocka_unit_test(all_times_have_buckets),
        cmocka_unit_test(nothing_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
