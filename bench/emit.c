/* What it costs to emit, and how much an emitter carries.
 *
 *     emit clock                      clock_gettime alone
 *     emit event CLOCK                an event of two fields (THREAD_WAKEUP: thread, other_cap), in
 *                                     bursts, to /dev/null. CLOCK: monotonic, tsc, or caller, which
 *                                     counts
 *     emit disabled                   the same with its class off
 *     emit together THREADS           all threads at once, each on a cap of its own; of the burst
 *                                     that was disturbed least
 *         print nanoseconds (of `together`: by which all of them together have emitted one more)
 *
 *     emit flood DESTINATION MIX THREADS SECONDS
 *         events as fast as they go. MIX: wakeup, the event above; threads, RUN_THREAD and
 *         STOP_THREAD of 100 threads. Prints "EVENTS USED DROPPED BUFFERS GROWTH": million events
 *         per second, ns of processors that each took, emitting and writing, percent that were
 *         dropped, KB of the buffers, KB by which resident memory grew in the second half
 */
#define _GNU_SOURCE
#include <hectic/emit.h>

#include "bursts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 64, ALIVE = 100, YIELDING = 3 };

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "emit: %s\n", why);
    exit(1);
}

static uint64_t count_up(void *user)
{
    return ++*(uint64_t *)user;
}

static hectic_emitter *start(const char *clock, const char *to, uint32_t caps, size_t buffer)
{
    static uint64_t count;
    static const char *const names[] = {[HECTIC_CLOCK_MONOTONIC] = "monotonic",
                                        [HECTIC_CLOCK_TSC] = "tsc",
                                        [HECTIC_CLOCK_CALLER] = "caller"};
    hectic_emitter_options options = {
        .caps = caps, .buffer_size = buffer, .now = count_up, .user = &count};
    for (hectic_emit_clock kind = HECTIC_CLOCK_MONOTONIC; kind <= HECTIC_CLOCK_CALLER; kind++)
        if (strcmp(clock, names[kind]) == 0) options.clock = kind;
    hectic_emitter *e = hectic_emitter_new(&options);
    hectic_destination destination;
    char room[4096];
    if (!e || !hectic_destination_parse(&destination, to, room, sizeof room) ||
        hectic_emitter_start(e, &destination) != HECTIC_EMIT_OK)
        die("cannot emit");
    return e;
}

/* --- One event ------------------------------------------------------------------------------- */

static void read_clock(void *user, uint32_t count)
{
    volatile long *last = user;
    for (uint32_t i = 0; i < count; i++) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        *last = t.tv_nsec;
    }
}

static void wake_up(void *user, uint32_t count)
{
    hectic_emit_cap *cap = user;
    for (uint32_t i = 0; i < count; i++)
        hectic_emit_thread_wakeup(cap, i % ALIVE + 1, (uint16_t)(i & 3));
}

static double cost_of_clock(void)
{
    long last;
    pin(0);
    return bursts_median(read_clock, &last);
}

static double cost_of_event(const char *clock, bool enabled)
{
    hectic_emitter *e = start(clock, "/dev/null", 1, 0);
    if (!enabled) hectic_emitter_disable(e, HECTIC_CLASS_SCHEDULER);
    pin(0);
    const double ns = bursts_median(wake_up, hectic_emitter_cap(e, 0));
    if (hectic_emitter_get_state(e).events_dropped > 0) die("events were dropped");
    hectic_emitter_free(e);
    return ns;
}

/* --- Several threads ------------------------------------------------------------------------- */

enum { LONG_BURST = 100000, LONG_BUFFER = 2 << 20 };

typedef struct worker {
    hectic_emit_cap *cap;
    pthread_barrier_t *barrier;
    const bool *over;
    void (*emit)(void *user, uint32_t count);
    uint64_t emitted;
    size_t number;
} worker;

static void *work_together(void *user)
{
    worker *w = user;
    pin(w->number);
    for (;;) {
        pthread_barrier_wait(w->barrier);
        if (__atomic_load_n(w->over, __ATOMIC_RELAXED)) return NULL;
        wake_up(w->cap, LONG_BURST);
        pthread_barrier_wait(w->barrier);
    }
}

