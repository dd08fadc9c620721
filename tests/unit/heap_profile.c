/* Statistics of heap profiles: profiles/heap_profile.h. Small examples by hand; then random
 * profiles against a slow reference that keeps every sample. */
#include "heap_events.h"

#include "profiles/heap_profile.h"
#include <math.h>

static bool feed(void *consumer, const hectic_event *event)
{
    return hectic_heap_profile_event(consumer, event);
}

static hectic_heap_profile *start(struct heap_made *m, const hectic_heap_profile_options *options)
{
    hectic_heap_profile *profile = hectic_heap_profile_new(options);
    assert_non_null(profile);
    *m = (struct heap_made){.feed = feed, .consumer = profile};
    return profile;
}

static void sample(struct heap_made *m, uint64_t time, uint64_t a, uint64_t b)
{
    heap_begin(m, time);
    if (a) heap_band(m, 0, "a", a);
    if (b) heap_band(m, 0, "b", b);
    heap_end(m);
}

enum { BANDS_MAX = 64 };

/* What each passes, with copies of the courses. */
struct bands {
    const hectic_heap_profile *profile;
    uint32_t points;
    hectic_heap_band_stats band[BANDS_MAX];
    char label[BANDS_MAX][64];
    uint64_t course[BANDS_MAX][64];
    size_t count;
};

static bool take(void *user, const hectic_heap_band_stats *band)
{
    struct bands *b = user;
    assert_true(b->count < BANDS_MAX);
    assert_true(b->points <= 64);
    if (b->count) assert_true(band->node > b->band[b->count - 1].node);
    b->band[b->count] = *band;
    hectic_band_text(hectic_heap_profile_stacks(b->profile),
                     hectic_heap_profile_symbols(b->profile), band->node, b->label[b->count], 64);
    memcpy(b->course[b->count], band->course, b->points * sizeof(uint64_t));
    b->count++;
    return true;
}

static void each(const hectic_heap_profile *profile, uint32_t number, struct bands *bands)
{
    hectic_heap_totals totals;
    hectic_heap_profile_totals(profile, number, &totals);
    memset(bands, 0, sizeof *bands);
    bands->profile = profile;
    bands->points = totals.points;
    assert_true(hectic_heap_profile_each(profile, number, take, bands));
    assert_int_equal(bands->count, totals.bands);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-300)) fail_msg("%.17g is not %.17g", a, b);
}

static void test_example(void **state)
{
    (void)state;
    struct heap_made m;
    hectic_heap_profile *profile =
        start(&m, &(hectic_heap_profile_options){.to = UINT64_MAX, .has_at = true, .at = 35});
    assert_int_equal(hectic_heap_profile_count(profile), 0);
    heap_define(&m, 0, 10, 7, -1, "");
    assert_int_equal(hectic_heap_profile_count(profile), 0);
    sample(&m, 10, 100, 0);
    sample(&m, 20, 300, 50);
    sample(&m, 30, 200, 0);
    sample(&m, 100, 200, 70); /* after a gap */
    sample(&m, 110, 0, 90);
    assert_int_equal(hectic_heap_profile_count(profile), 1);
    hectic_heap_totals t;
    hectic_heap_profile_totals(profile, 0, &t);
    assert_int_equal(t.kind->breakdown, HECTIC_BREAKDOWN_CLOSURE_TYPE);
    assert_int_equal(t.samples, 5);
    assert_int_equal(t.first, 10);
    assert_int_equal(t.last, 110);
    assert_int_equal(t.covered, 30);
    assert_int_equal(t.gaps, 1);
    assert_int_equal(t.peak, 350);
    assert_int_equal(t.peak_time, 20);
    assert_int_equal(t.peak_index, 1);
    assert_int_equal(t.end, 90);
    assert_true(t.has_at);
    assert_int_equal(t.at, 200);
    assert_int_equal(t.at_time, 30);
    assert_int_equal(t.samples_per_point, 1);
    assert_int_equal(t.points, 5);
    assert_int_equal(t.course[1], 350);
    assert_int_equal(t.course_time[3], 100);
    assert_near(t.mean, (225.0 * 10 + 275 * 10 + 180 * 10) / 30);
    struct bands bands;
    each(profile, 0, &bands);
    assert_int_equal(bands.count, 2);
    const hectic_heap_band_stats *a = &bands.band[0], *b = &bands.band[1];
    assert_string_equal(bands.label[0], "a");
    assert_int_equal(a->at_peak, 300);
    assert_int_equal(a->at_end, 0);
    assert_int_equal(a->at, 200);
    assert_int_equal(a->max, 300);
    assert_int_equal(a->max_time, 20);
    assert_int_equal(a->first, 10);
    assert_int_equal(a->last, 100);
    assert_int_equal(a->samples, 4);
    assert_int_equal(a->integral_high, 0);
    assert_int_equal(a->integral_low, 400 * 10 + 500 * 10 + 200 * 10);
    assert_int_equal(b->at_peak, 50);
    assert_int_equal(b->at_end, 90);
    assert_int_equal(b->at, 0);
    assert_int_equal(b->integral_low, 50 * 10 + 50 * 10 + 160 * 10);
    assert_int_equal(bands.course[1][3], 70);
    hectic_heap_profile_free(profile);
}

