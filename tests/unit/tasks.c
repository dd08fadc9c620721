/* Tasks of synthetic logs. */
#include "facts/tasks.h"
#include "events.h"

enum { TASKS = 2000 };

struct result {
    hectic_task task[TASKS];
    uint64_t caps[TASKS]; /* of the first 64: one bit each */
    size_t count;
};

static bool take(void *user, const hectic_task *task)
{
    struct result *result = user;
    assert_true(result->count < TASKS);
    result->task[result->count] = *task;
    for (uint32_t i = 0; i < task->caps && task->cap[i] < 64; i++)
        result->caps[result->count] |= UINT64_C(1) << task->cap[i];
    result->count++;
    return true;
}

static struct result result;

static hectic_tasks *tasks_new(uint64_t from, uint64_t to)
{
    hectic_tasks *tasks = hectic_tasks_new(from, to, take, &result);
    assert_non_null(tasks);
    result = (struct result){0};
    return tasks;
}

#define DO(time, name, ...)                                                                        \
    EVENT(hectic_tasks_event, tasks, time, HECTIC_CAP_NONE, name, "", __VA_ARGS__)

static void lifetimes_are_reported(void **state)
{
    (void)state;
    hectic_tasks *tasks = tasks_new(0, UINT64_MAX);
    DO(10, TASK_CREATE, 0xabc, 1, 4711);
    DO(20, TASK_MIGRATE, 0xabc, 1, 3);
    DO(30, TASK_MIGRATE, 0xabc, 3, 1);
    DO(40, TASK_CREATE, 0xdef, 0, 4712);
    DO(50, TASK_DELETE, 0xabc);
    DO(60, TASK_CREATE, 0xabc, 2, 4711);
    DO(70, TASK_DELETE, 0x123); /* existed before the log */
    assert_true(hectic_tasks_end(tasks, 100));
    assert_int_equal(result.count, 4);
    assert_int_equal(result.task[0].id, 0xabc);
    assert_int_equal(result.task[0].os_thread, 4711);
    assert_int_equal(result.task[0].created, 10);
    assert_int_equal(result.task[0].deleted, 50);
    assert_int_equal(result.task[0].lifetime, 40);
    assert_int_equal(result.task[0].migrations, 2);
    assert_int_equal(result.caps[0], 1 << 1 | 1 << 3);
    assert_int_equal(result.task[0].first_cap, 1);
    assert_int_equal(result.task[0].last_cap, 1);
    assert_false(result.task[1].has_created);
    assert_false(result.task[1].has_cap);
    assert_int_equal(result.task[2].id, 0xdef); /* the remaining ones, in order of creation */
    assert_false(result.task[2].has_deleted);
    assert_int_equal(result.task[2].lifetime, 60);
    assert_int_equal(result.task[3].lifetime, 40);
    hectic_tasks_free(tasks);
}

static void replayed_state_is_not_counted(void **state)
{
    (void)state;
    hectic_tasks *tasks = tasks_new(0, UINT64_MAX);
    DO(10, CAP_CREATE, 0);
    DO(10, TASK_CREATE, 0xabc, 0, 4711);
    for (uint64_t time = 20; time <= 30; time += 10) {
        EVENT_REPLAYED(hectic_tasks_event, tasks, time, HECTIC_CAP_NONE, TASK_CREATE, "", 0xabc, 0,
                       4711);
        EVENT_REPLAYED(hectic_tasks_event, tasks, time, HECTIC_CAP_NONE, TASK_CREATE, "", 0xdef, 1,
                       4712);
    }
    DO(40, TASK_CREATE, 0x123, 0, 4713);
    assert_true(hectic_tasks_end(tasks, 100));
    assert_int_equal(result.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(result.task[i].os_thread, 4711 + i);
        assert_int_equal(result.task[i].has_created, i == 2);
    }
    assert_int_equal(result.task[1].created, 20);
    hectic_tasks_free(tasks);
}

static void intervals_clip(void **state)
{
    (void)state;
    hectic_tasks *tasks = tasks_new(100, 200);
    DO(10, TASK_CREATE, 1, 0, 1);
    DO(20, TASK_DELETE, 1);
    DO(30, TASK_CREATE, 2, 0, 1);
    DO(40, TASK_MIGRATE, 2, 0, 1);
    DO(150, TASK_MIGRATE, 2, 1, 0);
    DO(160, TASK_DELETE, 2);
    DO(170, TASK_CREATE, 3, 0, 1);
    DO(300, TASK_DELETE, 3);
    assert_true(hectic_tasks_end(tasks, 200));
    assert_int_equal(result.count, 2);
    assert_int_equal(result.task[0].lifetime, 60);
    assert_int_equal(result.task[0].migrations, 1);
    assert_int_equal(result.task[1].lifetime, 30);
    assert_false(result.task[1].has_deleted);
    hectic_tasks_free(tasks);
}

static void tasks_may_be_many(void **state)
{
    (void)state;
    hectic_tasks *tasks = tasks_new(0, UINT64_MAX);
    for (uint64_t id = 0; id < 1000; id++)
        DO(id, TASK_CREATE, id << 12, id % 70, id);
    for (uint64_t id = 0; id < 1000; id += 2)
        DO(1000, TASK_DELETE, id << 12);
    for (uint64_t id = 0; id < 400; id += 2)
        DO(2000 + id, TASK_CREATE, id << 12, 65534, id);
    assert_true(hectic_tasks_end(tasks, 3000));
    assert_int_equal(result.count, 1200);
    for (size_t i = 501; i < 1000; i++)
        assert_true(result.task[i].created > result.task[i - 1].created);
    assert_int_equal(result.task[1199].last_cap, 65534);
    hectic_tasks_free(tasks);
}

static void short_events_are_harmless(void **state)
{
    (void)state;
    hectic_tasks *tasks = tasks_new(0, UINT64_MAX);
    uint8_t room[EVENT_SIZE_MAX];
    hectic_event_type type;
    const uint64_t numbers[] = {1, 2, 3};
    for (uint16_t number = HECTIC_EVENT_TASK_CREATE; number <= HECTIC_EVENT_TASK_DELETE; number++) {
        hectic_event event = event_make(room, &type, number, 0, number, numbers, "");
        for (;; event.size--) {
            uint8_t *exact = malloc(event.size + 1u);
            memcpy(exact, room, event.size);
            event.payload = exact;
            assert_true(hectic_tasks_event(tasks, &event));
            free(exact);
            if (event.size == 0) break;
        }
    }
    assert_true(hectic_tasks_end(tasks, 100));
    hectic_tasks_free(tasks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetimes_are_reported),
        cmocka_unit_test(replayed_state_is_not_counted),
        cmocka_unit_test(intervals_clip),
        cmocka_unit_test(tasks_may_be_many),
        cmocka_unit_test(short_events_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
