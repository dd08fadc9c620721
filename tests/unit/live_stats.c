/* Live statistics: on synthetic events with known numbers, and on all logs against hectic_stat and
 * hectic_threads. */
#include "stat/live_stats.h"
#include "events.h"
#include "facts/threads.h"
#include "logs.h"
#include "numbers/exponential.h"
#include "numbers/histogram.h"
#include "stat/stat.h"

#define FEED(time, cap, name, ...)                                                                 \
    EVENT(hectic_live_stats_event, v, time, cap, name, "", __VA_ARGS__)
#define TEXT(time, cap, name, text, ...)                                                           \
    EVENT(hectic_live_stats_event, v, time, cap, name, text, __VA_ARGS__)

enum { NONE = HECTIC_CAP_NONE };

static hectic_live_stats *start(void)
{
    static const uint16_t numbers[] = {HECTIC_EVENT_CREATE_THREAD};
    hectic_live_stats *v = hectic_live_stats_new();
    assert_non_null(v);
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    hectic_header_free(header);
    return v;
}

static hectic_live_stats_report snapshot_at(const hectic_live_stats *v, uint64_t time)
{
    hectic_live_stats_report report;
    assert_true(hectic_live_stats_snapshot(v, time, &report));
    return report;
}

static hectic_live_stats_report interval_at(hectic_live_stats *v, uint64_t time)
{
    hectic_live_stats_report report;
    assert_true(hectic_live_stats_interval(v, time, &report));
    return report;
}

static void no_numbers_before_the_first_event(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    hectic_live_stats_report report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(report.events, 0);
    assert_int_equal(report.sums.caps, 0);
    assert_false(report.has_live || report.has_heap_size || report.has_pool ||
                 report.sums.has_threads);
    hectic_live_stats_report_clear(&report);
    assert_null(hectic_live_stats_pauses(v, 0));
    hectic_live_stats_sample sample;
    assert_false(hectic_live_stats_get_sample(v, &sample));
    const hectic_live_stats_program program = hectic_live_stats_get_program(v);
    assert_null(program.name);
    assert_false(program.has_wall);
    hectic_live_stats_free(v);
}

static void program_is_identified(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    TEXT(1, NONE, RTS_IDENTIFIER, "GHC-9.0.2 rts_thr_l", 0);
    uint8_t args[64];
    event_put(args, 7, 4);
    memcpy(args + 4, "/usr/bin/worker\0-x\0y", 20);
    hectic_event_type type = {.number = HECTIC_EVENT_PROGRAM_ARGS, .size = HECTIC_VARIABLE};
    const hectic_event event = {.time = 2,
                                .payload = args,
                                .declared = &type,
                                .type = type.number,
                                .size = 24,
                                .cap = NONE};
    assert_true(hectic_live_stats_event(v, &event));
    FEED(3, NONE, OSPROCESS_PID, 0, 1234);
    FEED(4, NONE, OSPROCESS_PPID, 0, 12);
    FEED(500, NONE, WALL_CLOCK_TIME, 0, 100, 900);
    FEED(600, NONE, CAP_CREATE, 0);
    FEED(600, NONE, CAP_CREATE, 1);
    FEED(600, NONE, CAP_CREATE, 2);
    FEED(700, NONE, CAP_DISABLE, 1);
    FEED(700, NONE, CAP_DELETE, 2);
    const hectic_live_stats_program program = hectic_live_stats_get_program(v);
    assert_string_equal(program.name, "worker");
    assert_string_equal(program.args, "/usr/bin/worker -x y");
    assert_string_equal(program.rts, "GHC-9.0.2 rts_thr_l");
    assert_int_equal(program.pid, 1234);
    assert_int_equal(program.ppid, 12);
    assert_int_equal(program.caps, 1);
    assert_true(program.has_wall);
    assert_int_equal(program.wall, 100000000000 + 900 - 500);
    hectic_live_stats_free(v);
}

