/* An array keeps its elements when it grows, and refuses what cannot be counted. */
#include "base/array.h"
#include "bytes.h"

static void elements_stay(void **state)
{
    (void)state;
    uint32_t *item = NULL, capacity = 0;
    for (uint32_t count = 0; count < 1000; count++) {
        assert_true(array_reserve(item, capacity, count + 1));
        item[count] = count;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(item[i], i);
    assert_true(capacity >= 1000 && capacity < 2000);
    free(item);
}

static void many_fit_at_once(void **state)
{
    (void)state;
    char *item = NULL;
    size_t capacity = 0, nothing = 0;
    assert_true(array_reserve(item, capacity, nothing));
    assert_null(item);
    assert_true(array_reserve(item, capacity, 100000));
    assert_true(capacity >= 100000 && capacity < 200000);
    const size_t before = capacity;
    assert_true(array_reserve(item, capacity, before));
    assert_int_equal(capacity, before);
    free(item);
}

static void sizes_do_not_overflow(void **state)
{
    (void)state;
    uint64_t *item = NULL;
    size_t capacity = 0;
    assert_false(array_reserve(item, capacity, SIZE_MAX / sizeof *item + 1));
    uint32_t narrow = 0;
    assert_false(array_reserve(item, narrow, (size_t)UINT32_MAX));
    assert_null(item);
    assert_int_equal(capacity + narrow, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay),
        cmocka_unit_test(many_fit_at_once),
        cmocka_unit_test(sizes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
