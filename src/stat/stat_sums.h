/* The state of a hectic_stat: increasing sums for each cap and for the run, and activities in
 * progress. At a point in time, activities in progress are added to the sums (stat_cap_sums,
 * stat_run_sums); an interval is the difference of two such points, with its extremes. */
#ifndef HECTIC_SRC_STAT_SUMS_H
#define HECTIC_SRC_STAT_SUMS_H

#include "base/map.h"
#include "facts/gc_time.h"
#include "stat/gc_queue.h"
#include "stat/live_course.h"

#include "numbers/exponential.h"
#include "numbers/histogram.h"
#include "stat/stat.h"
#include <hectic/read_events.h>

/* The activity of a cap according to its own events. Each is the index of its sum, in ns. */
enum activity {
    IDLE, /* or the cap does not exist */
    LOST, /* its events are missing: what it does is not known */
    RUNS_THREAD,
    REQUESTED_GC,   /* waits for the other caps to stop */
    STOPPED,        /* between GC_START and GC_END, and none of the following: gc_time divides it */
    COLLECTING,     /* a GC thread with work; or leads the collection, and is no GC thread */
    GC_WITHOUT_WORK /* a GC thread without work */
};

/* In the order of the fields of SPARK_COUNTERS. */
enum spark_sum {
    SPARK_CREATED,
    SPARK_DUD,
    SPARK_OVERFLOWED,
    SPARK_CONVERTED,
    SPARK_GCD,
    SPARK_FIZZLED,
    SPARK_SUMS
};

enum cap_sum {
    PRESENT_NS = GC_WITHOUT_WORK + 1, /* only at a point in time: stat_cap_sums */
    GC_MAIN_NS,                       /* of collections that it leads */
    RUNS,
    SWITCHES,
    CREATED,
    MIGRATED_IN,
    MIGRATED_OUT,
    ALLOCATED,
    SPARKS_COUNTED,                            /* by SPARK_COUNTERS: enum spark_sum */
    SPARKS_SEEN = SPARKS_COUNTED + SPARK_SUMS, /* by events for each spark: enum spark_sum */
    CAP_SUMS = SPARKS_SEEN + SPARK_SUMS,
};

enum { COUNTERS = 1 + SPARK_SUMS }; /* from ALLOCATED on: sums logged as running counters */

enum run_sum {
    COPIED,
    PAR_COPIED,
    PAR_MAX_COPIED,
    PAR_BALANCED,
    MAJOR,
    MARKS,
    MARK_NS,
    SYNCS,
    SYNC_NS,
    SWEEPS,
    SWEEP_NS,
    RETURNED,
    WORKERS,
    DROPPED_EVENTS, /* as in hectic_gaps */
    DROPPED_PLACES,
    LOST_BYTES,
    LOST_PLACES,
    SWITCHED_OFF,
    OFF_NS,
    INACTIVE_NS,
    GCLESS_NS,
    COUNTER_RESETS,
    MESSAGES, /* of the program, that are no spans */
    MARKERS,
    RUN_SUMS,
};

/* Kinds of events that have occurred. */
enum seen {
    SEEN_THREADS = 1 << 0,
    SEEN_GC = 1 << 1,
    SEEN_GC_STATS = 1 << 2,
    SEEN_REQUEST = 1 << 3,
    SEEN_BALANCED = 1 << 4,
    SEEN_PAR_COPIED = 1 << 5,
    SEEN_ALLOCATED = 1 << 6,
    SEEN_HEAP_SIZE = 1 << 7,
    SEEN_LIVE = 1 << 8,
    SEEN_SPARK_COUNTERS = 1 << 9,
    SEEN_EACH_SPARK = 1 << 10,
    SEEN_TASKS = 1 << 11,
    SEEN_GC_THREADS = 1 << 12,
    SEEN_CONC = 1 << 13,
    SEEN_RETURNED = 1 << 14,
    SEEN_PID = 1 << 15,
    SEEN_LONE_LEADER = 1 << 17,
    SEEN_RTS = 1 << 16,
    SEEN_BLOCKS = 1 << 18,
    SEEN_HEAP_PROFILE = 1 << 19,
    SEEN_TIME_PROFILE = 1 << 20, /* or binary messages, which may be samples of call stacks */
    SEEN_HEAP_SAMPLE = 1 << 21,  /* also one without bands */
    SEEN_HEAP_BEGIN = 1 << 22,   /* a heap profile began, also one without samples */
    SEEN_TICKY = 1 << 23,
    SEEN_MESSAGES = 1 << 24, /* of the program, and markers */
};

