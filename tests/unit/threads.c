/* Threads of synthetic logs. */
#include "facts/threads.h"
#include "events.h"

#include <malloc.h>

enum { ROWS = 64 };

struct rows {
    hectic_thread row[ROWS];
    char label[ROWS][32];
    size_t count;
};

static bool take(void *user, const hectic_thread *thread)
{
    struct rows *rows = user;
    assert_true(rows->count < ROWS);
    rows->row[rows->count] = *thread;
    snprintf(rows->label[rows->count], 32, "%s", thread->label ? thread->label : "");
    rows->count++;
    return true;
}

static hectic_threads *begin(uint64_t from, uint64_t to, struct rows *rows, bool shifted)
{
    static const uint16_t numbers[] = {HECTIC_EVENT_USER_MARKER, HECTIC_EVENT_HACK_BUG_T9003};
    hectic_threads *threads = hectic_threads_new(from, to, take, rows);
    assert_non_null(threads);
    hectic_header *header = event_header(numbers, shifted ? 1 : 2);
    assert_int_equal(hectic_header_shifted_stop_status(header), shifted);
    hectic_threads_begin(threads, header);
    hectic_header_free(header);
    *rows = (struct rows){0};
    return threads;
}

#define DO(time, cap, name, ...)                                                                   \
    EVENT(hectic_threads_event, threads, time, cap, name, "", __VA_ARGS__)
#define LABEL(time, thread, text)                                                                  \
    EVENT(hectic_threads_event, threads, time, 0, THREAD_LABEL, text, thread)

/* A thread: created at 100, runs at 110, is blocked at 150 for a reason, woken at 250, ends at 300.
 */
static void live(hectic_threads *threads, uint64_t status)
{
    DO(100, 0, CREATE_THREAD, 7);
    LABEL(105, 7, "seven");
    DO(110, 0, RUN_THREAD, 7);
    DO(150, 0, STOP_THREAD, 7, status, 0);
    DO(250, 1, THREAD_WAKEUP, 7, 0);
    DO(260, 0, RUN_THREAD, 7);
    DO(300, 0, STOP_THREAD, 7, 5, 0);
}

static void reasons_are_distinguished(void **state)
{
    (void)state;
    static const struct {
        uint64_t status, shifted;
        hectic_thread_state state;
    } cases[] = {
        {1, 1, HECTIC_THREAD_RUNNABLE},   {2, 2, HECTIC_THREAD_RUNNABLE},
        {3, 3, HECTIC_THREAD_RUNNABLE},   {4, 4, HECTIC_THREAD_OTHER},
        {6, 6, HECTIC_THREAD_FOREIGN},    {7, 7, HECTIC_THREAD_MVAR},
        {8, 9, HECTIC_THREAD_BLACK_HOLE}, {9, 10, HECTIC_THREAD_IO},
        {10, 11, HECTIC_THREAD_IO},       {11, 12, HECTIC_THREAD_DELAY},
        {12, 13, HECTIC_THREAD_STM},      {16, 17, HECTIC_THREAD_THROW_TO},
        {17, 18, HECTIC_THREAD_RUNNABLE}, {20, 8, HECTIC_THREAD_MVAR_READ},
        {99, 99, HECTIC_THREAD_OTHER},
    };
    struct rows rows;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool shifted = i % 2;
        hectic_threads *threads = begin(0, UINT64_MAX, &rows, shifted);
        live(threads, shifted ? cases[i / 2].shifted : cases[i / 2].status);
        assert_int_equal(rows.count, 1);
        uint64_t expected[HECTIC_THREAD_STATES] = {0};
        expected[HECTIC_THREAD_RUNNING] = 40 + 40;
        expected[HECTIC_THREAD_RUNNABLE] = 10 + 10;
        expected[cases[i / 2].state] += 100;
        assert_memory_equal(rows.row[0].ns, expected, sizeof expected);
        assert_string_equal(rows.label[0], "seven");
        assert_true(rows.row[0].has_born && rows.row[0].has_ended && !rows.row[0].is_spark);
        assert_int_equal(rows.row[0].born, 100);
        assert_int_equal(rows.row[0].ended, 300);
        assert_int_equal(rows.row[0].runs, 2);
        assert_int_equal(rows.row[0].caps, 1);
        assert_int_equal(rows.row[0].migrations, 0);
        assert_true(hectic_threads_end(threads, 300));
        assert_int_equal(rows.count, 1);
        hectic_threads_free(threads);
    }
}

