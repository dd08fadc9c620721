/* The map contains exactly the entries that were added and not removed, in any order. */
#include "base/map.h"
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

/* Every text, of two kinds, with every length, which includes a NUL. */
static void bytes_are_keys(void **state)
{
    (void)state;
    static const char text[] = "abcdefgh\0ijklmnopqrstuvw";
    map m = {.entry_size = sizeof(struct entry), .unsorted = true};
    for (uint64_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size < sizeof text; size++) {
            assert_null(map_find_bytes(&m, kind, text, size));
            ((struct entry *)map_add_bytes(&m, kind, text, size))->value = kind * 100 + size;
        }
    for (uint64_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size < sizeof text; size++) {
            const struct entry *entry = map_find_bytes(&m, kind, text, size);
            assert_int_equal(entry->value, kind * 100 + size);
        }
    assert_int_equal(m.count, 2 * sizeof text);
    map_clear(&m);
}

/* Numbers with the same low bits, or the same high bits. */
static void numbers_are_spread(void **state)
{
    (void)state;
    enum { MANY = 100000, SIZE = sizeof(uint64_t[2]) };
    for (unsigned shift = 0; shift <= 40; shift += 8) {
        map m = {.entry_size = SIZE, .unsorted = true, .by_number = true};
        for (uint64_t i = 0; i < MANY; i++)
            assert_non_null(map_add(&m, (map_key){i << shift, 1 + i}));
        for (uint64_t i = 0; i < MANY; i++) {
            const uint64_t *entry = map_find_number(&m, i << shift, SIZE);
            assert_int_equal(entry[0], i << shift);
            assert_int_equal(entry[1], 1 + i);
        }
        uint64_t probes = 0;
        for (const uint64_t *entry = NULL; (entry = map_next(&m, entry));) {
            const size_t place = (size_t)((const uint8_t *)entry - m.entries) / SIZE;
            probes += (place - map_home(&m, (map_key){entry[0], 0})) & (m.capacity - 1);
        }
        assert_true(probes < 1000 * (uint64_t)MANY); /* in general, about 1 */
        map_clear(&m);
    }
}

static void numbers_have_values(void **state)
{
    (void)state;
    map m = {0};
    uint64_t random = 1, expected[KEYS] = {0};
    size_t count = 0;
    for (uint64_t step = 1; step <= STEPS; step++) {
        const uint64_t i = random_below(&random, KEYS);
        assert_int_equal(map_value_of(&m, i), expected[i]);
        count -= expected[i] > 0;
        expected[i] = random_below(&random, 3);
        count += expected[i] > 0;
        if (expected[i])
            assert_true(map_set_value(&m, i, expected[i]));
        else
            map_remove_value(&m, i);
        assert_int_equal(m.count, count);
    }
    struct map_value *sorted = map_sorted_values(&m);
    for (uint64_t i = 0, place = 0; i < KEYS; i++)
        if (expected[i]) {
            assert_int_equal(sorted[place].number, i);
            assert_int_equal(sorted[place++].value, expected[i]);
        }
    free(sorted);
    map_clear(&m);
}

static void numbers_are_members(void **state)
{
    (void)state;
    map m = {0};
    uint64_t random = 1;
    bool expected[KEYS] = {false};
    for (uint64_t step = 1; step <= STEPS; step++) {
        const uint64_t i = random_below(&random, KEYS);
        assert_int_equal(map_has_member(&m, i), expected[i]);
        expected[i] = random_below(&random, 2) > 0;
        if (expected[i])
            assert_true(map_add_member(&m, i));
        else
            map_remove_member(&m, i);
    }
    assert_true(m.count <= KEYS / 64 + 1);
    map_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_stay_until_removed),
        cmocka_unit_test(entries_can_be_sorted),
        cmocka_unit_test(bytes_are_keys),
        cmocka_unit_test(numbers_are_spread),
        cmocka_unit_test(numbers_have_values),
        cmocka_unit_test(numbers_are_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