static void caps_show_their_activity(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    FEED(0, NONE, CAP_CREATE, 0);
    FEED(0, NONE, CAP_CREATE, 1);
    FEED(10, 0, RUN_THREAD, 5);
    FEED(20, 1, GC_START, 0);
    hectic_live_stats_report report = snapshot_at(v, 30);
    assert_int_equal(report.sums.caps, 2);
    assert_int_equal(report.cap[0].activity, HECTIC_CAP_RUNNING);
    assert_int_equal(report.cap[0].thread, 5);
    assert_int_equal(report.cap[0].since, 10);
    assert_int_equal(report.sums.cap[0].running_ns, 20);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_GC);
    assert_int_equal(report.cap[1].since, 20);
    hectic_live_stats_report_clear(&report);
    FEED(40, 0, STOP_THREAD, 5, 5, 0);
    FEED(50, 1, GC_END, 0);
    FEED(60, NONE, CAP_DELETE, 1);
    report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(report.cap[0].activity, HECTIC_CAP_IDLE);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_DELETED);
    hectic_live_stats_report_clear(&report);
    hectic_live_stats_free(v);
}

static bool one_thread(void *user, const hectic_thread *thread)
{
    *(hectic_thread *)user = *thread;
    return true;
}

static void intervals_add_up(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    FEED(0, NONE, CAP_CREATE, 0);
    FEED(5, 0, CREATE_THREAD, 1);
    FEED(10, 0, RUN_THREAD, 1);
    FEED(100, 0, HEAP_ALLOCATED, 0, 1000);
    FEED(100, 0, HEAP_SIZE, 0, 1 << 20);
    TEXT(110, 0, USER_MSG, "hello", 0);
    hectic_live_stats_report interval = interval_at(v, 150);
    assert_int_equal(interval.sums.from, 0);
    assert_int_equal(interval.sums.to, 150);
    assert_int_equal(interval.sums.cap[0].running_ns, 140);
    assert_int_equal(interval.sums.allocated, 1000);
    assert_int_equal(interval.events, 6);
    assert_int_equal(interval.messages, 1);
    assert_int_equal(interval.created, 1);
    assert_int_equal(interval.in_state[HECTIC_THREAD_RUNNING], 1);
    hectic_live_stats_report_clear(&interval);
    FEED(200, 0, STOP_THREAD, 1, 7, 0);
    FEED(210, 0, REQUEST_SEQ_GC, 0);
    FEED(220, 0, GC_START, 0);
    FEED(250, 0, HEAP_ALLOCATED, 0, 1500);
    FEED(260, 0, GC_STATS_GHC, 0, 1, 40, 0, 0, 1, 0, 40, 0);
    FEED(260, 0, GC_END, 0);
    FEED(270, 0, HEAP_LIVE, 0, 333);
    interval = interval_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(interval.sums.from, 150);
    assert_int_equal(interval.sums.to, 270);
    assert_int_equal(interval.sums.cap[0].running_ns, 50);
    assert_int_equal(interval.sums.allocated, 500);
    assert_int_equal(interval.sums.copied, 40);
    assert_int_equal(interval.sums.generation[1].collections, 1);
    assert_int_equal(interval.sums.generation[1].pause.max, 40);
    assert_int_equal(interval.sums.gc_main_ns, 40);
    assert_int_equal(interval.messages, 0);
    assert_int_equal(interval.created, 0);
    assert_int_equal(interval.alive, 1);
    assert_int_equal(interval.in_state[HECTIC_THREAD_MVAR], 1);
    assert_true(interval.has_live && interval.has_heap_size);
    assert_int_equal(interval.live, 333);
    assert_int_equal(interval.live_time, 270);
    assert_int_equal(interval.heap_size, 1 << 20);
    hectic_live_stats_report_clear(&interval);
    hectic_thread thread;
    assert_true(hectic_live_stats_threads(v, HECTIC_LIVE_STATS_NOW, one_thread, &thread));
    assert_int_equal(thread.id, 1);
    assert_int_equal(thread.state, HECTIC_THREAD_MVAR);
    assert_int_equal(thread.since, 200);
    assert_int_equal(thread.cap, 0);
    assert_int_equal(thread.ns[HECTIC_THREAD_RUNNING], 190);
    FEED(280, 0, RUN_THREAD, 1);
    FEED(290, 0, STOP_THREAD, 1, 5, 0);
    interval = interval_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(interval.ended, 1);
    assert_int_equal(interval.alive, 0);
    assert_int_equal(interval.sums.generations, 0);
    hectic_live_stats_report_clear(&interval);
    hectic_live_stats_report all = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(all.sums.allocated, 1500);
    assert_int_equal(all.created, 1);
    assert_int_equal(all.ended, 1);
    assert_int_equal(all.events, 15);
    assert_int_equal(hectic_live_stats_pauses(v, 1)->count, 1);
    assert_null(hectic_live_stats_pauses(v, 2));
    hectic_live_stats_report_clear(&all);
    hectic_live_stats_free(v);
}

