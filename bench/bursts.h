/* How the cost of one event is measured, of hectic's and of LTTng's alike: bursts that fit into the
 * buffers, and between them time for another thread to empty them. So nothing is dropped and no
 * thread waits; what is left is what the thread pays that logs. */
#ifndef HECTIC_BENCH_BURSTS_H
#define HECTIC_BENCH_BURSTS_H

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { BURSTS = 100, BURST = 10000, PAUSE_NS = 5000000 };

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The calling thread runs on one processor, the last but `back`; what it started does not. */
static inline void pin(size_t back)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed) && back-- == 0) {
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static inline int bursts_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The times of one of the `count` things that `burst` does, in ns, the shortest first. */
static inline void bursts(void (*burst)(void *user, uint32_t count), void *user, uint32_t count,
                          double ns[BURSTS])
{
    for (int i = -BURSTS / 10; i < BURSTS; i++) { /* the first ones find memory untouched */
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        const double begin = seconds();
        burst(user, count);
        if (i >= 0) ns[i] = (seconds() - begin) * 1e9 / count;
    }
    qsort(ns, BURSTS, sizeof *ns, bursts_compare);
}

static inline double bursts_median(void (*burst)(void *user, uint32_t count), void *user)
{
    double ns[BURSTS];
    bursts(burst, user, BURST, ns);
    return ns[BURSTS / 2];
}

#endif
