/* Cuts: they begin with the live state, without dead objects, and the rest is unchanged. */
#include "made.h"

static const uint16_t declared[] = {
    HECTIC_EVENT_CREATE_THREAD,
    HECTIC_EVENT_RUN_THREAD,
    HECTIC_EVENT_STOP_THREAD,
    HECTIC_EVENT_THREAD_RUNNABLE,
    HECTIC_EVENT_MIGRATE_THREAD,
    HECTIC_EVENT_THREAD_WAKEUP,
    HECTIC_EVENT_THREAD_LABEL,
    HECTIC_EVENT_CREATE_SPARK_THREAD,
    HECTIC_EVENT_SPARK_RUN,
    HECTIC_EVENT_SPARK_STEAL,
    HECTIC_EVENT_CAPSET_CREATE,
    HECTIC_EVENT_CAPSET_DELETE,
    HECTIC_EVENT_CAPSET_ASSIGN_CAP,
    HECTIC_EVENT_CAPSET_REMOVE_CAP,
    HECTIC_EVENT_CAP_CREATE,
    HECTIC_EVENT_CAP_DELETE,
    HECTIC_EVENT_CAP_DISABLE,
    HECTIC_EVENT_CAP_ENABLE,
    HECTIC_EVENT_WALL_CLOCK_TIME,
    HECTIC_EVENT_RTS_IDENTIFIER,
    HECTIC_EVENT_TASK_CREATE,
    HECTIC_EVENT_TASK_MIGRATE,
    HECTIC_EVENT_TASK_DELETE,
    HECTIC_EVENT_HEAP_ALLOCATED,
    HECTIC_EVENT_HEAP_SIZE,
    HECTIC_EVENT_HEAP_LIVE,
    HECTIC_EVENT_REQUEST_PAR_GC,
    HECTIC_EVENT_GC_START,
    HECTIC_EVENT_GC_WORK,
    HECTIC_EVENT_GC_IDLE,
    HECTIC_EVENT_GC_DONE,
    HECTIC_EVENT_GC_GLOBAL_SYNC,
    HECTIC_EVENT_GC_END,
    HECTIC_EVENT_CONC_MARK_BEGIN,
    HECTIC_EVENT_CONC_MARK_END,
    HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN,
    HECTIC_EVENT_USER_MSG,
    HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS,
    HECTIC_EVENT_CREATE_PROCESS,
    HECTIC_EVENT_KILL_PROCESS,
    HECTIC_EVENT_PERF_NAME,
    HECTIC_EVENT_BLOCK_MARKER,
    HECTIC_EVENT_GC_STATS_GHC,
    HECTIC_EVENT_HEAP_PROF_SAMPLE_END,
};
enum { ALL = sizeof declared / sizeof *declared, WITHOUT_CENSUS_END = ALL - 1 };
static hectic_event_type types[ALL];

enum { CUT = 1000 };
enum { FINISHED = 5, BLOCKED_ON_MVAR = 7, BLACK_HOLE = 8 };

/* The log's events before the cut, and one after it. */
static struct made begin(size_t count)
{
    struct made m = {.time = 100};
    made_header(&m, types, count);
    return m;
}

static void finish(struct made *m)
{
    m->time = CUT + 50;
    made_block(m, HECTIC_CAP_NONE);
    const hectic_value text = {.bytes = (const uint8_t *)"end", .length = 3};
    made_event(m, HECTIC_EVENT_USER_MSG, &text, 1);
    made_end(m);
}

static struct bytes cut(const struct bytes *log, uint64_t from, hectic_keep_callback keep)
{
    struct bytes out = {0};
    hectic_error error;
    assert_true(hectic_cut(bytes_input(log->data, log->length), from, UINT64_MAX, keep, NULL,
                           bytes_write, &out, &error));
    return out;
}

/* The cut is as expected, and a cut of the cut, one ns later, is equal. */
static void assert_cut(struct made *m, const char *expected)
{
    finish(m);
    struct bytes out = cut(&m->bytes, CUT, NULL), again = cut(&out, CUT + 1, NULL);
    char *lines = made_lines(&out), *later = made_lines(&again);
    assert_string_equal(lines, expected);
    for (char *time = later; (time = strstr(time, "1001: "));)
        time[3] = '0';
    char *clock = strstr(later, "s 99ns (unix"); /* which has advanced */
    if (clock) clock[3] = '8';
    assert_string_equal(later, expected);
    free(lines);
    free(later);
    bytes_free(&out);
    bytes_free(&again);
    bytes_free(&m->bytes);
}

