/* threads.h — how each Haskell thread spent its time.
 *
 * Takes events in order of time. It keeps live threads: 220 bytes per thread, its label, and at
 * most 24 bytes in an index. A thread that ends is reported at once.
 *
 *     hectic_threads *threads = hectic_threads_new(0, UINT64_MAX, print_thread, user);
 *     for each section: hectic_threads_begin(threads, header);
 *                       for each event: hectic_threads_event(threads, &event);
 *                       hectic_threads_end(threads, section->last_time);
 *
 * Times are clipped to the interval exactly, so adjacent intervals add up.
 */
#ifndef HECTIC_SRC_THREADS_H
#define HECTIC_SRC_THREADS_H

#include <hectic/decoder.h>

/* The state of a thread. In the threaded runtime, the I/O manager waits for I/O and timers, and
 *  the thread waits for an MVar or in STM. */
typedef enum hectic_thread_state {
    HECTIC_THREAD_UNKNOWN, /* not recorded, or contradictory */
    HECTIC_THREAD_RUNNING,
    HECTIC_THREAD_RUNNABLE, /* waiting for a cap; also after a heap overflow, during the
                               collection */
    HECTIC_THREAD_MVAR,
    HECTIC_THREAD_MVAR_READ,
    HECTIC_THREAD_BLACK_HOLE, /* waiting for another thread's evaluation */
    HECTIC_THREAD_STM,
    HECTIC_THREAD_DELAY,
    HECTIC_THREAD_IO,
    HECTIC_THREAD_FOREIGN, /* in a safe foreign call, or waiting for a cap after it */
    HECTIC_THREAD_THROW_TO,
    HECTIC_THREAD_OTHER, /* blocked for another reason */
    HECTIC_THREAD_STATES,
} hectic_thread_state;

/* "running", "mvar", "black_hole" …: identifiers, usable as keys. */
const char *hectic_thread_state_name(hectic_thread_state state);

/* What a thread waits for that another thread ends. */
typedef enum hectic_lock {
    HECTIC_LOCK_MVAR, /* MVARs, read and taken; in the threaded runtime also I/O and timers */
    HECTIC_LOCK_STM,
    HECTIC_LOCKS
} hectic_lock;

/* One thread. */
typedef struct hectic_thread {
    uint32_t id;
    bool has_born;             /* the log has its creation; otherwise `born` is its first event */
    bool has_ended;            /* the log has its end */
    bool is_spark;             /* it was created to evaluate sparks */
    hectic_thread_state state; /* its last state */
    uint64_t since;            /* ns: when `state` began; for live threads */
    /* The state of waiting for another thread from which it ran for the last time without having
     * been woken; UNKNOWN: it was woken. When a program ends, its runtime runs blocked
     * threads in order to end them. */
    hectic_thread_state unwoken;
    uint64_t unwoken_since;            /* ns: when that began */
    uint64_t outside_ns[HECTIC_LOCKS]; /* waiting, until a thread of the runtime woke it: for
                                          timers and I/O, with the threaded runtime */
    uint64_t longest_wait;             /* ns, in MVars or STM, until it was woken */
    uint16_t cap;                      /* its current or last cap; HECTIC_CAP_NONE: unknown */
    const char *label;                 /* its last label; NULL: none */
    uint64_t born, ended;              /* ns, not clipped */
    uint64_t ns[HECTIC_THREAD_STATES]; /* time in each state, inside the interval */
    uint64_t runs;                     /* how often it was scheduled, inside the interval */
    uint64_t yields;     /* how often it gave up its cap by itself, inside the interval */
    uint64_t migrations; /* changes of its cap, inside the interval */
    uint32_t caps;       /* number of caps on which it ran, inside the interval */
} hectic_thread;

/* Totals over all threads, including earlier sections. */
typedef struct hectic_thread_totals {
    uint64_t threads; /* threads that were alive in the interval */
    uint64_t born, ended, spark_threads;
    uint64_t ns[HECTIC_THREAD_STATES];
    uint64_t runs, migrations;
    uint64_t live, live_max;                 /* live threads now, and the maximum */
    uint64_t in_state[HECTIC_THREAD_STATES]; /* of the live threads */
} hectic_thread_totals;

/* Called for a thread, which is valid during the call. Return false to stop. */
typedef bool (*hectic_thread_callback)(void *user, const hectic_thread *thread);

/* Is it a thread of GHC's runtime or of its library base, known by its label? NULL: no label. */
bool hectic_thread_is_runtime(const char *label);

/* HECTIC_LOCKS: none. */
hectic_lock hectic_lock_of(hectic_thread_state state);

/* The threads that waited again and again: ten times, and a twentieth of their time. */
typedef struct hectic_lock_waits {
    uint64_t threads;
    uint64_t ns;        /* waiting for other threads of the program, which woke them */
    uint64_t own_ns;    /* their lifetimes outside of foreign calls */
    uint64_t active_ns; /* running, or in foreign calls */
} hectic_lock_waits;

