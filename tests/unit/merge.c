/* Merges: every event of every log, in order of time, with unique identifiers. */
#include "made.h"

enum { LOGS_MAX = 40 };

static hectic_merge_result try_merge(const struct bytes *logs, size_t count,
                                     hectic_alignment alignment, struct bytes *out,
                                     hectic_merge_failure *failure)
{
    hectic_input *inputs[LOGS_MAX];
    for (size_t i = 0; i < count; i++)
        inputs[i] = bytes_input(logs[i].data, logs[i].length);
    *out = (struct bytes){0};
    return hectic_merge(inputs, count, alignment, bytes_write, out, failure);
}

static struct bytes merge(const struct bytes *logs, size_t count, hectic_alignment alignment)
{
    struct bytes out;
    hectic_merge_failure failure;
    assert_int_equal(try_merge(logs, count, alignment, &out, &failure), HECTIC_MERGED);
    return out;
}

/* --- Names ---------------------------------------------------------------------------------- */

/* The shift of a unit's numbers if two logs use those up to UPPER. */
enum { LOWER = 2, UPPER = 9, RAISED = UPPER - LOWER + 1 };

static bool is_named(hectic_unit unit)
{
    switch (unit) {
    case HECTIC_UNIT_THREAD:
    case HECTIC_UNIT_CAP:
    case HECTIC_UNIT_CAPSET:
    case HECTIC_UNIT_TASK:
    case HECTIC_UNIT_COST_CENTRE:
    case HECTIC_UNIT_PROFILE:
    case HECTIC_UNIT_TICKY:
    case HECTIC_UNIT_PERF:
    case HECTIC_UNIT_STRING: return true;
    default: return false;
    }
}

/* An event of the shape with all numbers set to `number`. */
static void put_shape(struct made *m, const hectic_shape *shape, uint8_t number)
{
    const uint8_t words[] = {0, 0, 0, number, 0, 0, 0, LOWER};
    hectic_value value[HECTIC_MAX_FIELDS];
    for (size_t i = 0; i < shape->field_count; i++) {
        value[i] = (hectic_value){.number = number, .bytes = words};
        if (shape->field[i].wire == HECTIC_U32S) value[i].length = sizeof words;
        /* A status that makes info a thread is tested below. */
        if (shape->field[i].unit == HECTIC_UNIT_STOP_STATUS) value[i].number = 1;
        if (shape->number == HECTIC_EVENT_STARTUP) value[i].number = UPPER + 1;
    }
    made_event(m, shape->number, value, shape->field_count);
}

static void assert_renumbered(const hectic_event *event, const hectic_event *before, bool second)
{
    const hectic_shape *shape = event->declared->shape;
    hectic_value now[HECTIC_MAX_FIELDS], then[HECTIC_MAX_FIELDS];
    const size_t count = hectic_shape_walk(shape, event->payload, event->size, now, NULL);
    assert_int_equal(hectic_shape_walk(shape, before->payload, before->size, then, NULL), count);
    assert_int_equal(event->cap, before->cap + (second ? RAISED : 0));
    for (size_t i = 0; i < count; i++) {
        const uint64_t raised = second && is_named(now[i].field->unit) ? RAISED : 0;
        if (now[i].field->wire == HECTIC_U32S)
            for (size_t j = 0; j < now[i].number; j++)
                assert_int_equal(now[i].bytes[4 * j + 3], then[i].bytes[4 * j + 3] + raised);
        else
            assert_int_equal(now[i].number, then[i].number + raised);
    }
}