static uint64_t lifetime(const hectic_thread *thread)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sum += thread->ns[i];
    return sum;
}

static void intervals_clip(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(130, 200, &rows, false);
    live(threads, 7);
    assert_int_equal(rows.count, 0); /* its end is outside of the interval */
    assert_true(hectic_threads_end(threads, 200));
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.row[0].ns[HECTIC_THREAD_RUNNING], 20);
    assert_int_equal(rows.row[0].ns[HECTIC_THREAD_MVAR], 50);
    assert_int_equal(lifetime(&rows.row[0]), 70);
    assert_int_equal(rows.row[0].runs, 0);
    assert_int_equal(rows.row[0].caps, 1);
    assert_false(rows.row[0].has_ended);
    hectic_threads_free(threads);

    threads = begin(301, 400, &rows, false); /* it ended before */
    live(threads, 7);
    assert_true(hectic_threads_end(threads, 400));
    assert_int_equal(rows.count, 0);
    hectic_threads_free(threads);

    threads = begin(0, 50, &rows, false); /* it began later */
    live(threads, 7);
    assert_true(hectic_threads_end(threads, 50));
    assert_int_equal(rows.count, 0);
    hectic_threads_free(threads);
}

static void logs_may_start_in_the_middle(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    DO(1000, 3, STOP_THREAD, 9, 7, 0);
    DO(1100, 3, RUN_THREAD, 9);
    DO(1150, 3, STOP_THREAD, 9, 5, 0);
    assert_int_equal(rows.count, 1);
    assert_false(rows.row[0].has_born);
    assert_int_equal(rows.row[0].born, 1000);
    assert_int_equal(rows.row[0].ns[HECTIC_THREAD_MVAR], 100);
    assert_int_equal(lifetime(&rows.row[0]), 150);
    LABEL(1200, 12, "known by its label only");
    assert_true(hectic_threads_end(threads, 1300));
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.row[1].ns[HECTIC_THREAD_UNKNOWN], 100);
    hectic_threads_free(threads);
}

static void numbers_are_used_again(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    live(threads, 7);
    LABEL(310, 7, "too late");
    DO(320, 0, THREAD_WAKEUP, 7, 0);
    live(threads, 7); /* time may go back */
    assert_int_equal(rows.count, 2);
    DO(400, 0, CREATE_THREAD, 7);
    DO(410, 0, RUN_THREAD, 7);
    DO(420, 1, CREATE_THREAD, 7); /* announced again: still alive */
    assert_int_equal(rows.count, 2);
    assert_true(hectic_threads_end(threads, 500));
    assert_int_equal(rows.count, 3);
    assert_false(rows.row[2].has_ended);
    assert_int_equal(rows.row[2].born, 400);
    assert_int_equal(rows.row[2].ns[HECTIC_THREAD_RUNNING], 90);
    assert_int_equal(lifetime(&rows.row[2]), 100);
    hectic_threads_free(threads);
}

static void contradictions_are_unknown(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    DO(10, 0, CREATE_THREAD, 1);
    DO(10, 0, CREATE_THREAD, 2);
    DO(20, 0, RUN_THREAD, 1);
    DO(30, 0, RUN_THREAD, 2); /* no event stopped thread 1 */
    DO(40, 0, STOP_THREAD, 2, 5, 0);
    assert_true(hectic_threads_end(threads, 50));
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.row[0].id, 2);
    assert_int_equal(rows.row[0].ns[HECTIC_THREAD_RUNNING], 10);
    assert_int_equal(rows.row[1].ns[HECTIC_THREAD_RUNNING], 10);
    assert_int_equal(rows.row[1].ns[HECTIC_THREAD_UNKNOWN], 20);
    hectic_threads_free(threads);
}

static void caps_are_counted(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    static const uint16_t caps[] = {0, 63, 64, 65534, 200, 64, 0};
    DO(10, 0, CREATE_THREAD, 1);
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        DO(20 + 10 * i, caps[i], RUN_THREAD, 1);
        DO(25 + 10 * i, caps[i], STOP_THREAD, 1, 3, 0);
        if (i == 1) DO(38, 63, MIGRATE_THREAD, 1, 64); /* replayed, then logged: one migration */
    }
    assert_true(hectic_threads_end(threads, 100));
    assert_int_equal(rows.row[0].caps, 5);
    assert_int_equal(rows.row[0].migrations, 6);
    hectic_threads_free(threads);
}

