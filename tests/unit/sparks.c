/* Sparks of synthetic logs. */
#include "facts/sparks.h"
#include "events.h"
#include "numbers/histogram.h"

enum { SPARKS = 16 };

struct result {
    hectic_spark spark[SPARKS];
    size_t count;
};

static bool take(void *user, const hectic_spark *spark)
{
    struct result *result = user;
    assert_true(result->count < SPARKS);
    result->spark[result->count++] = *spark;
    return true;
}

static hectic_sparks *sparks_new(uint64_t from, uint64_t to, struct result *result)
{
    hectic_sparks *sparks = hectic_sparks_new(from, to, result ? take : NULL, result);
    assert_non_null(sparks);
    return sparks;
}

static hectic_spark_cap cap(const hectic_sparks *sparks, uint16_t number, uint64_t now)
{
    hectic_spark_cap result = {.cap = HECTIC_CAP_NONE};
    for (uint32_t i = 0; i < hectic_sparks_caps(sparks) && result.cap != number; i++)
        hectic_sparks_cap(sparks, i, now, &result);
    assert_int_equal(result.cap, number);
    return result;
}

#define DO(time, cap, name, ...)                                                                   \
    EVENT(hectic_sparks_event, sparks, time, cap, name, "", __VA_ARGS__)

/* created, dud, overflowed, converted, gcd, fizzled, remaining */
#define COUNT(time, cap, ...) DO(time, cap, SPARK_COUNTERS, __VA_ARGS__)

static void counters_grow(void **state)
{
    (void)state;
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, NULL);
    DO(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    COUNT(10, 0, 10, 1, 2, 3, 4, 1, 2);
    COUNT(20, 0, 20, 2, 4, 6, 8, 2, 4);
    COUNT(20, 1, 100, 0, 0, 0, 0, 0, 9); /* a cap that existed before the log */
    COUNT(30, 1, 105, 0, 0, 0, 0, 0, 5);
    const hectic_spark_cap first = cap(sparks, 0, 40), second = cap(sparks, 1, 40);
    assert_int_equal(first.counters.created, 20);
    assert_int_equal(first.counters.dud, 2);
    assert_int_equal(first.counters.overflowed, 4);
    assert_int_equal(first.counters.converted, 6);
    assert_int_equal(first.counters.gcd, 8);
    assert_int_equal(first.counters.fizzled, 2);
    assert_int_equal(first.pool, 4);
    assert_true(first.has_counters && !first.has_events);
    assert_int_equal(second.counters.created, 5);
    assert_int_equal(second.pool, 5);
    assert_int_equal(second.pool_max, 9);
    COUNT(50, 0, 5, 2, 4, 6, 8, 2, 4);
    assert_int_equal(cap(sparks, 0, 60).counter_resets, 1);
    assert_int_equal(cap(sparks, 0, 60).counters.created, 20);
    assert_int_equal(hectic_sparks_caps(sparks), 2);
    hectic_sparks_free(sparks);
}

/* Memory depends on the number of caps; caps without events are not reported. */
static void caps_of_any_number(void **state)
{
    (void)state;
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, NULL);
    DO(0, HECTIC_CAP_NONE, STARTUP, 65535);
    assert_int_equal(hectic_sparks_caps(sparks), 0);
    COUNT(10, 65534, 10, 0, 0, 0, 0, 0, 0);
    COUNT(20, 7, 5, 0, 0, 0, 0, 0, 0);
    DO(30, 300, SPARK_STEAL, 65533);
    assert_int_equal(hectic_sparks_caps(sparks), 4);
    static const uint16_t numbers[] = {7, 300, 65533, 65534};
    for (uint32_t i = 0; i < 4; i++) {
        hectic_spark_cap result;
        hectic_sparks_cap(sparks, i, 40, &result);
        assert_int_equal(result.cap, numbers[i]);
    }
    /* They existed from the beginning: their first counters count. */
    assert_int_equal(cap(sparks, 65534, 40).counters.created, 10);
    assert_int_equal(cap(sparks, 7, 40).counters.created, 5);
    assert_int_equal(cap(sparks, 65533, 40).lost, 1);
    hectic_sparks_free(sparks);
}

