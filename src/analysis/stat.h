/* What a hectic_stat keeps: sums that only grow, of each cap and of the run, and what is under way.
 * As of a point in time, what is under way is added to the sums (stat_cap_sums, stat_run_sums);
 * an interval is the difference of two such points, and its extremes. */
#ifndef HECTIC_SRC_STAT_H
#define HECTIC_SRC_STAT_H

#include "analysis/gc_queue.h"
#include "analysis/gc_time.h"
#include "analysis/keys.h"

#include <hectic/exponential.h>
#include <hectic/histogram.h>
#include <hectic/stat.h>

/* What a cap does by its own events: one of these at any time, the one that the latest of them
 * tells. Each is the place of its sum, in ns. */
enum activity {
    RESTS, /* or there is no such cap */
    RUNS_THREAD,
    HAS_ASKED,  /* for a collection: it waits for the others to stop */
    IS_STOPPED, /* between GC_START and GC_END, and nothing of what follows: for gc_time to divide
                 */
    COLLECTS,   /* a collector thread with work; or leads the collection, and does not … */
    LOOKS_FOR_WORK /* … as a collector thread */
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
    PRESENT_NS = LOOKS_FOR_WORK + 1, /* only as of a point in time: stat_cap_sums */
    GC_MAIN_NS,                      /* of collections that it leads */
    RUNS,
    SWITCHES,
    CREATED,
    MIGRATED_IN,
    MIGRATED_OUT,
    ALLOCATED,
    SPARKS_COUNTED,                            /* by SPARK_COUNTERS: enum spark_sum */
    SPARKS_SEEN = SPARKS_COUNTED + SPARK_SUMS, /* by events for each spark, likewise */
    CAP_SUMS = SPARKS_SEEN + SPARK_SUMS,
};

enum { COUNTERS = 1 + SPARK_SUMS }; /* from ALLOCATED on: those that come as running counters */

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
    SWITCHED_OFF,
    OFF_NS,
    RUN_SUMS,
};

/* Which kinds of events have been seen. */
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
};

/* A collection, as long as its length, or its generation, is still to come. */
enum gc_half { NO_HALF, HAS_STATS, HAS_PAUSE };

enum { VISITS = 3 }; /* the I/O manager, main, and flushing */
enum { FIRST_THREADS = 16 };
enum { LAST_PAUSES = 4 }; /* enough for those after main was left */

struct pause {
    uint64_t from, to;
};

struct stat_cap {
    uint16_t number;
    bool exists; /* there was an event of it */
    bool in_gc;
    bool asked, leads; /* it has asked for a collection; it leads the one under way */
    bool led;          /* the collection whose pause waits for its statistics was led … */
    bool was_led;      /* … and that was known from its beginning on */
    bool parallel;
    uint8_t activity; /* enum activity */
    uint8_t gc_half;  /* enum gc_half */
    uint16_t generation;
    uint16_t has_last; /* a bit for each of the counters */
    uint32_t thread;   /* that ran last */
    uint64_t time;     /* the latest event */
    uint64_t heard;    /* what was under way went on up to then, as far as is known */
    uint64_t since;    /* its activity */
    uint64_t gc_since, asked_at;
    uint64_t worked;           /* COLLECTS and LOOKS_FOR_WORK, when it came to be in GC */
    uint64_t pause;            /* of HAS_PAUSE */
    uint64_t born, gone, past; /* when there came to be such a cap, when none any more (UINT64_MAX:
                                  there is); ns for which there was one before */
    uint64_t allocation_told;  /* the last time */
    uint64_t last[COUNTERS];
    uint64_t first[COUNTERS]; /* until all is known of where the log begins: the first values, … */
    uint64_t first_at[2];     /* … and the times of that of ALLOCATED, and of the others */
    uint64_t sum[CAP_SUMS];
    uint64_t seen_created, seen_collected; /* sparks, when their counters came last */
    struct pause recent[LAST_PAUSES];      /* the pauses it led, round and round */
    unsigned next_recent;
};

/* One of the threads with the lowest numbers, of which one runs main. */
struct first_thread {
    uint64_t created, run, stopped; /* the last time; UINT64_MAX: never */
    bool in_foreign_call;
};

struct span { /* of the run, by two events */
    bool open;
    uint64_t since;
};

enum { MARK, SYNC, SWEEP, OFF, SPANS };

struct generation {
    uint64_t collections, parallel;
    hectic_histogram pause;      /* of leaders */
    hectic_histogram mean_pause; /* of the caps that took part in each collection */
};