/* One burst of all. */
static void let_work(void *user, uint32_t count)
{
    (void)count;
    pthread_barrier_wait(user);
    pthread_barrier_wait(user);
}

static void *work_on(void *user)
{
    worker *w = user;
    while (!__atomic_load_n(w->over, __ATOMIC_RELAXED)) {
        w->emit(w->cap, BURST);
        w->emitted += BURST;
    }
    return NULL;
}

static double cost_together(size_t threads)
{
    hectic_emitter *e = start("monotonic", "/dev/null", (uint32_t)threads, LONG_BUFFER);
    pthread_t thread[MOST_THREADS];
    worker w[MOST_THREADS];
    bool over = false;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (size_t i = 0; i < threads; i++) {
        w[i] = (worker){.cap = hectic_emitter_cap(e, (uint32_t)i),
                        .barrier = &barrier,
                        .over = &over,
                        .number = i};
        if (pthread_create(&thread[i], NULL, work_together, &w[i]) != 0)
            die("cannot start a thread");
    }
    double ns[BURSTS];
    bursts(let_work, &barrier, (uint32_t)(LONG_BURST * threads), ns);
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    if (hectic_emitter_get_state(e).events_dropped > 0) die("events were dropped");
    hectic_emitter_free(e);
    return ns[0];
}

/* RUN_THREAD and STOP_THREAD of threads that take turns. */
static void switch_threads(void *user, uint32_t count)
{
    hectic_emit_cap *cap = user;
    for (uint32_t i = 0; i < count; i += 2) {
        const uint32_t thread = i / 2 % ALIVE + 1;
        hectic_emit_run_thread(cap, thread);
        hectic_emit_stop_thread(cap, thread, YIELDING, 0);
    }
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) die("cannot read /proc/self/statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void flood(const char *to, const char *mix, size_t threads, double time)
{
    hectic_emitter *e = start("monotonic", to, (uint32_t)threads, 0);
    pthread_t thread[MOST_THREADS];
    worker w[MOST_THREADS];
    bool over = false;
    const double begin = seconds(), begin_used = processor_seconds();
    for (size_t i = 0; i < threads; i++) {
        w[i] = (worker){.cap = hectic_emitter_cap(e, (uint32_t)i),
                        .over = &over,
                        .emit = strcmp(mix, "wakeup") == 0 ? wake_up : switch_threads};
        if (pthread_create(&thread[i], NULL, work_on, &w[i]) != 0) die("cannot start a thread");
    }
    const struct timespec half = {(time_t)(time / 2),
                                  (long)((time / 2 - (double)(time_t)(time / 2)) * 1e9)};
    nanosleep(&half, NULL);
    const long resident = resident_kb();
    nanosleep(&half, NULL);
    const long growth = resident_kb() - resident;
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    uint64_t emitted = 0;
    for (size_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        emitted += w[i].emitted;
    }
    const double taken = seconds() - begin, used = processor_seconds() - begin_used;
    const hectic_emitter_state state = hectic_emitter_get_state(e);
    printf("%.3f %.2f %.2f %llu %ld\n", (double)emitted / taken / 1e6, used * 1e9 / (double)emitted,
           100 * (double)state.events_dropped / (double)emitted,
           (unsigned long long)state.memory / 1024, growth);
    hectic_emitter_free(e);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const size_t threads = argc > 4   ? strtoul(argv[4], NULL, 10)
                           : argc > 2 ? strtoul(argv[2], NULL, 10)
                                      : 0;
    if (strcmp(what, "clock") == 0)
        printf("%.3f\n", cost_of_clock());
    else if (strcmp(what, "event") == 0 && argc == 3)
        printf("%.3f\n", cost_of_event(argv[2], true));
    else if (strcmp(what, "disabled") == 0)
        printf("%.3f\n", cost_of_event("monotonic", false));
    else if (strcmp(what, "together") == 0 && threads > 0 && threads <= MOST_THREADS)
        printf("%.3f\n", cost_together(threads));
    else if (strcmp(what, "flood") == 0 && argc == 6 && threads > 0 && threads <= MOST_THREADS)
        flood(argv[2], argv[3], threads, strtod(argv[5], NULL));
    else
        die("see the head of bench/emit.c");
    return 0;
}
