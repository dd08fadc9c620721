/* The map contains exactly the entries that were added and not removed, in any order. */
#include "state/map.h"
#include "bytes.h"

struct entry {
    map_key key;
    uint64_t value;
};

enum { KEYS = 500, STEPS = 200000 };

static map_key key_of(uint64_t i)
{
    /* Some keys differ only in one half. */
    return (map_key){i % 7 == 0 ? 0 : i / 2 * 64, i + 1};
}

static void entries_stay_until_removed(void **state)
{
    (void)state;
    map m = {.entry_size = sizeof(struct entry)};
    uint64_t random = 1, expected[KEYS] = {0};
    size_t count = 0;
    assert_null(map_find(&m, key_of(3)));
    assert_null(map_next(&m, NULL));
    for (uint64_t step = 1; step <= STEPS; step++) {
        const uint64_t i = random_below(&random, KEYS);
        struct entry *entry = map_find(&m, key_of(i));
        assert_int_equal(entry ? entry->value : 0, expected[i]);
        /* It grows and shrinks repeatedly. */
        if (random_below(&random, STEPS) < (step % 20000 < 10000 ? STEPS / 5 * 4 : STEPS / 5)) {
            const size_t memory = map_memory(&m), growth = map_growth(&m);
            const bool is_new = !entry;
            entry = map_add(&m, key_of(i));
            assert_int_equal(map_memory(&m), memory + (is_new ? growth : 0));
            if (expected[i] == 0) assert_int_equal(entry->value, 0);
            count += expected[i] == 0;
            entry->value = expected[i] = step;
        } else if (entry) {
            map_remove(&m, entry);
            count--;
            expected[i] = 0;
        }
        assert_int_equal(m.count, count);
        if (random_below(&random, 100) > 0) continue;
        map_shrink(&m);
        assert_true(m.capacity == 64 || m.capacity <= 8 * count);
    }
    for (struct entry *entry = NULL; (entry = map_next(&m, entry)); count--)
        assert_int_equal(entry->value, expected[entry->key.b - 1]);
    assert_int_equal(count, 0);
    map_clear(&m);
    assert_null(map_next(&m, NULL));
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void entries_can_be_sorted(void **state)
{
    (void)state;
    map m = {.entry_size = sizeof(struct entry)};
    uint64_t random = 1;
    (void)map_sorted(&m, compare);
    for (uint64_t i = 0; i < KEYS; i++) {
        /* Some are equal. */
        ((struct entry *)map_add(&m, key_of(i)))->value = random_below(&random, KEYS);
        void *const *sorted = map_sorted(&m, compare);
        size_t seen = 0;
        for (struct entry *entry = NULL; (entry = map_next(&m, entry)); seen++) {
            size_t place = 0;
            while (place < m.count && sorted[place] != entry)
                place++;
            assert_true(place < m.count);
        }
        assert_int_equal(seen, m.count);
        for (size_t place = 1; place < m.count; place++)
            assert_true(compare(sorted[place - 1], sorted[place]) <= 0);
    }
    map_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_stay_until_removed),
        cmocka_unit_test(entries_can_be_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