/* An event after the end of its interval does not reduce the next interval. */
static void late_events_are_tolerated(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    FEED(10, 0, RUN_THREAD, 1);
    FEED(20, 1, GC_START, 0);
    hectic_live_stats_report interval = interval_at(v, 150);
    assert_int_equal(interval.sums.cap[0].running_ns, 140);
    hectic_live_stats_report_clear(&interval);
    FEED(100, 0, STOP_THREAD, 1, 7, 0);
    FEED(110, 1, GC_END, 0);
    interval = interval_at(v, 200);
    assert_int_equal(interval.sums.from, 150);
    assert_int_equal(interval.sums.cap[0].running_ns, 0);
    assert_int_equal(interval.sums.cap[1].gc_ns, 0);
    hectic_live_stats_report_clear(&interval);
    hectic_live_stats_free(v);
}

static void feed_cap_0(hectic_live_stats *v)
{
    FEED(10, 0, CREATE_THREAD, 1);
    FEED(11, 0, RUN_THREAD, 1);
    FEED(12, 0, STOP_THREAD, 1, 1, 0);
    TEXT(13, 0, THREAD_LABEL, "first", 1);
    FEED(20, 0, CREATE_THREAD, 2);
    FEED(21, 0, RUN_THREAD, 2);
    FEED(22, 0, STOP_THREAD, 2, 11, 0);
    FEED(23, 0, CREATE_SPARK_THREAD, 3);
    FEED(24, 0, CREATE_THREAD, 4);
    FEED(25, 0, RUN_THREAD, 4);
    FEED(30, 0, STOP_THREAD, 4, 7, 0);
    FEED(31, 0, BLOCKS_SIZE, 0, 4096);
    FEED(32, 0, CAP_CREATE, 1);
}

static void feed_cap_1(hectic_live_stats *v)
{
    FEED(50, 1, RUN_THREAD, 1); /* created on cap 0, and ends here */
    FEED(60, 1, STOP_THREAD, 1, 5, 0);
    FEED(70, 1, RUN_THREAD, 2);
    FEED(80, 1, STOP_THREAD, 2, 7, 0);
    FEED(81, 1, RUN_THREAD, 3);
    FEED(82, 1, STOP_THREAD, 3, 5, 0);
    FEED(83, 1, THREAD_WAKEUP, 4, 0);
    FEED(84, 1, BLOCKS_SIZE, 0, 8192);
    FEED(90, 1, RUN_THREAD, 2);
}

/* Late events update the current state, but not reported intervals. */
static void late_events_give_the_same_totals(void **state)
{
    (void)state;
    hectic_live_stats_report report[2];
    for (int late = 0; late < 2; late++) {
        hectic_live_stats *v = start();
        (late ? feed_cap_1 : feed_cap_0)(v);
        (late ? feed_cap_0 : feed_cap_1)(v);
        report[late] = snapshot_at(v, 100);
        hectic_live_stats_free(v);
    }
    assert_int_equal(report[0].alive, 2);
    assert_int_equal(report[0].in_state[HECTIC_THREAD_RUNNING], 1);
    assert_int_equal(report[0].in_state[HECTIC_THREAD_RUNNABLE], 1);
    assert_int_equal(report[1].alive, 2);
    assert_memory_equal(report[1].in_state, report[0].in_state, sizeof report[0].in_state);
    assert_int_equal(report[1].created, report[0].created);
    assert_int_equal(report[1].ended, report[0].ended);
    assert_int_equal(report[1].blocks_size, report[0].blocks_size);
    assert_int_equal(report[0].sums.caps, 2);
    assert_int_equal(report[1].sums.caps, 2);
    for (int cap = 0; cap < 2; cap++)
        assert_int_equal(report[1].cap[cap].activity, report[0].cap[cap].activity);
    for (int late = 0; late < 2; late++)
        hectic_live_stats_report_clear(&report[late]);
}