/* A line has its slope, and fits. */
static void test_growth(void **state)
{
    (void)state;
    struct heap_made m;
    hectic_heap_profile *profile = start(&m, NULL);
    for (uint64_t i = 0; i < 10; i++)
        sample(&m, UINT64_C(1000000000000) + i * 500000000, 1000 + 50 * i, 7);
    struct bands bands;
    each(profile, 0, &bands);
    assert_near(bands.band[0].growth, 100);
    assert_near(bands.band[0].growth_fit, 1);
    assert_near(bands.band[0].deviation, 50 * sqrt((10.0 * 10 - 1) / 12));
    assert_true(bands.band[1].growth == 0 && bands.band[1].growth_fit == 0);
    assert_true(bands.band[1].deviation == 0);
    hectic_heap_profile_free(profile);

    /* Without times, per sample. */
    profile = start(&m, NULL);
    heap_define(&m, 0, 10, 7, 6, "void");
    for (uint64_t i = 0; i < 4; i++)
        sample(&m, 1000 + i, 1000 + 50 * i, 0);
    hectic_heap_totals t;
    hectic_heap_profile_totals(profile, 0, &t);
    assert_near(t.growth, 50);
    assert_near(t.mean, 1075);
    assert_int_equal(t.covered, 0);
    assert_int_equal(t.peak_index, 3);
    assert_int_equal(t.course_time[2], 2);
    hectic_heap_profile_free(profile);
}

/* Sizes and times near 2^64. */
static void test_large(void **state)
{
    (void)state;
    struct heap_made m;
    hectic_heap_profile *profile = start(&m, NULL);
    sample(&m, 0, UINT64_MAX, 1);
    sample(&m, UINT64_MAX / 2, UINT64_MAX - 1, 1);
    sample(&m, UINT64_MAX, UINT64_MAX, 1);
    hectic_heap_totals t;
    hectic_heap_profile_totals(profile, 0, &t);
    assert_int_equal(t.peak, UINT64_MAX);
    assert_int_equal(t.covered, UINT64_MAX);
    struct bands bands;
    each(profile, 0, &bands);
    assert_near(bands.band[0].deviation, sqrt(2.0 / 9)); /* exact in spite of the size */
    assert_true(fabs(bands.band[0].growth) < 1e-9);
    assert_near(bands.band[0].mean, 0x1p64 / 2); /* saturated: 2^128 / 2 / 2^64 */
    assert_int_equal(bands.band[1].integral_high, 1);
    assert_near(bands.band[1].mean, 1);
    hectic_heap_profile_free(profile);
}

