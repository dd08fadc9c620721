/* The verdict on made-up results: which rules apply at their limits, their order, and their texts.
 */
#include "verdict/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SECOND = 1000000000, MIB = 1 << 20 };

/* A run of 10 s on two caps, both busy. */
struct run {
    hectic_stat_result r;
    hectic_stat_cap cap[2];
    hectic_stat_generation generation[2];
    hectic_thread_sums threads;
};

static void make(struct run *run)
{
    memset(run, 0, sizeof *run);
    hectic_stat_result *r = &run->r;
    r->to = 10ull * SECOND;
    r->caps = r->generations = 2;
    r->cap = run->cap;
    r->generation = run->generation;
    r->has_threads = r->has_gc = r->has_gc_stats = true;
    for (uint16_t i = 0; i < 2; i++)
        run->cap[i] = (hectic_stat_cap){.cap = i,
                                        .has_gc = true,
                                        .has_idle = true,
                                        .present_ns = r->to,
                                        .running_ns = r->to / 100 * 97,
                                        .idle_ns = r->to / 100 * 3};
}

static const hectic_finding *find(const hectic_verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->count; i++)
        if (strcmp(verdict->finding[i].rule->name, name) == 0) return &verdict->finding[i];
    return NULL;
}

static hectic_verdict judge(const struct run *run)
{
    hectic_verdict verdict;
    const hectic_verdict_input input = {.stat = &run->r, .threads = &run->threads, .events = 1000};
    assert_true(hectic_verdict_get(&input, &verdict));
    assert_true(verdict.count <= HECTIC_FINDINGS_MAX);
    assert_true((verdict.count == 0) == (verdict.nothing[0] != 0));
    for (size_t i = 0; i < verdict.count; i++) {
        const hectic_finding *f = &verdict.finding[i];
        assert_true(isfinite(f->value) && f->importance > 0 && f->importance <= 1);
        assert_true(i == 0 || f->importance <= f[-1].importance);
        assert_null(strpbrk(f->text, "{}"));
        assert_null(strpbrk(f->command, "{}"));
        assert_int_equal(strncmp(f->command, "hectic ", 7), 0);
        assert_string_equal(strstr(f->command, "LOG"), "LOG");
    }
    return verdict;
}

static void test_nothing(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    assert_string_equal(judge(&run).nothing, "Nothing stands out: 97 % of the time was the "
                                             "program's own, evenly on both caps.");
    run.cap[1].running_ns = run.r.to / 100 * 70;
    assert_string_equal(judge(&run).nothing,
                        "Nothing stands out: 97 % of the time was the program's own.");
    run.cap[0].running_ns = run.cap[1].running_ns = run.r.to / 100 * 49;
    assert_string_equal(judge(&run).nothing,
                        "Nothing stands out, but caps ran threads only 49 % of the time.");
    run.r.has_gc = false;
    assert_non_null(strstr(judge(&run).nothing, "does not have collections (+RTS -lg)"));
    const uint64_t end = run.r.to;
    run.r.has_exit = true;
    run.r.exit_ns = end - 9000000;
    assert_string_equal(judge(&run).nothing, "The run is too short for a verdict: 9.00 ms.");
    run.r.has_exit = false;
    run.r.to = 9999999;
    assert_string_equal(judge(&run).nothing, "The run is too short for a verdict: 10.0 ms.");
    run.r.is_cut = true;
    run.r.to = 49999999;
    assert_string_equal(judge(&run).nothing,
                        "The log has too little of the run for a verdict: 50.0 ms.");
    run.r.to = 50000000;
    assert_null(strstr(judge(&run).nothing, "too little"));
    run.r.to = 0;
    assert_string_equal(judge(&run).nothing, "There are no events for a verdict.");
}

