/* Copies: complete ones are identical; partial ones are sound and contain the requested events. */
#include "bytes.h"

#include <glob.h>

static struct bytes copy(const struct bytes *log, hectic_keep_callback keep, void *user)
{
    hectic_input *input = bytes_input(log->data, log->length);
    struct bytes out = {0};
    hectic_error error;
    bool copied = hectic_copy(input, keep, user, bytes_write, &out, &error);
    assert_int_equal(error.kind, HECTIC_OK);
    assert_true(copied);
    hectic_input_free(input);
    return out;
}

static void assert_same_when_copied(const struct bytes *log)
{
    struct bytes out = copy(log, NULL, NULL);
    bytes_assert_equal(&out, log);
    bytes_free(&out);
}

/* --- Test logs ------------------------------------------------------------------------------- */

static const hectic_event_type unknown = {
    .number = 777,
    .size = 3,
    .description = "Of the future",
    .description_length = 13,
    .extra = (const uint8_t *)"extra\0info",
    .extra_length = 10,
};

static const hectic_event_type long_thread = {
    .number = HECTIC_EVENT_CREATE_THREAD,
    .size = 9, /* five bytes more than any GHC writes */
    .description = "Create thread",
    .description_length = 13,
};

enum { MARKER, THREAD, RUN, MESSAGE, LONG_THREAD, UNKNOWN, CAP, TYPE_COUNT };
static hectic_event_type types[TYPE_COUNT];

static void make_types(void)
{
    types[MARKER] = hectic_type_of(HECTIC_EVENT_BLOCK_MARKER);
    types[THREAD] = hectic_type_of(HECTIC_EVENT_THREAD_RUNNABLE);
    types[RUN] = hectic_type_of(HECTIC_EVENT_RUN_THREAD);
    types[MESSAGE] = hectic_type_of(HECTIC_EVENT_USER_MSG);
    types[LONG_THREAD] = long_thread;
    types[UNKNOWN] = unknown;
    types[CAP] = hectic_type_of(HECTIC_EVENT_CAP_CREATE);
}

static void put_header(struct bytes *log)
{
    size_t size = hectic_encode_header(NULL, 0, types, TYPE_COUNT);
    hectic_encode_header(bytes_grow(log, size), size, types, TYPE_COUNT);
}

static void put(struct bytes *log, int type, uint64_t time, uint16_t size)
{
    static const uint8_t payload[] = "payload that is long enough for all";
    uint16_t fixed = types[type].size;
    hectic_event event = {.declared = &types[type],
                          .type = types[type].number,
                          .time = time,
                          .payload = payload,
                          .size = fixed == HECTIC_VARIABLE ? size : fixed};
    size_t needed = hectic_encode_event(NULL, 0, &event);
    hectic_encode_event(bytes_grow(log, needed), needed, &event);
}

static void put_marker(struct bytes *log, uint64_t time, uint32_t size, uint64_t end, uint16_t cap)
{
    hectic_encode_block_marker(bytes_grow(log, 24), 24, time, size, end, cap);
}

static void put_end(struct bytes *log)
{
    hectic_encode_data_end(bytes_grow(log, 2), 2);
}

static void put_text(struct bytes *log, const char *text)
{
    bytes_write(log, text, strlen(text));
}

/* Messages of 10 bytes take 22. */
static void put_block(struct bytes *log, uint64_t time, uint16_t cap)
{
    put_marker(log, time, 24 + 3 * 22, time + 100, cap);
    for (uint64_t i = 0; i < 3; i++)
        put(log, MESSAGE, time + i * 10, 10);
}

static struct bytes log_of_blocks(void)
{
    struct bytes log = {0};
    put_header(&log);
    put_marker(&log, 1, 24 + 12, 1, HECTIC_CAP_NONE);
    put(&log, CAP, 1, 0);
    for (uint64_t i = 1; i <= 4; i++) {
        put_block(&log, 1000 * i, 0);
        put_block(&log, 1000 * i + 5, 1);
    }
    put(&log, MESSAGE, 9000, 10); /* outside blocks */
    put_end(&log);
    return log;
}

