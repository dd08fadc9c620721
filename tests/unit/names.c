/* Names are unique, and cheap even if many clients request the same one. */
#include "relay/names.h"

#include "bytes.h"

static void names_are_unique(void **state)
{
    (void)state;
    names n = {0};
    char name[NAMES_SIZE];
    int owner[8];
    assert_int_not_equal(names_take(&n, "main", name, &owner[0]), 0);
    assert_string_equal(name, "main");
    names_take(&n, "main-3", name, &owner[1]); /* a client's own name */
    assert_string_equal(name, "main-3");
    names_take(&n, "main", name, &owner[2]);
    assert_string_equal(name, "main-2");
    names_take(&n, "main", name, &owner[3]);
    assert_string_equal(name, "main-4");
    names_take(&n, "main-2", name, &owner[4]);
    assert_string_equal(name, "main-2-2");
    assert_ptr_equal(names_owner(&n, "main-2"), &owner[2]);
    assert_null(names_owner(&n, "main-5"));
    names_release(&n, "main-5");
    names_release(&n, "main-2");
    assert_null(names_owner(&n, "main-2"));
    names_release(&n, "main-3");
    names_take(&n, "main", name, &owner[5]);
    assert_string_equal(name, "main-2");
    names_take(&n, "main", name, &owner[6]);
    assert_string_equal(name, "main-3");
    names_release(&n, "main");
    names_take(&n, "main", name, &owner[7]);
    assert_string_equal(name, "main");
    names_clear(&n);
}

static void long_names_get_numbers_too(void **state)
{
    (void)state;
    names n = {0};
    char wanted[2 * NAMES_SIZE], name[NAMES_SIZE], other[NAMES_SIZE];
    memset(wanted, 'x', sizeof wanted);
    wanted[sizeof wanted - 1] = 0;
    names_take(&n, wanted, name, &n);
    names_take(&n, wanted, other, &n);
    assert_int_equal(strlen(name), NAMES_SIZE - 1);
    assert_string_not_equal(name, other);
    assert_string_equal(other + strlen(other) - 2, "-2");
    names_clear(&n);
}

/* Random operations, compared with a linear search. */
static void the_smallest_free_number_is_used(void **state)
{
    (void)state;
    enum { OWNERS = 40, STEPS = 20000 };
    static const char *const wanted[] = {"a", "a-2", "a-x", "b"};
    names n = {0};
    uint64_t random = 1;
    char has[OWNERS][NAMES_SIZE] = {{0}};
    for (int step = 0; step < STEPS; step++) {
        const size_t i = random_below(&random, OWNERS);
        if (has[i][0]) {
            names_release(&n, has[i]);
            has[i][0] = 0;
            continue;
        }
        const char *text = wanted[random_below(&random, 4)];
        char expected[NAMES_SIZE], name[NAMES_SIZE];
        bool taken = true;
        for (unsigned number = 1; taken; number++) {
            snprintf(expected, sizeof expected, number > 1 ? "%s-%u" : "%s", text, number);
            taken = false;
            for (int j = 0; j < OWNERS; j++)
                taken |= strcmp(has[j], expected) == 0;
        }
        assert_int_not_equal(names_take(&n, text, name, has[i]), 0);
        assert_string_equal(name, expected);
        strcpy(has[i], name);
        assert_ptr_equal(names_owner(&n, name), has[i]);
    }
    for (int i = 0; i < OWNERS; i++)
        if (has[i][0]) names_release(&n, has[i]);
    assert_int_equal(n.taken.count + n.numbers.count, 0);
    names_clear(&n);
}

static void many_equal_names_are_cheap(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    names n = {0};
    uint64_t tried = 0;
    char name[NAMES_SIZE];
    for (int i = 0; i < MANY; i++)
        tried += names_take(&n, "main", name, &n);
    assert_true(tried <= 2 * MANY);
    for (unsigned i = 2; i <= MANY; i++) { /* one is released, another is taken */
        snprintf(name, sizeof name, "main-%u", i);
        names_release(&n, name);
        tried += names_take(&n, "main", name, &n);
    }
    assert_true(tried <= 5 * MANY);
    names_clear(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(long_names_get_numbers_too),
        cmocka_unit_test(the_smallest_free_number_is_used),
        cmocka_unit_test(many_equal_names_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
