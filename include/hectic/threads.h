/* hectic/threads.h — what each Haskell thread did with its time.
 *
 * A consumer of ordered events. It keeps what is alive: 168 bytes for a thread, its label, and at
 * most 24 bytes for finding it. A thread that ends is given away at once.
 *
 *     hectic_threads *threads = hectic_threads_new(0, UINT64_MAX, take_row, user);
 *     for each section: hectic_threads_begin(threads, header);
 *                       for each event: hectic_threads_event(threads, &event);
 *                       hectic_threads_end(threads, section->last_time);
 *
 * Times are clipped to the interval exactly, so that those of adjacent intervals add up.
 */
#ifndef HECTIC_THREADS_H
#define HECTIC_THREADS_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a thread does. In the threaded runtime, waiting for I/O or for a time is done by the I/O
 *  manager, and shows as waiting for an MVar or in STM. */
typedef enum hectic_thread_state {
    HECTIC_THREAD_UNKNOWN, /**< the log does not tell, or contradicts itself */
    HECTIC_THREAD_RUNNING,
    HECTIC_THREAD_RUNNABLE, /**< waits for a cap; also after a heap overflow, while the heap is
                                 collected */
    HECTIC_THREAD_MVAR,
    HECTIC_THREAD_MVAR_READ,
    HECTIC_THREAD_BLACK_HOLE, /**< waits for another thread to evaluate something */
    HECTIC_THREAD_STM,
    HECTIC_THREAD_DELAY,
    HECTIC_THREAD_IO,
    HECTIC_THREAD_FOREIGN, /**< in a safe foreign call, or waiting for a cap after it */
    HECTIC_THREAD_THROW_TO,
    HECTIC_THREAD_OTHER, /**< blocked, for a reason that the log does not name */
    HECTIC_THREAD_STATES,
} hectic_thread_state;

/** "running", "mvar", "black_hole" …: words that do for keys. */
const char *hectic_thread_state_name(hectic_thread_state state);

/** One thread. */
typedef struct hectic_thread {
    uint32_t id;
    bool has_born;  /**< its creation was seen; else `born` is when it was first heard of */
    bool has_ended; /**< its end was seen */
    bool is_spark;  /**< it was created to evaluate sparks */
    hectic_thread_state state;         /**< its last, at the end */
    uint64_t since;                    /**< ns; of one that lives: since when */
    uint16_t cap;                      /**< where it is, or was last; HECTIC_CAP_NONE: unknown */
    const char *label;                 /**< its last; NULL: none */
    uint64_t born, ended;              /**< ns; not clipped */
    uint64_t ns[HECTIC_THREAD_STATES]; /**< time in each state, inside the interval */
    uint64_t runs;                     /**< how often it was run, inside the interval */
    uint64_t migrations;               /**< how often it changed its cap, inside the interval */
    uint32_t caps;                     /**< on how many caps it ran, inside the interval */
} hectic_thread;

/** Sums over all threads, also those of earlier sections. */
typedef struct hectic_thread_totals {
    uint64_t threads; /**< that were alive in the interval */
    uint64_t born, ended, spark_threads;
    uint64_t ns[HECTIC_THREAD_STATES];
    uint64_t runs, migrations;
    uint64_t live, live_max;                 /**< now, and at most */
    uint64_t in_state[HECTIC_THREAD_STATES]; /**< of those that live now */
} hectic_thread_totals;

/** Takes a thread; false: stop. The thread is valid during the call. */
typedef bool (*hectic_thread_callback)(void *user, const hectic_thread *thread);

typedef struct hectic_threads hectic_threads;

/** For from <= t < to (ns). `take` is given each thread of the interval that has ended. NULL: no
 *  memory. */
hectic_threads *hectic_threads_new(uint64_t from, uint64_t to, hectic_thread_callback take,
                                   void *user);
void hectic_threads_free(hectic_threads *threads);

/** A section begins. */
void hectic_threads_begin(hectic_threads *threads, const hectic_header *header);

/** The next event. False: no memory, or `take` has said stop. */
bool hectic_threads_event(hectic_threads *threads, const hectic_event *event);

/** Gives `take` those that live, as they are at `now`, in the order of their numbers. False as
 *  above. */
bool hectic_threads_live(const hectic_threads *threads, uint64_t now, hectic_thread_callback take,
                         void *user);

/** The section has ended at `now`: gives away all that live. False as above. */
bool hectic_threads_end(hectic_threads *threads, uint64_t now);

/** The sums at `now`. */
void hectic_threads_totals(const hectic_threads *threads, uint64_t now,
                           hectic_thread_totals *totals);

#ifdef __cplusplus
}
#endif
#endif