/* --- Complete copies ------------------------------------------------------------------------- */

static void unusual_logs_stay_the_same(void **state)
{
    (void)state;
    struct bytes log = {0};
    put_header(&log);
    assert_same_when_copied(&log); /* no events */
    put(&log, UNKNOWN, 5, 0);
    put(&log, LONG_THREAD, 6, 0);
    put(&log, MESSAGE, 4, 0);
    assert_same_when_copied(&log); /* no blocks, no end marker */
    put_marker(&log, 10, 0, 0, 3);
    put(&log, MESSAGE, 11, 20);
    assert_same_when_copied(&log); /* an unfinished block */
    put_marker(&log, 12, 30, 20, 4);
    put(&log, MESSAGE, 13, 20);
    assert_same_when_copied(&log); /* a block that ends inside its event */
    put_marker(&log, 12, 24, 20, 4);
    put_marker(&log, 12, 3, 0, 4);
    put_end(&log);
    assert_same_when_copied(&log); /* an empty block, and one of an impossible size */
    put(&log, UNKNOWN, 7, 0);
    put_end(&log);
    assert_same_when_copied(&log); /* events after the end marker */
    put_header(&log);
    put_block(&log, 1, 0);
    put_end(&log);
    put_header(&log);
    put(&log, UNKNOWN, 7, 0);
    put_header(&log);
    assert_same_when_copied(&log); /* several headers, with and without end markers before them */
    size_t whole = log.length;
    put(&log, MESSAGE, 7, 30);
    for (; log.length > whole; log.length--)
        assert_same_when_copied(&log); /* tails of every length */
    bytes_free(&log);
}

static void own_logs_stay_the_same(void **state)
{
    (void)state;
    glob_t logs;
    assert_int_equal(glob("tests/logs/*.eventlog", 0, NULL, &logs), 0);
    for (size_t i = 0; i < logs.gl_pathc; i++) {
        struct bytes log = bytes_of_file(logs.gl_pathv[i]);
        assert_same_when_copied(&log);
        bytes_free(&log);
    }
    globfree(&logs);
}

static void damage_stops_a_copy(void **state)
{
    (void)state;
    struct bytes log = log_of_blocks();
    log.length -= 2;
    size_t whole = log.length;
    put_text(&log, "something that is no event");
    hectic_input *input = bytes_input(log.data, log.length);
    struct bytes out = {0};
    hectic_error error;
    assert_false(hectic_copy(input, NULL, NULL, bytes_write, &out, &error));
    assert_int_equal(error.kind, HECTIC_UNDECLARED_EVENT);
    assert_int_equal(error.position, whole);
    hectic_input_free(input);
    bytes_free(&out);
    bytes_free(&log);
}

static bool refuse(void *user, const void *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    ++*(int *)user;
    return false;
}

static void a_full_disk_stops_a_copy(void **state)
{
    (void)state;
    struct bytes log = log_of_blocks();
    hectic_input *input = bytes_input(log.data, log.length);
    int calls = 0;
    hectic_error error;
    assert_false(hectic_copy(input, NULL, NULL, refuse, &calls, &error));
    assert_int_equal(error.kind, HECTIC_OK);
    assert_int_equal(calls, 1);
    hectic_input_free(input);
    bytes_free(&log);
}

/* --- Parts ----------------------------------------------------------------------------------- */

static bool filter_keep(void *user, const hectic_header *header, const hectic_event *event)
{
    (void)header;
    return !event || hectic_filter_pass(user, event);
}

static uint64_t end_time(const hectic_event *marker)
{
    uint64_t time = 0;
    for (int i = 4; i < 12; i++)
        time = time << 8 | marker->payload[i];
    return time;
}

