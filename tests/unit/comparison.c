/* Numbers of runs: statistics, conditions, comparisons, and baselines. */
#include "compare/comparison.h"
#include "bytes.h"
#include "compare/causes.h"
#include "compare/corrections.h"
#include "query/baseline_file.h"
#include "query/condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* --- Statistics ------------------------------------------------------------------------------ */

static double p_of(const double *old, size_t old_count, const double *new, size_t new_count)
{
    double p;
    assert_true(rank_test(&(struct sample){old, old_count}, &(struct sample){new, new_count}, &p));
    return p;
}

static void separated_samples_have_the_least_p(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3, 4, 5, 6, 7, 8}, high[] = {11, 12, 13, 14, 15, 16, 17, 18};
    NEAR(p_of(low, 4, high, 4), 2.0 / 70);
    NEAR(p_of(high, 4, low, 4), 2.0 / 70);
    NEAR(p_of(low, 6, high, 6), 2.0 / 924);
    NEAR(p_of(low, 8, high, 8), 2.0 / 12870);
    NEAR(p_of(low, 1, high, 1), 1);
    NEAR(p_of(low, 8, low, 8), 1); /* ties */
    NEAR(p_of(low, 0, high, 4), 1);
}

static void the_shift_is_the_median_of_differences(void **state)
{
    (void)state;
    const double old[] = {1, 2, 3, 4, 5, 6}, new[] = {11, 12, 13, 14, 15, 16};
    struct shift shift;
    assert_true(rank_shift(&(struct sample){old, 6}, &(struct sample){new, 6}, &shift));
    NEAR(shift.estimate, 10);
    assert_true(shift.has_interval && shift.low < 10 && shift.high > 10);
    assert_true(rank_shift(&(struct sample){old, 3}, &(struct sample){new, 3}, &shift));
    assert_false(shift.has_interval);
}

static void families_are_corrected(void **state)
{
    (void)state;
    double p[] = {0.01, 0.04, 0.03, 0.005}, q[] = {0.01, 0.04, 0.03, 0.005};
    assert_true(correct_by_holm(p, 4));
    NEAR(p[0], 0.03);
    NEAR(p[1], 0.06);
    NEAR(p[2], 0.06);
    NEAR(p[3], 0.02);
    assert_true(correct_by_false_discoveries(q, 4));
    NEAR(q[0], 0.02);
    NEAR(q[1], 0.04);
    NEAR(q[2], 0.04);
    NEAR(q[3], 0.02);
}

/* --- Conditions ------------------------------------------------------------------------------ */

static void conditions_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        double bound;
        bool is_change;
    } good[] = {
        {"gc.pause.max < 10ms", "gc.pause.max_ns", 1e7, false},
        {"live.end<=1.5KiB", "memory.live_end_bytes", 1536, false},
        {"productivity >= 5 %", "time.productivity", 0.05, false},
        {"span(\"a \\\"<b\").p99 != 0", "span(\"a \\\"<b\").p99_ns", 0, false},
        {"span(\"x\").states.mvar = 1us", "span(\"x\").states.mvar_ns", 1000, false},
        {"generations[1].collections == 3", "gc.generations[1].collections", 3, false},
        {"time.total <= +5%", "time.total_ns", 0.05, true},
        {"memory.allocated > -2MB", "memory.allocated_bytes", -2e6, true},
        {"time.total_ns < 7", "time.total_ns", 7, false},
        {"time.total < 0.1ms", "time.total_ns", 1e5, false},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct condition condition;
        char room[NUMBER_NAME_MAX];
        assert_int_equal(condition_parse(&condition, good[i].text, room), CONDITION_OK);
        assert_string_equal(condition.name, good[i].name);
        NEAR(condition.bound, good[i].bound);
        assert_int_equal(condition.is_change, good[i].is_change);
        condition_clear(&condition);
    }
}