static void grow(struct run *run)
{
    run->r.has_live_course = true;
    run->r.live_first = 2 * MIB;
    run->r.live_middle = 80 * MIB;
    run->r.live_high = run->r.live_last = 193 * MIB;
    run->r.live_until = run->r.live_last_at = run->r.to;
    run->r.gc_main_ns = run->r.to / 100 * 78;
}

static void test_growth(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    grow(&run);
    run.r.has_nonmoving = true;
    run.r.residency_samples = 7;
    hectic_verdict verdict = judge(&run);
    assert_string_not_equal(verdict.finding[0].rule->name, "gc_growth");
    run.r.residency_samples = 8;
    verdict = judge(&run);
    assert_string_equal(verdict.finding[0].text,
                        "78 % of the time was garbage collection; live data grew from 2.0 MiB to "
                        "193 MiB and did not shrink until the end. This log has no heap samples: "
                        "run again with +RTS -hT -l.");
    assert_string_equal(verdict.finding[0].command, "hectic heap LOG");
    assert_true(fabs(verdict.finding[0].value - 0.78) < 1e-9);
    const hectic_verdict_input begun = {.stat = &run.r, .has_heap_profile = true};
    assert_true(hectic_verdict_get(&begun, &verdict));
    assert_non_null(strstr(verdict.finding[0].text, "no samples: run again with +RTS -i0.1."));
    grow(&run);
    run.r.profiled = true;
    verdict = judge(&run);
    assert_non_null(strstr(verdict.finding[0].text, "run again with +RTS -hc"));
    run.r.profiled = false;
    /* Little time, but as much memory. */
    run.r.gc_main_ns = run.r.to / 10;
    verdict = judge(&run);
    assert_null(find(&verdict, "gc_growth"));
    assert_true(find(&verdict, "live_growth")->value == 191.0 * MIB);
    /* It shrank by more than 5 %; it was as large in the middle; it is small. */
    run.r.live_fall = 10 * MIB;
    verdict = judge(&run);
    assert_null(find(&verdict, "live_growth"));
    grow(&run);
    run.r.live_middle = 160 * MIB;
    verdict = judge(&run);
    assert_null(find(&verdict, "gc_growth"));
    assert_non_null(find(&verdict, "gc_time"));
    grow(&run);
    run.r.live_first = 50 * MIB;
    verdict = judge(&run);
    assert_null(find(&verdict, "gc_growth"));
}

/* Live data grows, and shrinks at the end: after 6 s, in the last tenth, after 4 s. */
static void test_growth_until(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    grow(&run);
    run.r.live_last = MIB;
    run.r.live_until = 6ull * SECOND;
    run.r.live_less = 7ull * SECOND;
    hectic_verdict verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "gc_growth")->text,
                           "from 2.0 MiB to 193 MiB and did not shrink until 6.00 s."));
    run.r.gc_main_ns = run.r.to / 10;
    verdict = judge(&run);
    assert_null(find(&verdict, "live_growth"));
    run.r.live_less = run.r.to / 100 * 91; /* nothing was measured before */
    verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "live_growth")->text, "did not shrink until 6.00 s."));
    run.r.live_until = run.r.to / 100 * 91;
    verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "live_growth")->text, "did not shrink until the end."));
    assert_true(find(&verdict, "live_growth")->value == 191.0 * MIB);
    grow(&run);
    run.r.live_last_at = 7ull * SECOND;
    verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "gc_growth")->text, "was not measured after 7.00 s."));
    grow(&run);
    run.r.live_until = 4ull * SECOND;
    verdict = judge(&run);
    assert_null(find(&verdict, "gc_growth"));
}

/* Pauses: few of them; one that had little to copy; one of the youngest generation; and those of a
 * heap profile. */