static void messages_are_counted(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    char text[1024];
    for (uint32_t i = 0; i < 128; i++) {
        snprintf(text, sizeof text, "message %u", i);
        TEXT(i, 0, USER_MSG, text, 0);
    }
    TEXT(900, 1, LOG_MSG, "hectic: 123 events were dropped here", 0);
    TEXT(901, 1, LOG_MSG, "hectic: 1 events were dropped here?", 0);
    TEXT(902, 1, LOG_MSG, "hectic: ", 0);
    TEXT(903, 1, USER_MARKER, "hectic: 5 events were dropped here", 0);
    hectic_live_stats_report report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(report.dropped, 123);
    assert_int_equal(report.messages, 128 + 1);
    hectic_live_stats_report_clear(&report);
    hectic_live_stats_free(v);
}

/* Replayed events of threads and caps: applied if unknown, otherwise ignored. */
static void replayed_state_is_applied_once(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    const char *told_again[] = {
        /* in the payload's order: number, cap, fields */
        "\0\x2d\xff\xff\0\0",                /* CAP_CREATE 0 */
        "\0\0\0\0\0\0\0\7",                  /* CREATE_THREAD 7 */
        "\0\x2c\0\0\0\0\0\7worker",          /* THREAD_LABEL */
        "\0\1\0\0\0\0\0\7",                  /* RUN_THREAD */
        "\0\x20\xff\xff\0\0\0\0\0\0\1\2",    /* OSPROCESS_PID 258 */
        "\0\x33\0\0\0\0\0\0\0\0\0\0\0\0\0\7" /* HEAP_LIVE 7 */
    };
    const uint16_t size[] = {6, 8, 14, 8, 12, 16};
    hectic_event_type type = {.number = HECTIC_EVENT_SYNC, .size = HECTIC_VARIABLE};
    hectic_event sync = {.declared = &type, .type = HECTIC_EVENT_SYNC, .cap = NONE, .time = 50};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
            sync.payload = (const uint8_t *)told_again[i];
            sync.size = size[i];
            assert_true(hectic_live_stats_event(v, &sync));
        }
    FEED(60, 0, STOP_THREAD, 7, 7, 0);
    hectic_thread thread;
    assert_true(hectic_live_stats_threads(v, HECTIC_LIVE_STATS_NOW, one_thread, &thread));
    assert_int_equal(thread.id, 7);
    assert_int_equal(thread.ns[HECTIC_THREAD_RUNNING], 10);
    assert_int_equal(thread.state, HECTIC_THREAD_MVAR);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        sync.time = 70; /* now it is known: no change */
        sync.payload = (const uint8_t *)told_again[i];
        sync.size = size[i];
        assert_true(hectic_live_stats_event(v, &sync));
    }
    hectic_live_stats_report report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(report.alive, 1);
    assert_int_equal(report.created, 0);
    assert_int_equal(report.in_state[HECTIC_THREAD_MVAR], 1);
    assert_int_equal(report.cap[0].activity, HECTIC_CAP_IDLE);
    assert_int_equal(report.live, 7);
    assert_int_equal(hectic_live_stats_get_program(v).pid, 258);
    assert_int_equal(hectic_live_stats_get_program(v).caps, 1);
    hectic_live_stats_report_clear(&report);
    for (uint16_t cut = 0; cut < 16; cut++) { /* truncated */
        sync.size = cut;
        assert_true(hectic_live_stats_event(v, &sync));
    }
    hectic_live_stats_free(v);
}

