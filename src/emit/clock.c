/* Timestamps: from the system's clock, the caller, or the time stamp counter (TSC), which is mapped
 * to time by a line that is recalibrated periodically.
 *
 * Each line begins at the current time of the previous one, with a slope to meet the system's clock
 * when the next line is due: time never goes back, and jumps only after a suspend. A line in use is
 * not changed. Its memory is reused after some hours, when no thread can still be reading it. */
#define _GNU_SOURCE
#include "emit/emitter.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

enum {
    MEASURE_NS = 1000000,          /* for the first line */
    FIRST_INTERVAL_NS = 100000000, /* then twice that, and so on */
    TRIES = 8,                     /* to read both clocks at the same moment */
    TRIAL_NS = 3000000,            /* to compare the counters of all cores */
    TRIAL_PAUSES = 100,
    MAX_DIFFERENCE = 1024, /* a suspicious difference of rates, 1 / 1024; NTP slews by 1 / 2000 */
};
static const uint64_t LONGEST_INTERVAL_NS = UINT64_C(102400000000);

__extension__ typedef unsigned __int128 wide;

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* --- The counter ------------------------------------------------------------------------------ */

#ifdef __x86_64__

static uint64_t counter(void)
{
    unsigned core;
    return __builtin_ia32_rdtscp(&core);
}

static bool has_counter(void)
{
    enum { RDTSCP = 1 << 27, INVARIANT = 1 << 8 };
    unsigned a, b, c, features, power;
    return __get_cpuid(0x80000001, &a, &b, &c, &features) && features & RDTSCP &&
           __get_cpuid(0x80000007, &a, &b, &c, &power) && power & INVARIANT;
}

#else

static uint64_t counter(void)
{
    return 0;
}

static bool has_counter(void)
{
    return false;
}

#endif

static bool kernel_keeps_time_by_it(void)
{
    char name[8] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!file) return false;
    const bool read = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return read && strcmp(name, "tsc\n") == 0;
}

/* Threads on all cores read the counter and exchange values. */
typedef struct trial {
    uint64_t latest;
    bool over, stepped_back;
} trial;

static void *compare_counters(void *user)
{
    trial *t = user;
    while (!__atomic_load_n(&t->over, __ATOMIC_RELAXED)) {
        const uint64_t other = __atomic_load_n(&t->latest, __ATOMIC_ACQUIRE);
        const uint64_t now = counter();
        if (now < other) __atomic_store_n(&t->stepped_back, true, __ATOMIC_RELAXED);
        __atomic_store_n(&t->latest, now, __ATOMIC_RELEASE);
        /* Wait for another core. */
        for (int i = 0; i < TRIAL_PAUSES && __atomic_load_n(&t->latest, __ATOMIC_RELAXED) == now;)
            i++;
    }
    return NULL;
}

static bool start_on(pthread_t *thread, size_t core, trial *t)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool started = pthread_attr_setaffinity_np(&attributes, sizeof only, &only) == 0 &&
                         pthread_create(thread, &attributes, compare_counters, t) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* Are the counters of all cores synchronized, as far as threads can observe? */