/* The whole catalogue in its newest shapes, merged with itself. */
static void every_number_in_every_event_is_changed(void **state)
{
    (void)state;
    size_t count, types_count = 0;
    const hectic_shape *shapes = hectic_catalogue(&count);
    hectic_event_type *types = calloc(count, sizeof *types);
    assert_non_null(types);
    for (size_t i = 0; i < count; i++)
        if (shapes + i == hectic_shape_by_number(shapes[i].number))
            types[types_count++] = hectic_type_of(shapes[i].number);
    struct made m = {.time = 1};
    made_header(&m, types, types_count);
    for (uint8_t number = LOWER; number <= UPPER; number += UPPER - LOWER) {
        made_block(&m, number);
        for (size_t i = 0; i < types_count; i++, m.time++)
            if (types[i].number != HECTIC_EVENT_BLOCK_MARKER) put_shape(&m, types[i].shape, number);
    }
    made_end(&m);
    struct bytes logs[2] = {m.bytes, m.bytes};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
    struct found before = found_in(m.bytes.data, m.bytes.length), after = golden_read(&out);
    size_t next[2] = {0};
    for (size_t i = 0; i < after.count; i++) {
        if (event_is_marker(&after.event[i])) continue;
        const bool second = after.event[i].cap > UPPER;
        size_t *at = &next[second];
        while (event_is_marker(&before.event[*at]))
            ++*at;
        assert_int_equal(after.event[i].type, before.event[*at].type);
        assert_int_equal(after.event[i].time, before.event[*at].time);
        assert_renumbered(&after.event[i], &before.event[(*at)++], second);
    }
    assert_int_equal(next[0], before.count);
    assert_int_equal(next[1], before.count);
    found_free(&before);
    found_free(&after);
    bytes_free(&out);
    bytes_free(&m.bytes);
    free(types);
}

static hectic_event_type types_of[8];

/* Types for a log of a few events. */
static size_t declare(const uint16_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        types_of[i] = hectic_type_of(numbers[i]);
    return count;
}

#define DECLARE(...)                                                                               \
    declare((const uint16_t[]){__VA_ARGS__}, sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

static void assert_lines(const struct bytes *log, const char *expected)
{
    char *lines = made_lines(log);
    assert_string_equal(lines, expected);
    free(lines);
}

enum { MVAR = 7, BLACK_HOLE = 8, SHIFTED_BLACK_HOLE = 9 };

static void owners_of_black_holes_are_threads(void **state)
{
    (void)state;
    const size_t count = DECLARE(HECTIC_EVENT_STOP_THREAD, HECTIC_EVENT_BLOCK_MARKER);
    struct made m = {.time = 1};
    made_header(&m, types_of, count);
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 1, BLACK_HOLE, 3);
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 1, BLACK_HOLE, 0);
    made_numbers(&m, HECTIC_EVENT_STOP_THREAD, 1, 2, 3);
    struct bytes logs[2] = {m.bytes, m.bytes};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
    assert_lines(&out, "1: cap 0: stopping thread 1 (blocked on black hole owned by thread 3)\n"
                       "1: cap 0: stopping thread 1 (blocked on black hole owned by thread 0)\n"
                       "1: cap 0: stopping thread 1 (stack overflow, size 3)\n"
                       "1: cap 1: stopping thread 4 (blocked on black hole owned by thread 6)\n"
                       "1: cap 1: stopping thread 4 (blocked on black hole owned by thread 0)\n"
                       "1: cap 1: stopping thread 4 (stack overflow, size 3)\n");
    bytes_free(&out);
    bytes_free(&m.bytes);
}

/* Also a nested one, which no emitter writes. */
static void replayed_events_are_renumbered(void **state)
{
    (void)state;
    const size_t count = DECLARE(HECTIC_EVENT_SYNC, HECTIC_EVENT_BLOCK_MARKER);
    static const uint8_t migrated[] = {0, 0, 0, 5, 0, 1}, nested[] = {0, 0, 0, 1, 0, 0, 0, 7};
    const hectic_value held[][3] = {
        {{.number = HECTIC_EVENT_MIGRATE_THREAD},
         {.number = 1},
         {.bytes = migrated, .length = sizeof migrated}},
        {{.number = HECTIC_EVENT_SYNC}, {.number = 1}, {.bytes = nested, .length = sizeof nested}}};
    struct made m = {.time = 1};
    made_header(&m, types_of, count);
    made_block(&m, HECTIC_CAP_NONE);
    made_event(&m, HECTIC_EVENT_SYNC, held[0], 3);
    made_event(&m, HECTIC_EVENT_SYNC, held[1], 3);
    struct bytes logs[2] = {m.bytes, m.bytes};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
    struct found events = golden_read(&out);
    static const uint8_t expected[][12] = {{0, 4, 0, 1, 0, 0, 0, 5, 0, 1},
                                           {7, 207, 0, 1, 0, 0, 0, 1, 0, 0, 0, 7},
                                           {0, 4, 0, 2, 0, 0, 0, 6, 0, 2},
                                           {7, 207, 0, 2, 0, 0, 0, 1, 0, 0, 0, 7}};
    size_t found = 0;
    for (size_t i = 0; i < events.count; i++) {
        if (event_is_marker(&events.event[i])) continue;
        assert_int_equal(events.event[i].size, found % 2 ? 12 : 10);
        assert_memory_equal(events.event[i].payload, expected[found], events.event[i].size);
        found++;
    }
    assert_int_equal(found, 4);
    found_free(&events);
    bytes_free(&out);
    bytes_free(&m.bytes);
}