static void band(hectic_live_stats *v, uint64_t bytes, const char *name)
{
    TEXT(0, 0, HEAP_PROF_SAMPLE_STRING, name, 0, bytes);
}

static void heap_samples(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    hectic_live_stats_sample sample;
    band(v, 7, "of no sample");
    FEED(100, 0, HEAP_PROF_SAMPLE_BEGIN, 1);
    band(v, 10, "small");
    band(v, 30, "large");
    assert_false(hectic_live_stats_get_sample(v, &sample));
    FEED(110, 0, HEAP_PROF_SAMPLE_END, 1);
    FEED(200, 0, HEAP_PROF_SAMPLE_BEGIN, 2);
    band(v, 99, "of the next");
    assert_true(hectic_live_stats_get_sample(v, &sample));
    assert_int_equal(sample.time, 100);
    assert_int_equal(sample.bands, 2);
    assert_string_equal(sample.band[0].name, "large");
    assert_int_equal(sample.band[0].bytes, 30);
    assert_string_equal(sample.band[1].name, "small");
    char name[16];
    for (int i = 0; i < 2 * HECTIC_LIVE_STATS_BANDS; i++) {
        snprintf(name, sizeof name, "%d", i);
        band(v, 1, name);
    }
    FEED(210, 0, HEAP_PROF_SAMPLE_END, 2);
    assert_true(hectic_live_stats_get_sample(v, &sample));
    assert_int_equal(sample.bands, HECTIC_LIVE_STATS_BANDS);
    assert_string_equal(sample.band[0].name, "(others)");
    assert_int_equal(sample.band[0].bytes, HECTIC_LIVE_STATS_BANDS + 2);
    assert_string_equal(sample.band[1].name, "of the next");
    hectic_live_stats_free(v);
}

/* New labels have their names also after more labels than memory is kept for. */
static void heap_labels(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    hectic_live_stats_sample sample;
    char name[16];
    for (int i = 0; i < 200000; i++) {
        if (i % 1000 == 0) FEED(100, 0, HEAP_PROF_SAMPLE_BEGIN, 1);
        snprintf(name, sizeof name, "%d", i);
        band(v, 1 + (uint64_t)i % 1000, name);
        if (i % 1000 == 999) FEED(110, 0, HEAP_PROF_SAMPLE_END, 1);
        if (i % 40000 != 39999) continue;
        assert_true(hectic_live_stats_get_sample(v, &sample));
        assert_int_equal(sample.bands, 1000);
        assert_string_equal(sample.band[0].name, name);
        assert_int_equal(sample.band[0].bytes, 1000);
    }
    hectic_live_stats_free(v);
}

/* Stacks have whole names, with modules; also those whose definitions are replayed. */
static void heap_stacks(void **state)
{
    (void)state;
    hectic_live_stats *v = start();
    static const char centres[][64] = {"\0\0\0\1main\0Main\0Main.hs:1\0\0",
                                       "\0\0\0\2CAF\0Data.Map\0<entire-module>\0\1",
                                       "\0\0\0\3PINNED\0SYSTEM\0<built-in>\0\0"};
    static const char bands[][32] = {"\0\0\0\0\0\0\0\0\5\2\0\0\0\2\0\0\0\1",
                                     "\0\0\0\0\0\0\0\0\4\1\0\0\0\3", "\0\0\0\0\0\0\0\0\3\0",
                                     "\0\0\0\0\0\0\0\0\2\0"};
    static const uint16_t sizes[] = {18, 14, 10, 10};
    for (size_t i = 0; i < 3; i++) {
        uint8_t replay[4 + sizeof centres[0]] = {0, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, 0xff, 0xff};
        memcpy(replay + 4, centres[i], sizeof centres[i]);
        const bool replayed = i == 0;
        const hectic_event event = {.type = replayed ? HECTIC_EVENT_SYNC
                                                     : HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
                                    .payload = replay + (replayed ? 0 : 4),
                                    .size = replayed ? sizeof replay : sizeof centres[i],
                                    .cap = HECTIC_CAP_NONE};
        assert_true(hectic_live_stats_event(v, &event));
    }
    FEED(100, 0, HEAP_PROF_SAMPLE_BEGIN, 0);
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        const hectic_event event = {.type = HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE,
                                    .payload = (const uint8_t *)bands[i],
                                    .size = sizes[i],
                                    .cap = HECTIC_CAP_NONE};
        assert_true(hectic_live_stats_event(v, &event));
    }
    FEED(110, 0, HEAP_PROF_SAMPLE_END, 0);
    hectic_live_stats_sample sample;
    for (int i = 0; i < 2; i++) { /* it may be asked twice */
        assert_true(hectic_live_stats_get_sample(v, &sample));
        assert_int_equal(sample.bands, 3);
        assert_string_equal(sample.band[0].name, "Data.Map.CAF/Main.main");
        assert_string_equal(sample.band[1].name, "MAIN"); /* summed */
        assert_int_equal(sample.band[1].bytes, 5);
        assert_string_equal(sample.band[2].name, "PINNED");
    }
    hectic_live_stats_free(v);
}

