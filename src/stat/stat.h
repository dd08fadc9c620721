/* stat.h — time and memory statistics of a run: everything that `+RTS -s` prints, and more,
 * for the whole run or any interval.
 *
 *     hectic_stat *s = hectic_stat_new();
 *     while (… an event …) hectic_stat_event(s, &event);
 *     hectic_stat_result r;
 *     if (hectic_stat_get(s, NULL, HECTIC_STAT_END, &r)) …; hectic_stat_result_clear(&r);
 *
 * For the whole run, the events of each cap must be in order, so a decoder is sufficient: one pass
 * over a file or a pipe, with results at any time while the log grows. For intervals, events must
 * be in order of time (hectic_log). Open an interval before the first event in it, and get its
 * result before the first event after it.
 *
 * Sums are computed at points in time, with activities in progress clipped; an interval is the
 * difference of two points. So adjacent intervals add up to their union exactly.
 *
 * Each section of a log has its own clock and needs its own hectic_stat. docs/stat.md defines each
 * number.
 */
#ifndef HECTIC_SRC_STAT_H
#define HECTIC_SRC_STAT_H

#include "facts/gaps.h"
#include "facts/processes.h"
#include <hectic/decoder.h>

typedef struct hectic_stat hectic_stat;
typedef struct hectic_stat_interval hectic_stat_interval;

/* As the end of an interval: the latest event so far; for a whole run that has ended, the end
 *  according to the runtime. */
#define HECTIC_STAT_END UINT64_MAX

/* Generations with higher numbers are ignored. */
#define HECTIC_STAT_GENERATIONS 64

/* A distribution of values. Percentiles have an error of at most 1/128; max is exact. */
typedef struct hectic_distribution {
    uint64_t count, sum, max, p50, p90, p99;
} hectic_distribution;

/* The collections of one generation that ended in the interval, each with its full pause. */
typedef struct hectic_stat_generation {
    uint64_t collections;
    uint64_t parallel;  /* parallel collections */
    uint64_t requested; /* those of which it is known that the program requested them (performGC);
                           some of several caps are not known */
    hectic_distribution pause; /* ns, on the GC leader; of collections whose start is in the log */
    hectic_distribution
        mean_pause; /* ns: for each collection, the mean over the participating caps. A collection
                       belongs to the interval in which the last of these caps continues */
} hectic_stat_generation;

typedef struct hectic_stat_sparks {
    uint64_t created, dud, overflowed, converted, gcd, fizzled;
} hectic_stat_sparks;

/* The activities of a cap. It has one activity at any time, so present_ns is the sum of
 *  running_ns, gc_ns (of which gc_work_ns and gc_idle_ns are parts), the three wait_…_ns,
 *  unknown_ns and idle_ns. */
typedef struct hectic_stat_cap {
    uint16_t cap;
    bool has_threads;    /* running_ns, runs, switches, created and migrated_… are known */
    bool has_allocated;  /* allocated is known */
    bool has_gc;         /* gc_…_ns and wait_…_ns are known */
    bool has_idle;       /* idle_ns is known */
    uint64_t present_ns; /* how long the cap existed */
    uint64_t running_ns; /* running Haskell threads */
    uint64_t gc_ns;      /* in collections in which it takes part, from the leader's GC_START to its
                            GC_END */
    uint64_t gc_work_ns; /* part of gc_ns: as a collector thread with work, or leading */
    uint64_t gc_idle_ns; /* part of gc_ns: without work */
    uint64_t wait_begin_ns; /* stopped for a collection that has not begun: from its own GC_START
                               to the leader's; on the leader, from its request */
    uint64_t wait_end_ns;   /* from the leader's GC_END to its own */
    uint64_t wait_out_ns;   /* stopped for a collection in which it does not take part */
    uint64_t unknown_ns;    /* in none of these while logging, or that of threads or of collections,
                               was off */
    uint64_t idle_ns;       /* the rest */
    uint64_t runs;          /* how often a thread was run */
    uint64_t switches;      /* runs of a different thread than before */
    uint64_t created;       /* threads */
    uint64_t migrated_in, migrated_out;
    uint64_t allocated; /* bytes */
    hectic_stat_sparks sparks;
} hectic_stat_cap;

/* The statistics of an interval. A number is unknown if its has_… field is false: the log has no
 *  events for it. */