static void other_texts_are_no_conditions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum condition_error error;
    } bad[] = {
        {"", CONDITION_SYNTAX},
        {"time.total", CONDITION_SYNTAX},
        {"time.totl < 5s", CONDITION_NAME},
        {" < 5s", CONDITION_NAME},
        {"total < 5s", CONDITION_AMBIGUOUS},
        {"time.total < s", CONDITION_VALUE},
        {"time.total < 5", CONDITION_UNIT},
        {"time.total < 5MB", CONDITION_UNIT},
        {"time.total < 5%", CONDITION_UNIT},
        {"threads.count < 5ms", CONDITION_UNIT},
        {"span(x).p99 < 5ms", CONDITION_SYNTAX},
        {"span(\"x\") < 5ms", CONDITION_SYNTAX},
        {"spam(\"x\").p99 < 5ms", CONDITION_NAME},
        {"finding(\"x\").count = 0", CONDITION_KEY},
        {"utilization(\"5ms\").minimum > 0", CONDITION_KEY},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct condition condition;
        char room[NUMBER_NAME_MAX];
        assert_int_equal(condition_parse(&condition, bad[i].text, room), bad[i].error);
        condition_clear(&condition);
    }
}

static void values_are_printed_on_their_side_of_the_bound(void **state)
{
    (void)state;
    struct condition condition;
    char room[NUMBER_NAME_MAX], value[CONDITION_VALUE_MAX];
    assert_int_equal(condition_parse(&condition, "time.total <= 10ms", room), CONDITION_OK);
    condition_value(value, &condition, 10000001);
    assert_string_equal(value, "10.000001ms");
    condition_value(value, &condition, 9876543);
    assert_string_equal(value, "9.877ms");
    condition_value(value, &condition, 9876);
    assert_string_equal(value, "9.876us");
    condition_value(value, &condition, 2e11);
    assert_string_equal(value, "3.333m");
    condition_clear(&condition);
    assert_int_equal(condition_parse(&condition, "time.total < 1d", room), CONDITION_OK);
    condition_value(value, &condition, 5e6);
    assert_string_equal(value, "5ms");
    condition_clear(&condition);
    assert_int_equal(condition_parse(&condition, "live.end <= 1GiB", room), CONDITION_OK);
    condition_value(value, &condition, 1536);
    assert_string_equal(value, "1.5KiB");
    condition_clear(&condition);
    assert_int_equal(condition_parse(&condition, "live.end <= 1B", room), CONDITION_OK);
    condition_value(value, &condition, 25e6);
    assert_string_equal(value, "25MB");
    condition_clear(&condition);
}

/* --- Comparisons ----------------------------------------------------------------------------- */

static void add_runs(struct runs *runs, size_t count, double allocated, double total)
{
    for (size_t i = 0; i < count; i++) {
        runs->first = runs->count;
        struct run *run = runs_add(runs, "log", 1, false, 0);
        assert_non_null(run);
        assert_true(run_add(run, "memory.allocated_bytes", HECTIC_COLUMN_BYTES, allocated) &&
                    run_add(run, "time.total_ns", HECTIC_COLUMN_NS, total + (double)i) &&
                    run_add(run, "time.gc_ns", HECTIC_COLUMN_NS, total / 2 + (double)i) &&
                    run_add(run, "time.mutator_ns", HECTIC_COLUMN_NS, total / 2) &&
                    run_add(run, "gc.generations[0].pause.count", HECTIC_COLUMN_COUNT, 10) &&
                    run_add(run, "gc.generations[0].pause.total_ns", HECTIC_COLUMN_NS,
                            total / 2 + (double)i));
    }
}

static enum certainty certainty_of(const struct comparison *comparison, const char *name)
{
    const struct change *change = comparison_find(comparison, name);
    assert_non_null(change);
    return change->certainty;
}

static void compare_runs(size_t count, double part, enum certainty allocated, enum certainty total)
{
    struct runs old = {0}, new = {0};
    struct comparison comparison;
    add_runs(&old, count, 1000, 1e6);
    add_runs(&new, count, 1000 * part, 1e6 * part);
    assert_true(comparison_make(&comparison, &old, &new));
    assert_int_equal(certainty_of(&comparison, "memory.allocated_bytes"), allocated);
    assert_int_equal(certainty_of(&comparison, "time.total_ns"), total);
    comparison_clear(&comparison);
    runs_clear(&old);
    runs_clear(&new);
}

