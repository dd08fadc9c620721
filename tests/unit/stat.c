/* Statistics of runs: on synthetic events with known numbers, and invariants on all logs: intervals
 * add up, and the order of caps in the file does not matter. */
#include "events.h"
#include "logs.h"

#include "read/decode/run.h"
#include "stat/stat_sums.h"

#define FEED(time, cap, name, ...) EVENT(hectic_stat_event, s, time, cap, name, "", __VA_ARGS__)

enum { HEAP_CAPSET = 0 };

static hectic_stat_result result_of(const hectic_stat *s, const hectic_stat_interval *interval,
                                    uint64_t to)
{
    hectic_stat_result r;
    assert_true(hectic_stat_get(s, interval, to, &r));
    return r;
}

/* Two caps; cap 0 leads a parallel collection, then a sequential one, which cap 1 waits for. */
static void feed_two_caps(hectic_stat *s)
{
    FEED(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    FEED(0, HECTIC_CAP_NONE, CAP_CREATE, 1);
    FEED(50, 0, RUN_THREAD, 1);
    FEED(100, 1, RUN_THREAD, 2);
    FEED(200, 0, STOP_THREAD, 1, 1, 0);
    FEED(210, 0, REQUEST_PAR_GC, 0);
    FEED(220, 1, STOP_THREAD, 2, 3, 0);
    FEED(230, 1, GC_START, 0);
    FEED(240, 0, GC_START, 0);
    FEED(250, 0, GC_WORK, 0);
    FEED(260, 1, GC_WORK, 0);
    FEED(280, 1, GC_IDLE, 0);
    FEED(290, 1, GC_DONE, 0);
    FEED(300, 0, GC_DONE, 0);
    FEED(310, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1000);
    FEED(310, 1, HEAP_ALLOCATED, HEAP_CAPSET, 100);
    FEED(320, 0, GC_STATS_GHC, HEAP_CAPSET, 0, 400, 16, 32, 2, 300, 400, 200);
    FEED(320, 0, GC_END, 0);
    FEED(330, 0, HEAP_SIZE, HEAP_CAPSET, 1 << 20);
    FEED(350, 1, GC_END, 0);
    FEED(360, 0, RUN_THREAD, 1);
    FEED(500, 0, STOP_THREAD, 1, 6, 0);
    FEED(510, 0, REQUEST_SEQ_GC, 0);
    FEED(530, 0, GC_START, 0);
    FEED(600, 0, HEAP_ALLOCATED, HEAP_CAPSET, 5000);
    FEED(600, 1, HEAP_ALLOCATED, HEAP_CAPSET, 150);
    FEED(610, 0, GC_STATS_GHC, HEAP_CAPSET, 1, 600, 48, 64, 1, 0, 600, 0);
    FEED(600, 0, GC_END, 0); /* its time is earlier than its writing */
    FEED(620, 0, HEAP_LIVE, HEAP_CAPSET, 4242);
    FEED(630, 0, HEAP_SIZE, HEAP_CAPSET, 2 << 20);
    FEED(640, 0, RUN_THREAD, 3);
    FEED(650, 0, MIGRATE_THREAD, 1, 1);
    FEED(700, 0, STOP_THREAD, 3, 5, 0);
    FEED(710, 0, SPARK_COUNTERS, 7, 1, 2, 4, 3, 0, 0);
    FEED(800, 0, HEAP_ALLOCATED, HEAP_CAPSET, 5500);
    FEED(1000, HECTIC_CAP_NONE, CAP_DELETE, 1);
}

static void a_whole_run_is_reported(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    feed_two_caps(s);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.from, 0);
    assert_int_equal(r.to, 1000);
    assert_true(r.has_allocated && r.has_gc && r.has_gc_stats && r.has_heap_size && r.has_sparks);
    assert_true(r.has_safepoint && r.has_gc_threads && r.has_balance && r.has_threads);
    assert_false(r.has_tasks || r.has_init || r.has_exit || r.has_nonmoving || r.has_returned);
    assert_int_equal(r.allocated, 5650);
    assert_int_equal(r.copied, 1000);
    assert_int_equal(r.residency_samples, 1);
    assert_int_equal(r.residency_max, 4242);
    assert_int_equal(r.slop_max, 48);
    assert_int_equal(r.heap_max, 2 << 20);
    assert_int_equal(r.fragmentation_max, 64);
    assert_true(r.work_balance == 0.5);
    assert_int_equal(r.gc_main_ns, 80 + 70);
    assert_int_equal(r.gc_caps_ns, (80 + 120) / 2 + 70);
    assert_true(r.has_mean_pause);
    assert_int_equal(r.mean_pause.count, 2);
    assert_int_equal(r.mean_pause.max, 100);
    assert_int_equal(r.generation[0].mean_pause.sum, 100);
    assert_int_equal(r.generation[1].mean_pause.sum, 70);
    assert_int_equal(r.generations, 2);
    assert_int_equal(r.generation[0].collections, 1);
    assert_int_equal(r.generation[0].parallel, 1);
    assert_int_equal(r.generation[0].pause.max, 80);
    assert_int_equal(r.generation[1].parallel, 0);
    assert_int_equal(r.generation[1].pause.sum, 70);
    assert_int_equal(r.safepoint.count, 2);
    assert_int_equal(r.safepoint.max, 30);
    assert_int_equal(r.sparks.created, 7);
    assert_int_equal(r.sparks.fizzled, 0);
    assert_int_equal(r.sparks.gcd, 3);
    assert_int_equal(r.caps, 2);
    const hectic_stat_cap *zero = &r.cap[0], *one = &r.cap[1];
    assert_int_equal(zero->running_ns, 150 + 140 + 60);
    assert_true(zero->has_gc && zero->has_idle);
    assert_int_equal(zero->gc_ns, 80 + 70);
    assert_int_equal(zero->gc_idle_ns, 0);
    assert_int_equal(zero->wait_begin_ns, 30 + 20);
    assert_int_equal(zero->wait_end_ns, 0);
    assert_int_equal(zero->wait_out_ns, 0);
    assert_int_equal(zero->idle_ns, 1000 - 350 - 150 - 50);
    assert_int_equal(zero->runs, 3);
    assert_int_equal(zero->switches, 2);
    assert_int_equal(zero->migrated_out, 1);
    assert_int_equal(one->migrated_in, 1);
    assert_int_equal(one->gc_ns, 80);
    assert_int_equal(one->gc_work_ns, 20);
    assert_int_equal(one->gc_idle_ns, 60);
    assert_int_equal(one->wait_begin_ns, 10);
    assert_int_equal(one->wait_end_ns, 30);
    assert_int_equal(one->wait_out_ns, 70);
    assert_int_equal(one->idle_ns, 1000 - 120 - 80 - 10 - 30 - 70);
    assert_int_equal(one->present_ns, 1000);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

/* Activities at the boundaries of an interval count with the part inside. */
static void intervals_clip(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    FEED(0, 0, RUN_THREAD, 1);
    FEED(100, 0, HEAP_ALLOCATED, HEAP_CAPSET, 10);
    FEED(100, 1, RUN_THREAD, 2);
    hectic_stat_interval *a = hectic_stat_open(s, 150);
    FEED(200, 0, STOP_THREAD, 1, 1, 0);
    FEED(200, 0, HEAP_ALLOCATED, HEAP_CAPSET, 30);
    FEED(200, 0, REQUEST_SEQ_GC, 0);
    FEED(210, 1, STOP_THREAD, 2, 3, 0);
    FEED(220, 0, GC_START, 0);
    hectic_stat_result r = result_of(s, a, 230);
    assert_int_equal(r.allocated, 20);
    assert_int_equal(r.cap[0].running_ns, 50);
    assert_int_equal(r.cap[1].running_ns, 60);
    assert_int_equal(r.gc_main_ns, 10);
    assert_int_equal(r.cap[1].wait_out_ns, 10);
    assert_int_equal(r.pause.count, 0);
    assert_int_equal(r.from, 150);
    assert_int_equal(r.to, 230);
    hectic_stat_result_clear(&r);
    hectic_stat_interval *b = hectic_stat_open(s, 230);
    FEED(260, 0, GC_STATS_GHC, HEAP_CAPSET, 0, 5, 1, 2, 1, 0, 5, 0);
    FEED(260, 0, GC_END, 0);
    r = result_of(s, b, 300);
    assert_int_equal(r.gc_main_ns, 30);
    assert_int_equal(r.cap[1].wait_out_ns, 30);
    assert_int_equal(r.pause.max, 40);
    assert_int_equal(r.allocated, 0);
    hectic_stat_result_clear(&r);
    hectic_stat_close(s, a);
    hectic_stat_close(s, b);
    hectic_stat_free(s);
}

/* A megablock has 252 usable blocks. An interval includes its initial state. */
static void fragmentation_by_blocks(void **state)
{
    enum { BLOCK = 4096, MBLOCK = 256 * BLOCK };
    (void)state;
    hectic_stat *s = hectic_stat_new();
    assert_true(hectic_stat_set_ordered(s));
    FEED(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    FEED(10, 0, HEAP_SIZE, HEAP_CAPSET, 3 * MBLOCK);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_false(r.has_blocks || r.has_fragmentation);
    hectic_stat_result_clear(&r);
    FEED(20, 0, BLOCKS_SIZE, HEAP_CAPSET, 2 * MBLOCK);
    r = result_of(s, NULL, HECTIC_STAT_END);
    assert_true(r.has_blocks && r.has_fragmentation);
    assert_int_equal(r.lost, MBLOCK); /* of a heap without BLOCKS_SIZE */
    assert_int_equal(r.fragmentation_max, MBLOCK);
    hectic_stat_result_clear(&r);
    FEED(30, HECTIC_CAP_NONE, HEAP_INFO_GHC, HEAP_CAPSET, 2, 0, 4 * MBLOCK, MBLOCK, BLOCK);
    hectic_stat_interval *interval = hectic_stat_open(s, 40);
    FEED(40, 0, HEAP_SIZE, HEAP_CAPSET, 2 * MBLOCK);
    FEED(50, 0, BLOCKS_SIZE, HEAP_CAPSET, 7 * BLOCK);
    r = result_of(s, interval, 60);
    assert_int_equal(r.heap_max, 3 * MBLOCK);
    assert_int_equal(r.blocks_max, 2 * MBLOCK);
    assert_int_equal(r.lost, (3 * 252 - 2 * 256) * BLOCK);
    assert_int_equal(r.fragmentation_max, 2 * MBLOCK - 7 * BLOCK);
    hectic_stat_result_clear(&r);
    hectic_stat_close(s, interval);
    interval = hectic_stat_open(s, 60);
    r = result_of(s, interval, 70);
    assert_int_equal(r.blocks_max, 7 * BLOCK);
    hectic_stat_result_clear(&r);
    hectic_stat_close(s, interval);
    hectic_stat_free(s);
}

/* Counters that decrease, times that go back, ends without beginnings, undeclared caps. */
static void inconsistencies_are_warnings(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    FEED(1, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1);
    FEED(50000000, 0, HEAP_ALLOCATED, HEAP_CAPSET, 100);
    FEED(60000000, 0, HEAP_ALLOCATED, HEAP_CAPSET, 40);
    FEED(70000000, 0, HEAP_ALLOCATED, HEAP_CAPSET, 50);
    FEED(40000000, 0, STOP_THREAD, 1, 1, 0);
    FEED(30000000, 0, GC_END, 0); /* GHC has read this time before it was interrupted */
    FEED(40000000, 7, GC_END, 0);
    FEED(40000000, 7, GC_STATS_GHC, HEAP_CAPSET, 900, 5, 1, 2, 1, 0, 5, 0);
    FEED(40000000, HECTIC_CAP_NONE, GC_START, 0);
    FEED(40000001, HECTIC_CAP_NONE, GC_END, 0);
    FEED(40000001, 65534, MIGRATE_THREAD, 1, 65534);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.counter_resets, 1);
    assert_int_equal(r.time_steps_back, 1);
    assert_int_equal(r.allocated, 99 + 10); /* the first is the value at the beginning of the log */
    assert_int_equal(r.copied, 5);
    assert_int_equal(r.caps, 3);
    assert_int_equal(r.cap[2].cap, 65534);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

/* Intervals count sparks at their own events, not at counters; but only counters include those that
 * the last collection drops. OS threads that exist at the beginning count.
 */
static void intervals_count_each_spark(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    assert_true(hectic_stat_set_ordered(s));
    FEED(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    FEED(1, HECTIC_CAP_NONE, TASK_CREATE, 7, 0, 70);
    for (uint64_t i = 0; i < 5; i++)
        FEED(10 + i, 0, SPARK_CREATE, 0);
    FEED(15, 0, SPARK_DUD, 0);
    hectic_stat_interval *a = hectic_stat_open(s, 20);
    FEED(20, 0, SPARK_GC, 0);
    FEED(30, 0, SPARK_COUNTERS, 5, 1, 0, 0, 1, 0, 4);
    FEED(31, HECTIC_CAP_NONE, TASK_CREATE, 8, 0, 80);
    FEED(32, HECTIC_CAP_NONE, TASK_DELETE, 7);
    hectic_stat_result r = result_of(s, a, 40);
    assert_int_equal(r.sparks.created, 0);
    assert_int_equal(r.sparks.dud, 0);
    assert_int_equal(r.sparks.gcd, 1);
    assert_int_equal(r.workers, 2);
    assert_int_equal(r.workers_max, 2);
    hectic_stat_result_clear(&r);
    hectic_stat_interval *b = hectic_stat_open(s, 40);
    FEED(50, 0, SPARK_COUNTERS, 5, 1, 0, 0, 5, 0, 0);
    FEED(60, 0, SPARK_COUNTERS, 5, 1, 0, 0, 5, 0, 0);
    r = result_of(s, b, 70);
    assert_int_equal(r.sparks.gcd, 4);
    assert_int_equal(r.cap[0].sparks.gcd, 4);
    assert_int_equal(r.workers, 1);
    hectic_stat_result_clear(&r);
    r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.sparks.created, 5);
    assert_int_equal(r.sparks.gcd, 5);
    hectic_stat_result_clear(&r);
    hectic_stat_close(s, a);
    hectic_stat_close(s, b);
    hectic_stat_free(s);
}

/* INIT ends when the main OS thread has started the I/O manager; the log has the program's end only
 * if caps were deleted, or allocation was logged once more. */
static void init_is_known_without_the_end(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    FEED(0, HECTIC_CAP_NONE, CAP_CREATE, 0);
    FEED(1, HECTIC_CAP_NONE, OSPROCESS_PID, 0, 70);
    const uint64_t visit[][2] = {{10, 20}, {30, 900}, {910, 920}}; /* the last one flushes */
    for (size_t i = 0; i < 3; i++) {
        FEED(visit[i][0], 0, TASK_CREATE, 7, 0, 70);
        hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
        assert_true(r.has_init && !r.has_exit);
        assert_int_equal(r.init_ns, i == 0 ? 10 : 20);
        hectic_stat_result_clear(&r);
        FEED(visit[i][1], 0, TASK_DELETE, 7);
    }
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_true(r.has_init && !r.has_exit);
    assert_int_equal(r.init_ns, 20);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

/* The events of sparks written by runtimes of 2011. */
static void old_sparks_count(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    for (uint64_t i = 0; i < 5; i++)
        FEED(10 + i, 0, CREATE_SPARK, 0, 0);
    FEED(20, 0, RUN_SPARK, 1, 0);
    FEED(21, 1, STEAL_SPARK, 2, 0, 0);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_true(r.has_sparks);
    assert_int_equal(r.sparks.created, 5);
    assert_int_equal(r.sparks.converted, 2);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

/* A log that begins late counts from its beginning. */
static void logs_may_start_late(void **state)
{
    (void)state;
    const uint64_t start = 5000000000;
    hectic_stat *s = hectic_stat_new();
    FEED(start, 0, RUN_THREAD, 1);
    FEED(start + 10, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1000000);
    FEED(start + 20, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1000100);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.from, start);
    assert_int_equal(r.allocated, 100);
    assert_int_equal(r.cap[0].running_ns, 20);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

#define AGAIN(time, cap, name, ...)                                                                \
    EVENT_REPLAYED(hectic_stat_event, s, time, cap, name, "", __VA_ARGS__)

/* Replayed events: as plain events, at the time of the caps' creation, and as SYNC events. */
static void replayed_state_is_not_counted(void **state)
{
    (void)state;
    const uint64_t start = 5000000000;
    hectic_stat *s = hectic_stat_new();
    FEED(start, HECTIC_CAP_NONE, CAP_CREATE, 0);
    FEED(start, HECTIC_CAP_NONE, TASK_CREATE, 7, 0, 99);
    FEED(start, 0, CREATE_THREAD, 1);
    FEED(start, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1000);
    FEED(start, 0, HEAP_LIVE, HEAP_CAPSET, 4242);
    FEED(start, 0, RUN_THREAD, 1);
    /* If everything is known, nothing changes. */
    AGAIN(start + 10, HECTIC_CAP_NONE, CAP_CREATE, 0);
    AGAIN(start + 10, 0, CREATE_THREAD, 1);
    AGAIN(start + 10, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1000);
    AGAIN(start + 10, 0, RUN_THREAD, 1);
    FEED(start + 20, 0, STOP_THREAD, 1, 1, 0);
    FEED(start + 20, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1100);
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.allocated, 100);
    assert_int_equal(r.workers, 1); /* it existed before */
    assert_int_equal(r.residency_samples, 0);
    assert_int_equal(r.residency_max, 4242);
    assert_int_equal(r.cap[0].running_ns, 20);
    assert_int_equal(r.cap[0].present_ns, 20);
    assert_int_equal(r.cap[0].runs, 0);
    assert_int_equal(r.cap[0].created, 0);
    hectic_stat_result_clear(&r);
    /* Events were missed: a thread runs, there is another cap, more was allocated. */
    AGAIN(start + 30, HECTIC_CAP_NONE, CAP_CREATE, 1);
    AGAIN(start + 30, 0, RUN_THREAD, 2);
    AGAIN(start + 30, 0, HEAP_ALLOCATED, HEAP_CAPSET, 1500);
    FEED(start + 35, 0, STOP_THREAD, 2, 1, 0);
    FEED(start + 40, 0, RUN_THREAD, 3);
    FEED(start + 50, 1, HEAP_ALLOCATED, HEAP_CAPSET, 0);
    r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.caps, 2);
    assert_int_equal(r.allocated, 500);
    assert_int_equal(r.cap[0].running_ns, 35);
    assert_int_equal(r.cap[0].runs, 1);
    assert_int_equal(r.cap[1].present_ns, 20);
    assert_int_equal(r.counter_resets, 0);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

static void empty(void **state)
{
    (void)state;
    hectic_stat *s = hectic_stat_new();
    hectic_stat_result r = result_of(s, NULL, HECTIC_STAT_END);
    assert_int_equal(r.to, 0);
    assert_int_equal(r.caps, 0);
    assert_false(r.has_gc || r.has_allocated);
    hectic_stat_result_clear(&r);
    hectic_stat_expect(s, HECTIC_EVENT_GC_START);
    r = result_of(s, NULL, HECTIC_STAT_END);
    assert_true(r.has_gc);
    hectic_stat_result_clear(&r);
    hectic_stat_free(s);
}

/* --- On all logs ----------------------------------------------------------------------------- */

/* The sums of a result and of each of its caps. */
enum { SUMS = 13, CAP_SUMS_REPORTED = 21 };

static void sums_of(const hectic_stat_result *r, uint64_t sum[SUMS])
{
    const uint64_t all[SUMS] = {
        r->allocated,    r->copied,       r->residency_samples, r->gc_main_ns,
        r->gc_caps_ns,   r->pause.sum,    r->pause.count,       r->safepoint.sum,
        r->conc_mark_ns, r->conc_sync_ns, r->conc_sweep_ns,     r->mean_pause.count,
        r->returned,
    };
    memcpy(sum, all, sizeof all);
}

static void cap_sums_of(const hectic_stat_cap *c, uint64_t sum[CAP_SUMS_REPORTED])
{
    const uint64_t all[CAP_SUMS_REPORTED] = {
        c->present_ns,        c->running_ns,     c->gc_ns,       c->gc_work_ns,
        c->gc_idle_ns,        c->wait_begin_ns,  c->wait_end_ns, c->wait_out_ns,
        c->idle_ns,           c->runs,           c->switches,    c->created,
        c->migrated_in,       c->migrated_out,   c->allocated,   c->sparks.created,
        c->sparks.dud,        c->sparks.fizzled, c->sparks.gcd,  c->sparks.converted,
        c->sparks.overflowed,
    };
    memcpy(sum, all, sizeof all);
    assert_int_equal(c->gc_work_ns + c->gc_idle_ns, c->gc_ns);
    assert_int_equal(c->running_ns + c->gc_ns + c->wait_begin_ns + c->wait_end_ns + c->wait_out_ns +
                         c->idle_ns,
                     c->present_ns);
}

static void assert_adds_up(const hectic_stat_result *a, const hectic_stat_result *b,
                           const hectic_stat_result *both)
{
    uint64_t x[CAP_SUMS_REPORTED], y[CAP_SUMS_REPORTED], z[CAP_SUMS_REPORTED];
    sums_of(a, x);
    sums_of(b, y);
    sums_of(both, z);
    for (int i = 0; i < SUMS; i++)
        if (x[i] + y[i] != z[i]) fail_msg("sum %d", i);
    for (uint32_t c = 0, k = 0; c < both->caps; c++) {
        /* A cap may exist only in the second. */
        const hectic_stat_cap none = {0};
        const bool known = k < a->caps && a->cap[k].cap == both->cap[c].cap;
        cap_sums_of(known ? &a->cap[k] : &none, x);
        k += known;
        cap_sums_of(&b->cap[c], y);
        cap_sums_of(&both->cap[c], z);
        for (int i = 0; i < CAP_SUMS_REPORTED; i++)
            if (x[i] + y[i] != z[i]) fail_msg("cap %u, sum %d", both->cap[c].cap, i);
    }
    for (uint32_t g = 0; g < both->generations; g++) {
        const uint64_t first = g < a->generations ? a->generation[g].collections : 0;
        assert_int_equal(first + b->generation[g].collections, both->generation[g].collections);
    }
}

static int by_time(const void *a, const void *b)
{
    const hectic_event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void assert_same(const hectic_stat_result *a, const hectic_stat_result *b)
{
    uint64_t x[CAP_SUMS_REPORTED], y[CAP_SUMS_REPORTED];
    assert_int_equal(a->caps, b->caps);
    assert_int_equal(a->to, b->to);
    sums_of(a, x);
    sums_of(b, y);
    assert_memory_equal(x, y, SUMS * sizeof *x);
    for (uint32_t c = 0; c < a->caps; c++) {
        cap_sums_of(&a->cap[c], x);
        cap_sums_of(&b->cap[c], y);
        assert_memory_equal(x, y, sizeof x);
    }
    assert_int_equal(a->residency_max, b->residency_max);
    assert_int_equal(a->slop_max, b->slop_max);
    assert_int_equal(a->heap_max, b->heap_max);
    assert_int_equal(a->init_ns, b->init_ns);
    assert_int_equal(a->exit_ns, b->exit_ns);
    assert_int_equal(a->pause.max, b->pause.max);
}

/* Feeds the events in [from, to). */
static size_t feed_until(hectic_stat *s, const struct found *all, size_t at, uint64_t to)
{
    for (; at < all->count && all->event[at].time < to; at++)
        assert_true(hectic_stat_event(s, &all->event[at]));
    return at;
}

static void try_cuts(const struct found *sorted, uint64_t a, uint64_t b, uint64_t c)
{
    hectic_stat *s = hectic_stat_new();
    size_t at = feed_until(s, sorted, 0, a);
    hectic_stat_interval *first = hectic_stat_open(s, a), *both = hectic_stat_open(s, a);
    at = feed_until(s, sorted, at, b);
    hectic_stat_result x = result_of(s, first, b);
    hectic_stat_interval *second = hectic_stat_open(s, b);
    feed_until(s, sorted, at, c);
    hectic_stat_result y = result_of(s, second, c), z = result_of(s, both, c);
    assert_adds_up(&x, &y, &z);
    hectic_stat_result_clear(&x);
    hectic_stat_result_clear(&y);
    hectic_stat_result_clear(&z);
    hectic_stat_close(s, second);
    hectic_stat_close(s, first);
    hectic_stat_free(s); /* with an interval open */
}

static hectic_result pull(hectic_stat *s, hectic_decoder *decoder)
{
    for (;;) {
        size_t length;
        const stepper *at;
        const uint8_t *run = decoder_run(decoder, &length, &at);
        if (length > 0) {
            length = stat_take_run(s, at, run, length);
            if (length == SIZE_MAX) return HECTIC_GOT_EVENT;
            decoder_advance(decoder, length);
        }
        hectic_event event;
        const hectic_result result = hectic_decoder_pull(decoder, &event);
        if (result != HECTIC_GOT_EVENT || !hectic_stat_event(s, &event)) return result;
    }
}

/* As the command reads a log: in runs, with pieces of any size. */
static hectic_stat *stat_by_runs(const struct bytes *log)
{
    hectic_stat *s = hectic_stat_new();
    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    hectic_decoder_push(d, log->data, log->length);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_HEADER);
    size_t at = hectic_decoder_position(d), size;
    hectic_decoder_free(d);
    d = hectic_decoder_new();
    hectic_decoder_push(d, log->data, at);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_HEADER);
    assert_int_equal(pull(s, d), HECTIC_PARTIAL);
    size = 1;
    for (uint64_t state = log->length; size > 0; at += size) {
        size = 1 + random_below(&state, 3000);
        if (size > log->length - at) size = log->length - at;
        hectic_decoder_push(d, log->data + at, size);
        hectic_result result;
        while ((result = pull(s, d)) != HECTIC_PARTIAL)
            if (result == HECTIC_ERROR) hectic_decoder_resync(d);
    }
    hectic_decoder_free(d);
    return s;
}

static void test_log(const char *path, const struct bytes *log)
{
    struct found all = found_in(log->data, log->length);
    if (all.headers == 1 && all.count > 0) {
        hectic_stat *by_file = hectic_stat_new(), *ordered = hectic_stat_new();
        for (size_t i = 0; i < all.count; i++)
            assert_true(hectic_stat_event(by_file, &all.event[i]));
        qsort(all.event, all.count, sizeof *all.event, by_time);
        feed_until(ordered, &all, 0, UINT64_MAX);
        hectic_stat_result x = result_of(by_file, NULL, HECTIC_STAT_END);
        hectic_stat_result y = result_of(ordered, NULL, HECTIC_STAT_END);
        print_message("%s: %zu events\n", path, all.count);
        /* Its times are invalid. */
        if (!strstr(path, "every-event")) assert_same(&x, &y);
        hectic_stat_result_clear(&y);
        hectic_stat *by_runs = stat_by_runs(log);
        y = result_of(by_runs, NULL, HECTIC_STAT_END);
        assert_same(&x, &y);
        hectic_stat_result_clear(&x);
        hectic_stat_result_clear(&y);
        hectic_stat_free(by_runs);
        hectic_stat_free(by_file);
        hectic_stat_free(ordered);
        const uint64_t first = all.event[0].time, last = all.event[all.count - 1].time;
        uint64_t state = all.count;
        const int tries = all.count > 100000 ? 3 : 30;
        for (int i = 0; i < tries && first < last; i++) {
            const uint64_t a = first + random_below(&state, last - first);
            const uint64_t b = a + random_below(&state, last - a + 1);
            try_cuts(&all, a, b, b + random_below(&state, last - b + 2));
        }
    }
    found_free(&all);
}

static void holds_on_logs(void **state)
{
    (void)state;
    for_each_log(8 << 20, test_log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_run_is_reported),
        cmocka_unit_test(intervals_clip),
        cmocka_unit_test(inconsistencies_are_warnings),
        cmocka_unit_test(fragmentation_by_blocks),
        cmocka_unit_test(intervals_count_each_spark),
        cmocka_unit_test(init_is_known_without_the_end),
        cmocka_unit_test(old_sparks_count),
        cmocka_unit_test(logs_may_start_late),
        cmocka_unit_test(replayed_state_is_not_counted),
        cmocka_unit_test(empty),
        cmocka_unit_test(holds_on_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