static uint64_t exponential_pauses(const hectic_live_stats *v, uint16_t generation)
{
    const hectic_exponential *pauses = hectic_live_stats_exponential_pauses(v, generation);
    if (!pauses) return 0;
    uint64_t count = pauses->zeros;
    for (int i = 0; i < HECTIC_EXPONENTIAL_BUCKETS; i++)
        count += pauses->bucket[i];
    return count;
}

static void take_log(const char *path, const struct bytes *log)
{
    (void)path;
    hectic_input *input = bytes_input(log->data, log->length);
    hectic_error error;
    hectic_log *ordered = hectic_log_open(input, NULL, &error);
    if (!ordered) return;
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_stat *stat = NULL;
    uint64_t last = 0, events = 0, allocated = 0, collections = 0, running = 0, interval_events = 0;
    hectic_event event;
    for (hectic_result r; (r = hectic_log_next(ordered, &event)) != HECTIC_PARTIAL &&
                          r != HECTIC_ERROR && r != HECTIC_COMPLETE;) {
        if (r == HECTIC_HEADER) {
            assert_true(hectic_live_stats_begin(v, hectic_log_header(ordered)));
            hectic_stat_free(stat);
            stat = hectic_stat_new();
            assert_true(hectic_stat_set_ordered(stat));
            last = events = allocated = collections = running = interval_events = 0;
        }
        if (r != HECTIC_GOT_EVENT) continue;
        /* Intervals of irregular length. */
        if (event.type != HECTIC_EVENT_BLOCK_MARKER && events % 997 == 500 && event.time > last) {
            hectic_live_stats_report interval = interval_at(v, event.time);
            allocated += interval.sums.allocated;
            interval_events += interval.events;
            for (uint32_t i = 0; i < interval.sums.generations; i++)
                collections += interval.sums.generation[i].collections;
            for (uint32_t i = 0; i < interval.sums.caps; i++)
                running += interval.sums.cap[i].running_ns;
            hectic_live_stats_report_clear(&interval);
        }
        assert_true(hectic_live_stats_event(v, &event));
        if (event.type == HECTIC_EVENT_BLOCK_MARKER) continue;
        assert_true(hectic_stat_event(stat, &event));
        events++;
        if (event.time > last) last = event.time;
    }
    if (stat) {
        hectic_stat_result r;
        assert_true(hectic_stat_get(stat, NULL, last, &r));
        hectic_live_stats_report report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
        hectic_live_stats_report interval = interval_at(v, HECTIC_LIVE_STATS_NOW);
        assert_int_equal(report.events, events);
        assert_int_equal(report.events, interval_events + interval.events);
        assert_int_equal(report.time, last);
        assert_int_equal(report.sums.allocated, r.allocated);
        assert_int_equal(report.sums.copied, r.copied);
        assert_int_equal(report.sums.gc_main_ns, r.gc_main_ns);
        assert_int_equal(report.sums.pause.count, r.pause.count);
        assert_int_equal(report.sums.heap_max, r.heap_max);
        assert_int_equal(report.sums.caps, r.caps);
        uint64_t all_collections = 0, all_running = 0, states = 0;
        for (uint32_t i = 0; i < r.generations; i++) {
            all_collections += r.generation[i].collections;
            collections +=
                i < interval.sums.generations ? interval.sums.generation[i].collections : 0;
            const hectic_histogram *pauses = hectic_live_stats_pauses(v, (uint16_t)i);
            assert_int_equal(pauses ? pauses->sum : 0, r.generation[i].pause.sum);
            assert_int_equal(pauses ? pauses->count : 0, exponential_pauses(v, (uint16_t)i));
        }
        for (uint32_t i = 0; i < r.caps; i++) {
            all_running += r.cap[i].running_ns;
            running += interval.sums.cap[i].running_ns;
        }
        for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
            states += report.in_state[i];
        assert_int_equal(states, report.alive);
        assert_int_equal(collections, all_collections);
        if (r.time_steps_back == 0) { /* otherwise intervals count invalid times */
            assert_int_equal(allocated + interval.sums.allocated, r.allocated);
            assert_int_equal(running, all_running);
        }
        hectic_live_stats_report_clear(&report);
        hectic_live_stats_report_clear(&interval);
        hectic_stat_result_clear(&r);
    }
    hectic_stat_free(stat);
    hectic_live_stats_free(v);
    hectic_log_free(ordered);
}

