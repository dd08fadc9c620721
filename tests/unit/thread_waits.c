/* The waits of threads do not depend on the order in which the events of different caps arrive. */
#include "analysis/thread_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum kind { CREATE, RUN, STOP, WAKEUP, MIGRATE };

struct step {
    enum kind kind;
    uint16_t cap;
    uint32_t thread;
    uint64_t time;
    uint16_t of; /* the status, or the thread's cap */
};

/* Thread 1 blocks on an MVar on cap 0, is woken, moves to cap 1, and ends there. Thread 2 blocks
 * in STM on cap 1, and runs again after an exception, without a wakeup; then it is in a foreign
 * call. */
static const struct step steps[] = {
    {CREATE, 0, 1, 100, 0}, {RUN, 0, 1, 110, 0},  {CREATE, 1, 2, 120, 0},  {RUN, 1, 2, 125, 0},
    {STOP, 1, 2, 130, 12},  {STOP, 0, 1, 200, 7}, {WAKEUP, 1, 1, 290, 0},  {WAKEUP, 0, 1, 300, 0},
    {RUN, 1, 2, 310, 0},    {STOP, 1, 2, 315, 6}, {MIGRATE, 0, 1, 350, 1}, {RUN, 1, 1, 400, 0},
    {STOP, 1, 1, 450, 5},
};
enum { STEPS = sizeof steps / sizeof *steps };

static void take(struct thread_waits *waits, const struct step *s)
{
    if (!waits->is_measured) return;
    switch (s->kind) {
    case CREATE: assert_true(thread_waits_create(waits, s->cap, s->thread, s->time)); break;
    case RUN: assert_true(thread_waits_run(waits, s->cap, s->thread, s->time)); break;
    case STOP: assert_true(thread_waits_stop(waits, s->cap, s->thread, s->time, s->of)); break;
    case WAKEUP: thread_waits_wakeup(waits, s->cap, s->thread, s->time, s->of); break;
    case MIGRATE: thread_waits_migrate(waits, s->cap, s->thread, s->time); break;
    }
}

static void check(const struct thread_waits *waits)
{
    const hectic_stat_waits r = thread_waits_get(waits, 1000);
    assert_true(r.known && r.has_cap);
    assert_int_equal(r.thread_ns, 450 - 100 + 1000 - 120);
    assert_int_equal(r.wait[HECTIC_WAIT_MVAR].ns, 100);
    assert_int_equal(r.wait[HECTIC_WAIT_MVAR].times, 1);
    assert_int_equal(r.wait[HECTIC_WAIT_MVAR].threads, 1);
    assert_int_equal(r.wait[HECTIC_WAIT_STM].ns, 180);
    assert_int_equal(r.wait[HECTIC_WAIT_FOREIGN].ns, 1000 - 315);
    assert_int_equal(r.wait[HECTIC_WAIT_CAP].ns, 10 + 5 + 50 + 50);
}

static void test_orders(void **state)
{
    (void)state;
    /* In order of time; cap 0 first; cap 1 first. */
    for (unsigned order = 0; order < 3; order++) {
        struct thread_waits waits = {.is_measured = true};
        for (unsigned pass = 0; pass < (order ? 2 : 1); pass++)
            for (size_t i = 0; i < STEPS; i++)
                if (order == 0 || steps[i].cap == (order == 1 ? pass : 1 - pass))
                    take(&waits, &steps[i]);
        check(&waits);
        thread_waits_free(&waits);
    }
}

/* The runtime's threads for timers and I/O are in foreign calls while nothing happens. */
static void test_managers(void **state)
{
    struct thread_waits waits = {.is_measured = true};
    (void)state;
    static const char *const labels[] = {"TimerManager", "IOManager on cap 3", "TimerManagers",
                                         "IOManager on cap ", ""};
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t thread = i + 1;
        take(&waits, &(struct step){CREATE, 0, thread, 0, 0});
        take(&waits, &(struct step){RUN, 0, thread, 0, 0});
        take(&waits, &(struct step){STOP, 0, thread, 10, 6});
        take(&waits, &(struct step){RUN, 0, thread, 20, 0});
        take(&waits, &(struct step){STOP, 0, thread, 25, thread == 2 ? 7 : 6});
        /* Labels are on the cap that has created the thread: its events may come last. */
        thread_waits_label(&waits, thread, (const uint8_t *)labels[i], strlen(labels[i]));
    }
    const hectic_stat_waits r = thread_waits_get(&waits, 30);
    assert_int_equal(r.wait[HECTIC_WAIT_FOREIGN].ns, 5 * 10 + 4 * 5);
    assert_int_equal(r.manager_ns, 2 * 10 + 5);
    thread_waits_free(&waits);
}

static void test_shifted(void **state)
{
    struct thread_waits waits = {.is_measured = true, .is_shifted = true};
    (void)state;
    take(&waits, &(struct step){CREATE, 0, 1, 0, 0});
    take(&waits, &(struct step){RUN, 0, 1, 0, 0});
    take(&waits, &(struct step){STOP, 0, 1, 10, 9}); /* a black hole, in GHC 7.8.2 */
    assert_int_equal(thread_waits_get(&waits, 30).wait[HECTIC_WAIT_BLACK_HOLE].ns, 20);
    thread_waits_free(&waits);
}

/* Threads that were there before the log began run without having been created. */
static void test_late(void **state)
{
    struct thread_waits waits = {.is_measured = true};
    (void)state;
    take(&waits, &(struct step){RUN, 0, 7, 50, 0});
    assert_false(thread_waits_get(&waits, 100).known);
    take(&waits, &(struct step){CREATE, 0, 8, 60, 0});
    assert_false(thread_waits_get(&waits, 100).has_cap);
    thread_waits_free(&waits);
}

/* Memory is that of live threads, up to a limit. */
static void test_limit(void **state)
{
    struct thread_waits waits = {.is_measured = true};
    (void)state;
    for (uint32_t i = 0; i < 2000000; i++) {
        take(&waits, &(struct step){CREATE, 0, i, i, 0});
        take(&waits, &(struct step){RUN, 0, i, i, 0});
        take(&waits, &(struct step){STOP, 0, i, i + 1, 5});
    }
    assert_true(waits.thread.mask < 1024);
    assert_int_equal(thread_waits_get(&waits, 9999999).thread_ns, 2000000);
    for (uint32_t i = 0; i < 400000; i++)
        take(&waits, &(struct step){CREATE, 0, i, i, 0});
    assert_false(thread_waits_get(&waits, 100).known);
    assert_null(waits.thread.slot);
    thread_waits_free(&waits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),  cmocka_unit_test(test_managers),
        cmocka_unit_test(test_shifted), cmocka_unit_test(test_late),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