static void test_long_pause(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.r.pause = (hectic_distribution){.count = 99, .max = SECOND / 5, .p99 = SECOND / 5};
    run.generation[1].pause.max = SECOND / 5;
    assert_string_equal(judge(&run).finding[0].text,
                        "The longest garbage collection stopped the program for 200 ms. ");
    run.r.ghc = 810; /* the first with this collector */
    assert_non_null(strstr(judge(&run).finding[0].text, "+RTS --nonmoving-gc collects"));
    run.r.pause.count = 100;
    assert_non_null(strstr(judge(&run).finding[0].text,
                           "for 200 ms, and one in a hundred for 200 ms or more."));
    run.generation[1].pause.max--;
    assert_non_null(strstr(judge(&run).finding[0].text, "did not collect the oldest generation."));
    run.r.residency_samples = 1;
    run.r.allocation_area = 500000; /* of which the collection before left all */
    assert_null(strstr(judge(&run).finding[0].text, "little to copy")); /* 0 bytes more */
    run.r.allocation_area--;
    assert_non_null(strstr(judge(&run).finding[0].text, "little to copy"));
    const hectic_verdict_input input = {.stat = &run.r, .has_heap_samples = true};
    hectic_verdict verdict;
    assert_true(hectic_verdict_get(&input, &verdict));
    assert_int_equal(verdict.count, 0);
}

/* A small heap may be collected often because the allocation area is small. */
static void test_old_generation(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.generation[1] = (hectic_stat_generation){.collections = 5000,
                                                 .pause = {.count = 5000, .sum = 2ull * SECOND}};
    run.r.residency_max = 4 * MIB;
    hectic_verdict verdict = judge(&run);
    assert_string_equal(verdict.finding[0].text,
                        "5000 major collections took 20 % of the time, 400 us each, to copy up to "
                        "4.0 MiB. If the program needs that much, +RTS -F4 makes them fewer, at "
                        "the cost of memory; GHC.Compact makes them shorter.");
    run.generation[1].requested = 2501;
    verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "old_generation")->text,
                           "4.0 MiB. The program requested most of them (performGC)."));
    run.generation[1].requested = 0;
    run.r.residency_max--;
    verdict = judge(&run);
    assert_non_null(strstr(find(&verdict, "old_generation")->text, "+RTS -A16m makes them fewer"));
    run.r.allocation_area = MIB;
    run.generation[0] = (hectic_stat_generation){.collections = 5000,
                                                 .pause = {.count = 5000, .sum = 2ull * SECOND}};
    verdict = judge(&run);
    assert_null(find(&verdict, "old_generation"));
    assert_non_null(find(&verdict, "allocation_area"));
}

/* Threads that take turns at a lock: on a busy cap, on two caps, and while caps are idle. */
static void test_locks(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.threads.ns[HECTIC_THREAD_RUNNING] = run.r.to;
    run.threads.waits[HECTIC_LOCK_MVAR] = (hectic_lock_waits){
        .threads = 4, .ns = 2 * run.r.to, .own_ns = 4 * run.r.to, .active_ns = run.r.to};
    hectic_verdict verdict = judge(&run);
    assert_true(fabs(find(&verdict, "mvar")->value - 0.5) < 1e-9);
    /* Others do most of the work; they speed each other up; there is one cap. */
    run.threads.waits[HECTIC_LOCK_MVAR].active_ns = run.r.to / 2 - 1;
    verdict = judge(&run);
    assert_null(find(&verdict, "mvar"));
    run.threads.waits[HECTIC_LOCK_MVAR].active_ns = run.r.to;
    run.threads.ns[HECTIC_THREAD_RUNNING] = run.r.to / 10 * 16 + 1;
    verdict = judge(&run);
    assert_null(find(&verdict, "mvar"));
    run.threads.ns[HECTIC_THREAD_RUNNING] = run.r.to;
    run.r.caps = 1;
    verdict = judge(&run);
    assert_null(find(&verdict, "mvar"));
    run.r.caps = 2;
    for (int i = 0; i < 2; i++)
        run.cap[i].idle_ns = run.r.to / 2;
    run.threads.ns[HECTIC_THREAD_FOREIGN] = run.r.to;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "mvar"));
    run.threads.waits[HECTIC_LOCK_MVAR].threads = 1;
    verdict = judge(&run);
    assert_null(find(&verdict, "mvar"));
}