/* The header of a log indicates whether it is of GHC 7.8.2. */
static void old_stop_statuses_are_converted(void **state)
{
    (void)state;
    struct made odd = {.time = 1}, usual = {.time = 2};
    size_t count = DECLARE(HECTIC_EVENT_STOP_THREAD, HECTIC_EVENT_USER_MARKER);
    made_header(&odd, types_of, count);
    made_numbers(&odd, HECTIC_EVENT_STOP_THREAD, 1, SHIFTED_BLACK_HOLE, 5);
    assert_lines(&odd.bytes, "1: stopping thread 1 (blocked on black hole owned by thread 5)\n");
    count = DECLARE(HECTIC_EVENT_STOP_THREAD);
    made_header(&usual, types_of, count);
    made_numbers(&usual, HECTIC_EVENT_STOP_THREAD, 7, SHIFTED_BLACK_HOLE, 5);
    for (size_t i = 0; i < 2; i++) {
        struct bytes logs[2] = {i ? odd.bytes : usual.bytes, i ? usual.bytes : odd.bytes};
        struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
        assert_lines(&out, "1: stopping thread 1 (blocked on black hole owned by thread 5)\n"
                           "2: stopping thread 7 (blocked on I/O read)\n");
        bytes_free(&out);
    }
    bytes_free(&odd.bytes);
    bytes_free(&usual.bytes);
}

/* The sending thread of a message is in the sender's log. */
static void eden_messages_name_the_other_log(void **state)
{
    (void)state;
    const size_t count = DECLARE(HECTIC_EVENT_CREATE_MACHINE, HECTIC_EVENT_CREATE_THREAD,
                                 HECTIC_EVENT_RECEIVE_MESSAGE);
    struct made m[2] = {{.time = 1}, {.time = 2}};
    for (uint64_t machine = 0; machine < 2; machine++) {
        made_header(&m[machine], types_of, count);
        made_numbers(&m[machine], HECTIC_EVENT_CREATE_MACHINE, machine + 1, 0, 0);
        made_numbers(&m[machine], HECTIC_EVENT_CREATE_THREAD, 1, 0, 0);
        made_numbers(&m[machine], HECTIC_EVENT_CREATE_THREAD, 10, 0, 0);
        const hectic_value message[] = {{.number = 0x50},        {.number = 7}, {.number = 8},
                                        {.number = 2 - machine}, {.number = 7}, {.number = 4},
                                        {.number = 100}};
        made_event(&m[machine], HECTIC_EVENT_RECEIVE_MESSAGE, message, 7);
    }
    struct bytes logs[2] = {m[0].bytes, m[1].bytes};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
    char *lines = made_lines(&out);
    assert_non_null(strstr(lines, "1: receiving message with tag Ready at process 7, inport 8 from "
                                  "machine 2, process 7, thread 14 with size 100\n"));
    assert_non_null(strstr(lines, "2: receiving message with tag Ready at process 7, inport 8 from "
                                  "machine 1, process 7, thread 4 with size 100\n"));
    free(lines);
    bytes_free(&out);
    bytes_free(&m[0].bytes);
    bytes_free(&m[1].bytes);
}