/* What an event of a profile, or a message, shows; 0: it is none, or shows nothing. */
static inline uint32_t seen_by_profile(uint16_t type)
{
    switch (type) {
    case HECTIC_EVENT_HEAP_PROF_BEGIN: return SEEN_HEAP_BEGIN;
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN:
    case HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN: return SEEN_HEAP_SAMPLE;
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING: return SEEN_HEAP_PROFILE;
    case HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE:
    case HECTIC_EVENT_USER_BINARY_MSG: return SEEN_TIME_PROFILE;
    case HECTIC_EVENT_TICKY_COUNTER_SAMPLE: return SEEN_TICKY;
    case HECTIC_EVENT_USER_MSG:
    case HECTIC_EVENT_USER_MARKER: return SEEN_MESSAGES;
    default: return 0;
    }
}

/* A collection whose duration or generation is not known yet. */
enum gc_half { NO_HALF, HAS_STATS, HAS_PAUSE };

enum { VISITS = 3 }; /* the I/O manager, main, and flushing */
enum { FIRST_THREADS = 16 };
enum { LAST_PAUSES = 4 }; /* sufficient for those after the end of main */

struct pause {
    uint64_t from, to;
};

struct span { /* of the run, between two events */
    bool open;
    uint64_t since;
};

/* INACTIVE: as OFF, of GAP_ACTIVITY; GCLESS: of GAP_COLLECTIONS. */
enum { MARK, SYNC, SWEEP, OFF, INACTIVE, GCLESS, SPANS };

/* What the events of a cap say about the whole run. */
struct run_share {
    uint64_t sum[RUN_SUMS];
    struct span span[SPANS];
    uint64_t off;                           /* switches that are off; see gap_message */
    uint64_t switched;                      /* those that are known to have been off or on */
    uint64_t slop;                          /* of the latest collection */
    uint64_t heap_size, heap_size_time;     /* the latest size, and its time */
    uint64_t blocks_size, blocks_size_time; /* of the part in blocks in use */
    uint64_t workers;
};

struct stat_cap {
    uint16_t number;
    bool exists; /* it has had an event */
    bool ends;   /* CAP_DELETE was its last creation or deletion */
    bool in_gc;
    bool requested, leads; /* it has requested a collection; it leads the current one */
    bool led;              /* it led the collection whose pause waits for its statistics */
    bool was_led;          /* that it led was known from the beginning of the collection */
    bool parallel;
    uint8_t activity; /* enum activity */
    uint8_t gc_half;  /* enum gc_half */
    uint16_t generation;
    uint16_t last_stop; /* why its last thread stopped: a status of STOP_THREAD; 0: unknown */
    uint16_t asks;      /* 1 plus the generation of its last collection, if the program may have
                           requested that; or 0 */
    uint16_t has_last;  /* a bit for each counter */
    uint32_t thread;    /* the last one that ran */
    uint64_t time;      /* the latest event */
    uint64_t next_mark; /* see stat_marks.h; UINT64_MAX: none */
    uint64_t known_to;  /* its activity is known up to then */
    uint64_t since;     /* beginning of its activity */
    uint64_t gc_since, gc_end, requested_at, stopped_at;
    uint64_t since_call; /* ns from its last stop to the request for a collection */
    uint64_t worked;     /* COLLECTING and GC_WITHOUT_WORK, at the beginning of the GC */
    uint64_t pause;      /* for HAS_PAUSE */
    uint64_t appeared;   /* the first event of it, or about it */
    uint64_t created_at, deleted, past; /* its creation and deletion (UINT64_MAX: it exists); ns for
                                     which it existed before */
    uint64_t allocation_time;           /* of the last HEAP_ALLOCATED */
    uint64_t last[COUNTERS];
    uint64_t first[COUNTERS]; /* the first values, until the beginning of the log is known */
    uint64_t first_at[2];     /* their times: that of ALLOCATED, and of the others */
    uint64_t sum[CAP_SUMS];
    uint64_t arrived_before;               /* in a fork: MIGRATED_IN at the fork */
    uint64_t seen_created, seen_collected; /* sparks, at the last counters */
    struct run_share run;
    struct pause recent[LAST_PAUSES]; /* a ring of pauses of collections that it led */
    unsigned next_recent;
};