/* Threads that nothing wakes, while the caps are idle; and while others go on. */
static void test_never_woken(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    for (int i = 0; i < 2; i++)
        run.cap[i].idle_ns = run.r.to / 10 * 8;
    run.threads.left = run.threads.stuck[HECTIC_LOCK_STM] = (hectic_threads_left){
        .threads = 6, .late = 6, .since = run.r.to / 10, .from = run.r.to, .to = run.r.to};
    run.threads.end = run.r.to;
    hectic_verdict verdict = judge(&run);
    assert_true(find(&verdict, "never_woken")->value == 6);
    assert_true(fabs(find(&verdict, "never_woken")->importance - 0.9) < 1e-9);
    assert_null(find(&verdict, "idle"));
    assert_null(find(&verdict, "thread_growth"));
    run.cap[1].idle_ns = 0; /* a thread that computes until the end */
    run.cap[0].idle_ns = run.r.to;
    verdict = judge(&run);
    assert_null(find(&verdict, "never_woken"));
    run.cap[0].idle_ns = run.cap[1].idle_ns = run.r.to / 10 * 8;
    run.r.is_cut = true; /* others waited as long before, and were woken later */
    run.threads.longest_wait = run.r.to / 100 * 45;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "never_woken"));
    run.threads.longest_wait++;
    verdict = judge(&run);
    assert_null(find(&verdict, "never_woken"));
    run.threads.longest_wait = 0;
    run.threads.stuck[HECTIC_LOCK_STM].since = run.r.to - SECOND;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "never_woken"));
    run.threads.stuck[HECTIC_LOCK_STM].since++;
    verdict = judge(&run);
    assert_null(find(&verdict, "never_woken"));
    run.threads.stuck[HECTIC_LOCK_STM].since = run.r.to / 10;
    run.r.is_cut = false;
    run.threads.left.threads = 13;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "never_woken"));
    run.threads.left.threads = 14;
    verdict = judge(&run);
    assert_null(find(&verdict, "never_woken"));
    run.threads.left.threads = 6;
    run.threads.stuck[HECTIC_LOCK_STM].to = run.r.to / 100 * 87; /* they were killed */
    verdict = judge(&run);
    assert_null(find(&verdict, "never_woken"));
    /* Threads that were created all the time. */
    run.threads.left = (hectic_threads_left){.threads = 200, .late = 25, .to = run.r.to};
    verdict = judge(&run);
    assert_true(find(&verdict, "thread_growth")->value == 200);
    run.threads.left.late = 24;
    verdict = judge(&run);
    assert_null(find(&verdict, "thread_growth"));
    run.threads.left.late = 176;
    verdict = judge(&run);
    assert_null(find(&verdict, "thread_growth"));
}

/* Without the time in which nothing was logged; a cut log. */
static void test_unrecorded(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.r.unrecorded_ns = run.r.to / 10;
    for (int i = 0; i < 2; i++) {
        run.cap[i].unknown_ns = run.r.unrecorded_ns;
        run.cap[i].idle_ns = run.r.to / 10 * 5; /* 5/9 of the recorded time */
    }
    hectic_verdict verdict = judge(&run);
    assert_true(fabs(find(&verdict, "idle")->value - 5.0 / 9) < 1e-9);
    /* A cap that existed for a tenth of the time, in which it ran threads. */
    run.cap[1].present_ns = run.r.to / 10;
    run.cap[1].unknown_ns = run.cap[1].idle_ns = 0;
    verdict = judge(&run);
    assert_true(fabs(find(&verdict, "idle")->value - 0.5) < 1e-9);
    make(&run);
    run.r.unrecorded_ns = run.r.to / 5;
    verdict = judge(&run);
    assert_int_equal(verdict.count, 1);
    assert_non_null(find(&verdict, "unrecorded"));
    run.r.lacks_caps = true;
    verdict = judge(&run);
    assert_int_equal(verdict.count, 0);
    assert_non_null(strstr(verdict.nothing, "There is no verdict"));
}