/* The activity of GHC's caps is known up to the end of their blocks; late events of finished
 * intervals count in none. */
static void caps_are_behind(void **state)
{
    (void)state;
    static const uint64_t MS = 1000000, S = 1000 * 1000000ull;
    hectic_live_stats *v = start();
    hectic_live_stats_follow(v);
    TEXT(1, NONE, RTS_IDENTIFIER, "GHC-9.0.2 rts_thr_l", 0);
    FEED(1, NONE, CAP_CREATE, 0);
    FEED(1, NONE, CAP_CREATE, 1);
    FEED(2, 0, BLOCK_MARKER, 100, 1050 * MS, 0);
    FEED(100 * MS, 0, RUN_THREAD, 5);
    hectic_live_stats_report report = interval_at(v, S);
    assert_int_equal(report.cap[0].activity, HECTIC_CAP_RUNNING);
    assert_int_equal(report.sums.cap[0].running_ns, 900 * MS);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_UNKNOWN);
    hectic_live_stats_report_clear(&report);

    FEED(1050 * MS, 0, BLOCK_MARKER, 100, 2100 * MS, 0);
    FEED(1500 * MS, 0, STOP_THREAD, 5, 5, 0);
    FEED(1900 * MS, 0, HEAP_SIZE, 0, 4096);
    report = interval_at(v, 2 * S);
    assert_int_equal(report.sums.cap[0].running_ns, 500 * MS);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_UNKNOWN);
    assert_int_equal(report.sums.cap[1].running_ns, 0);
    hectic_live_stats_report_clear(&report);

    FEED(2, 1, BLOCK_MARKER, 100, 2250 * MS, 1);
    FEED(200 * MS, 1, RUN_THREAD, 6);
    FEED(300 * MS, 1, STOP_THREAD, 6, 1, 0);
    FEED(300 * MS, 1, REQUEST_SEQ_GC, 0);
    FEED(400 * MS, 1, GC_START, 0);
    FEED(800 * MS, 1, GC_STATS_GHC, 0, 1, 4000, 0, 0, 1, 0, 4000, 0);
    FEED(900 * MS, 1, GC_END, 0);
    FEED(900 * MS, 1, HEAP_SIZE, 0, 1024);
    FEED(1 * S, 1, RUN_THREAD, 6);
    FEED(2250 * MS, 1, USER_MARKER, 0);
    report = interval_at(v, 3 * S);
    assert_int_equal(report.cap[0].activity, HECTIC_CAP_UNKNOWN);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_UNKNOWN);
    assert_int_equal(report.sums.cap[1].running_ns, 250 * MS); /* as far as known */
    assert_int_equal(report.sums.gc_main_ns, 0);
    assert_int_equal(report.sums.pause.count, 0);
    assert_int_equal(report.sums.copied, 0);
    assert_int_equal(report.sums.generations, 0); /* the number of collected generations */
    assert_int_equal(report.heap_size, 4096);     /* later than the other */
    hectic_live_stats_report_clear(&report);

    FEED(2250 * MS, 1, BLOCK_MARKER, 100, 4 * S, 1);
    FEED(3500 * MS, 1, STOP_THREAD, 6, 1, 0);
    report = interval_at(v, 4 * S);
    assert_int_equal(report.cap[1].activity, HECTIC_CAP_IDLE);
    assert_int_equal(report.sums.cap[1].running_ns, 500 * MS);
    hectic_live_stats_report_clear(&report);
    report = snapshot_at(v, 4 * S);
    assert_int_equal(report.sums.cap[1].running_ns, 2600 * MS); /* the total is complete */
    assert_int_equal(report.sums.gc_main_ns, 500 * MS);
    hectic_live_stats_report_clear(&report);
    hectic_live_stats_free(v);
}