static struct bytes log_of_tasks(uint64_t task, uint64_t cap)
{
    const size_t count = DECLARE(HECTIC_EVENT_TASK_CREATE, HECTIC_EVENT_BLOCK_MARKER);
    struct made m = {.time = 1};
    made_header(&m, types_of, count);
    made_block(&m, HECTIC_CAP_NONE);
    made_numbers(&m, HECTIC_EVENT_TASK_CREATE, task, cap, task);
    return m.bytes;
}

static void unique_numbers_are_kept(void **state)
{
    (void)state;
    struct bytes logs[3] = {log_of_tasks(100, 0), log_of_tasks(90, 0), log_of_tasks(100, 0)};
    struct bytes out = merge(logs, 3, HECTIC_ALIGN_NONE);
    assert_lines(&out, "1: task 0x64 created on cap 0 with OS kernel thread 100\n"
                       "1: task 0x5a created on cap 1 with OS kernel thread 90\n"
                       "1: task 0x65 created on cap 2 with OS kernel thread 100\n");
    bytes_free(&out);
    for (size_t i = 0; i < 3; i++)
        bytes_free(&logs[i]);
}

static void numbers_that_do_not_fit_are_rejected(void **state)
{
    (void)state;
    struct bytes logs[2] = {log_of_tasks(1, 65534), log_of_tasks(2, 65534)}, out;
    hectic_merge_failure failure;
    assert_int_equal(try_merge(logs, 2, HECTIC_ALIGN_NONE, &out, &failure),
                     HECTIC_MERGE_NO_NUMBERS);
    assert_int_equal(failure.log, 1);
    assert_int_equal(failure.unit, HECTIC_UNIT_CAP);
    assert_int_equal(out.length, 0);
    for (size_t i = 0; i < 2; i++)
        bytes_free(&logs[i]);
}

/* --- Headers -------------------------------------------------------------------------------- */

static struct bytes log_of_type(uint16_t number, uint16_t size, const char *description,
                                uint64_t time)
{
    static const uint8_t payload[100] = "\0\0\0\7\0\0\0\7";
    const hectic_event_type type = {.number = number,
                                    .size = size,
                                    .description = description,
                                    .description_length = (uint32_t)strlen(description)};
    struct bytes log = {0};
    size_t length = hectic_encode_header(NULL, 0, &type, 1);
    hectic_encode_header(bytes_grow(&log, length), length, &type, 1);
    const hectic_event event = {.declared = &type, .time = time, .payload = payload, .size = size};
    length = hectic_encode_event(NULL, 0, &event);
    hectic_encode_event(bytes_grow(&log, length), length, &event);
    return log;
}

static void types_that_differ_are_kept_apart(void **state)
{
    (void)state;
    struct bytes logs[] = {
        log_of_type(HECTIC_EVENT_CREATE_THREAD, 4, "Create thread", 1),
        log_of_type(HECTIC_EVENT_CREATE_THREAD, 6, "two bytes more", 2),
        log_of_type(HECTIC_EVENT_GC_STATS_GHC, 50, "without balance", 3),
        log_of_type(HECTIC_EVENT_GC_STATS_GHC, 58, "GC stats", 4),
        log_of_type(1001, 8, "in the way", 5),
        log_of_type(700, 8, "one thing", 6),
        log_of_type(700, 8, "another", 7),
        log_of_type(700, 9, "one thing", 8),
        log_of_type(700, 8, "one thing", 9),
        log_of_type(HECTIC_EVENT_GC_STATS_GHC, 3, "too short", 10),
    };
    enum { COUNT = sizeof logs / sizeof *logs, FREE = 0xffff };
    struct bytes out = merge(logs, COUNT, HECTIC_ALIGN_NONE);
    struct found events = golden_read(&out);
    const struct {
        uint16_t type, size;
        const char *description;
    } expected[COUNT] = {
        {HECTIC_EVENT_CREATE_THREAD, 6, "Create thread"},
        {HECTIC_EVENT_CREATE_THREAD, 6, "Create thread"},
        {FREE, 50, "without balance"},
        {HECTIC_EVENT_GC_STATS_GHC, 58, "GC stats"},
        {1001, 8, "in the way"},
        {700, 8, "one thing"},
        {FREE, 8, "another"},
        {FREE, 9, "one thing"},
        {700, 8, "one thing"},
        {FREE, 3, "too short"},
    };
    size_t at = 0;
    for (size_t i = 0; i < events.count; i++) {
        const hectic_event *event = &events.event[i];
        if (event_is_marker(event)) continue;
        assert_int_equal(event->time, at + 1);
        if (expected[at].type != FREE)
            assert_int_equal(event->type, expected[at].type);
        else
            assert_in_range(event->type, 1000, 1005);
        assert_int_equal(event->size, expected[at].size);
        assert_int_equal(event->declared->description_length, strlen(expected[at].description));
        assert_memory_equal(event->declared->description, expected[at].description,
                            strlen(expected[at].description));
        at++;
    }
    assert_int_equal(at, COUNT);
    found_free(&events);
    bytes_free(&out);
    for (size_t i = 0; i < COUNT; i++)
        bytes_free(&logs[i]);
}