struct hectic_stat_interval {
    hectic_stat_interval *next;
    uint64_t from;
    bool whole;
    size_t caps; /* as many are in cap[] */
    uint64_t (*cap)[CAP_SUMS];
    struct gc_waits *waited; /* of each of them */
    uint64_t run[RUN_SUMS];
    uint64_t excess; /* as in gc_time */
    /* Extremes, and what is not told by sums. */
    size_t generations;
    struct generation *generation;
    hectic_histogram pause, mean_pause, safepoint;
    uint64_t residency_max, slop_max, heap_max, blocks_max, sync_max;
    uint64_t fragmentation_max, unused_max; /* as GC_STATS_GHC has it; by heap and blocks */
    uint64_t workers, workers_max;          /* at its beginning, and at most */
};

struct hectic_stat {
    size_t caps;
    struct stat_cap **cap; /* in the order in which they came */
    uint32_t index[65536]; /* by number of the cap: its place in cap[] + 1 */
    uint16_t started;      /* STARTUP has told of so many caps */
    uint64_t started_at;
    struct stat_cap *current; /* the cap of the latest event; of none: `global` */
    struct stat_cap global;
    bool is_ordered; /* events of all caps come in the order of time: nothing is queued */
    struct gc_queue queue;
    struct gc_time gc_time;
    uint32_t seen;
    bool has_first;
    bool drops;     /* what comes late for an interval is not counted in it (stat_event_late) */
    uint64_t start; /* the program's clock was 0 then: not 0 in a merged log */
    uint64_t first, last;
    uint64_t counted;  /* the earliest of the first values of counters; UINT64_MAX: none */
    uint64_t joined;   /* when caps are told of first; UINT64_MAX: never … */
    uint64_t told_at;  /* … and last: events of this time replay what holds (format/replayed.h) */
    uint64_t gc_ended; /* the last one */
    uint64_t sum[RUN_SUMS];
    struct span span[SPANS];
    uint64_t off;       /* switches that are off; see gap_message */
    uint64_t slop;      /* of the latest collection */
    uint64_t heap_size; /* as of now, and of it in blocks in use */
    uint64_t blocks_size;
    uint64_t workers;
    uint64_t pid, main_task;
    bool has_main_task, threaded, profiled;
    /* When the main OS thread entered the runtime, and left it: last, the time before, and the one
     * before that; UINT64_MAX: never. */
    uint64_t main_entered[VISITS], main_left[VISITS];
    uint32_t lowest_thread;                    /* UINT32_MAX: none yet */
    struct first_thread thread[FIRST_THREADS]; /* from that one on */
    bool ended;                                /* there is an end marker */
    uint64_t thread_created;                   /* the last one */
    struct keys created;  /* the set of threads that were created; see take_create */
    uint32_t generations; /* 0: not known */
    uint64_t mblock_size; /* bytes; 0: not known */
    uint64_t block_size;
    uint64_t shrunk, went_back;
    hectic_stat_interval run;                            /* the whole */
    hectic_histogram lone_pause;                         /* of the run: of whoever did not lead */
    hectic_exponential *pauses[HECTIC_STAT_GENERATIONS]; /* of the run; NULL: none */
    hectic_exponential safepoints;                       /* of the run */
};

/* Takes an event where those of different caps come out of order, and one interval is open (NULL:
 * none). Each cap is counted from where it passes the interval's beginning, whenever that comes;
 * and what counters have come to meanwhile, as SYNC events restate them, does not count in it. */
bool stat_event_late(hectic_stat *stat, hectic_stat_interval *interval, const hectic_event *event);

/* Nothing is known of the cap behind that time, until its next event; UINT64_MAX: it goes on. */
void stat_set_heard(hectic_stat *stat, uint16_t cap, uint64_t time);

/* Does the log not begin where the program did? */
bool stat_is_late(const hectic_stat *stat);

/* Where edges of collections go to: what they make known counts in a list of intervals. */
struct stat_collecting {
    const hectic_stat *stat;
    struct gc_time *time;
    hectic_stat_interval *interval;
};
bool stat_take_edge(void *collecting, size_t cap, uint64_t time, enum gc_edge edge,
                    uint64_t number);

/* As hectic_stat_pull does: takes the whole events that a run of the decoder begins with, up to one
 * that tells of processes. Returns their length; SIZE_MAX: no memory. */
size_t stat_take_run(hectic_stat *stat, const hectic_header *header, uint16_t cap_number,
                     const uint8_t *run, size_t length);

/* Is there one cap, and nobody asks for collections? Then it leads them all. */
bool stat_is_lone(const hectic_stat *stat);

/* Up to when it is known what the cap did, and what that was: where it is behind and in GC, its
 * next event tells what of that was a wait. */
uint64_t stat_known_until(const struct stat_cap *cap, uint64_t time);

/* As of a point in time that no event is behind. */
void stat_cap_sums(const hectic_stat *stat, const struct stat_cap *cap, uint64_t time,
                   uint64_t sum[CAP_SUMS]);
void stat_run_sums(const hectic_stat *stat, uint64_t time, uint64_t sum[RUN_SUMS]);

#endif
