/* Slices of heap profiles add up to the whole; and the line of a profile does not bend because the
 * heap is empty when the program ends: profiles/heap_profile.h. */
#include "heap_events.h"

#include "profiles/heap_profile.h"
#include <math.h>

static bool feed(void *consumer, const hectic_event *event)
{
    return hectic_heap_profile_event(consumer, event);
}

static void sample(struct heap_made *m, uint64_t time, uint64_t a, uint64_t b)
{
    heap_begin(m, time);
    if (a) heap_band(m, 0, "a", a);
    if (b) heap_band(m, 0, "b", b);
    heap_end(m);
}

/* Sums over slices. */
struct sums {
    uint64_t slices, samples, covered, gaps, integral[2], most[2], from, to, end;
};

static bool add_band(void *user, const hectic_heap_band_stats *band)
{
    struct sums *sums = user;
    const size_t which = band->node - 2; /* after the root and the others */
    assert_true(which < 2);
    assert_int_equal(band->integral_high, 0);
    sums->integral[which] += band->integral_low;
    if (band->max > sums->most[which]) sums->most[which] = band->max;
    return true;
}

static void add(struct sums *sums, const hectic_heap_profile *profile)
{
    hectic_heap_totals totals;
    hectic_heap_profile_totals(profile, 0, &totals);
    sums->slices++;
    sums->samples += totals.samples;
    sums->covered += totals.covered;
    sums->gaps += totals.gaps;
    sums->end = totals.end;
    assert_true(totals.first >= sums->from && totals.last < sums->to);
    assert_true(hectic_heap_profile_each(profile, 0, add_band, sums));
}

static bool take_slice(void *user, const hectic_heap_profile *profile, uint32_t number,
                       uint64_t from, uint64_t to)
{
    struct sums *sums = user;
    assert_int_equal(number, 0);
    assert_true(sums->slices == 0 || from >= sums->to);
    uint64_t same_from, same_to;
    hectic_heap_profile_slice(profile, 0, &same_from, &same_to);
    assert_true(same_from == from && same_to == to);
    sums->from = from;
    sums->to = to;
    add(sums, profile);
    return true;
}

static struct sums sums_of(uint64_t from, uint64_t to, uint64_t every, unsigned seed)
{
    struct sums sums = {0};
    struct heap_made m = {.feed = feed};
    const hectic_heap_profile_options options = {
        .from = from, .to = to, .every = every, .slice = take_slice, .user = &sums, .points = 2};
    hectic_heap_profile *profile = hectic_heap_profile_new(&options);
    assert_non_null(profile);
    m.consumer = profile;
    heap_define(&m, 0, 10, 7, -1, "");
    uint64_t time = 0;
    for (unsigned i = 0; i < 200; i++) {
        seed = seed * 1103515245 + 12345;
        time += 5 + seed / 65536 % 12 + (seed / 65536 % 50 == 0 ? 500 : 0);
        sample(&m, time, 1 + i, seed / 65536 % 3 * 100);
    }
    if (hectic_heap_profile_count(profile) > 0) {
        uint64_t begin, end;
        hectic_heap_profile_slice(profile, 0, &begin, &end);
        sums.from = begin;
        sums.to = end;
        add(&sums, profile);
    }
    hectic_heap_profile_free(profile);
    return sums;
}

static void test_slices_add_up(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 20; seed++) {
        const struct sums whole = sums_of(100, 1500, 0, seed);
        assert_int_equal(whole.slices, 1);
        for (uint64_t every = 7; every < 3000; every = every * 3 / 2) {
            const struct sums slices = sums_of(100, 1500, every, seed);
            assert_true(every > 100 || slices.slices > 5);
            assert_int_equal(slices.samples, whole.samples);
            assert_int_equal(slices.covered, whole.covered);
            assert_int_equal(slices.gaps, whole.gaps);
            assert_int_equal(slices.end, whole.end);
            for (int i = 0; i < 2; i++) {
                assert_int_equal(slices.integral[i], whole.integral[i]);
                assert_int_equal(slices.most[i], whole.most[i]);
            }
        }
    }
}

/* The sample of a time is in one slice only. */
static void test_sample_of_a_time(void **state)
{
    (void)state;
    struct heap_made m = {.feed = feed};
    hectic_heap_profile *profile = hectic_heap_profile_new(
        &(hectic_heap_profile_options){.to = UINT64_MAX, .has_at = true, .at = 15, .every = 20});
    assert_non_null(profile);
    m.consumer = profile;
    for (uint64_t time = 10; time < 40; time += 20) {
        sample(&m, time, time, 0);
        hectic_heap_totals totals;
        hectic_heap_profile_totals(profile, 0, &totals);
        assert_int_equal(totals.has_at, time == 10);
        assert_int_equal(totals.at, time == 10 ? 10 : 0);
    }
    hectic_heap_profile_free(profile);
}

static double growth_of(uint64_t count, uint64_t last, uint64_t to)
{
    struct heap_made m = {.feed = feed};
    hectic_heap_profile *profile =
        hectic_heap_profile_new(&(hectic_heap_profile_options){.to = to});
    assert_non_null(profile);
    m.consumer = profile;
    for (uint64_t i = 0; i < count; i++)
        sample(&m, i * 1000000000, i + 1 == count ? last : 1000 + 10 * i, 0);
    hectic_heap_totals totals;
    hectic_heap_profile_totals(profile, 0, &totals);
    hectic_heap_profile_free(profile);
    return totals.growth;
}

static void test_line_without_the_last_sample(void **state)
{
    (void)state;
    assert_true(fabs(growth_of(50, 1, UINT64_MAX) - 10) < 1e-9);
    assert_true(fabs(growth_of(4, 1, UINT64_MAX) - 10) < 1e-9);
    assert_true(growth_of(3, 1, UINT64_MAX) < 0); /* a line needs samples */
    assert_true(fabs(growth_of(50, 1, UINT64_C(20000000000)) - 10) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_add_up),
        cmocka_unit_test(test_sample_of_a_time),
        cmocka_unit_test(test_line_without_the_last_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