static void spark_threads_are_distinguished(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    DO(10, 0, CREATE_THREAD, 1);
    DO(11, 0, CREATE_SPARK_THREAD, 1); /* newer runtimes write both */
    DO(12, 0, CREATE_SPARK_THREAD, 2);
    DO(13, 0, CREATE_THREAD, 3);
    hectic_thread_totals totals;
    hectic_threads_totals(threads, 20, &totals);
    assert_int_equal(totals.threads, 3);
    assert_int_equal(totals.spark_threads, 2);
    assert_int_equal(totals.ns[HECTIC_THREAD_RUNNABLE], 10 + 8 + 7);
    struct rows now = {0};
    assert_true(hectic_threads_live(threads, 20, take, &now));
    assert_int_equal(now.count, 3);
    assert_true(now.row[0].is_spark && now.row[1].is_spark && !now.row[2].is_spark);
    assert_int_equal(now.row[0].born, 10);
    assert_true(hectic_threads_end(threads, 20));
    hectic_threads_totals(threads, 20, &totals);
    assert_int_equal(totals.threads, 3);
    assert_int_equal(totals.spark_threads, 2);
    assert_int_equal(totals.live_max, 3);
    assert_int_equal(totals.live, 0);
    hectic_threads_free(threads);
}

/* A thread yields for the runtime after it has created one, and when another cap sent a message. */
static void only_own_yields_count(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    DO(10, 0, CREATE_THREAD, 1);
    for (uint64_t i = 0; i < 4; i++) {
        DO(20 + 10 * i, 0, RUN_THREAD, 1);
        if (i == 1) DO(31, 0, CREATE_THREAD, 2);
        if (i == 2) DO(41, 1, THREAD_WAKEUP, 2, 0);
        if (i == 3) DO(51, 0, THREAD_WAKEUP, 2, 0); /* by itself */
        DO(25 + 10 * i, 0, STOP_THREAD, 1, 3, 0);
    }
    assert_true(hectic_threads_end(threads, 100));
    assert_int_equal(rows.row[0].id, 1);
    assert_int_equal(rows.row[0].yields, 2);
    hectic_threads_free(threads);
}

static void short_events_are_harmless(void **state)
{
    (void)state;
    struct rows rows;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    uint8_t room[EVENT_SIZE_MAX];
    hectic_event_type type;
    const uint64_t numbers[3] = {1, 5, 0};
    for (uint16_t number = 0; number < 60; number++) {
        if (!hectic_shape_by_number(number) || hectic_shape_by_number(number)->field_count > 3)
            continue;
        hectic_event event = event_make(room, &type, number, 0, number, numbers, "text");
        for (; event.size > 0; event.size--) {
            uint8_t *exact = malloc(event.size);
            memcpy(exact, room, event.size);
            event.payload = exact;
            assert_true(hectic_threads_event(threads, &event));
            free(exact);
        }
        assert_true(hectic_threads_event(threads, &event));
    }
    hectic_threads_free(threads);
}

static bool count_only(void *user, const hectic_thread *thread)
{
    ++*(uint64_t *)user;
    return thread != NULL;
}

