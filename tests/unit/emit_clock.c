/* The emitter's clocks: they are monotonic, and follow CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include "emit/emitter.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

enum { NEAR_NS = 50000, READERS = 4 };

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static clock_ *clock_of(hectic_emit_clock kind)
{
    static clock_ c;
    clock_init(&c, &(hectic_emitter_options){.clock = kind});
    return &c;
}

/* Skips without a usable TSC. */
static clock_ *tsc_clock(void)
{
    clock_ *c = clock_of(HECTIC_CLOCK_TSC);
    if (!c->line) {
        print_message("SKIPPED: this machine has no invariant TSC\n");
        skip();
    }
    return c;
}

/* Sets *now to the clock's time. Is it near CLOCK_MONOTONIC? */
static bool is_near(const clock_ *c, uint64_t slack, uint64_t *now)
{
    const uint64_t before = clock_ns() - c->begin;
    *now = clock_now(c);
    const uint64_t after = clock_ns() - c->begin;
    return *now + slack >= before && *now <= after + slack;
}

static uint64_t time_near(const clock_ *c, uint64_t slack)
{
    uint64_t now;
    assert_true(is_near(c, slack, &now));
    return now;
}

static void keeps_to_the_system_clock(void **state)
{
    (void)state;
    clock_ *c = tsc_clock();
    const uint64_t end = clock_ns() + 1000 * MS;
    uint64_t last = 0;
    while (clock_ns() < end) {
        const uint64_t now = time_near(c, NEAR_NS);
        assert_true(now >= last);
        last = now;
        clock_calibrate(c);
    }
    /* At first, and after about 0.1, 0.3 and 0.7 s. */
    assert_in_range(c->drawn, 2, 4);
    assert_true(c->interval > 100 * MS);
}

static void lines_join(void **state)
{
    (void)state;
    clock_ *c = tsc_clock();
    assert_false(clock_calibrate(c));
    for (unsigned i = 0; i < LINES + 10; i++) {
        const struct hectic_emit_line old = *c->line;
        sleep_ms(1);
        c->due = 0;
        assert_true(clock_calibrate(c));
        assert_ptr_equal(c->line, &c->lines[(i + 1) % LINES]);
        assert_int_equal(hectic_emit_line_time(&old, c->line->tsc), c->line->ns);
        assert_int_equal(hectic_emit_line_time(c->line, c->line->tsc - 5), c->line->ns);
        time_near(c, NEAR_NS);
    }
}

/* An error is corrected within the next interval. */
static void converges_again(void **state)
{
    (void)state;
    for (int64_t wrong = -200000; wrong <= 200000; wrong += 400000) {
        clock_ *c = tsc_clock();
        struct hectic_emit_line crooked = *c->line;
        crooked.ns += (uint64_t)wrong;
        c->line = &crooked;
        c->interval = 25 * MS;
        sleep_ms(10);
        c->due = 0;
        assert_true(clock_calibrate(c));
        assert_int_equal(c->interval, 50 * MS);
        while (clock_ns() < c->due)
            clock_now(c);
        clock_now(c);
        /* The line continues with the same slope if this thread was delayed. */
        time_near(c, NEAR_NS + (clock_ns() - c->due) / 100);
    }
}

static void jumps_after_sleep(void **state)
{
    (void)state;
    clock_ *c = tsc_clock();
    const uint64_t before = clock_now(c);
    c->begin -= 5000 * MS; /* the system's clock advanced, the counter did not */
    sleep_ms(1);
    c->due = 0;
    assert_true(clock_calibrate(c));
    assert_true(clock_now(c) >= before + 5000 * MS);
    time_near(c, NEAR_NS);
}

static void waits_when_ahead(void **state)
{
    (void)state;
    clock_ *c = tsc_clock();
    sleep_ms(150);
    c->begin += 100 * MS; /* the counter advanced, the system's clock did not */
    c->due = 0;
    /* 0.7 s; longer if a busy machine delays this thread while the slope is steep. */
    const uint64_t begin = clock_ns(), soon = begin + 700 * MS, end = begin + 10000 * MS;
    uint64_t last = clock_now(c), now;
    bool near = false;
    for (uint64_t at; (at = clock_ns()) < soon || (!near && at < end); last = now) {
        near = is_near(c, MS, &now);
        assert_true(now >= last);
        clock_calibrate(c);
    }
    assert_true(near);
}