/* What a cap did before a replayed run of a thread. */
struct stat_before_replay {
    uint32_t thread;
    uint8_t activity;
    bool requested;
};

/* One of the threads with the lowest numbers, one of which runs main. */
struct first_thread {
    uint64_t created, run, stopped; /* the last times; UINT64_MAX: never */
    bool in_foreign_call;
};

struct generation {
    uint64_t collections, parallel, requested;
    hectic_histogram pause;      /* of leaders */
    hectic_histogram mean_pause; /* of the participating caps of each collection */
};

struct hectic_stat_interval {
    hectic_stat_interval *next;
    uint64_t from;
    bool whole;
    size_t caps; /* the size of cap[] */
    uint64_t (*cap)[CAP_SUMS];
    struct gc_waits *waited; /* of each cap */
    uint64_t run[RUN_SUMS];
    uint64_t excess; /* as in gc_time */
    struct gc_losses losses;
    /* Extremes, and values that are not sums. */
    size_t generations;
    struct generation *generation;
    hectic_histogram pause, mean_pause, safepoint;
    hectic_histogram lone_pause; /* of caps that did not lead */
    uint64_t residency_max, slop_max, heap_max, blocks_max, sync_max;
    uint64_t fragmentation_max, unused_max; /* from GC_STATS_GHC; from heap and blocks */
    size_t arrivals; /* only in slices (stat_marks.h): threads that migrated to each cap */
    uint64_t *arrived;
    uint64_t workers, workers_max; /* at its beginning, and the maximum */
};

/* What a cap did: the spans from which pictures are made. */
enum stat_span {
    SPAN_RUNNING,
    SPAN_REQUESTED,    /* waits for the other caps to stop */
    SPAN_STOPPED,      /* between GC_START and GC_END: collections, and waits for them */
    SPAN_WAITED_BEGIN, /* of these the waits for the beginning, unless the cap is the only one */
    SPAN_WAITED_END,   /* the same, for the end */
    SPAN_OUT,          /* another cap collects without this one; with up to GC_OUT_CAPS_MAX caps */
    SPAN_LOST,         /* its events are missing: what it does is not known */
    STAT_SPANS
};

enum { STOP_NONE = UINT16_MAX };

/* Sizes of the heap, and what is allocated, bytes. */
enum stat_size { SIZE_HEAP, SIZE_BLOCKS, SIZE_LIVE, SIZE_ALLOCATED, STAT_SIZES };

/* Callbacks besides the sums. All but `take` may be NULL. */
struct stat_watch {
    void *user;
    /* The end of a span of a cap, by its index. */
    void (*take)(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to);
    /* The end of a time in which no cap's activity is recorded: what is in no span then is not
     * known. */
    void (*unrecorded)(void *user, uint64_t from, uint64_t to);
    /* A size at a time; SIZE_ALLOCATED: of what was allocated since `since`, that of the last such
     * event of the cap. */
    void (*measure)(void *user, enum stat_size size, uint64_t since, uint64_t time, uint64_t bytes);
    /* The end of a thread's run on a cap, by its index; `stop`: STOP_THREAD's status, or STOP_NONE.
     */
    void (*ran)(void *user, size_t cap, uint32_t thread, uint64_t from, uint64_t to, uint16_t stop);
    /* THREAD_LABEL, PROGRAM_ARGS, RTS_IDENTIFIER and CAPSET_CREATE: the event's payload. */
    void (*tell)(void *user, uint16_t type, const uint8_t *payload, size_t size);
    /* A message of the program that is no span, or a marker: MESSAGES or MARKERS. */
    void (*say)(void *user, enum run_sum what, uint64_t time);
    unsigned skipped; /* bits by enum stat_span: not passed to `take` */
};