static size_t allocated(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Many at once, and many in succession, in an order that leaves gaps. */
static void threads_may_be_many(void **state)
{
    (void)state;
    uint64_t count = 0, seed = 1;
    enum { MANY = 1 << 18 };
    const size_t before = allocated();
    hectic_threads *threads = hectic_threads_new(0, UINT64_MAX, count_only, &count);
    for (uint32_t id = 1; id <= MANY; id++)
        DO(id, 0, CREATE_THREAD, id);
    assert_true(allocated() - before < 256 * (size_t)MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t id = 1 + (uint32_t)random_below(&seed, MANY);
        DO(MANY + i, 0, RUN_THREAD, id);
        DO(MANY + i, 0, STOP_THREAD, id, i % 2 ? 5 : 7, 0);
    }
    hectic_thread_totals totals;
    hectic_threads_totals(threads, 2 * MANY, &totals);
    assert_int_equal(totals.live_max, MANY);
    assert_int_equal(totals.runs, MANY);
    assert_true(hectic_threads_end(threads, 2 * MANY));
    assert_int_equal(totals.threads, count);
    hectic_threads_free(threads);
}

/* Two threads wait from 700 to 1000, unwoken. The second has waited as long before, for work. */
static void workers_wait_as_before(void **state)
{
    struct rows rows;
    hectic_thread_sums sums = {0};
    (void)state;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    for (uint16_t id = 1; id <= 2; id++) {
        const uint64_t woken = id == 1 ? 449 : 451;
        DO(0, id, CREATE_THREAD, id);
        DO(1, id, RUN_THREAD, id);
        DO(300, id, STOP_THREAD, id, 7, 0);
        DO(woken, id, THREAD_WAKEUP, id, id);
        DO(600, id, RUN_THREAD, id);
        DO(700, id, STOP_THREAD, id, 7, 0);
    }
    assert_true(hectic_threads_end(threads, 1000));
    hectic_threads_free(threads);
    assert_int_equal(rows.row[0].longest_wait, 149);
    assert_int_equal(rows.row[1].longest_wait, 151);
    for (size_t i = 0; i < rows.count; i++)
        hectic_thread_sums_add(&sums, &rows.row[i]);
    assert_int_equal(sums.longest_wait, 151);
    assert_int_equal(sums.left.threads, 2);
    assert_int_equal(sums.stuck[HECTIC_LOCK_MVAR].threads, 1);
}

/* Thread 1 ends by itself; the runtime ends 2 after it has created 3. */
static void threads_end_with_the_program(void **state)
{
    struct rows rows;
    hectic_thread_sums sums = {0};
    (void)state;
    hectic_threads *threads = begin(0, UINT64_MAX, &rows, false);
    for (uint16_t id = 1; id <= 2; id++) {
        DO(0, id, CREATE_THREAD, id);
        DO(1, id, RUN_THREAD, id);
        DO(2, id, STOP_THREAD, id, 11, 0);
    }
    DO(900, 1, THREAD_WAKEUP, 1, 1);
    DO(901, 1, RUN_THREAD, 1);
    DO(950, 1, STOP_THREAD, 1, 5, 0);
    DO(960, 1, CREATE_THREAD, 3);
    DO(961, 1, RUN_THREAD, 3);
    DO(962, 1, STOP_THREAD, 3, 5, 0);
    DO(970, 2, RUN_THREAD, 2);
    DO(971, 2, STOP_THREAD, 2, 5, 0);
    assert_true(hectic_threads_end(threads, 1000));
    hectic_threads_free(threads);
    for (size_t i = 0; i < rows.count; i++)
        hectic_thread_sums_add(&sums, &rows.row[i]);
    assert_int_equal(sums.left.threads, 1);
    assert_int_equal(sums.left.from, 971);
    assert_int_equal(sums.last_born, 960);
}

/* Runnable for a fifth of its time, or less. */
static void short_queues_do_not_count(void **state)
{
    hectic_thread_sums sums = {0};
    hectic_thread row = {.id = 1, .ended = 1000, .has_ended = true};
    (void)state;
    row.ns[HECTIC_THREAD_RUNNABLE] = 199;
    row.ns[HECTIC_THREAD_MVAR] = 801;
    hectic_thread_sums_add(&sums, &row);
    assert_int_equal(sums.queued_ns, 0);
    row.ns[HECTIC_THREAD_RUNNABLE] = 200;
    row.ns[HECTIC_THREAD_MVAR] = 800;
    hectic_thread_sums_add(&sums, &row);
    assert_int_equal(sums.queued_ns, 200);
    assert_int_equal(sums.ns[HECTIC_THREAD_RUNNABLE], 399);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_are_distinguished),
        cmocka_unit_test(intervals_clip),
        cmocka_unit_test(logs_may_start_in_the_middle),
        cmocka_unit_test(numbers_are_used_again),
        cmocka_unit_test(contradictions_are_unknown),
        cmocka_unit_test(caps_are_counted),
        cmocka_unit_test(spark_threads_are_distinguished),
        cmocka_unit_test(short_events_are_harmless),
        cmocka_unit_test(threads_may_be_many),
        cmocka_unit_test(only_own_yields_count),
        cmocka_unit_test(workers_wait_as_before),
        cmocka_unit_test(threads_end_with_the_program),
        cmocka_unit_test(short_queues_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