/* --- Times ---------------------------------------------------------------------------------- */

/* A log of three messages, whose clock was at 0 at `zero` ns since the epoch. */
static struct bytes log_with_clock(uint64_t zero, uint64_t first)
{
    const size_t count =
        DECLARE(HECTIC_EVENT_WALL_CLOCK_TIME, HECTIC_EVENT_USER_MSG,
                HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, HECTIC_EVENT_BLOCK_MARKER);
    struct made m = {.time = first};
    made_header(&m, types_of, count);
    made_block(&m, HECTIC_CAP_NONE);
    const uint64_t now = zero + first;
    made_numbers(&m, HECTIC_EVENT_WALL_CLOCK_TIME, 0, now / 1000000000, now % 1000000000);
    m.time = first + 5;
    made_numbers(&m, HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, 1, first + 2, 0);
    return m.bytes;
}

static void clocks_are_aligned(void **state)
{
    (void)state;
    struct bytes logs[] = {log_with_clock(5000000100, 1000), log_with_clock(5000000000, 30)};
    static const char *const expected[] = {
        [HECTIC_ALIGN_WALL_CLOCK] = "30: capset 1: wall clock time 5s 30ns (unix epoch)\n"
                                    "35: start heap prof sample 1 at time 32\n"
                                    "1100: capset 0: wall clock time 5s 1100ns (unix epoch)\n"
                                    "1105: start heap prof sample 1 at time 1102\n",
        [HECTIC_ALIGN_START] = "1000: capset 0: wall clock time 5s 1100ns (unix epoch)\n"
                               "1000: capset 1: wall clock time 5s 30ns (unix epoch)\n"
                               "1005: start heap prof sample 1 at time 1002\n"
                               "1005: start heap prof sample 1 at time 1002\n",
        [HECTIC_ALIGN_NONE] = "30: capset 1: wall clock time 5s 30ns (unix epoch)\n"
                              "35: start heap prof sample 1 at time 32\n"
                              "1000: capset 0: wall clock time 5s 1100ns (unix epoch)\n"
                              "1005: start heap prof sample 1 at time 1002\n",
    };
    for (hectic_alignment a = HECTIC_ALIGN_WALL_CLOCK; a <= HECTIC_ALIGN_NONE; a++) {
        struct bytes out = merge(logs, 2, a);
        assert_lines(&out, expected[a]);
        bytes_free(&out);
    }
    /* Clocks that are years apart, and maximum times. */
    struct bytes odd[] = {log_with_clock(0, 1), log_with_clock(UINT64_C(9000000000000000000), 7)};
    struct bytes out = merge(odd, 2, HECTIC_ALIGN_WALL_CLOCK);
    char *lines = made_lines(&out);
    assert_non_null(strstr(lines, "\n9000000000000000007: "));
    free(lines);
    bytes_free(&out);
    for (size_t i = 0; i < 2; i++) {
        bytes_free(&odd[i]);
        bytes_free(&logs[i]);
    }
}