typedef struct hectic_stat_result {
    uint64_t from, to; /* ns */
    uint32_t caps;
    uint32_t generations;
    hectic_stat_cap *cap;               /* in order of cap numbers */
    hectic_stat_generation *generation; /* by number, from 0 */

    bool has_total;         /* to - from is the time of the run, of what the log covers of it, or of
                               an interval; it is not if a whole log has no activity */
    bool has_threads;       /* RUN_THREAD: running, runs, switches, migrations */
    bool has_gc;            /* GC_START, and the GC leader is known: GC time and pauses */
    bool has_mean_pause;    /* the participating caps are known: mean_pause, gc_caps_ns */
    bool has_gc_stats;      /* GC_STATS_GHC: copied, slop, generations */
    bool has_allocated;     /* HEAP_ALLOCATED */
    bool has_heap_size;     /* HEAP_SIZE */
    bool has_blocks;        /* BLOCKS_SIZE, and HEAP_SIZE */
    bool has_lost;          /* the same, and the sizes of blocks (HEAP_INFO_GHC) were not cut off */
    bool has_fragmentation; /* GC_STATS_GHC, or has_blocks */
    bool has_balance;       /* a parallel collection with its work balance */
    bool has_sparks;        /* SPARK_COUNTERS, or events for each spark */
    bool has_tasks;         /* TASK_CREATE */
    bool has_init;          /* init_ns; whole runs only */
    bool has_exit;          /* exit_ns; whole runs only, and the log has the program's end */
    bool has_gc_threads;    /* GC_WORK and GC_IDLE */
    bool has_nonmoving;     /* CONC_… */
    bool has_returned;      /* MEM_RETURN */
    bool has_safepoint;     /* REQUEST_SEQ_GC or REQUEST_PAR_GC */
    bool has_live_course;   /* live_first to live_fall; whole runs only */
    bool has_threaded;      /* RTS_IDENTIFIER: the next two fields */
    bool threaded;          /* the threaded runtime */
    bool profiled;          /* a profiling runtime */
    uint32_t ghc;           /* 100 * its major version + the minor one: 902 for 9.2; 0: unknown */
    bool is_part;    /* the log does not begin at the program's start: earlier events do not count,
                        unless they are recorded later */
    bool is_cut;     /* hectic_stat_end was not called: the log has no end marker */
    bool lacks_caps; /* the log was cut before it had events of each cap: numbers that need all
                        caps are unknown, and caps without events are left out */

    uint64_t allocated;         /* bytes */
    uint64_t copied;            /* bytes */
    uint64_t residency_samples; /* major collections that recorded live data */
    uint64_t residency_max;     /* bytes */
    uint64_t live_first;        /* bytes: live data after the first major collection */
    uint64_t live_last;         /* bytes: after the last one, but not at the end of the program */
    uint64_t live_last_at;      /* when that was */
    uint64_t live_high;         /* bytes: the largest, but not at the end of the program */
    uint64_t live_until;        /* when it was 95 % of that for the last time */
    uint64_t live_less;         /* when it was measured next; live_until: not again */
    uint64_t live_middle; /* bytes: the largest in the first half of the time until live_until */
    uint64_t live_fall;   /* bytes: the largest decrease until then; shorter decreases than about
                             1/128 of the run may be missed */
    uint64_t slop_max;    /* bytes, of major collections, as recorded by the runtime: with the
                             non-moving collector it can be negative, modulo 2^64 */
    uint64_t heap_max;    /* bytes from the OS, at the ends of collections */
    uint64_t blocks_max;  /* bytes in blocks in use, at the ends of collections */
    uint64_t allocation_area; /* bytes, of each cap; 0: unknown */
    uint64_t lost; /* bytes of blocks that fit in heap_max, less blocks_max: if peaks are inside
                      collections, more than the value of +RTS -s */
    uint64_t fragmentation_max; /* bytes lost to fragmentation at the end of a collection */
    double work_balance;        /* 0: serial, 1: perfect */

    uint64_t init_ns;    /* until main started */
    uint64_t exit_ns;    /* from the end of main, less collections */
    uint64_t gc_main_ns; /* collections, measured on the GC leader, as in +RTS -s */
    uint64_t gc_caps_ns; /* collections, by the mean pause of the participating caps: gc_main_ns
                            and, when the last cap continues, the excess of the mean */
    hectic_distribution pause;      /* all collections, as in gc_main_ns */
    hectic_distribution mean_pause; /* all collections, as in gc_caps_ns */
    hectic_distribution safepoint;  /* ns from the request for a collection to its start */
    uint64_t messages, markers; /* of the program; a message that begins or ends a span is none */
    uint64_t delay_ns;     /* whole runs only: from requests until the last cap stopped, if that
                              logs when it does (parallel collections) */
    uint64_t delay_cap_ns; /* the part in which `delay_cap` was the last one: the largest part */
    uint16_t delay_cap;    /* set if delay_cap_ns > 0 */

    hectic_stat_sparks
        sparks;       /* for an interval: from the events for each spark if there are any, otherwise
                         from counters. For the run: from the source with the higher counts */
    uint64_t workers; /* OS threads that existed at some time; without main's */
    uint64_t workers_max; /* maximum at a time */
    bool has_bound;       /* main's OS thread is known */

    uint64_t conc_marks, conc_mark_ns; /* the non-moving collector */
    uint64_t conc_syncs, conc_sync_ns, conc_sync_max_ns;
    uint64_t conc_sweeps, conc_sweep_ns;
    uint64_t returned; /* bytes returned to the OS */

    hectic_gaps gaps; /* gaps in the interval: its numbers do not include the missing events */

    uint64_t unrecorded_ns;    /* ns in which logging, or that of threads or of collections, was
                                  off, or events were dropped, or those of any cap were lost */
    uint64_t gc_unrecorded_ns; /* the same, of logging or that of collections; of lost events, while
                                  no known cap led a collection */
    uint64_t counter_resets;   /* how often a counter decreased; treated as unchanged */
    uint64_t time_steps_back;  /* events with a time more than 10 ms before an earlier event */
    uint64_t last_time;        /* ns: the latest event */
} hectic_stat_result;