static void differences_are_as_certain_as_the_runs_allow(void **state)
{
    (void)state;
    compare_runs(8, 1, DIFFERENCE_NONE, DIFFERENCE_NONE);
    compare_runs(8, 1.1, DIFFERENCE_CERTAIN, DIFFERENCE_CERTAIN);
    compare_runs(6, 1.1, DIFFERENCE_CERTAIN, DIFFERENCE_CERTAIN);
    compare_runs(5, 1.1, DIFFERENCE_CERTAIN, DIFFERENCE_INDICATIVE);
    compare_runs(1, 1.1, DIFFERENCE_CERTAIN, DIFFERENCE_NONE);
    compare_runs(1, 2.5, DIFFERENCE_CERTAIN, DIFFERENCE_LARGE);
    compare_runs(1, 0.4, DIFFERENCE_CERTAIN, DIFFERENCE_LARGE);
    compare_runs(1, 1.005, DIFFERENCE_NONE, DIFFERENCE_NONE);
}

static void add_collections(struct runs *runs, double collections, double idle_ns, const char *more)
{
    add_runs(runs, 1, 1000, 1e6);
    struct run *run = &runs->run[runs->count - 1];
    assert_true(run_add(run, "gc.pause.count", HECTIC_COLUMN_COUNT, collections) &&
                run_add(run, "caps[0].idle_ns", HECTIC_COLUMN_NS, idle_ns) &&
                run_add(run, more, HECTIC_COLUMN_BYTES, 1));
}

/* The number of collections depends on a timer if one of them may be that of idle GC, or if there
 * is a heap profile: a difference of two runs may be due to chance. */
