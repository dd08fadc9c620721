/* The proposed API: call sequence, settings, defaults. */
#include "bytes.h"

#include <fcntl.h>
#include <hectic/eventlogging.h>

static char directory[] = "/tmp/hectic-eventlogging-XXXXXX";

static int log_fd(void)
{
    const int fd = open("given.log", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    return fd;
}

/* Every call out of sequence, and settings at the wrong time. */
static void assert_out_of_sequence(void)
{
    const hectic_emit_status settings[] = {
        setBufferSize(1 << 20),   enableEvents(EVENTS_GC),
        disableEvents(EVENTS_GC), enableEventsWith(HECTIC_CLASS_TICKY, NULL, 0),
        flushEventLog(10),
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(settings[i], HECTIC_EMIT_SEQUENCE);
}

static void calls_out_of_sequence_fail(void **state)
{
    (void)state;
    assert_null(eventLogEmitter());
    assert_out_of_sequence();
    assert_int_equal(setDestination(1), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(sendHeader(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(startEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_non_null(strstr(hectic_emit_status_text(HECTIC_EMIT_SEQUENCE), "out of sequence"));

    assert_int_equal(initEventLogging(), HECTIC_EMIT_OK);
    assert_int_equal(initEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(startEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(flushEventLog(0), HECTIC_EMIT_OK);

    assert_int_equal(sendHeader(), HECTIC_EMIT_OK);
    assert_int_equal(sendHeader(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(setDestination(1), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(flushEventLog(0), HECTIC_EMIT_OK);
    assert_false(hectic_emit_user_msg(eventLogCap(0), "too early"));

    assert_int_equal(startEventLogging(), HECTIC_EMIT_OK);
    assert_out_of_sequence();
    assert_int_equal(sendHeader(), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(startEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_true(hectic_emit_user_msg(eventLogCap(0), "in time"));
    assert_true(hectic_emit_user_msg(eventLogGlobal(), "from nowhere"));

    assert_int_equal(stopEventLogging(), HECTIC_EMIT_OK);
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_SEQUENCE);
    assert_false(hectic_emit_user_msg(eventLogCap(0), "too late"));
}

static struct found found_in_file(const char *path, struct bytes *bytes)
{
    *bytes = bytes_of_file(path);
    struct found found = found_in(bytes->data, bytes->length);
    assert_int_equal(found.errors, 0);
    assert_int_equal(found.headers, 1);
    assert_int_equal(found.ends, 1);
    return found;
}

static size_t count_of(const struct found *found, uint16_t number)
{
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++)
        count += found->event[i].type == number;
    return count;
}

static void the_default_file_is_named_after_the_program(void **state)
{
    (void)state;
    struct bytes bytes;
    struct found found = found_in_file("test_eventlogging.eventlog", &bytes);
    assert_int_equal(count_of(&found, HECTIC_EVENT_USER_MSG), 2);
    found_free(&found);
    bytes_free(&bytes);
}

static void the_environment_names_another_destination(void **state)
{
    (void)state;
    setenv("HECTIC_EVENTLOG", "tcp:nowhere", 1);
    assert_int_equal(sendHeader(), HECTIC_EMIT_INVALID);
    setenv("HECTIC_EVENTLOG", "file:given.log", 1);
    assert_int_equal(sendHeader(), HECTIC_EMIT_OK);
    unsetenv("HECTIC_EVENTLOG");
    assert_int_equal(startEventLogging(), HECTIC_EMIT_OK);
    assert_true(hectic_emit_user_msg(eventLogCap(0), "elsewhere"));
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_OK);
    struct bytes bytes;
    struct found found = found_in_file("given.log", &bytes);
    assert_int_equal(count_of(&found, HECTIC_EVENT_USER_MSG), 1);
    found_free(&found);
    bytes_free(&bytes);
}

static void settings_are_made_between_logs(void **state)
{
    (void)state;
    const int fd = log_fd();
    const uint64_t period = 1000;
    assert_int_equal(setDestination(-1), HECTIC_EMIT_INVALID);
    assert_int_equal(setDestination(fd), HECTIC_EMIT_OK);
    assert_int_equal(setBufferSize(0), HECTIC_EMIT_INVALID);
    assert_int_equal(setBufferSize(1 << 17), HECTIC_EMIT_OK);
    assert_int_equal(flushEventLog(-1), HECTIC_EMIT_INVALID);
    assert_int_equal(enableEvents(1L << HECTIC_CLASS_COUNT), HECTIC_EMIT_INVALID);
    assert_int_equal(disableEvents(1L << HECTIC_CLASS_PROCESS), HECTIC_EMIT_INVALID);
    assert_int_equal(disableEvents(EVENTS_ALL), HECTIC_EMIT_OK);
    assert_int_equal(enableEvents(EVENTS_USER | EVENTS_SCHED), HECTIC_EMIT_OK);
    assert_int_equal(enableEventsWith(HECTIC_CLASS_TICKY, &period, 1), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_parameter(eventLogEmitter(), HECTIC_CLASS_TICKY, 0), period);
    assert_int_equal(sendHeader(), HECTIC_EMIT_OK);
    assert_int_equal(disableEvents(EVENTS_SCHED), HECTIC_EMIT_OK);
    assert_int_equal(startEventLogging(), HECTIC_EMIT_OK);

    hectic_emit_cap *cap = eventLogCap(0);
    assert_true(hectic_emit_user_msg(cap, "once"));
    assert_true(hectic_emit_ticky_begin_sample(cap));
    assert_false(hectic_emit_gc_start(cap));
    assert_false(hectic_emit_create_thread(cap, 1));
    assert_false(hectic_emit_task_delete(cap, 1));
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_OK);
    close(fd);

    struct bytes bytes;
    struct found found = found_in_file("given.log", &bytes);
    assert_int_equal(count_of(&found, HECTIC_EVENT_USER_MSG), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_TICKY_BEGIN_SAMPLE), 1);
    found_free(&found);
    bytes_free(&bytes);
}

static void report_thread(void *user, hectic_emit_report *report)
{
    hectic_emit_create_thread(hectic_emit_report_cap(report, 0), *(const uint32_t *)user);
}

/* State from before the log's start is reported at its start. */
static void the_producer_reports_when_events_are_wanted(void **state)
{
    (void)state;
    static const hectic_emit_reporter reporter = {.report = report_thread};
    uint32_t thread = 17;
    assert_int_equal(hectic_emitter_set_reporter(eventLogEmitter(), &reporter, &thread),
                     HECTIC_EMIT_OK);
    assert_int_equal(enableEvents(EVENTS_ALL), HECTIC_EMIT_OK);
    for (int i = 0; i < 2; i++) {
        const int fd = log_fd();
        thread += (uint32_t)i;
        assert_int_equal(setDestination(fd), HECTIC_EMIT_OK);
        assert_int_equal(sendHeader(), HECTIC_EMIT_OK);
        assert_false(hectic_emit_create_thread(eventLogCap(0), thread));
        assert_int_equal(startEventLogging(), HECTIC_EMIT_OK);
        assert_int_equal(stopEventLogging(), HECTIC_EMIT_OK);
        close(fd);
        struct bytes bytes;
        struct found found = found_in_file("given.log", &bytes);
        assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
        for (size_t e = 0; e < found.count; e++)
            if (found.event[e].type == HECTIC_EVENT_CREATE_THREAD)
                assert_int_equal(found.event[e].payload[3], thread);
        found_free(&found);
        bytes_free(&bytes);
    }
    hectic_emitter_set_reporter(eventLogEmitter(), NULL, NULL);
}

static void idle_buffers_are_flushed(void **state)
{
    (void)state;
    const int fd = log_fd();
    assert_int_equal(setDestination(fd), HECTIC_EMIT_OK);
    assert_int_equal(flushEventLog(10), HECTIC_EMIT_OK);
    assert_int_equal(sendHeader(), HECTIC_EMIT_OK);
    assert_int_equal(startEventLogging(), HECTIC_EMIT_OK);
    const off_t before = lseek(fd, 0, SEEK_END);
    assert_true(hectic_emit_user_msg(eventLogCap(0), "soon"));
    int tries = 0;
    while (lseek(fd, 0, SEEK_END) == before && tries++ < 5000)
        usleep(1000);
    assert_true(lseek(fd, 0, SEEK_END) > before);
    assert_int_equal(stopEventLogging(), HECTIC_EMIT_OK);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_out_of_sequence_fail),
        cmocka_unit_test(the_default_file_is_named_after_the_program),
        cmocka_unit_test(the_environment_names_another_destination),
        cmocka_unit_test(settings_are_made_between_logs),
        cmocka_unit_test(the_producer_reports_when_events_are_wanted),
        cmocka_unit_test(idle_buffers_are_flushed),
    };
    if (!mkdtemp(directory) || chdir(directory) != 0) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hectic_emitter_free(eventLogEmitter());
    unlink("test_eventlogging.eventlog");
    unlink("given.log");
    rmdir(directory);
    return failed;
}