/* NULL: out of memory. */
hectic_stat *hectic_stat_new(void);
void hectic_stat_free(hectic_stat *stat);

/* Declares that the log has events of `type`: the numbers from them are then known, as 0, before
 *  the first such event. Otherwise they are known from the first event on. */
void hectic_stat_expect(hectic_stat *stat, uint16_t type);

/* Takes an event. False: out of memory. */
bool hectic_stat_event(hectic_stat *stat, const hectic_event *event);

/* Declares that the log has ended (HECTIC_COMPLETE). */
void hectic_stat_end(hectic_stat *stat);

/* Declares that the log was cut, and what it has until `time` (ns): hectic_section.covered_to.
 * Take no later events. */
void hectic_stat_cut(hectic_stat *stat, uint64_t time);

/* Declares which caps have blocks in a log that was cut, perhaps without events until `time`:
 * 65,536 bits, the lowest first, which stay valid. Otherwise these are the caps with events. */
void hectic_stat_set_blocks(hectic_stat *stat, const uint8_t *caps);

/* Sets the log's time (ns) at which the program's clock was 0: 0 unless the log was merged. */
void hectic_stat_set_start(hectic_stat *stat, uint64_t start);

/* Declares that from now on events are in order of time: then none are kept for sorting, and times
 *  add up exactly even if events of different caps contradict each other. Opening an interval does
 *  the same. False: out of memory. */
bool hectic_stat_set_ordered(hectic_stat *stat);

/* Opens an interval; several can be open, and overlap. NULL: out of memory. */
hectic_stat_interval *hectic_stat_open(hectic_stat *stat, uint64_t from);

/* Returns the statistics of an interval up to `to` (`interval` NULL: of the whole run). The
 *  interval stays open. False: out of memory. Free the result's arrays with
 *  hectic_stat_result_clear. */
bool hectic_stat_get(const hectic_stat *stat, const hectic_stat_interval *interval, uint64_t to,
                     hectic_stat_result *result);
void hectic_stat_result_clear(hectic_stat_result *result);

/* Closes and frees an interval. */
void hectic_stat_close(hectic_stat *stat, hectic_stat_interval *interval);

/* For a log of several processes (facts/processes.h): one hectic_stat per process, which gets the
 * events of that process only. A log of one process takes no more time than with a hectic_stat
 * alone. */

typedef struct hectic_stat_parts hectic_stat_parts;

/* The maximum number of processes; events of further ones are ignored. */
#define HECTIC_STAT_PARTS_MAX 256

/* NULL: out of memory. */
hectic_stat_parts *hectic_stat_parts_new(void);
void hectic_stat_parts_free(hectic_stat_parts *parts);

const hectic_processes *hectic_stat_parts_processes(const hectic_stat_parts *parts);

/* The stat of a process, by its number in hectic_stat_parts_processes; NULL: none. Number 0 always
 *  has one. Owned by `parts`. */
hectic_stat *hectic_stat_parts_get(const hectic_stat_parts *parts, uint32_t process);

/* Takes an event, and sets *process to the number of its process, or HECTIC_NO_PROCESS. False: out
 *  of memory. */
bool hectic_stat_parts_event(hectic_stat_parts *parts, const hectic_event *event,
                             uint32_t *process);

/* As hectic_stat_pull. */
hectic_result hectic_stat_parts_pull(hectic_stat_parts *parts, hectic_decoder *decoder);

/* Sets the process of an event that does not count. False: out of memory. */
bool hectic_stat_parts_note(hectic_stat_parts *parts, const hectic_event *event, uint32_t *process);

/* As hectic_stat_end; if there are several processes, for those whose capset was deleted. */
void hectic_stat_parts_end(hectic_stat_parts *parts);

/* How many events on caps were ignored: of processes beyond HECTIC_STAT_PARTS_MAX, or of caps that
 *  were not assigned to a process. */
uint64_t hectic_stat_parts_skipped(const hectic_stat_parts *parts);

#endif