/* The runtime does not always log the end of its process, which the end marker implies. */
static void ends_of_processes_are_logged(void **state)
{
    enum { OS_PROCESS = 2 };
    (void)state;
    const size_t count =
        DECLARE(HECTIC_EVENT_CAPSET_CREATE, HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_BLOCK_MARKER);
    struct bytes logs[2];
    for (size_t i = 0; i < 2; i++) {
        struct made m = {.time = 10 + i};
        made_header(&m, types_of, count);
        made_block(&m, HECTIC_CAP_NONE);
        made_numbers(&m, HECTIC_EVENT_CAPSET_CREATE, 0, OS_PROCESS, 0);
        if (i == 0) made_end(&m);
        logs[i] = m.bytes;
    }
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_START);
    assert_lines(&out, "0: created capset 1 of type CapsetOsProcess\n"
                       "1: created capset 0 of type CapsetOsProcess\n"
                       "11: created capset 0 of type CapsetOsProcess\n"
                       "11: deleted capset 0\n"
                       "11: created capset 1 of type CapsetOsProcess\n");
    bytes_free(&out);
    for (size_t i = 0; i < 2; i++)
        bytes_free(&logs[i]);
}

/* A section that ran a thread on cap 0. If `pid` is not 0, it names its process, whose clock was at
 * 0 at `zero` ns since the epoch. */
static struct bytes section_of(uint64_t pid, uint64_t zero, uint64_t time)
{
    const size_t count = DECLARE(HECTIC_EVENT_WALL_CLOCK_TIME, HECTIC_EVENT_OSPROCESS_PID,
                                 HECTIC_EVENT_RUN_THREAD, HECTIC_EVENT_BLOCK_MARKER);
    struct made m = {.time = time};
    made_header(&m, types_of, count);
    made_block(&m, HECTIC_CAP_NONE);
    if (pid) {
        const uint64_t now = zero + time;
        made_numbers(&m, HECTIC_EVENT_OSPROCESS_PID, 0, pid, 0);
        made_numbers(&m, HECTIC_EVENT_WALL_CLOCK_TIME, 0, now / 1000000000, now % 1000000000);
    }
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_RUN_THREAD, 7, 0, 0);
    return m.bytes;
}

/* Whether a section continues the previous run, or begins one. */
static void sections_are_runs(void **state)
{
    (void)state;
    static const uint64_t second = 1000000000;
    const struct {
        uint64_t pid, zero, time; /* of the section after one of process 5, zero 9 s, time 100 */
        bool goes_on;
    } cases[] = {
        {0, 0, 200, true}, {5, 9 * second, 200, true},  {5, 9 * second + 1000, 100, true},
        {0, 0, 99, false}, {6, 9 * second, 200, false}, {5, 11 * second, 200, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes log = section_of(5, 9 * second, 100);
        struct bytes more = section_of(cases[i].pid, cases[i].zero, cases[i].time);
        const struct bytes other = section_of(8, 8 * second, 50);
        bytes_write(&log, more.data, more.length);
        struct bytes logs[] = {log, other};
        struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
        char *lines = made_lines(&out), line[60];
        snprintf(line, sizeof line, "%llu: cap %d: running thread %d\n",
                 (unsigned long long)cases[i].time, !cases[i].goes_on, 7 + !cases[i].goes_on);
        assert_non_null(strstr(lines, "100: cap 0: running thread 7\n"));
        assert_non_null(strstr(lines, line));
        snprintf(line, sizeof line, "50: cap %d: running thread %d\n", 1 + !cases[i].goes_on,
                 8 + !cases[i].goes_on);
        assert_non_null(strstr(lines, line));
        free(lines);
        bytes_free(&out);
        for (size_t j = 0; j < 2; j++)
            bytes_free(&logs[j]);
        bytes_free(&more);
    }
}

/* Sections are shifted with their run. */
static void runs_are_aligned(void **state)
{
    (void)state;
    static const uint64_t second = 1000000000;
    struct bytes log = {0};
    struct bytes sections[] = {section_of(5, 9 * second, 100), section_of(0, 0, 200),
                               section_of(5, 20 * second, 30)};
    for (size_t i = 0; i < 3; i++)
        bytes_write(&log, sections[i].data, sections[i].length);
    struct bytes logs[] = {log, section_of(8, 8 * second, 50)};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_WALL_CLOCK);
    char *lines = made_lines(&out);
    assert_non_null(strstr(lines, "50: cap 2: running thread 9\n"));
    assert_non_null(strstr(lines, "1000000100: cap 0: running thread 7\n"));
    assert_non_null(strstr(lines, "1000000200: cap 0: running thread 7\n"));
    assert_non_null(strstr(lines, "12000000030: cap 1: running thread 8\n"));
    free(lines);
    bytes_free(&out);
    for (size_t i = 0; i < 2; i++)
        bytes_free(&logs[i]);
    for (size_t i = 0; i < 3; i++)
        bytes_free(&sections[i]);
}

