/* hectic/stat.h — what a run did with its time and memory: all that `+RTS -s` prints, and more,
 * of the whole run or of any interval of it.
 *
 *     hectic_stat *s = hectic_stat_new();
 *     while (… an event …) hectic_stat_event(s, &event);
 *     hectic_stat_result r;
 *     if (hectic_stat_get(s, NULL, HECTIC_STAT_END, &r)) …; hectic_stat_result_clear(&r);
 *
 * Of the whole run: each cap's events in their own order is enough, so it can stand on a decoder,
 * in one pass over a file or a pipe, and can be asked at any time while the log still grows.
 * Of intervals: events in the order of time (hectic_log), and an interval is opened before the
 * first event that is not before it, and told before the first event that is behind it.
 *
 * What adds up is counted as of a point in time, with what is under way at that point clipped, and
 * an interval is the difference of two points: adjacent intervals add up to their union exactly.
 *
 * Each section of a log has a clock of its own and needs a hectic_stat of its own.
 * docs/stat.md tells what each number is made of.
 */
#ifndef HECTIC_STAT_H
#define HECTIC_STAT_H

#include <hectic/decoder.h>
#include <hectic/gaps.h>
#include <hectic/processes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_stat hectic_stat;
typedef struct hectic_stat_interval hectic_stat_interval;

/** As the end of an interval: the latest event so far; of a whole run that has ended, what the
 *  runtime itself takes for its end. */
#define HECTIC_STAT_END UINT64_MAX

/** Of generations with higher numbers nothing is told. */
#define HECTIC_STAT_GENERATIONS 64

/** How many values, and how large. Percentiles are told to 1/128 of themselves, max exactly. */
typedef struct hectic_distribution {
    uint64_t count, sum, max, p50, p90, p99;
} hectic_distribution;

/** The collections of one generation that ended in the interval, each with its whole pause. */
typedef struct hectic_stat_generation {
    uint64_t collections;
    uint64_t parallel;         /**< of them */
    hectic_distribution pause; /**< ns, as the cap that leads sees them; of those whose beginning is
                                    in the log */
    hectic_distribution mean_pause; /**< ns: of each, the mean over the caps that took part. A
                                         collection is in the interval in which the last of them
                                         goes on */
} hectic_stat_generation;

typedef struct hectic_stat_sparks {
    uint64_t created, dud, overflowed, converted, gcd, fizzled;
} hectic_stat_sparks;

/** What a cap did. At any time it does one thing, so present_ns is the sum of running_ns, gc_ns (of
 *  which gc_work_ns and gc_idle_ns are parts), the three wait_…_ns, and idle_ns. */
typedef struct hectic_stat_cap {
    uint16_t cap;
    bool has_gc;         /**< gc_…_ns and wait_…_ns are known */
    bool has_idle;       /**< idle_ns is known */
    uint64_t present_ns; /**< how long there was such a cap */
    uint64_t running_ns; /**< running Haskell threads */
    uint64_t gc_ns;      /**< in collections that it takes part in, from the GC_START to the GC_END
                              of the leader */
    uint64_t gc_work_ns; /**< of gc_ns: as a collector thread with work; or leading */
    uint64_t gc_idle_ns; /**< of gc_ns: without work */
    uint64_t wait_begin_ns; /**< stopped for a collection that has not begun: from its own GC_START
                               to that of the leader; of the leader, from its request */
    uint64_t wait_end_ns;   /**< from the leader's GC_END to its own */
    uint64_t wait_out_ns;   /**< stopped for a collection that it takes no part in */
    uint64_t idle_ns;       /**< the rest */
    uint64_t runs;          /**< times that a thread was run */
    uint64_t switches;      /**< of them: another thread than the one before */
    uint64_t created;       /**< threads */
    uint64_t migrated_in, migrated_out;
    uint64_t allocated; /**< bytes */
    hectic_stat_sparks sparks;
} hectic_stat_cap;

/** What an interval was like. A number whose has_ is false is not known: the log has no events
 *  that tell it. */