/* Threads that had not ended at the end of the log, or that the runtime may have ended with the
 *  program: blocked ones that were not woken, and those that lived for a tenth of the log. They
 *  ended within an eighth of the log. */
typedef struct hectic_threads_left {
    uint64_t threads;
    uint64_t late;     /* of these, threads that were created in the second half of the log */
    uint64_t since;    /* ns: when the last of them began to wait */
    uint64_t from, to; /* ns: when they ended; not the end of the log if others ran on */
} hectic_threads_left;

/* What the program's own threads did: sums of the rows of hectic_threads. */
typedef struct hectic_thread_sums {
    uint64_t from; /* ns: the log's beginning; set it first */
    uint64_t threads, yields;
    uint64_t ns[HECTIC_THREAD_STATES];
    uint64_t queued_ns;       /* runnable, of threads that were so for a fifth of their time */
    uint64_t most_running_ns; /* of the thread that ran longest */
    hectic_lock_waits waits[HECTIC_LOCKS];
    uint64_t outside_ns;   /* waiting for timers and I/O, as far as it is known */
    uint64_t longest_wait; /* the longest of threads that wait for no timers and no I/O */
    /* Not before `last_born`: when the main thread has ended, the runtime creates one that flushes
     * stdout, and then ends the others. */
    hectic_threads_left left;
    uint64_t last_born; /* ns: when the last of the threads that have ended was created */
    /* Of these: they waited for a tenth of the log, and twice as long as ever before. */
    hectic_threads_left stuck[HECTIC_LOCKS];
    uint64_t end; /* ns: the latest end of a thread */
} hectic_thread_sums;

/* Adds a row of hectic_threads, unless it is a thread of the runtime. */
void hectic_thread_sums_add(hectic_thread_sums *sums, const hectic_thread *thread);

typedef struct hectic_threads hectic_threads;

/* For the interval from <= t < to (ns). Calls `callback`, unless NULL, for each thread of the
 *  interval that has ended. NULL: out of memory. */
hectic_threads *hectic_threads_new(uint64_t from, uint64_t to, hectic_thread_callback callback,
                                   void *user);
void hectic_threads_free(hectic_threads *threads);

/* Begins a section. */
void hectic_threads_begin(hectic_threads *threads, const hectic_header *header);

/* Takes the next event. False: out of memory, or the callback returned false. */
bool hectic_threads_event(hectic_threads *threads, const hectic_event *event);

/* Calls `callback` for each live thread, in its state at `now`, in order of their numbers. False
 *  as above. */
bool hectic_threads_live(const hectic_threads *threads, uint64_t now,
                         hectic_thread_callback callback, void *user);

/* Ends the section at `now`: calls the callback for all live threads, and removes them. False as
 *  above. */
bool hectic_threads_end(hectic_threads *threads, uint64_t now);

/* The totals at `now`. */
void hectic_threads_totals(const hectic_threads *threads, uint64_t now,
                           hectic_thread_totals *totals);

/* A thread's time in a state. Those of a thread follow each other without a gap. */
struct threads_span {
    uint32_t thread;
    uint16_t cap;      /* HECTIC_CAP_NONE: unknown */
    uint8_t state;     /* hectic_thread_state */
    uint8_t next;      /* the state after it; HECTIC_THREAD_STATES: the thread has ended */
    uint32_t place;    /* a small number that no other thread has until this one has ended */
    uint64_t from, to; /* ns; clipped to the interval */
};

/* Calls `take` when a state of a thread ends, also after no time; at the end of a thread before the
 * callback for it. NULL: no more. */
void threads_watch(hectic_threads *threads, void (*take)(void *user, const struct threads_span *),
                   void *user);

/* Declares that the section has no replays of the state, although its header declares SYNC: then
 * less has to be remembered. Call it after hectic_threads_begin. */
void threads_expect_no_replay(hectic_threads *threads);

/* The states of all threads before an event: after all earlier events, in order of time. */
struct threads_states;

/* NULL: out of memory, in a replay of the state (SYNC events), or of more than `most` bytes. */
struct threads_states *threads_keep(const hectic_threads *threads, size_t most);
void threads_states_free(struct threads_states *states);
size_t threads_states_size(const struct threads_states *states); /* bytes */

/* Continues from there, for an interval that begins no earlier. NULL: out of memory. */
hectic_threads *threads_continue(const struct threads_states *states, uint64_t from, uint64_t to,
                                 hectic_thread_callback callback, void *user);

/* The present state of a thread; `to` is its beginning, too. False: it is unknown, or has ended. */
bool threads_now(const hectic_threads *threads, uint32_t thread, struct threads_span *now);

/* The time that a live thread has spent in each state until `now`, inside the interval. False: it
 * is unknown, or has ended. */
bool threads_spent(const hectic_threads *threads, uint32_t thread, uint64_t now,
                   uint64_t ns[HECTIC_THREAD_STATES]);

/* The thread that runs on a cap. False: none. */
bool threads_running(const hectic_threads *threads, uint16_t cap, uint32_t *thread);

#endif