/* The last collection of a program drops sparks without events. */
static void open_spans_at_the_end_are_dropped(void **state)
{
    (void)state;
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, NULL);
    DO(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    for (int i = 0; i < 5; i++)
        DO(1, 0, SPARK_CREATE, 0);
    DO(2, 0, SPARK_GC, 0);
    COUNT(10, 0, 5, 0, 0, 0, 1, 0, 4);
    assert_int_equal(cap(sparks, 0, 10).events.gcd, 1);
    DO(11, 0, SPARK_GC, 0);
    COUNT(20, 0, 5, 0, 0, 0, 5, 0, 0);
    COUNT(30, 0, 5, 0, 0, 0, 5, 0, 0);
    assert_int_equal(cap(sparks, 0, 40).events.gcd, 5);
    assert_int_equal(cap(sparks, 0, 40).counters.gcd, 5);
    assert_int_equal(cap(sparks, 0, 40).pool, 0);
    hectic_sparks_free(sparks);
    sparks = sparks_new(0, 15, NULL);
    DO(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    DO(1, 0, SPARK_CREATE, 0);
    COUNT(20, 0, 1, 0, 0, 0, 1, 0, 0);
    assert_int_equal(cap(sparks, 0, 15).events.gcd, 0);
    hectic_sparks_free(sparks);
}

static void replayed_state_is_not_counted(void **state)
{
    (void)state;
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, NULL);
    DO(10, HECTIC_CAP_NONE, CAP_CREATE, 0);
    COUNT(10, 0, 100, 1, 2, 3, 4, 1, 2);
    COUNT(20, 0, 120, 1, 2, 3, 4, 1, 2);
    for (uint64_t time = 30; time <= 40; time += 10)
        EVENT_REPLAYED(hectic_sparks_event, sparks, time, 0, SPARK_COUNTERS, "", 150, 1, 2, 3, 4, 1,
                       9);
    const hectic_spark_cap result = cap(sparks, 0, 50);
    assert_int_equal(result.counters.created, 50);
    assert_int_equal(result.counters.dud, 0);
    assert_int_equal(result.counter_resets, 0);
    assert_int_equal(result.pool, 9);
    hectic_sparks_free(sparks);
}