/* Runnable threads on a single cap wait for nothing but each other; waits for a thunk cost nothing
 * while the caps are busy; a cap that is given up often. */
static void test_threads(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    for (int i = 0; i < 2; i++)
        run.cap[i].idle_ns = run.r.to / 2;
    run.threads.ns[HECTIC_THREAD_RUNNABLE] = run.threads.ns[HECTIC_THREAD_BLACK_HOLE] = run.r.to;
    hectic_verdict verdict = judge(&run);
    assert_null(find(&verdict, "runnable")); /* many, each for a short time */
    run.threads.queued_ns = run.r.to;
    verdict = judge(&run);
    assert_true(find(&verdict, "runnable")->value == 1);
    assert_non_null(find(&verdict, "black_hole"));
    for (int i = 0; i < 2; i++)
        run.cap[i].idle_ns = run.r.to / 5;
    verdict = judge(&run);
    assert_null(find(&verdict, "runnable"));
    assert_null(find(&verdict, "black_hole"));
    run.cap[1].wait_end_ns = run.r.to / 5; /* its OS thread has no processor */
    verdict = judge(&run);
    assert_true(fabs(find(&verdict, "runnable")->value - 0.8) < 1e-9);
    run.threads.yields = 200000;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "yields"));
    assert_null(find(&verdict, "runnable"));
    run.threads.yields = 190000;
    verdict = judge(&run);
    assert_null(find(&verdict, "yields"));
    /* Most of the time passes between threads that yield. */
    for (int i = 0; i < 2; i++) {
        run.cap[i].running_ns = run.r.to / 5;
        run.cap[i].idle_ns = run.r.to / 5 * 4;
    }
    run.threads.yields = 1000000;
    verdict = judge(&run);
    assert_true(fabs(find(&verdict, "yields")->value - 4000) < 1e-9);
    assert_null(find(&verdict, "idle"));
}

static void test_limits(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.r.gc_main_ns = run.r.to / 5 - 1;
    hectic_verdict verdict = judge(&run);
    assert_int_equal(verdict.count, 0);
    run.r.gc_main_ns = run.r.to / 5;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "gc_time"));
    make(&run);
    run.r.pause.max = 99999999;
    verdict = judge(&run);
    assert_int_equal(verdict.count, 0);
    run.r.pause.max++;
    verdict = judge(&run);
    assert_string_equal(verdict.finding[0].rule->name, "long_pause");
    run.r.has_nonmoving = true;
    verdict = judge(&run);
    assert_int_equal(verdict.count, 0);
}

/* Few collections say nothing about more. */
static void test_few_collections(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.r.to = SECOND / 10;
    run.r.allocation_area = 1 * MIB;
    run.r.has_balance = true;
    run.generation[0] = (hectic_stat_generation){
        .collections = 10, .parallel = 10, .pause = {.count = 10, .sum = SECOND / 50}};
    hectic_verdict verdict = judge(&run);
    assert_non_null(find(&verdict, "allocation_area"));
    assert_non_null(find(&verdict, "gc_balance"));
    run.generation[0].collections = run.generation[0].parallel = 9;
    verdict = judge(&run);
    assert_null(find(&verdict, "allocation_area"));
    assert_null(find(&verdict, "gc_balance"));
    run.generation[1] = run.generation[0];
    verdict = judge(&run);
    assert_null(find(&verdict, "old_generation"));
    run.r.residency_max = 4 * MIB;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "old_generation"));
}