typedef struct hectic_stat_result {
    uint64_t from, to; /**< ns */
    uint32_t caps;
    uint32_t generations;
    hectic_stat_cap *cap;               /**< by number of the cap */
    hectic_stat_generation *generation; /**< the first is number 0 */

    bool has_threads;       /**< RUN_THREAD: running, runs, switches, migrations */
    bool has_gc;            /**< GC_START, and which cap leads: GC time and pauses */
    bool has_mean_pause;    /**< which caps take part: mean_pause, gc_caps_ns */
    bool has_gc_stats;      /**< GC_STATS_GHC: copied, slop, generations */
    bool has_allocated;     /**< HEAP_ALLOCATED */
    bool has_heap_size;     /**< HEAP_SIZE */
    bool has_blocks;        /**< BLOCKS_SIZE, and HEAP_SIZE */
    bool has_fragmentation; /**< GC_STATS_GHC, or else has_blocks */
    bool has_balance;       /**< a parallel collection that tells how its work was divided */
    bool has_sparks;        /**< SPARK_COUNTERS, or events for each spark */
    bool has_tasks;         /**< TASK_CREATE */
    bool has_phases;        /**< init_ns and exit_ns; only of whole runs */
    bool has_gc_threads;    /**< GC_WORK and GC_IDLE */
    bool has_nonmoving;     /**< CONC_… */
    bool has_returned;      /**< MEM_RETURN */
    bool has_safepoint;     /**< REQUEST_SEQ_GC or REQUEST_PAR_GC */
    bool has_threaded;      /**< RTS_IDENTIFIER: the two below */
    bool threaded;          /**< the runtime is the threaded one */
    bool profiled;          /**< the runtime is one for profiling */
    bool is_part; /**< the log does not begin with its program: what was before does not count,
                       but for what is only told later */

    uint64_t allocated;         /**< bytes */
    uint64_t copied;            /**< bytes */
    uint64_t residency_samples; /**< major collections that told what is live */
    uint64_t residency_max;     /**< bytes */
    uint64_t slop_max;          /**< bytes, of major collections, as the runtime says it: the
                                     non-moving collector's can be below zero, modulo 2^64 */
    uint64_t heap_max;          /**< bytes from the OS, as seen at the ends of collections */
    uint64_t blocks_max;        /**< bytes in blocks in use, likewise */
    uint64_t lost; /**< bytes that there is room for in heap_max, beyond blocks_max: where peaks
                        are within collections, more than +RTS -s calls lost */
    uint64_t fragmentation_max; /**< bytes lost to it at the end of a collection */
    double work_balance;        /**< 0: serial, 1: perfect */

    uint64_t init_ns;          /**< until main began */
    uint64_t exit_ns;          /**< from when main was left, less collections */
    uint64_t gc_main_ns;       /**< collections as the cap that leads them sees them, as +RTS -s */
    uint64_t gc_caps_ns;       /**< collections, each by the mean pause of the caps that took part:
                                    gc_main_ns, and when the last cap goes on, by how much the mean
                                    was longer */
    hectic_distribution pause; /**< all collections, as gc_main_ns sees them */
    hectic_distribution mean_pause; /**< all collections, as gc_caps_ns sees them */
    hectic_distribution safepoint;  /**< ns from the request for a collection to its start */

    hectic_stat_sparks sparks; /**< of an interval: by events of each spark, if there are any; or
                                    by counters. Of the run: by what tells of more */
    uint64_t workers;          /**< OS threads that were there at some time; without main's */
    uint64_t workers_max;      /**< most at a time */
    bool has_bound;            /**< it is known which OS thread is main's */

    uint64_t conc_marks, conc_mark_ns; /**< of the non-moving collector */
    uint64_t conc_syncs, conc_sync_ns, conc_sync_max_ns;
    uint64_t conc_sweeps, conc_sweep_ns;
    uint64_t returned; /**< bytes given back to the OS */

    hectic_gaps gaps; /**< of the interval: what is told of it is too little by what is missing */

    uint64_t shrunk;     /**< counters that went back, and were taken as unchanged then */
    uint64_t went_back;  /**< events stamped more than 10 ms before another before them */
    uint64_t last_known; /**< ns: the latest event */
} hectic_stat_result;

