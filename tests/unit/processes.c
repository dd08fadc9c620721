/* The process of an event: by its cap, or by its fields. */
#include "events.h"

#include "facts/processes.h"
#include "stat/stat.h"

enum { OS_PROCESS = 2, CLOCK_DOMAIN = 3, NONE = HECTIC_CAP_NONE };

static uint32_t found;

static bool feed(hectic_processes *p, const hectic_event *event)
{
    return hectic_processes_event(p, event, &found);
}

#define OF(process, time, cap, name, ...)                                                          \
    do {                                                                                           \
        EVENT(feed, p, time, cap, name, "", __VA_ARGS__);                                          \
        assert_int_equal(found, process);                                                          \
    } while (0)

/* Capset 0 with cap 0, and capset 2 with caps 1 and 2, as GHC writes them. */
static void feed_two(hectic_processes *p)
{
    OF(0, 10, NONE, CAPSET_CREATE, 0, OS_PROCESS);
    OF(0, 11, NONE, CAPSET_CREATE, 1, CLOCK_DOMAIN);
    OF(0, 12, NONE, CAP_CREATE, 0);
    OF(0, 13, NONE, CAPSET_ASSIGN_CAP, 0, 0);
    OF(0, 14, NONE, CAPSET_ASSIGN_CAP, 1, 0);
    OF(0, 15, NONE, OSPROCESS_PID, 0, 100);
    OF(0, 16, NONE, TASK_CREATE, 0xa, 0, 100);
    OF(0, 17, 0, RUN_THREAD, 1);
    OF(1, 20, NONE, CAPSET_CREATE, 2, OS_PROCESS);
    OF(HECTIC_NO_PROCESS, 21, NONE, CAPSET_CREATE, 3, CLOCK_DOMAIN);
    OF(HECTIC_NO_PROCESS, 22, NONE, CAP_CREATE, 1);
    assert_null(hectic_processes_held(p));
    OF(1, 23, NONE, CAPSET_ASSIGN_CAP, 2, 1);
    const hectic_event *held = hectic_processes_held(p);
    assert_non_null(held);
    assert_int_equal(held->type, HECTIC_EVENT_CAP_CREATE);
    assert_int_equal(held->time, 22);
    assert_memory_equal(held->payload, "\0\1", 2);
    OF(1, 24, NONE, CAPSET_ASSIGN_CAP, 3, 1);
    assert_null(hectic_processes_held(p));
    OF(1, 25, NONE, CAPSET_ASSIGN_CAP, 2, 2);
    OF(1, 26, NONE, OSPROCESS_PID, 2, 200);
}

static void processes_are_found(void **state)
{
    (void)state;
    hectic_processes *p = hectic_processes_new();
    feed_two(p);
    OF(1, 30, NONE, WALL_CLOCK_TIME, 3, 1, 1);
    OF(0, 30, NONE, WALL_CLOCK_TIME, 1, 1, 1);
    OF(1, 31, 1, RUN_THREAD, 5);
    OF(0, 31, 0, STOP_THREAD, 1, 1, 0);
    OF(HECTIC_NO_PROCESS, 31, 7, RUN_THREAD, 5);
    OF(1, 32, NONE, TASK_CREATE, 0xb, 2, 201);
    OF(1, 33, NONE, TASK_MIGRATE, 0xb, 2, 1);
    OF(1, 34, NONE, TASK_DELETE, 0xb);
    OF(0, 35, NONE, TASK_DELETE, 0xa);
    OF(1, 36, NONE, CAP_DELETE, 1);
    OF(HECTIC_NO_PROCESS, 37, NONE, CONC_MARK_BEGIN, 0);
    OF(0, 40, NONE, CAPSET_DELETE, 0);
    OF(1, 41, NONE, CONC_MARK_BEGIN, 0); /* only one process is left */
    assert_int_equal(hectic_processes_count(p), 2);
    const hectic_process first = hectic_processes_get(p, 0), second = hectic_processes_get(p, 1);
    assert_true(first.has_capset && first.has_pid && first.has_ended && !first.has_start);
    assert_true(second.has_capset && second.has_pid && !second.has_ended);
    assert_int_equal(first.pid, 100);
    assert_int_equal(second.capset, 2);
    assert_int_equal(second.pid, 200);
    assert_int_equal(hectic_processes_of_cap(p, 2), 1);
    hectic_processes_free(p);
}

