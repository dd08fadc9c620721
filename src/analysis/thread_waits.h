/* thread_waits.h — how long threads were blocked, or waited for a cap, in all.
 *
 * Takes the events of each cap in order, but those of different caps in any order: the order of
 * the file is sufficient. A thread that is blocked belongs to the cap on which it has run: that cap
 * logs the end of its wait. A thread moves to another cap only when it can run: so the time until
 * then is counted on one cap, and the time from then on is the difference of two sums, of the times
 * when threads left a cap and when they arrived on one.
 *
 * Memory: 40 bytes for each live thread on each cap on which it has run, up to a limit; beyond it,
 * waits are unknown. */
#ifndef HECTIC_SRC_THREAD_WAITS_H
#define HECTIC_SRC_THREAD_WAITS_H

#include "analysis/keys.h"

#include <hectic/stat.h>

enum { THREAD_WAITS_LAST = 16, THREAD_WAITS_FIRST = 256 };

struct thread_waits {
    bool is_measured;               /* false: do not pass events */
    bool is_shifted;                /* the numbers of stop statuses: format/stop_status.h */
    bool is_lost;                   /* too many threads */
    struct keys thread;             /* by thread and cap */
    size_t last[THREAD_WAITS_LAST]; /* by cap: the slot of the last thread that began to run */
    /* The set of pairs of thread and hectic_wait, so that threads that wait on several caps count
     * once. It is limited. */
    struct keys waited;
    hectic_stat_wait wait[HECTIC_WAITS]; /* that have ended */
    /* Of the first threads, by number, because labels may come later: the time of foreign calls
     * that have ended, and whether it is one of the runtime's threads for timers and I/O. */
    uint64_t foreign_ns[THREAD_WAITS_FIRST];
    bool is_manager[THREAD_WAITS_FIRST];
    uint64_t left, arrived; /* the number of threads that left a cap, and arrived on one … */
    uint64_t left_ns, arrived_ns; /* … and the sums of these times, modulo 2^64 */
    uint64_t born, died;
    uint64_t born_ns, died_ns; /* as above */
};

void thread_waits_free(struct thread_waits *waits);

/* Each takes an event of a cap. False: out of memory. */
bool thread_waits_create(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time);
bool thread_waits_run(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time);
bool thread_waits_stop(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time,
                       uint16_t status);
/* `to`: the thread's cap: the event counts if it is the same. */
void thread_waits_wakeup(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time,
                         uint16_t to);
void thread_waits_migrate(struct thread_waits *waits, uint16_t cap, uint32_t thread, uint64_t time);
void thread_waits_label(struct thread_waits *waits, uint32_t thread, const uint8_t *label,
                        size_t length);

/* The results at `now`; all 0 if they are unknown. */
hectic_stat_waits thread_waits_get(const struct thread_waits *waits, uint64_t now);

#endif