struct hectic_stat {
    struct stat_watch watch; /* take may be NULL */
    uint16_t stopping;       /* for watch.ran, while STOP_THREAD is taken: its status */
    size_t caps;
    struct stat_cap **cap; /* in order of appearance */
    const uint8_t *blocks; /* hectic_stat_set_blocks; or NULL */
    uint32_t index[65536]; /* by number of the cap: its index in cap[] + 1 */
    uint16_t started;      /* the number of caps according to STARTUP */
    uint64_t started_at;
    struct stat_cap *current; /* the cap of the latest event, or `global` */
    struct stat_cap global;
    bool is_ordered; /* all events are in order of time: nothing is queued */
    struct gc_queue queue;
    struct gc_time gc_time;
    uint32_t seen;     /* enum seen */
    uint32_t recorded; /* the same, of events that count nothing */
    bool has_first;
    bool repeats;   /* the events are counted by another stat (stat_fork.h) */
    bool has_sync;  /* there are SYNC events */
    bool drops;     /* late events of an interval do not count in it (stat_event_late) */
    uint64_t start; /* when the program's clock was 0: not 0 in a merged log */
    uint64_t first, last;
    uint64_t counted; /* the earliest of the first values of counters; UINT64_MAX: none */
    uint64_t joined;  /* the first event of a cap set; UINT64_MAX: none */
    struct stat_before_replay before; /* of the cap of the last replayed run */
    uint64_t replay_time;             /* the last event of a cap set, or SYNC: events with this
                                         time replay the state */
    uint64_t last_gc_end;             /* ns */
    uint64_t earliest; /* of the times that stepped back; readers reset it to UINT64_MAX */
    uint64_t types;    /* of the last stat_take_run: type_set_folded */
    uint64_t pid, main_task;
    /* The times of OSPROCESS_PID, RTS_IDENTIFIER and HEAP_INFO_GHC. */
    uint64_t pid_at, rts_at, sizes_at;
    bool has_main_task, threaded, profiled;
    uint32_t ghc; /* as in hectic_stat_result */
    /* The last times when the main OS thread entered and left the runtime, the latest first;
     * UINT64_MAX: never. */
    uint64_t main_entered[VISITS], main_left[VISITS];
    uint32_t lowest_thread;                    /* UINT32_MAX: none yet */
    struct first_thread thread[FIRST_THREADS]; /* from lowest_thread on */
    bool ended;                                /* the log has an end marker */
    bool is_cut;                               /* it does not, and nothing follows */
    bool creates_caps;                         /* by CAP_CREATE */
    bool is_final;                             /* no events follow */
    bool grows;                      /* events may follow in the log of which this is a state */
    uint64_t thread_created;         /* the last creation */
    struct live_course *live;        /* of the run; NULL: no major collection yet */
    struct live_sample *forked_live; /* its next samples, until forks are joined */
    size_t forked_lives, forked_live_capacity;
    map created;          /* the set of created threads; see take_create */
    uint32_t generations; /* 0: unknown */
    uint64_t area_size;   /* bytes; 0: unknown */
    uint64_t mblock_size; /* the same */
    uint64_t block_size;
    uint64_t time_steps_back;
    hectic_stat_interval run;                            /* the whole run */
    struct stat_marks *marks;                            /* NULL: none */
    hectic_exponential *pauses[HECTIC_STAT_GENERATIONS]; /* of the run; NULL: none */
    hectic_exponential safepoints;                       /* of the run */
};