/* Every block's size leads to the next marker or to the end, and its times enclose its events. */
static void assert_blocks_fit(const struct found *found)
{
    uint64_t begin = 0, end = UINT64_MAX, next = 0;
    for (size_t i = 0; i < found->count; i++) {
        const hectic_event *e = &found->event[i];
        if (event_is_marker(e)) {
            /* Only a header can be between blocks. */
            if (next && found->headers == 1) assert_int_equal(e->position, next);
            assert_true(e->position >= next);
            begin = e->time;
            uint32_t size = (uint32_t)e->payload[0] << 24 | (uint32_t)e->payload[1] << 16 |
                            (uint32_t)e->payload[2] << 8 | e->payload[3];
            end = end_time(e);
            next = e->position + size;
            assert_in_range(size, 25, UINT32_MAX);
        } else if (e->position < next) {
            assert_in_range(e->time, begin, end);
        } else {
            assert_int_equal(e->cap, HECTIC_CAP_NONE);
        }
    }
}

/* A partial copy contains exactly the events that pass the filter, unchanged. */
static void check_part(const struct bytes *log, hectic_filter *filter, hectic_filter *again,
                       size_t expected)
{
    struct bytes part = copy(log, filter_keep, filter);
    struct found before = found_in(log->data, log->length);
    struct found after = found_in(part.data, part.length);
    assert_int_equal(after.errors, 0);
    assert_int_equal(after.headers, before.headers);
    assert_int_equal(after.ends, before.ends);
    assert_int_equal(after.tail, 0);
    assert_blocks_fit(&after);
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < before.count; i++) {
        bool passes = hectic_filter_pass(again, &before.event[i]);
        if (event_is_marker(&before.event[i]) || !passes) continue;
        while (next < after.count && event_is_marker(&after.event[next]))
            next++;
        assert_true(next < after.count);
        assert_true(event_equal(&before.event[i], &after.event[next++]));
        kept++;
    }
    for (; next < after.count; next++)
        assert_true(event_is_marker(&after.event[next]));
    if (expected) assert_int_equal(kept, expected);
    found_free(&before);
    found_free(&after);
    bytes_free(&part);
    hectic_filter_free(filter);
    hectic_filter_free(again);
}

static hectic_filter *by_time(uint64_t from, uint64_t to)
{
    hectic_filter *filter = hectic_filter_new();
    hectic_filter_time(filter, from, to);
    return filter;
}

static hectic_filter *by_cap(uint16_t cap)
{
    hectic_filter *filter = hectic_filter_new();
    hectic_filter_cap(filter, cap);
    return filter;
}

static void parts_hold_the_events_that_pass(void **state)
{
    (void)state;
    struct bytes log = log_of_blocks();
    check_part(&log, by_cap(0), by_cap(0), 12);
    check_part(&log, by_cap(1), by_cap(1), 12);
    check_part(&log, by_cap(HECTIC_CAP_NONE), by_cap(HECTIC_CAP_NONE), 2);
    check_part(&log, by_time(2010, 3010), by_time(2010, 3010), 2 + 2 + 1 + 1);
    check_part(&log, hectic_filter_new(), hectic_filter_new(), 26);
    bytes_free(&log);
}

/* Blocks with removed events have the size and times of the remaining ones. */
static void block_sizes_of_a_part_fit(void **state)
{
    (void)state;
    static const uint64_t times[][2] = {{2010, 2020}, {2015, 2025}, {3000, 3000}, {3005, 3005}};
    struct bytes log = log_of_blocks();
    hectic_filter *filter = by_time(2010, 3010);
    struct bytes part = copy(&log, filter_keep, filter);
    struct found found = found_in(part.data, part.length);
    size_t blocks = 0;
    for (size_t i = 0; i < found.count; i++) {
        if (!event_is_marker(&found.event[i])) continue;
        assert_in_range(blocks, 0, 3);
        assert_int_equal(found.event[i].time, times[blocks][0]);
        assert_int_equal(end_time(&found.event[i]), times[blocks][1]);
        blocks++;
    }
    assert_int_equal(blocks, 4);
    found_free(&found);
    hectic_filter_free(filter);
    bytes_free(&part);
    bytes_free(&log);
}

static void parts_of_own_logs(void **state)
{
    (void)state;
    glob_t logs;
    assert_int_equal(glob("tests/logs/*.eventlog", 0, NULL, &logs), 0);
    for (size_t i = 0; i < logs.gl_pathc; i++) {
        struct bytes log = bytes_of_file(logs.gl_pathv[i]);
        check_part(&log, by_cap(0), by_cap(0), 0);
        check_part(&log, by_time(1000000, 5000000), by_time(1000000, 5000000), 0);
        bytes_free(&log);
    }
    globfree(&logs);
}

