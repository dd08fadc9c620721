/* A value by its place in descending order, against sorting: distinct, equal and extreme values. */
#include "numbers/nth_element.h"
#include "bytes.h"

enum { VALUES = 300, ROUNDS = 64 };

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

static void values_are_those_of_sorting(void **state)
{
    (void)state;
    uint64_t random = 1, value[VALUES], sorted[VALUES];
    for (unsigned shift = 0; shift < ROUNDS; shift++) {
        for (size_t i = 0; i < VALUES; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            value[i] = random >> shift; /* with larger shifts, more of them are equal */
        }
        value[shift] = UINT64_MAX;
        value[shift + 1] = 0;
        memcpy(sorted, value, sizeof value);
        qsort(sorted, VALUES, sizeof *sorted, descending);
        for (size_t rank = 0; rank < VALUES; rank++)
            assert_int_equal(value_at_rank(value, VALUES, rank), sorted[rank]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