static void evaluations_are_measured(void **state)
{
    (void)state;
    struct result result = {0};
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, &result);
    for (unsigned i = 0; i < 5; i++)
        DO(10 + i, 0, SPARK_CREATE, 0);
    DO(15, 0, SPARK_DUD, 0);
    DO(15, 0, SPARK_OVERFLOW, 0);
    assert_int_equal(cap(sparks, 0, 15).pool, 5);
    DO(20, 1, CREATE_SPARK_THREAD, 7);
    DO(30, 1, RUN_THREAD, 7);
    DO(40, 1, SPARK_STEAL, 0);
    DO(50, 1, SPARK_STEAL, 0);       /* the first took 10 */
    DO(60, 1, STOP_THREAD, 7, 1, 0); /* a collection in between */
    DO(90, 1, RUN_THREAD, 7);
    DO(95, 1, SPARK_RUN, 0); /* 15, and 30 idle */
    DO(96, 1, SPARK_FIZZLE, 0);
    DO(97, 0, SPARK_GC, 0);
    DO(100, 1, STOP_THREAD, 7, 5, 0); /* 5 */
    DO(110, 1, SPARK_RUN, 0);         /* by an unknown thread */
    assert_int_equal(result.count, 3);
    assert_int_equal(result.spark[0].finished - result.spark[0].started, 10);
    assert_int_equal(result.spark[0].from, 0);
    assert_int_equal(result.spark[0].cap, 1);
    assert_int_equal(result.spark[0].thread, 7);
    assert_int_equal(result.spark[1].started, 50);
    assert_int_equal(result.spark[1].finished, 95);
    assert_int_equal(result.spark[1].idle, 30);
    assert_int_equal(result.spark[2].from, 1);
    const hectic_histogram *durations = hectic_sparks_durations(sparks);
    assert_int_equal(durations->count, 3);
    assert_int_equal(durations->sum, 30);
    assert_int_equal(durations->max, 15);
    const hectic_spark_cap first = cap(sparks, 0, 120), second = cap(sparks, 1, 120);
    assert_int_equal(first.events.created, 5);
    assert_int_equal(first.events.dud, 1);
    assert_int_equal(first.events.overflowed, 1);
    assert_int_equal(first.events.gcd, 1);
    assert_int_equal(first.lost, 2);
    assert_int_equal(first.pool, 2);
    assert_int_equal(first.pool_max, 5);
    assert_int_equal(first.left, 3); /* at 40, 50 and 97; two exist from 10 to 14 */
    assert_int_equal(first.waited, 40 + 50 + 97 + 2 * 120 - (10 + 11 + 12 + 13 + 14));
    assert_int_equal(second.events.converted, 4);
    assert_int_equal(second.run, 2);
    assert_int_equal(second.stolen, 2);
    assert_int_equal(second.events.fizzled, 1);
    assert_int_equal(second.eval, 30);
    hectic_sparks_free(sparks);
}

static void intervals_clip(void **state)
{
    (void)state;
    struct result result = {0};
    hectic_sparks *sparks = sparks_new(45, 70, &result);
    COUNT(5, 1, 10, 0, 0, 0, 0, 0, 3);
    DO(20, 1, CREATE_SPARK_THREAD, 7);
    DO(30, 1, RUN_THREAD, 7);
    DO(40, 1, SPARK_RUN, 0);
    COUNT(50, 1, 12, 0, 0, 0, 0, 0, 3);
    DO(60, 1, SPARK_RUN, 0);
    assert_int_equal(cap(sparks, 1, 65).eval, 20);
    DO(80, 1, STOP_THREAD, 7, 5, 0);
    COUNT(90, 1, 15, 0, 0, 0, 0, 0, 3);
    hectic_sparks_end(sparks, 70);
    assert_int_equal(result.count, 1);
    const hectic_spark_cap is = cap(sparks, 1, 70);
    assert_int_equal(is.eval, 25);
    assert_int_equal(is.counters.created, 2);
    assert_int_equal(is.run, 1);
    hectic_sparks_free(sparks);
}

static void short_events_are_harmless(void **state)
{
    (void)state;
    hectic_sparks *sparks = sparks_new(0, UINT64_MAX, NULL);
    uint8_t room[EVENT_SIZE_MAX];
    hectic_event_type type;
    const uint64_t numbers[HECTIC_MAX_FIELDS] = {1, 5, 0};
    for (uint16_t number = 0; number < 60; number++) {
        if (!hectic_shape_by_number(number)) continue;
        hectic_event event = event_make(room, &type, number, 0, number, numbers, "text");
        for (;; event.size--) {
            uint8_t *exact = malloc(event.size + 1u);
            memcpy(exact, room, event.size);
            event.payload = exact;
            assert_true(hectic_sparks_event(sparks, &event));
            free(exact);
            if (event.size == 0) break;
        }
    }
    hectic_sparks_end(sparks, 100);
    hectic_sparks_free(sparks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_grow),
        cmocka_unit_test(open_spans_at_the_end_are_dropped),
        cmocka_unit_test(caps_of_any_number),
        cmocka_unit_test(replayed_state_is_not_counted),
        cmocka_unit_test(evaluations_are_measured),
        cmocka_unit_test(intervals_clip),
        cmocka_unit_test(short_events_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