static bool keep_all(void *user, const hectic_header *header, const hectic_event *event)
{
    (void)user;
    (void)header;
    (void)event;
    return true;
}

static bool stop_at_header(void *user, const hectic_header *header, const hectic_event *event)
{
    *(const hectic_header **)user = header;
    return event != NULL;
}

static void a_copy_needs_a_header(void **state)
{
    (void)state;
    struct bytes log = log_of_blocks();
    for (size_t length = 0; length <= 20; length++) {
        hectic_input *input = bytes_input(log.data, length);
        struct bytes out = {0};
        hectic_error error;
        assert_false(hectic_copy(input, NULL, NULL, bytes_write, &out, &error));
        assert_int_equal(error.kind, HECTIC_HEADER_TRUNCATED);
        assert_int_equal(error.number, length);
        assert_int_equal(out.length, 0);
        hectic_input_free(input);
    }
    const hectic_header *header = NULL;
    for (int whole = 0; whole < 2; whole++) {
        hectic_input *input = bytes_input(log.data, whole ? log.length : 20);
        struct bytes out = {0};
        hectic_error error;
        assert_false(hectic_copy(input, stop_at_header, &header, bytes_write, &out, &error));
        assert_int_equal(error.kind, whole ? HECTIC_OK : HECTIC_HEADER_TRUNCATED);
        assert_int_equal(header != NULL, whole);
        assert_int_equal(out.length, 0);
        hectic_input_free(input);
    }
    bytes_free(&log);
}

static void complete_blocks_of_a_part_are_unchanged(void **state)
{
    (void)state;
    struct bytes log = log_of_blocks();
    struct bytes part = copy(&log, keep_all, NULL);
    bytes_assert_equal(&part, &log);
    bytes_free(&part);
    bytes_free(&log);
}

/* One block of 9 MB, more than a copy buffers. */
static void large_blocks_are_split(void **state)
{
    (void)state;
    struct bytes log = {0};
    put_header(&log);
    size_t begin = log.length;
    put_marker(&log, 5, 0, 0, 7);
    for (uint64_t i = 0; i < 200000; i++)
        put(&log, MESSAGE, 5 + i, 33);
    struct bytes part = copy(&log, keep_all, NULL);
    assert_in_range(part.length, log.length + 24, log.length + 10 * 24);
    assert_true(memcmp(part.data, log.data, begin) == 0);
    check_part(&log, by_cap(7), by_cap(7), 200000);
    bytes_free(&part);
    bytes_free(&log);
}

static void context_events_are_known(void **state)
{
    (void)state;
    hectic_event_type thread = hectic_type_of(HECTIC_EVENT_CREATE_THREAD);
    hectic_event_type program = hectic_type_of(HECTIC_EVENT_PROGRAM_ARGS);
    hectic_event_type gc = hectic_type_of(HECTIC_EVENT_GC_START);
    assert_true(hectic_is_context(&(hectic_event){.declared = &thread}));
    assert_true(hectic_is_context(&(hectic_event){.declared = &program}));
    assert_false(hectic_is_context(&(hectic_event){.declared = &gc}));
    assert_false(hectic_is_context(&(hectic_event){.declared = &unknown}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_logs_stay_the_same),
        cmocka_unit_test(own_logs_stay_the_same),
        cmocka_unit_test(damage_stops_a_copy),
        cmocka_unit_test(a_full_disk_stops_a_copy),
        cmocka_unit_test(parts_hold_the_events_that_pass),
        cmocka_unit_test(block_sizes_of_a_part_fit),
        cmocka_unit_test(parts_of_own_logs),
        cmocka_unit_test(a_copy_needs_a_header),
        cmocka_unit_test(complete_blocks_of_a_part_are_unchanged),
        cmocka_unit_test(large_blocks_are_split),
        cmocka_unit_test(context_events_are_known),
    };
    make_types();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