/* Which cap delays collections. */
static void test_safepoint(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.r.has_safepoint = true;
    run.r.safepoint = (hectic_distribution){.count = 100, .sum = SECOND, .max = 20000000};
    run.r.gc_main_ns = SECOND / 2;
    run.r.delay_ns = SECOND;
    run.r.delay_cap_ns = SECOND / 2;
    run.r.delay_cap = 1;
    hectic_verdict verdict = judge(&run);
    const hectic_finding *f = find(&verdict, "safepoint");
    assert_true(fabs(f->value - 0.1) < 1e-9 && fabs(f->importance - 0.1) < 1e-9);
    assert_string_equal(
        f->text, "Collections waited 10 % of the time until all caps had reached a safepoint "
                 "(50 % of that for cap 1), up to 20.0 ms each. Possible causes: loops that do not "
                 "allocate (compile them with -fno-omit-yields), unsafe foreign "
                 "calls, more caps than free processors.");
    run.cap[1].running_ns = 1;
    verdict = judge(&run);
    assert_non_null(
        strstr(find(&verdict, "safepoint")->text, "That one ran no thread between most"));
    run.r.delay_cap_ns--;
    verdict = judge(&run);
    assert_null(strstr(find(&verdict, "safepoint")->text, " of that for cap"));
    /* Short waits count from 5 % of the time, long ones from 1 %. */
    run.r.gc_main_ns = SECOND / 100;
    run.r.safepoint.sum = SECOND / 2;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "safepoint"));
    run.r.safepoint.sum--;
    verdict = judge(&run);
    assert_null(find(&verdict, "safepoint"));
    run.r.safepoint.max = 100000000;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "safepoint"));
    run.r.caps = 1;
    verdict = judge(&run);
    assert_null(find(&verdict, "safepoint"));
}

/* One cap ran threads, the other did not: of one thread, or of several that waited for it. */
static void test_cap_balance(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    run.cap[0].running_ns = 8ull * SECOND;
    run.cap[1].running_ns = 0;
    run.threads.most_running_ns = 6ull * SECOND;
    hectic_verdict verdict = judge(&run);
    assert_non_null(find(&verdict, "cap_balance"));
    run.threads.most_running_ns--;
    verdict = judge(&run);
    assert_null(find(&verdict, "cap_balance"));
    run.threads.queued_ns = 8ull * SECOND / 10;
    verdict = judge(&run);
    assert_non_null(find(&verdict, "cap_balance"));
}

/* More than five rules apply: the most important ones are kept. */
static void test_order(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    grow(&run);
    run.r.pause.max = SECOND;
    run.r.has_sparks = run.r.has_balance = true;
    run.r.sparks = (hectic_stat_sparks){
        .created = 600, .overflowed = 200, .dud = 200, .fizzled = 300, .gcd = 300};
    run.r.allocation_area = MIB;
    run.generation[0] = (hectic_stat_generation){
        .collections = 5000, .parallel = 5000, .pause = {.count = 5000, .sum = 6ull * SECOND}};
    run.r.gaps.dropped_events = 10;
    run.r.gaps.dropped_places = 1;
    const hectic_verdict verdict = judge(&run);
    const char *const expected[] = {"gc_growth", "allocation_area", "gc_balance", "long_pause",
                                    "sparks_fizzled"};
    assert_int_equal(verdict.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(verdict.finding[i].rule->name, expected[i]);
    assert_non_null(strstr(verdict.finding[1].text, "5000 minor collections took 60 % of the "
                                                    "time, one every 2.00 ms."));
    assert_non_null(strstr(verdict.finding[1].text, "(now 1.0 MiB)"));
    assert_non_null(strstr(verdict.finding[1].text, "-A16m -n4m."));
}

/* Results of nonsense logs. */
static void test_extremes(void **state)
{
    struct run run;
    (void)state;
    memset(&run, 0xff, sizeof run);
    run.r.from = 0;
    run.r.caps = run.r.generations = 2;
    run.r.cap = run.cap;
    run.r.generation = run.generation;
    run.r.work_balance = 0;
    bool *flags[] = {&run.r.has_threads,    &run.r.has_gc,
                     &run.r.has_mean_pause, &run.r.has_gc_stats,
                     &run.r.has_balance,    &run.r.has_sparks,
                     &run.r.has_safepoint,  &run.r.has_fragmentation,
                     &run.r.has_heap_size,  &run.r.has_live_course,
                     &run.r.has_exit};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = true;
    run.r.has_nonmoving = false;
    for (int i = 0; i < 2; i++)
        run.cap[i].has_gc = run.cap[i].has_idle = true;
    hectic_verdict verdict;
    run.r.lacks_caps = run.r.is_cut = false;
    const hectic_verdict_input input = {
        .stat = &run.r, .threads = &run.threads, .events = UINT64_MAX};
    assert_true(hectic_verdict_get(&input, &verdict));
    assert_true(verdict.count <= HECTIC_FINDINGS_MAX);
}

static void test_table(void **state)
{
    size_t count;
    (void)state;
    const hectic_rule *rules = hectic_rules(&count);
    assert_true(count >= 20);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(hectic_value_unit_name(rules[i].unit));
        assert_true(rules[i].limit > 0 && *rules[i].source && *rules[i].because);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rules[i].name, rules[k].name);
    }
}