static void collections_by_a_timer_are_not_certain(void **state)
{
    (void)state;
    static const struct {
        double idle_ns;
        const char *more;
        enum certainty certainty;
    } cases[] = {
        {299999999, "memory.heap_max_bytes", DIFFERENCE_CERTAIN},
        {300000000, "memory.heap_max_bytes", DIFFERENCE_NONE},
        {0, "heap(\"THUNK\").mean_bytes", DIFFERENCE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t count = 1; count <= 3; count += 2) {
            struct runs old = {0}, new = {0};
            struct comparison comparison;
            for (size_t run = 0; run < count; run++) {
                add_collections(&old, 7, cases[i].idle_ns, cases[i].more);
                add_collections(&new, 9, 0, "memory.heap_max_bytes");
            }
            assert_true(comparison_make(&comparison, &old, &new));
            assert_int_equal(certainty_of(&comparison, "gc.pause.count"),
                             count == 1 ? cases[i].certainty : DIFFERENCE_CERTAIN);
            comparison_clear(&comparison);
            runs_clear(&old);
            runs_clear(&new);
        }
}

/* Without collections, no pause is shorter: there are fewer. */
static void missing_collections_are_the_cause(void **state)
{
    (void)state;
    struct runs runs[2] = {{0}};
    struct causes causes = {0};
    for (size_t i = 0; i < 2; i++) {
        struct run *run = runs_add(&runs[i], "log", 1, false, 0);
        const double count = i == 0 ? 10 : 0;
        assert_non_null(run);
        assert_true(
            run_add(run, "time.gc_ns", HECTIC_COLUMN_NS, 100 * count) &&
            run_add(run, "gc.generations[0].pause.count", HECTIC_COLUMN_COUNT, count) &&
            run_add(run, "gc.generations[0].pause.total_ns", HECTIC_COLUMN_NS, 100 * count));
    }
    assert_true(causes_of_time(&causes, &runs[0], &runs[1]));
    assert_int_equal(causes.count, 1);
    assert_string_equal(causes.cause[0].part, "fewer collections of generation 0");
    assert_int_equal((int)causes.cause[0].ns, -1000);
    causes_clear(&causes);
    runs_clear(&runs[0]);
    runs_clear(&runs[1]);
}

static void causes_add_up(void **state)
{
    (void)state;
    struct runs old = {0}, new = {0};
    struct causes causes = {0};
    double total = 0, gc = 0;
    add_runs(&old, 3, 1000, 1e6);
    add_runs(&new, 5, 1000, 3e6);
    assert_true(causes_of_time(&causes, &old, &new));
    for (size_t i = 0; i < causes.count; i++)
        *(strcmp(causes.cause[i].of, "time.gc_ns") == 0 ? &gc : &total) += causes.cause[i].ns;
    assert_true(fabs(total - (2e6 + 1)) < 1e-3);
    assert_true(fabs(gc - (1e6 + 1)) < 1e-3);
    causes_clear(&causes);
    runs_clear(&old);
    runs_clear(&new);
}

/* --- Baselines ------------------------------------------------------------------------------- */

static void write_file(FILE *file, const struct runs *runs, const char *options)
{
    struct buffer text = {0};
    assert_true(baseline_write(runs, options, false, &text));
    assert_int_equal(fwrite(text.bytes, 1, text.size, file), text.size);
    buffer_free(&text);
}

static void baselines_have_the_numbers(void **state)
{
    (void)state;
    char path[] = "/tmp/baseline-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct runs runs = {0}, again = {0};
    size_t line;
    add_runs(&runs, 3, 0.1, 1e6 / 3);
    write_file(file, &runs, "--between A..B");
    fclose(file);
    assert_true(baseline_is(path));
    for (int i = 0; i < 2; i++) {
        char *options;
        assert_int_equal(baseline_read(&again, path, &options, &line), BASELINE_READ);
        assert_string_equal(options, "--between A..B");
        free(options);
    }
    assert_int_equal(again.count, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct run_number *a = run_find(&again.run[i], "time.total_ns");
        const struct run_number *b = run_find(&runs.run[i % 3], "time.total_ns");
        assert_true(a->value == b->value && a->kind == b->kind);
        assert_int_equal(again.run[i].numbers.count, 6);
    }
    runs_clear(&runs);
    runs_clear(&again);
    unlink(path);
}

static void baselines_that_are_cut_are_noticed(void **state)
{
    (void)state;
    char path[] = "/tmp/baseline-XXXXXX", *options;
    FILE *file = fdopen(mkstemp(path), "w");
    struct runs runs = {0};
    size_t line;
    add_runs(&runs, 12, 0.1, 1e6 / 3);
    write_file(file, &runs, "");
    /* Without its last newline, it is complete. */
    for (long size = ftell(file) - 2; size >= 0; size--) {
        fflush(file);
        assert_int_equal(ftruncate(fileno(file), size), 0);
        struct runs again = {0};
        assert_int_equal(baseline_read(&again, path, &options, &line), BASELINE_CUT);
        free(options);
        runs_clear(&again);
    }
    fclose(file);
    runs_clear(&runs);
    unlink(path);
}

static void other_files_are_no_baselines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line;
    } bad[] = {
        {"hectic-baseline 2\n", 1},
        {"hectic-baseline 1\nrun\t1\t-\tlog\n", 2},
        {"hectic-baseline 1\noptions\t\nns\t1\tx\n", 3},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\n", 3},
        {"hectic-baseline 1\noptions\t\nrun\tx\t-\tlog\n", 3},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nns\tx\ty\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nns\tnan\ty\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nns\t1\ty\nns\t1\ty\n", 5},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nhours\t1\ty\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\n\n", 4},
        {"hectic-baseline 1\noptions\t\nsketch\tx\t1:1\n", 3},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nsketch\tx\t5\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nsketch\tx\t976:1\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nsketch\tx\t1:1\t\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nsketch\tx\t1:1\nsketch\tx\t1:1\n", 5},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nend\t4\n", 4},
        {"hectic-baseline 1\noptions\t\nrun\t1\t-\tlog\nend\t3\nend\t4\n", 5},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[] = "/tmp/baseline-XXXXXX";
        const int fd = mkstemp(path);
        struct runs runs = {0};
        size_t line;
        assert_true(write(fd, bad[i].text, strlen(bad[i].text)) > 0);
        close(fd);
        char *options;
        assert_int_equal(baseline_read(&runs, path, &options, &line), BASELINE_WRONG);
        assert_int_equal(line, bad[i].line);
        free(options);
        runs_clear(&runs);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separated_samples_have_the_least_p),
        cmocka_unit_test(the_shift_is_the_median_of_differences),
        cmocka_unit_test(families_are_corrected),
        cmocka_unit_test(conditions_are_parsed),
        cmocka_unit_test(other_texts_are_no_conditions),
        cmocka_unit_test(values_are_printed_on_their_side_of_the_bound),
        cmocka_unit_test(differences_are_as_certain_as_the_runs_allow),
        cmocka_unit_test(collections_by_a_timer_are_not_certain),
        cmocka_unit_test(missing_collections_are_the_cause),
        cmocka_unit_test(causes_add_up),
        cmocka_unit_test(baselines_have_the_numbers),
        cmocka_unit_test(baselines_that_are_cut_are_noticed),
        cmocka_unit_test(other_files_are_no_baselines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
