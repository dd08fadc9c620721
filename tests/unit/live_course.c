/* The course of live data: the same for samples in any order, and close to that of all samples. */
#include "stat/live_course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { SAMPLES = 1000 };

static struct live_sample sample[SAMPLES];

static void begin(struct live_course *course)
{
    struct live_course *fresh = live_course_new();
    assert_non_null(fresh);
    *course = *fresh;
    free(fresh);
}

static void add_all(struct live_course *course, size_t count)
{
    begin(course);
    for (size_t i = 0; i < count; i++)
        live_course_add(course, sample[i].time, sample[i].bytes);
}

static void swap_some(size_t count)
{
    for (size_t i = 0; i + 7 < count; i += 5) {
        const struct live_sample other = sample[i];
        sample[i] = sample[i + 7];
        sample[i + 7] = other;
    }
}

static void test_growth(void **state)
{
    struct live_course course;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        sample[i] = (struct live_sample){1000 + 50 * i, 100 + i};
    for (int swapped = 0; swapped < 2; swapped++) {
        add_all(&course, SAMPLES);
        assert_int_equal(course.first.bytes, 100);
        assert_int_equal(course.last.bytes, 99 + SAMPLES);
        assert_int_equal(course.last_but_one.bytes, 98 + SAMPLES);
        assert_int_equal(live_course_fall(&course, UINT64_MAX), 0);
        assert_true(live_course_middle(&course, course.last.time) <= 100 + SAMPLES / 2);
        assert_true(live_course_middle(&course, course.last.time) >=
                    100 + SAMPLES / 2 - SAMPLES / 64);
        swap_some(SAMPLES);
    }
}

static void test_fall(void **state)
{
    struct live_course course;
    (void)state;
    /* It falls by 500 in the middle, and by all at the end. */
    for (size_t i = 0; i < SAMPLES; i++)
        sample[i] = (struct live_sample){50 * i, i < 500 ? 1000 + i : 999 + i - 500};
    sample[SAMPLES - 1].bytes = 1;
    for (int swapped = 0; swapped < 2; swapped++) {
        add_all(&course, SAMPLES);
        assert_in_range(live_course_fall(&course, UINT64_MAX), 490, 500);
        assert_int_equal(course.last.bytes, 1);
        assert_int_equal(course.last_but_one.bytes, 1497);
        swap_some(SAMPLES);
    }
}

/* It grows for three quarters of the time, and then only the first tenth of it is left. */
static void test_until(void **state)
{
    struct live_course course;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        sample[i] = (struct live_sample){1000 + 50 * i, i < 750 ? 100 + i : 85};
    for (int swapped = 0; swapped < 2; swapped++) {
        add_all(&course, SAMPLES);
        assert_int_equal(course.high, 849);
        const uint64_t until = live_course_until(&course), slice = UINT64_C(1) << course.shift;
        assert_in_range(until, 1000 + 50 * 749, 1000 + 50 * 749 + slice);
        assert_in_range(live_course_after(&course, until), until, until + slice);
        assert_int_equal(live_course_fall(&course, until - slice), 0);
        assert_true(live_course_fall(&course, UINT64_MAX) > 700);
        assert_in_range(live_course_middle(&course, until), 100 + 375 - SAMPLES / 64,
                        100 + 375 + 2);
        swap_some(SAMPLES);
    }
    /* The last sample is not the largest, even if it is. */
    sample[SAMPLES - 1].bytes = 5000;
    add_all(&course, SAMPLES);
    assert_int_equal(course.high, 849);
}

/* Nothing is measured between the largest sample and the next one. */
static void test_after(void **state)
{
    static const struct live_sample measured[] = {{0, 10}, {480, 90}, {738, 20}, {754, 1}};
    struct live_course course;
    (void)state;
    begin(&course);
    for (size_t i = 0; i < 4; i++) {
        live_course_add(&course, measured[i].time, measured[i].bytes);
        const uint64_t until = live_course_until(&course), slice = UINT64_C(1) << course.shift;
        if (i < 2) continue; /* the last sample is not the largest */
        assert_in_range(until, 480, 480 + slice);
        assert_in_range(live_course_after(&course, until), 738 - slice, 738);
    }
    assert_int_equal(live_course_after(&course, 754), 754);
    assert_int_equal(live_course_after(&course, 800), 800);
}

static void test_extremes(void **state)
{
    struct live_course course;
    (void)state;
    begin(&course);
    assert_int_equal(live_course_fall(&course, UINT64_MAX), 0);
    live_course_add(&course, UINT64_MAX, 7);
    assert_int_equal(live_course_middle(&course, course.last.time), 7);
    live_course_add(&course, 0, UINT64_MAX);
    live_course_add(&course, UINT64_MAX, 3);
    live_course_add(&course, UINT64_MAX - 1, 0);
    assert_int_equal(course.first.bytes, UINT64_MAX);
    assert_int_equal(course.last.bytes, 3);
    begin(&course);
    live_course_add(&course, 0, 5);
    live_course_add(&course, UINT64_MAX, 4);
    live_course_add(&course, UINT64_MAX, 3);
    assert_int_equal(live_course_fall(&course, UINT64_MAX), 1);
    assert_true(live_course_until(&course) == UINT64_MAX / 256 + 1); /* of the first slice */
    live_course_add(&course, UINT64_MAX, UINT64_MAX);
    live_course_add(&course, UINT64_MAX, UINT64_MAX);
    assert_true(live_course_until(&course) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),   cmocka_unit_test(test_fall),
        cmocka_unit_test(test_until),    cmocka_unit_test(test_after),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