/* Threads that pass the latest time to each other. */
struct relay {
    hectic_emit_cap cap;
    uint64_t latest, worst;
    bool over;
};

static void *read_in_turn(void *user)
{
    struct relay *r = user;
    while (!__atomic_load_n(&r->over, __ATOMIC_RELAXED)) {
        const uint64_t seen = __atomic_load_n(&r->latest, __ATOMIC_ACQUIRE);
        const uint64_t now = hectic_emit_read_clock(&r->cap);
        if (now < seen && seen - now > __atomic_load_n(&r->worst, __ATOMIC_RELAXED))
            __atomic_store_n(&r->worst, seen - now, __ATOMIC_RELAXED);
        __atomic_store_n(&r->latest, now, __ATOMIC_RELEASE);
        for (int i = 0; i < 100 && __atomic_load_n(&r->latest, __ATOMIC_RELAXED) == now;)
            i++;
    }
    return NULL;
}

static uint64_t worst_step_back(clock_ *c, bool new_lines)
{
    struct relay r = {.cap.line = c->line};
    pthread_t thread[READERS];
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_in_turn, &r), 0);
    const uint64_t end = clock_ns() + 400 * MS;
    while (clock_ns() < end) {
        sleep_ms(5);
        if (!new_lines) continue;
        c->due = 0;
        assert_true(clock_calibrate(c));
        __atomic_store_n(&r.cap.line, c->line, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&r.over, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
    return r.worst;
}

static void never_goes_back_between_threads(void **state)
{
    (void)state;
    if (clock_of(HECTIC_CLOCK_AUTO)->kind != HECTIC_CLOCK_TSC) {
        print_message("SKIPPED: the TSC of this machine is unreliable\n");
        skip();
    }
    assert_int_equal(worst_step_back(tsc_clock(), false), 0);
    /* A thread that was preempted may still use the previous line. */
    assert_in_range(worst_step_back(tsc_clock(), true), 0, NEAR_NS);
}

static void testing_the_tsc_keeps_the_affinity(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    const hectic_emit_clock kind = clock_of(HECTIC_CLOCK_AUTO)->kind;
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    const clock_ *c = clock_of(HECTIC_CLOCK_AUTO);
    assert_int_equal(c->kind, kind);
    assert_true(kind == HECTIC_CLOCK_TSC || kind == HECTIC_CLOCK_MONOTONIC);
    assert_int_equal(c->line != NULL, kind == HECTIC_CLOCK_TSC);
}

static void works_without_a_tsc(void **state)
{
    (void)state;
    clock_ *c = clock_of(HECTIC_CLOCK_MONOTONIC);
    assert_null(c->line);
    assert_false(clock_calibrate(c));
    assert_true(time_near(c, 0) <= time_near(c, 0));
}

static uint64_t generator(void *user)
{
    return ++*(uint64_t *)user;
}

static void uses_the_callers_clock(void **state)
{
    (void)state;
    hectic_emitter *e = calloc(1, sizeof *e);
    assert_non_null(e);
    uint64_t seen = 41;
    clock_init(&e->clock, &(hectic_emitter_options){
                              .clock = HECTIC_CLOCK_CALLER, .now = generator, .user = &seen});
    cap c = {.emitter = e};
    assert_int_equal(hectic_emit_read_clock(&c.out), 42);
    assert_int_equal(clock_now(&e->clock), 43);
    assert_false(clock_calibrate(&e->clock));
    c.out.last = 100; /* time went back */
    assert_int_equal(hectic_emit_now(&c.out), 100);
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testing_the_tsc_keeps_the_affinity),
        cmocka_unit_test(keeps_to_the_system_clock),
        cmocka_unit_test(lines_join),
        cmocka_unit_test(converges_again),
        cmocka_unit_test(jumps_after_sleep),
        cmocka_unit_test(waits_when_ahead),
        cmocka_unit_test(never_goes_back_between_threads),
        cmocka_unit_test(works_without_a_tsc),
        cmocka_unit_test(uses_the_callers_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