static void threads_keep_their_caps(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 1);
    for (uint64_t thread = 1; thread <= 6; thread++)
        made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
    made_text(&m, HECTIC_EVENT_THREAD_LABEL, 2, "old");
    made_text(&m, HECTIC_EVENT_THREAD_LABEL, 2, "two");
    made_text(&m, HECTIC_EVENT_THREAD_LABEL, 3, "gone");
    m.time = 200;
    for (uint64_t thread = 2; thread <= 4; thread++) {
        made_numbers(&m, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_STOP_THREAD, thread,
                     thread == 3   ? FINISHED
                     : thread == 4 ? BLACK_HOLE
                                   : BLOCKED_ON_MVAR,
                     2);
    }
    made_numbers(&m, HECTIC_EVENT_RUN_THREAD, 1, 0, 0); /* and continues */
    made_numbers(&m, HECTIC_EVENT_MIGRATE_THREAD, 5, 0, 0);
    m.time = 300;
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_RUN_THREAD, 6, 0, 0); /* without a migration event */
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 6, BLOCKED_ON_MVAR, 0);
    made_numbers(&m, HECTIC_EVENT_THREAD_WAKEUP, 6, 0, 0);
    assert_cut(&m, "1000: cap 0: creating thread 5\n"
                   "1000: cap 0: creating thread 6\n"
                   "1000: cap 1: creating thread 2\n"
                   "1000: cap 1: thread 2 has label \"two\"\n"
                   "1000: cap 1: running thread 2\n"
                   "1000: cap 1: stopping thread 2 (blocked on an MVar)\n"
                   "1000: cap 1: creating thread 4\n"
                   "1000: cap 1: running thread 4\n"
                   "1000: cap 1: stopping thread 4 (blocked on black hole owned by thread 2)\n"
                   "1000: cap 1: creating thread 1\n"
                   "1000: cap 1: running thread 1\n"
                   "1050: end\n");
}

static void threads_keep_their_last_spark(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 0);
    for (uint64_t thread = 1; thread <= 2; thread++) {
        made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_CREATE_SPARK_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
        made_numbers(&m, thread == 1 ? HECTIC_EVENT_SPARK_STEAL : HECTIC_EVENT_SPARK_RUN, 3, 0, 0);
        if (thread == 1) made_numbers(&m, HECTIC_EVENT_STOP_THREAD, thread, BLOCKED_ON_MVAR, 0);
    }
    made_numbers(&m, HECTIC_EVENT_THREAD_RUNNABLE, 1, 0, 0);
    assert_cut(&m, "1000: cap 0: creating thread 1\n"
                   "1000: cap 0: creating spark thread 1\n"
                   "1000: cap 0: running thread 1\n"
                   "1000: cap 0: stealing a spark from cap 3\n"
                   "1000: cap 0: stopping thread 1 (blocked on an MVar)\n"
                   "1000: cap 0: creating thread 2\n"
                   "1000: cap 0: creating spark thread 2\n"
                   "1000: cap 0: running thread 2\n"
                   "1000: cap 0: running a local spark\n"
                   "1050: end\n");
}

static void the_process_is_replayed_first(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, HECTIC_CAP_NONE);
    for (uint64_t capset = 0; capset <= 1; capset++) {
        made_numbers(&m, HECTIC_EVENT_CAPSET_CREATE, capset, 2, 0);
        made_text(&m, HECTIC_EVENT_RTS_IDENTIFIER, capset, "GHC");
        for (uint64_t cap = 0; cap <= 2; cap++)
            made_numbers(&m, HECTIC_EVENT_CAPSET_ASSIGN_CAP, capset, cap, 0);
    }
    for (uint64_t cap = 0; cap <= 2; cap++)
        made_numbers(&m, HECTIC_EVENT_CAP_CREATE, cap, 0, 0);
    m.time = 101;
    made_numbers(&m, HECTIC_EVENT_WALL_CLOCK_TIME, 0, 77, 999999199);
    made_text(&m, HECTIC_EVENT_PERF_NAME, 4, "cycles");
    made_numbers(&m, HECTIC_EVENT_CREATE_PROCESS, 8, 0, 0);
    made_numbers(&m, HECTIC_EVENT_CREATE_PROCESS, 9, 0, 0);
    made_numbers(&m, HECTIC_EVENT_KILL_PROCESS, 8, 0, 0);
    for (uint64_t task = 16; task <= 18; task++)
        made_numbers(&m, HECTIC_EVENT_TASK_CREATE, task, 0, task);
    made_numbers(&m, HECTIC_EVENT_TASK_MIGRATE, 16, 0, 2);
    made_numbers(&m, HECTIC_EVENT_TASK_DELETE, 17, 0, 0);
    m.time = 102;
    for (uint64_t cap = 0; cap <= 2; cap++) {
        made_numbers(&m, HECTIC_EVENT_CAPSET_REMOVE_CAP, 1, cap, 0);
        if (cap > 0) made_numbers(&m, HECTIC_EVENT_CAP_DISABLE, cap, 0, 0);
    }
    made_numbers(&m, HECTIC_EVENT_CAPSET_DELETE, 1, 0, 0);
    made_numbers(&m, HECTIC_EVENT_CAP_ENABLE, 1, 0, 0);
    made_numbers(&m, HECTIC_EVENT_CAPSET_REMOVE_CAP, 0, 0, 0);
    made_numbers(&m, HECTIC_EVENT_CAP_DELETE, 0, 0, 0);
    assert_cut(&m, "1000: perf event 4 named \"cycles\"\n"
                   "1000: created capset 0 of type CapsetOsProcess\n"
                   "1000: capset 0: RTS version \"GHC\"\n"
                   "1000: assigned cap 1 to capset 0\n"
                   "1000: assigned cap 2 to capset 0\n"
                   "1000: created cap 1\n"
                   "1000: created cap 2\n"
                   "1000: capset 0: wall clock time 78s 98ns (unix epoch)\n"
                   "1000: creating process 9\n"
                   "1000: disabled cap 2\n"
                   "1000: task 0x10 created on cap 2 with OS kernel thread 16\n"
                   "1000: task 0x12 created on cap 0 with OS kernel thread 18\n"
                   "1050: end\n");
}