/* The first and the last time are the least and the greatest; time that goes back weighs nothing.
 */
static void test_times_that_go_back(void **state)
{
    (void)state;
    struct heap_made m;
    hectic_heap_profile *profile = start(&m, NULL);
    sample(&m, 1000, 1, 0);
    sample(&m, 3000, 3, 0);
    sample(&m, 10, 100, 0);
    sample(&m, 2000, 100, 0);
    sample(&m, 4000, 5, 0);
    hectic_heap_totals t;
    hectic_heap_profile_totals(profile, 0, &t);
    assert_int_equal(t.samples, 5);
    assert_int_equal(t.first, 10);
    assert_int_equal(t.last, 4000);
    assert_int_equal(t.end, 5);
    assert_int_equal(t.covered, 3000);
    assert_near(t.mean, ((1 + 3) / 2.0 * 2000 + (100 + 5) / 2.0 * 1000) / 3000);
    hectic_heap_profile_free(profile);
}

/* Distances that are always longer than the period are none. */
static void test_gaps(void **state)
{
    (void)state;
    static const struct {
        uint64_t period;
        size_t count;
        uint64_t distance[7], gaps, covered;
    } cases[] = {
        {10, 4, {50, 50, 50, 50}, 0, 200},
        {10, 3, {10, 40, 10}, 0, 60},
        {10, 3, {10, 41, 10}, 1, 20},
        {0, 4, {10, 10, 41, 10}, 1, 30},
        {0, 3, {10, 10, 40}, 0, 60},
        {1000, 3, {10, 4000, 10}, 0, 4020},
        {1000, 3, {10, 4001, 10}, 1, 20},
        {10, 4, {10, 0, 0, 10}, 0, 20},
        {10, 7, {1, 50, 50, 50, 50, 50, 50}, 1, 251},
        {0, 7, {1, 50, 50, 50, 50, 50, 50}, 5, 51},
        {UINT64_MAX, 2, {1, 1000000}, 0, 1000001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heap_made m;
        hectic_heap_profile *profile = start(&m, NULL);
        heap_define(&m, 0, cases[i].period, 7, -1, "");
        uint64_t time = 5;
        sample(&m, time, 1, 0);
        for (size_t j = 0; j < cases[i].count; j++)
            sample(&m, time += cases[i].distance[j], 1, 0);
        sample(&m, time / 2, 1, 0); /* back in time */
        hectic_heap_totals t;
        hectic_heap_profile_totals(profile, 0, &t);
        assert_int_equal(t.gaps, cases[i].gaps);
        assert_int_equal(t.covered, cases[i].covered);
        hectic_heap_profile_free(profile);
    }
}

/* Bands beyond the limit are joined, also with those that heap_samples joined, in all profiles. */
static void test_limits(void **state)
{
    (void)state;
    struct heap_made m;
    hectic_heap_profile *profile =
        start(&m, &(hectic_heap_profile_options){.to = UINT64_MAX, .samples.node_limit = 4});
    for (uint8_t number = 0; number < 2; number++) {
        heap_begin(&m, 10 + number);
        heap_band(&m, number, "a", 1);
        heap_band(&m, number, "b", 2);
        heap_band(&m, number, "c", 4);
        heap_band(&m, number, "d", 8);
        heap_end(&m);
    }
    struct bands bands;
    each(profile, 0, &bands);
    assert_int_equal(bands.count, 3);
    assert_string_equal(bands.label[0], "(others)");
    assert_int_equal(bands.band[0].at_end, 12);
    each(profile, 1, &bands);
    assert_int_equal(bands.count, 2);
    assert_int_equal(bands.band[0].at_end, 14);
    assert_int_equal(bands.band[0].samples, 1);
    assert_int_equal(bands.band[1].at_end, 1);
    assert_int_equal(hectic_heap_profile_warnings(profile).omitted, 5);
    hectic_heap_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_large),   cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_times_that_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