static hectic_rule_state state_of(const struct run *run, enum rule rule)
{
    const hectic_verdict verdict = judge(run);
    return verdict.state[rule];
}

/* Of each rule it is known whether it applies, or that the log lacks what it needs. */
static void test_states(void **state)
{
    struct run run;
    (void)state;
    make(&run);
    assert_int_equal(state_of(&run, RULE_gc_time), HECTIC_RULE_ABSENT);
    assert_int_equal(state_of(&run, RULE_cap_balance), HECTIC_RULE_ABSENT);
    assert_int_equal(state_of(&run, RULE_long_pause), HECTIC_RULE_ABSENT);
    assert_int_equal(state_of(&run, RULE_lost_events), HECTIC_RULE_ABSENT);
    assert_int_equal(state_of(&run, RULE_thunks), HECTIC_RULE_UNKNOWN);
    assert_int_equal(state_of(&run, RULE_cost_centre), HECTIC_RULE_UNKNOWN);
    assert_int_equal(state_of(&run, RULE_sparks_dud), HECTIC_RULE_UNKNOWN);
    assert_int_equal(state_of(&run, RULE_safepoint), HECTIC_RULE_UNKNOWN);
    run.r.gc_main_ns = run.r.to / 2;
    assert_int_equal(state_of(&run, RULE_gc_time), HECTIC_RULE_APPLIES);
    run.r.has_gc = false;
    assert_int_equal(state_of(&run, RULE_gc_time), HECTIC_RULE_UNKNOWN);
    assert_int_equal(state_of(&run, RULE_cap_balance), HECTIC_RULE_ABSENT);
    run.r.unrecorded_ns = run.r.to / 2;
    assert_int_equal(state_of(&run, RULE_unrecorded), HECTIC_RULE_APPLIES);
    assert_int_equal(state_of(&run, RULE_cap_balance), HECTIC_RULE_UNKNOWN);
    assert_int_equal(state_of(&run, RULE_lost_events), HECTIC_RULE_ABSENT);
    run.r.lacks_caps = true;
    for (unsigned i = 0; i < RULES; i++)
        assert_int_equal(state_of(&run, (enum rule)i), HECTIC_RULE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),        cmocka_unit_test(test_states),
        cmocka_unit_test(test_growth),         cmocka_unit_test(test_growth_until),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_long_pause),
        cmocka_unit_test(test_old_generation), cmocka_unit_test(test_few_collections),
        cmocka_unit_test(test_locks),          cmocka_unit_test(test_never_woken),
        cmocka_unit_test(test_unrecorded),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_safepoint),      cmocka_unit_test(test_cap_balance),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