/* Takes an event if events of different caps are out of order, with one open interval (NULL: none).
 * Each cap counts from its first event in the interval. Increments of counters that SYNC events
 * restate do not count in the interval. */
bool stat_event_late(hectic_stat *stat, hectic_stat_interval *interval, const hectic_event *event);

/* The time of the latest event of a cap; 0: none. */
uint64_t stat_time(const hectic_stat *stat, uint16_t cap);

/* Reports the parts before `time` of all spans that have not ended. */
void stat_flush_watch(const hectic_stat *stat, uint64_t time);

/* The times without records of activity that have not ended, between two times; ns. */
uint64_t stat_unrecorded(const hectic_stat *stat, uint64_t from, uint64_t to);

/* The time for which a cap exists, as far as it is known, between two times; ns. */
uint64_t stat_present(const struct stat_cap *cap, uint64_t from, uint64_t to);

/* The span of a cap that has not ended; false: another, or none. A cap without a block is lost. */
bool stat_get_span(const hectic_stat *stat, size_t cap, enum stat_span span, uint64_t *from,
                   uint64_t *to);

/* Calls `take` at the end of each span from now on. */
void stat_set_watch(hectic_stat *stat, const struct stat_watch *watch);

/* Declares that the cap's activity is unknown after `time`, until its next event; UINT64_MAX: it
 * continues. */
void stat_set_known_to(hectic_stat *stat, uint16_t cap, uint64_t time);

/* The switches that are off. */
uint64_t stat_off(const hectic_stat *stat);

/* True if the log was cut before it had events of this cap; of some caps. */
bool stat_lacks_cap(const hectic_stat *stat, const struct stat_cap *cap);
bool stat_lacks_caps(const hectic_stat *stat);

/* True if the log does not begin at the program's start. */
bool stat_is_late(const hectic_stat *stat);

/* The destination of edges of collections: their results count in a list of intervals. */
struct stat_collecting {
    hectic_stat *stat;
    struct gc_time *time;
    hectic_stat_interval *interval;
    struct stat_marks *marks; /* NULL: none, or the edges are delivered again later */
};
bool stat_take_edge(void *collecting, size_t cap, uint64_t time, enum gc_edge edge,
                    uint64_t number);

/* For hectic_stat_pull: takes the complete events at the beginning of a run of the decoder, up to
 * an event about processes. Returns their length; SIZE_MAX: out of memory. */
struct stepper;
size_t stat_take_run(hectic_stat *stat, const struct stepper *place, const uint8_t *run,
                     size_t length);

void stat_interval_clear(hectic_stat_interval *interval);

/* NULL: out of memory. */
struct generation *stat_generation(hectic_stat_interval *interval, uint16_t number);

/* Counts threads that have migrated to a cap, by its index. False: out of memory. */
bool stat_add_arrivals(hectic_stat_interval *interval, size_t cap, uint64_t threads);

/* Delivers the queued edges of collections that no later event can precede. False: out of memory.
 */
bool stat_merge_known(hectic_stat *stat);

/* Prepares for stat_marks_get. Call it before the first event. False: out of memory. */
bool stat_keep_marks(hectic_stat *stat);

/* True if there is a single cap and no request for a collection: then it leads them all. */
bool stat_is_lone(const hectic_stat *stat);

/* The time up to which the cap's activity is known. If it is in GC, its next event determines which
 * part was a wait. */
uint64_t stat_known_until(const struct stat_cap *cap, uint64_t time);

/* The first value of a counter of a cap, as far as it counts, in a log whose order is not known
 * yet.
 */
uint64_t stat_first_counted(const hectic_stat *stat, const struct stat_cap *cap, unsigned counter);

/* Sums at a point in time not before any event. */
void stat_cap_sums(const hectic_stat *stat, const struct stat_cap *cap, uint64_t time,
                   uint64_t sum[CAP_SUMS]);
void stat_run_sums(const hectic_stat *stat, uint64_t time, uint64_t sum[RUN_SUMS]);

#endif