static bool counters_agree(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
    trial t = {0};
    pthread_t thread[CPU_SETSIZE];
    size_t started = 0;
    bool complete = true;
    for (size_t core = 0; core < CPU_SETSIZE && complete; core++)
        if (CPU_ISSET(core, &allowed)) {
            complete = start_on(&thread[started], core, &t);
            if (complete) started++;
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (complete) sleep_ns(TRIAL_NS);
    __atomic_store_n(&t.over, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return complete && !t.stepped_back;
}

static bool sound;

static void find_soundness(void)
{
    sound = has_counter() && kernel_keeps_time_by_it() && counters_agree();
}

/* Is the TSC invariant, does the kernel use it as its clock source (which requires that the
 * counters of all cores are synchronized), and did reading it on all cores in turn find no step
 * back? The first call performs this test, which takes some milliseconds. */
static bool tsc_is_reliable(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_soundness);
    return sound;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* Reads both clocks at the same moment: the best of several tries. */
static moment moment_now(const clock_ *c)
{
    moment best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = counter(), ns = clock_ns(), width = counter() - before;
        if (width < least) {
            least = width;
            best = (moment){.tsc = before + width / 2, .ns = ns - c->begin};
        }
    }
    return best;
}

/* 0: the counter has not advanced. */
static uint64_t rate_between(moment from, moment to)
{
    const uint64_t ticks = to.tsc - from.tsc;
    if ((int64_t)ticks <= 0) return 0;
    return (uint64_t)(((wide)(to.ns - from.ns) << 32) / ticks);
}

static bool differs(uint64_t rate, uint64_t from)
{
    return (rate > from ? rate - from : from - rate) > from / MAX_DIFFERENCE;
}

/* Measures the rate within a short time. */
static moment measure(clock_ *c)
{
    const moment from = moment_now(c);
    sleep_ns(MEASURE_NS);
    const moment to = moment_now(c);
    c->rate = rate_between(from, to);
    c->interval = FIRST_INTERVAL_NS;
    return to;
}

/* A line from `ns` at the moment m to where the system's clock will be after the interval. */
static void draw(clock_ *c, moment m, uint64_t ns)
{
    const int64_t interval = (int64_t)c->interval;
    int64_t length = interval + (int64_t)(m.ns - ns);
    if (length < interval / 2) length = interval / 2;
    if (length > interval * 2) length = interval * 2;
    struct hectic_emit_line *line = &c->lines[c->drawn++ % LINES];
    *line = (struct hectic_emit_line){
        .tsc = m.tsc,
        .ns = ns,
        .slope = (uint64_t)((wide)c->rate * (uint64_t)length / c->interval)};
    __atomic_store_n(&c->line, line, __ATOMIC_RELEASE);
    c->measured = m;
    c->due = c->begin + m.ns + c->interval;
}

void clock_init(clock_ *c, const hectic_emitter_options *options)
{
    *c = (clock_){.kind = options->clock,
                  .now = options->now,
                  .user = options->user,
                  .begin = clock_ns(),
                  .due = UINT64_MAX};
    if (c->kind == HECTIC_CLOCK_AUTO)
        c->kind = tsc_is_reliable() ? HECTIC_CLOCK_TSC : HECTIC_CLOCK_MONOTONIC;
    else if (c->kind == HECTIC_CLOCK_TSC && !has_counter())
        c->kind = HECTIC_CLOCK_MONOTONIC;
    if (c->kind != HECTIC_CLOCK_TSC) return;
    const moment m = measure(c);
    draw(c, m, m.ns);
}

bool clock_calibrate(clock_ *c)
{
    if (c->due == UINT64_MAX || clock_ns() < c->due) return false;
    moment m = moment_now(c);
    const uint64_t rate = rate_between(c->measured, m);
    if (differs(rate, c->rate)) {
        /* Only one clock advanced: the machine was suspended, or migrated. */
        m = measure(c);
        const uint64_t ns = hectic_emit_line_time(c->line, m.tsc);
        draw(c, m, ns > m.ns ? ns : m.ns);
    } else {
        c->rate = rate;
        if (c->interval < LONGEST_INTERVAL_NS) c->interval *= 2;
        draw(c, m, hectic_emit_line_time(c->line, m.tsc));
    }
    return true;
}

/* The time of an event without the TSC, ns. */
static uint64_t clock_time(const clock_ *c)
{
    return c->kind == HECTIC_CLOCK_CALLER ? c->now(c->user) : clock_ns() - c->begin;
}

uint64_t clock_now(const clock_ *c)
{
    const struct hectic_emit_line *line = __atomic_load_n(&c->line, __ATOMIC_ACQUIRE);
    return line ? hectic_emit_line_time(line, counter()) : clock_time(c);
}

uint64_t hectic_emit_clock_time(const hectic_emit_cap *cap_)
{
    return clock_time(&((const cap *)cap_)->emitter->clock);
}