static void counters_keep_their_last_value(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    for (uint16_t cap = 0; cap <= 1; cap++) {
        made_block(&m, cap);
        for (uint64_t bytes = 1; bytes <= 3; bytes++) {
            made_numbers(&m, HECTIC_EVENT_HEAP_ALLOCATED, 0, bytes + cap, 0);
            made_numbers(&m, HECTIC_EVENT_HEAP_SIZE, 0, 10 * bytes + cap, 0);
            made_numbers(&m, HECTIC_EVENT_HEAP_LIVE, cap, bytes, 0);
        }
    }
    assert_cut(&m, "1000: cap 0: allocated on heap capset 0: 3 total bytes till now\n"
                   "1000: cap 1: allocated on heap capset 0: 4 total bytes till now\n"
                   "1000: cap 1: size of heap capset 0: 31 bytes\n"
                   "1050: end\n");
}

static void collect(struct made *m, uint16_t cap, const uint16_t *events, size_t count)
{
    made_block(m, cap);
    static const hectic_value zeros[HECTIC_MAX_FIELDS];
    for (size_t i = 0; i < count; i++)
        made_event(m, events[i], zeros, made_type(m, events[i])->shape->field_count);
}

#define COLLECT(m, cap, ...)                                                                       \
    collect(m, cap, (const uint16_t[]){__VA_ARGS__},                                               \
            sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

static void collections_continue(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    /* A collection that has ended. */
    COLLECT(&m, 0, HECTIC_EVENT_REQUEST_PAR_GC, HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_WORK,
            HECTIC_EVENT_GC_END, HECTIC_EVENT_GC_GLOBAL_SYNC, HECTIC_EVENT_GC_STATS_GHC,
            HECTIC_EVENT_CONC_MARK_BEGIN, HECTIC_EVENT_CONC_MARK_END);
    m.time = 200;
    COLLECT(&m, 0, HECTIC_EVENT_REQUEST_PAR_GC, HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_WORK,
            HECTIC_EVENT_GC_IDLE, HECTIC_EVENT_GC_WORK, HECTIC_EVENT_GC_IDLE,
            HECTIC_EVENT_CONC_MARK_BEGIN);
    COLLECT(&m, 1, HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_IDLE, HECTIC_EVENT_GC_DONE);
    assert_cut(&m, "1000: cap 0: requesting parallel GC\n"
                   "1000: cap 0: starting GC\n"
                   "1000: cap 0: GC working\n"
                   "1000: cap 0: GC idle\n"
                   "1000: cap 0: concurrent mark began\n"
                   "1000: cap 1: starting GC\n"
                   "1000: cap 1: GC done\n"
                   "1050: end\n");

    /* The leader logs its statistics after its end; the next one may be requested before another
     * cap's end. */
    m = begin(ALL);
    COLLECT(&m, 0, HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_END, HECTIC_EVENT_GC_GLOBAL_SYNC);
    COLLECT(&m, 1, HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_DONE);
    COLLECT(&m, 2, HECTIC_EVENT_GC_START, HECTIC_EVENT_REQUEST_PAR_GC);
    assert_cut(&m, "1000: cap 0: starting GC\n"
                   "1000: cap 0: finished GC\n"
                   "1000: cap 0: all caps stopped for GC\n"
                   "1000: cap 1: starting GC\n"
                   "1000: cap 1: GC done\n"
                   "1000: cap 2: requesting parallel GC\n"
                   "1050: end\n");
}

static void open_censuses_are_replayed_if_they_can_end(void **state)
{
    (void)state;
    for (size_t count = WITHOUT_CENSUS_END; count <= ALL; count++) {
        struct made m = begin(count);
        made_block(&m, 0);
        made_numbers(&m, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, 6, 0, 0);
        assert_cut(&m, count == ALL ? "1000: cap 0: start heap prof sample 6\n1050: end\n"
                                    : "1050: end\n");
    }
}

/* A log that starts in the middle has no creation events. */
static void unknown_threads_are_not_created(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 3);
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 9, BLOCKED_ON_MVAR, 0);
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 10, FINISHED, 0);
    made_numbers(&m, HECTIC_EVENT_RUN_THREAD, 11, 0, 0);
    made_numbers(&m, HECTIC_EVENT_THREAD_WAKEUP, 12, 0, 0);
    assert_cut(&m, "1000: cap 3: running thread 9\n"
                   "1000: cap 3: stopping thread 9 (blocked on an MVar)\n"
                   "1000: cap 3: running thread 11\n"
                   "1050: end\n");
}