/* A late reader's log begins with a replay at one time; a heap profile in a block without a cap may
 * be earlier. Increments of counters before that, or during missed events, count in no interval. */
static void counters_start_at_the_replay(void **state)
{
    (void)state;
    static const uint64_t MS = 1000000, S = 1000 * 1000000ull;
    hectic_live_stats *v = start();
    hectic_live_stats_follow(v);
    FEED(5 * S - 7 * MS, NONE, HEAP_PROF_SAMPLE_BEGIN, 1);
    FEED(5 * S, NONE, CAP_CREATE, 0);
    FEED(5 * S, NONE, CAP_CREATE, 1);
    FEED(5 * S, 0, HEAP_ALLOCATED, 0, 33 * S);
    FEED(5 * S, 0, SPARK_COUNTERS, 1000, 0, 0, 500, 0, 0, 500);
    FEED(5 * S, 1, HEAP_ALLOCATED, 0, S);
    FEED(5100 * MS, 0, HEAP_ALLOCATED, 0, 33 * S + 50);
    FEED(5100 * MS, 0, SPARK_COUNTERS, 1003, 0, 0, 501, 0, 0, 502);
    hectic_live_stats_report report = interval_at(v, 5200 * MS);
    assert_true(report.sums.is_part);
    assert_int_equal(report.sums.allocated, 50);
    assert_int_equal(report.sums.sparks.created, 3);
    hectic_live_stats_report_clear(&report);

    FEED(5300 * MS, NONE, CAP_CREATE, 2);
    FEED(5400 * MS, 2, HEAP_ALLOCATED, 0, 70); /* everything since it was created */
    report = interval_at(v, 5500 * MS);
    assert_int_equal(report.sums.allocated, 70);
    hectic_live_stats_report_clear(&report);

    EVENT_REPLAYED(hectic_live_stats_event, v, 5600 * MS, 0, HEAP_ALLOCATED, "", 0, 34 * S);
    FEED(5700 * MS, 0, HEAP_ALLOCATED, 0, 34 * S + 8);
    report = interval_at(v, 6 * S);
    assert_int_equal(report.sums.allocated, 8);
    hectic_live_stats_report_clear(&report);
    report = snapshot_at(v, HECTIC_LIVE_STATS_NOW);
    assert_int_equal(report.sums.allocated, S + 8 + 70);
    assert_int_equal(report.sums.sparks.created, 3);
    hectic_live_stats_report_clear(&report);
    hectic_live_stats_free(v);
}

static void agrees_with_stat(void **state)
{
    (void)state;
    for_each_log(8 << 20, take_log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_numbers_before_the_first_event),
        cmocka_unit_test(program_is_identified),
        cmocka_unit_test(caps_show_their_activity),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(late_events_are_tolerated),
        cmocka_unit_test(late_events_give_the_same_totals),
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(replayed_state_is_applied_once),
        cmocka_unit_test(heap_samples),
        cmocka_unit_test(heap_stacks),
        cmocka_unit_test(heap_labels),
        cmocka_unit_test(caps_are_behind),
        cmocka_unit_test(counters_start_at_the_replay),
        cmocka_unit_test(agrees_with_stat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