/** NULL where memory is short. */
hectic_stat *hectic_stat_new(void);
void hectic_stat_free(hectic_stat *stat);

/** Tells that the log has events of that type, somewhere: what they would tell is then known to be
 *  nothing, where none have come so far. Without it, that is known from the first one on. */
void hectic_stat_expect(hectic_stat *stat, uint16_t type);

/** Takes an event. False: no memory. */
bool hectic_stat_event(hectic_stat *stat, const hectic_event *event);

/** Takes what comes next in a decoder: as hectic_decoder_pull and hectic_stat_event by turns until
 *  something comes that is no event, which it returns; but several times as fast. HECTIC_GOT_EVENT:
 * no memory. */
hectic_result hectic_stat_pull(hectic_stat *stat, hectic_decoder *decoder);

/** Tells that the log has ended (HECTIC_COMPLETE), and with it the program. */
void hectic_stat_end(hectic_stat *stat);

/** Sets when the program's clock was 0, in the log's time (ns): 0 unless the log was merged. */
void hectic_stat_set_start(hectic_stat *stat, uint64_t start);

/** Tells that from now on events come in the order of time: then nothing is kept to be put in
 * order, and where events of different caps contradict each other, times still add up exactly.
 * Opening an interval does the same. False: no memory. */
bool hectic_stat_set_ordered(hectic_stat *stat);

/** Opens an interval; several can be open, and overlap. NULL: no memory. */
hectic_stat_interval *hectic_stat_open(hectic_stat *stat, uint64_t from);

/** Tells of an interval up to `to` (NULL: of the whole run). It stays open, to be told again.
 *  False: no memory. Free the result's arrays with hectic_stat_result_clear. */
bool hectic_stat_get(const hectic_stat *stat, const hectic_stat_interval *interval, uint64_t to,
                     hectic_stat_result *result);
void hectic_stat_result_clear(hectic_stat_result *result);

/** Forgets an interval. */
void hectic_stat_close(hectic_stat *stat, hectic_stat_interval *interval);

/* A log of several processes (hectic/processes.h): a hectic_stat of each, which is given the events
 * of that process only. A log of one process is taken as fast as by a hectic_stat alone. */

typedef struct hectic_stat_parts hectic_stat_parts;

/** So many processes have a stat; the events of further ones are left out. */
#define HECTIC_STAT_PARTS_MAX 256

/** NULL: no memory. */
hectic_stat_parts *hectic_stat_parts_new(void);
void hectic_stat_parts_free(hectic_stat_parts *parts);

const hectic_processes *hectic_stat_parts_processes(const hectic_stat_parts *parts);

/** The stat of a process, by its number in hectic_stat_parts_processes; NULL: there is none. That
 *  of number 0 is always there. It belongs to the parts. */
hectic_stat *hectic_stat_parts_get(const hectic_stat_parts *parts, uint32_t process);

/** Takes an event, and sets *process to the number of its process, or HECTIC_NO_PROCESS. False: no
 *  memory. */
bool hectic_stat_parts_event(hectic_stat_parts *parts, const hectic_event *event,
                             uint32_t *process);

/** As hectic_stat_pull. */
hectic_result hectic_stat_parts_pull(hectic_stat_parts *parts, hectic_decoder *decoder);

/** As hectic_stat_end; where there are several processes, for those whose capset was deleted. */
void hectic_stat_parts_end(hectic_stat_parts *parts);

/** How many events of caps were left out: of processes beyond HECTIC_STAT_PARTS_MAX, or of caps
 * that were not assigned to a process. */
uint64_t hectic_stat_parts_skipped(const hectic_stat_parts *parts);

#ifdef __cplusplus
}
#endif
#endif