/* Repeated and replayed events do not create another process. */
static void replayed_state_changes_nothing(void **state)
{
    (void)state;
    hectic_processes *p = hectic_processes_new();
    feed_two(p);
    OF(1, 50, NONE, CAPSET_CREATE, 2, OS_PROCESS);
    EVENT_REPLAYED(feed, p, 51, NONE, CAPSET_CREATE, "", 0, OS_PROCESS);
    assert_int_equal(found, 0);
    EVENT_REPLAYED(feed, p, 52, 1, RUN_THREAD, "", 5);
    assert_int_equal(found, 1);
    assert_int_equal(hectic_processes_count(p), 2);
    assert_false(hectic_processes_get(p, 0).has_start || hectic_processes_get(p, 1).has_start);
    hectic_processes_free(p);
}

/* A capset that is deleted and created again belongs to the same process. */
static void capsets_can_be_recreated(void **state)
{
    (void)state;
    hectic_processes *p = hectic_processes_new();
    feed_two(p);
    OF(1, 50, NONE, CAPSET_DELETE, 2);
    OF(1, 51, NONE, CAPSET_CREATE, 2, OS_PROCESS);
    assert_false(hectic_processes_get(p, 1).has_ended);
    assert_int_equal(hectic_processes_count(p), 2);
    OF(HECTIC_NO_PROCESS, 52, NONE, CONC_MARK_BEGIN, 0);
    hectic_processes_free(p);
}

/* A capset that is created twice before its other events: at the first, the process's clock was 0.
 */
static void starts_are_known(void **state)
{
    (void)state;
    hectic_processes *p = hectic_processes_new();
    OF(0, 0, NONE, CAPSET_CREATE, 0, OS_PROCESS);
    OF(0, 10, NONE, CAPSET_CREATE, 0, OS_PROCESS);
    OF(1, 500, NONE, CAPSET_CREATE, 2, OS_PROCESS);
    OF(0, 501, NONE, CAPSET_ASSIGN_CAP, 0, 0);
    OF(0, 502, NONE, CAPSET_CREATE, 0, OS_PROCESS);
    OF(1, 510, NONE, CAPSET_CREATE, 2, OS_PROCESS);
    assert_true(hectic_processes_get(p, 1).has_start);
    assert_int_equal(hectic_processes_get(p, 1).start, 500);
    hectic_processes_free(p);
}

/* A log of one process: all events belong to it, in any order. */
static void a_single_process_owns_all_events(void **state)
{
    (void)state;
    hectic_processes *p = hectic_processes_new();
    OF(0, 30, 3, RUN_THREAD, 1);
    OF(0, 31, NONE, CONC_MARK_BEGIN, 0);
    OF(0, 32, NONE, CAPSET_ASSIGN_CAP, 9, 3);
    OF(0, 10, NONE, CAPSET_CREATE, 0, OS_PROCESS);
    OF(0, 12, NONE, CAP_CREATE, 5);
    OF(0, 33, 7, RUN_THREAD, 1);
    assert_null(hectic_processes_held(p));
    assert_int_equal(hectic_processes_count(p), 1);
    hectic_processes_free(p);
}

static bool feed_parts(hectic_stat_parts *parts, const hectic_event *event)
{
    return hectic_stat_parts_event(parts, event, &found);
}

/* More processes than the limit: their events are only counted. */
static void processes_are_limited(void **state)
{
    (void)state;
    hectic_stat_parts *parts = hectic_stat_parts_new();
    for (unsigned i = 0; i < 60000; i++) {
        EVENT(feed_parts, parts, i, NONE, CAPSET_CREATE, "", i, OS_PROCESS);
        EVENT(feed_parts, parts, i, NONE, CAPSET_ASSIGN_CAP, "", i, i);
        EVENT(feed_parts, parts, i, (uint16_t)i, CREATE_THREAD, "", i);
    }
    const hectic_processes *processes = hectic_stat_parts_processes(parts);
    assert_int_equal(hectic_processes_count(processes), 60000);
    assert_int_equal(hectic_stat_parts_skipped(parts), 60000 - HECTIC_STAT_PARTS_MAX);
    assert_null(hectic_stat_parts_get(parts, HECTIC_STAT_PARTS_MAX));
    assert_null(hectic_stat_parts_get(parts, UINT32_MAX));
    for (uint32_t i = 0; i < HECTIC_STAT_PARTS_MAX; i++) {
        hectic_stat_result r;
        assert_true(hectic_stat_get(hectic_stat_parts_get(parts, i), NULL, HECTIC_STAT_END, &r));
        assert_int_equal(r.caps, 1);
        assert_int_equal(r.cap[0].created, 1);
        hectic_stat_result_clear(&r);
    }
    hectic_stat_parts_free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_found),
        cmocka_unit_test(replayed_state_changes_nothing),
        cmocka_unit_test(starts_are_known),
        cmocka_unit_test(processes_are_limited),
        cmocka_unit_test(a_single_process_owns_all_events),
        cmocka_unit_test(capsets_can_be_recreated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
