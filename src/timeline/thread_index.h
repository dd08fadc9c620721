/* thread_index.h — an index of the threads of a section, in bounded memory: what each did in all
 * and in slots of time, and the states of all of them at some times, from which an interval is read
 * without the events before it. It is made when it is needed, by a pass in order of time, in steps.
 */
#ifndef HECTIC_SRC_TIMELINE_THREAD_INDEX_H
#define HECTIC_SRC_TIMELINE_THREAD_INDEX_H

#include "facts/threads.h"
#include "timeline/range.h"
#include "timeline/timeline_parts.h"

/* The states of a thread in slots of time. In the rest of its life it is blocked. */
enum thread_class { CLASS_RUNNING, CLASS_RUNNABLE, CLASS_UNKNOWN, THREAD_CLASSES, CLASS_BLOCKED };
enum thread_class thread_class_of(unsigned state);

struct thread_slot {
    uint32_t part[THREAD_CLASSES]; /* of 2^31, if a slot has more ns; otherwise ns */
};

/* What a thread did. */
struct thread_course {
    uint64_t first;    /* the number of the first slot; slots are counted from time 0 */
    uint32_t slots;    /* from that on */
    uint32_t capacity; /* 0: there is one slot at most, in `one` */
    struct thread_slot *slot, one;
};
struct thread_slot *thread_course_slots(struct thread_course *course);

/* A thread that has ended, or was there at the end. */
struct indexed_thread {
    hectic_thread row; /* without its label */
    uint32_t label;    /* in `texts`; TEXTS_NONE: none */
    struct thread_course course;
};

/* A live thread, by its place. */
struct live_thread {
    struct thread_course course; /* up to `slot` */
    uint64_t slot, ns[THREAD_CLASSES];
};

enum { INDEXED_THREADS = 10000 }; /* that ended: those that ran longest, at least */

struct thread_index {
    struct range *range;     /* NULL: it is complete, or has not begun */
    hectic_threads *threads; /* the same */
    bool has_replays;
    bool is_complete, is_lost /* out of memory */;
    uint64_t end; /* the position in the log up to which events were known when the pass began */
    uint64_t additions; /* of the chunks, then: messages about lost bytes have no length */
    uint64_t time;      /* the states of all threads are known up to then */
    uint64_t events, next_mark, mark_every;
    struct thread_mark {
        uint64_t time;
        hectic_gaps gaps;
        struct threads_states *states;
    } * mark;
    size_t marks;
    size_t mark_bytes;
    hectic_gaps gaps;
    hectic_thread_totals totals;
    hectic_thread_sums sums; /* of the threads that have ended: all, once it is complete */
    struct texts texts;
    struct indexed_thread *thread;
    size_t count, capacity;
    uint64_t ended; /* threads, in all */
    struct live_thread *live;
    size_t places;
    uint32_t told;      /* the place of the last span */
    unsigned shift;     /* a slot has 2^shift ns */
    unsigned shift_max; /* from then on memory grows with the number of live threads */
    size_t slots;       /* allocated, of all threads */
};

/* The events from which the states of threads follow. False: all events. */
bool thread_types(const hectic_timeline *timeline, type_set *types);

/* Reads about `bytes` for the index, unless it is complete, or knows the states at `time`
 * (UINT64_MAX: complete). RANGE_END: it does; RANGE_MORE: call again; RANGE_FAILED. */
range_result thread_index_reach(hectic_timeline *timeline, const hectic_header *header,
                                const hectic_timeline_source *source, uint64_t time,
                                uint64_t bytes);

/* 0 … 1. */
double thread_index_progress(const hectic_timeline *timeline);

/* Does the index have all events that were read so far? */
bool thread_index_is_current(const hectic_timeline *timeline);

/* Begins to read an interval: the states of the threads at *start, from which on the events are to
 * be read. NULL: out of memory. `gaps` may be NULL. */
hectic_threads *thread_index_begin(const hectic_timeline *timeline, const hectic_header *header,
                                   uint64_t at, uint64_t from, uint64_t to,
                                   hectic_thread_callback callback, void *user, uint64_t *start,
                                   hectic_gaps *gaps);

void thread_index_free(struct thread_index *index);

#endif
