/* threads.h — more of hectic_threads: its states, kept and continued later, and what it finds. */
#ifndef HECTIC_SRC_THREADS_H
#define HECTIC_SRC_THREADS_H

#include <hectic/threads.h>

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

/* NULL: out of memory, or in a replay of the state (SYNC events). */
struct threads_states *threads_keep(const hectic_threads *threads);
void threads_states_free(struct threads_states *states);
size_t threads_states_size(const struct threads_states *states); /* bytes */

/* Continues from there, for an interval that begins no earlier. NULL: out of memory. */
hectic_threads *threads_continue(const struct threads_states *states, uint64_t from, uint64_t to,
                                 hectic_thread_callback callback, void *user);

/* The present state of a thread; `to` is its beginning, too. False: it is unknown, or has ended. */
bool threads_now(const hectic_threads *threads, uint32_t thread, struct threads_span *now);

/* The thread that runs on a cap. False: none. */
bool threads_running(const hectic_threads *threads, uint16_t cap, uint32_t *thread);

#endif