static void failures_name_the_log(void **state)
{
    (void)state;
    struct bytes good = log_with_clock(7, 8), none = log_of_tasks(1, 1), out, restarted = {0};
    struct bytes late = log_with_clock(UINT64_MAX - 100, 9), damaged = {0};
    bytes_write(&restarted, good.data, good.length);
    bytes_write(&restarted, none.data, none.length); /* earlier: another run */
    bytes_write(&damaged, good.data, good.length);
    bytes_write(&damaged, "no event", 8);
    const struct {
        const struct bytes *log;
        hectic_merge_result result;
        hectic_error_kind kind;
    } cases[] = {
        {&none, HECTIC_MERGE_NO_WALL_CLOCK, HECTIC_OK},
        {&late, HECTIC_MERGE_NO_WALL_CLOCK, HECTIC_OK},
        {&restarted, HECTIC_MERGE_NO_WALL_CLOCK, HECTIC_OK},
        {&damaged, HECTIC_MERGE_READ_FAILED, HECTIC_UNDECLARED_EVENT},
        {&(struct bytes){.data = good.data, .length = 50}, HECTIC_MERGE_READ_FAILED,
         HECTIC_HEADER_TRUNCATED},
        {&(struct bytes){.data = (uint8_t *)"no log", .length = 6}, HECTIC_MERGE_READ_FAILED,
         HECTIC_NOT_A_LOG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes logs[] = {good, *cases[i].log, good};
        hectic_merge_failure failure;
        assert_int_equal(try_merge(logs, 3, HECTIC_ALIGN_WALL_CLOCK, &out, &failure),
                         cases[i].result);
        assert_int_equal(failure.log, 1);
        assert_int_equal(failure.section, cases[i].log == &restarted ? 2 : 0);
        assert_int_equal(failure.error.kind, cases[i].kind);
        assert_int_equal(out.length, 0);
    }
    bytes_free(&good);
    bytes_free(&none);
    bytes_free(&late);
    bytes_free(&damaged);
    bytes_free(&restarted);
}

/* --- Order ---------------------------------------------------------------------------------- */

enum { EVENTS = 3000, CAPS = 5 };

/* Blocks of several caps with overlapping and often equal times. */
static struct bytes random_log(uint64_t *random, uint64_t log)
{
    const size_t count = DECLARE(HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_BLOCK_MARKER);
    struct made m = {0};
    made_header(&m, types_of, count);
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (i % 50 == 0) {
            m.time = 1 + i / 250 * 20;
            made_block(&m, (uint16_t)(random_below(random, CAPS)));
        }
        m.time += random_below(random, 3);
        made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, i + log * EVENTS, 0, 0);
    }
    return m.bytes;
}