static bool keep_messages(void *user, const hectic_header *header, const hectic_event *event)
{
    (void)user;
    (void)header;
    return !event || event->type == HECTIC_EVENT_USER_MSG;
}

static void definitions_are_always_replayed(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, 1, 0, 0);
    made_numbers(&m, HECTIC_EVENT_RUN_THREAD, 1, 0, 0);
    made_numbers(&m, HECTIC_EVENT_HEAP_SIZE, 0, 1, 0);
    finish(&m);
    struct bytes out = cut(&m.bytes, CUT, keep_messages);
    char *lines = made_lines(&out);
    assert_string_equal(lines, "1000: cap 0: creating thread 1\n1050: end\n");
    free(lines);
    bytes_free(&out);
    /* A cut at time 0 adds no events. */
    out = cut(&m.bytes, 0, NULL);
    lines = made_lines(&out);
    char *all = made_lines(&m.bytes);
    assert_string_equal(lines, all);
    free(lines);
    free(all);
    bytes_free(&out);
    bytes_free(&m.bytes);
}

static void a_full_disk_stops_a_cut(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 0);
    for (uint64_t thread = 1; thread < 400000; thread++)
        made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
    finish(&m);
    for (size_t room = 0; room < m.bytes.length; room += m.bytes.length / 5) {
        hectic_error error;
        size_t left = room;
        assert_false(hectic_cut(bytes_input(m.bytes.data, m.bytes.length), CUT, UINT64_MAX, NULL,
                                NULL, bytes_write_little, &left, &error));
        assert_int_equal(error.kind, HECTIC_OK);
    }
    struct bytes out = cut(&m.bytes, CUT, NULL);
    struct found events = found_in(out.data, out.length);
    assert_in_range(events.count, 400000, 400010);
    found_free(&events);
    bytes_free(&out);
    bytes_free(&m.bytes);
}

static void damage_is_not_cut(void **state)
{
    (void)state;
    struct made m = begin(ALL);
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, 1, 0, 0);
    bytes_write(&m.bytes, "\xee\xee garbage", 10);
    finish(&m);
    for (uint64_t from = 0; from <= CUT; from += CUT) {
        struct bytes out = {0};
        hectic_error error;
        assert_false(hectic_cut(bytes_input(m.bytes.data, m.bytes.length), from, UINT64_MAX, NULL,
                                NULL, bytes_write, &out, &error));
        assert_int_equal(error.kind, HECTIC_UNDECLARED_EVENT);
        bytes_free(&out);
    }
    bytes_free(&m.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_keep_their_caps),
        cmocka_unit_test(threads_keep_their_last_spark),
        cmocka_unit_test(the_process_is_replayed_first),
        cmocka_unit_test(counters_keep_their_last_value),
        cmocka_unit_test(collections_continue),
        cmocka_unit_test(open_censuses_are_replayed_if_they_can_end),
        cmocka_unit_test(unknown_threads_are_not_created),
        cmocka_unit_test(definitions_are_always_replayed),
        cmocka_unit_test(a_full_disk_stops_a_cut),
        cmocka_unit_test(damage_is_not_cut),
    };
    for (size_t i = 0; i < ALL; i++)
        types[i] = hectic_type_of(declared[i]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