/* The thread of each event encodes its log and position. */
static void ties_of_a_log_stay_in_order(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t count = 1; count <= LOGS_MAX; count += 13) {
        struct bytes logs[LOGS_MAX];
        struct found ordered[LOGS_MAX];
        size_t next[LOGS_MAX] = {0};
        for (size_t i = 0; i < count; i++) {
            logs[i] = random_log(&random, i);
            ordered[i] = golden_read(&logs[i]);
        }
        struct bytes out = merge(logs, count, HECTIC_ALIGN_NONE);
        struct found events = golden_read(&out);
        size_t found = 0;
        for (size_t i = 0; i < events.count; i++) {
            if (event_is_marker(&events.event[i])) continue;
            const uint8_t *p = events.event[i].payload;
            const size_t log = (size_t)(p[2] << 8 | p[3] | p[1] << 16) / EVENTS;
            assert_true(log < count);
            size_t *at = &next[log];
            while (event_is_marker(&ordered[log].event[*at]))
                ++*at;
            const hectic_event *expected = &ordered[log].event[(*at)++];
            assert_memory_equal(p, expected->payload, 4);
            assert_int_equal(events.event[i].time, expected->time);
            found++;
        }
        assert_int_equal(found, count * EVENTS);
        found_free(&events);
        bytes_free(&out);
        for (size_t i = 0; i < count; i++) {
            found_free(&ordered[i]);
            bytes_free(&logs[i]);
        }
    }
}

/* More events than a window, and blocks with correct sizes and times. */
static void long_logs_come_in_blocks(void **state)
{
    (void)state;
    const size_t count = DECLARE(HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_BLOCK_MARKER);
    enum { LONG = 400000, LONG_CAPS = 3 };
    struct made m = {0};
    made_header(&m, types_of, count);
    for (uint16_t cap = 0; cap < LONG_CAPS; cap++) {
        m.time = 0;
        made_block(&m, cap);
        for (uint32_t i = 1; i <= LONG / LONG_CAPS; i++, m.time++)
            made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
    }
    made_end(&m);
    struct bytes logs[] = {m.bytes, m.bytes};
    struct bytes out = merge(logs, 2, HECTIC_ALIGN_NONE);
    hectic_error error;
    const hectic_log_options options = {.check = true};
    hectic_log *log = hectic_log_open(bytes_input(out.data, out.length), &options, &error);
    assert_non_null(log);
    size_t kept;
    uint64_t defects;
    hectic_log_damage(log, &kept, &defects);
    const hectic_survey *survey = hectic_log_survey(log);
    assert_int_equal(defects, 0);
    assert_int_equal(survey->events - survey->blocks, 2 * (LONG / LONG_CAPS * LONG_CAPS));
    assert_int_equal(survey->unfinished_blocks, 0);
    assert_in_range(survey->blocks, 2 * LONG_CAPS, 200);
    assert_true(survey->section[0].complete);
    hectic_log_free(log);
    bytes_free(&out);
    bytes_free(&m.bytes);
}

static void a_full_disk_stops_a_merge(void **state)
{
    (void)state;
    struct bytes log = bytes_of_file("tests/logs/threads.eventlog");
    for (size_t room = 0; room < 2 * log.length; room += log.length / 2 + 1) {
        hectic_input *inputs[] = {bytes_input(log.data, log.length),
                                  bytes_input(log.data, log.length)};
        hectic_merge_failure failure;
        size_t left = room;
        assert_int_equal(
            hectic_merge(inputs, 2, HECTIC_ALIGN_NONE, bytes_write_little, &left, &failure),
            HECTIC_MERGE_WRITE_FAILED);
    }
    bytes_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_in_every_event_is_changed),
        cmocka_unit_test(owners_of_black_holes_are_threads),
        cmocka_unit_test(replayed_events_are_renumbered),
        cmocka_unit_test(old_stop_statuses_are_converted),
        cmocka_unit_test(eden_messages_name_the_other_log),
        cmocka_unit_test(unique_numbers_are_kept),
        cmocka_unit_test(numbers_that_do_not_fit_are_rejected),
        cmocka_unit_test(types_that_differ_are_kept_apart),
        cmocka_unit_test(clocks_are_aligned),
        cmocka_unit_test(ends_of_processes_are_logged),
        cmocka_unit_test(sections_are_runs),
        cmocka_unit_test(runs_are_aligned),
        cmocka_unit_test(failures_name_the_log),
        cmocka_unit_test(ties_of_a_log_stay_in_order),
        cmocka_unit_test(long_logs_come_in_blocks),
        cmocka_unit_test(a_full_disk_stops_a_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
