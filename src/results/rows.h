/* rows.h — the rows of the tables of the catalogue (tables/tables.def), made from a log: a function
 * and a file for each. */
#ifndef HECTIC_SRC_ROWS_H
#define HECTIC_SRC_ROWS_H

#include "facts/collections.h"
#include "facts/gaps.h"
#include "facts/spans.h"
#include "facts/sparks.h"
#include "report/threads_report.h"
#include "results/reading.h"
#include "stat/stat.h"

#include <stdlib.h>

/* Takes the cells of a row, which are valid until it returns. False: stop. */
struct row_taker {
    bool (*take)(void *user, const struct cell *cells);
    void *user;
};

enum { MAKER_TABLES = 5 }; /* of one maker, at most */

/* Makes the rows of some tables from the same analyses, with one reader, also of one section as its
 * events come. */
struct row_maker {
    const struct reader *reader;
    size_t size; /* of what it has in reading->user */
    /* Sets that, which is zero, and returns the reader. `rows`: of each table, NULL: it is not
     * wanted. They stay, as does `reading`. NULL: `reader`, which has a copy of the row_taker. */
    const struct reader *(*begin)(void *user, struct reading *reading,
                                  const struct row_taker *const *rows);
    /* Not NULL: reads a log instead of the reader. False: as below. */
    bool (*read)(struct reading *reading, const struct row_taker *const *rows);
    /* Tables, as a set of bits, that need their own analyses if the interval has limits. */
    unsigned apart;
    bool has_empty; /* a section without events has rows */
};

/* Which table of a maker. */
struct made_table {
    const struct row_maker *maker;
    unsigned part;
};

extern const struct row_maker run_maker, thread_maker, message_maker, gap_maker, verdict_maker,
    task_maker, gc_maker, span_maker, each_span_maker, spark_maker, stat_maker, heap_band_maker,
    heap_sample_maker, prof_maker, time_sample_maker, ticky_maker;

/* The tables of a maker that has several. */
enum { THREADS_THEMSELVES, THREADS_STATES, THREADS_SPANS };
enum { VERDICT_FINDINGS, VERDICT_RULES };
enum { GC_ITSELF, GC_WINDOWS };
enum { SPARKS_BY_CAP, SPARKS_EACH };
enum { STAT_OF_RUN, STAT_OF_CAPS, STAT_OF_GENERATIONS, STAT_OF_GC_CAPS, STAT_OF_SIZES };

/* The reader of a maker, and what it has in reading->user: to be freed. NULL: out of memory. */
static inline const struct reader *row_maker_begin(const struct row_maker *maker,
                                                   struct reading *reading,
                                                   const struct row_taker *const *rows)
{
    reading->user = calloc(1, maker->begin ? maker->size : sizeof **rows);
    if (!reading->user) return NULL;
    if (maker->begin) return maker->begin(reading->user, reading, rows);
    *(struct row_taker *)reading->user = *rows[0];
    return maker->reader;
}

/* Each reads the log from its beginning. False: the taker has stopped, or out of memory. */

bool gc_rows(struct reading *reading, const struct row_taker *rows);

struct tasks_sums {
    uint64_t count, lifetime, migrations; /* lifetime: ns */
};
bool tasks_rows(struct reading *reading, const struct row_taker *rows, struct tasks_sums *sums);

struct threads_kind_sums {
    uint64_t count, ns[HECTIC_THREAD_STATES], runs, migrations;
};
struct threads_sums {
    struct threads_kind_sums kind[THREADS_KINDS]; /* of the rows */
    hectic_thread_totals totals;
    bool has_live_max; /* the number alive at a time, which is unknown with several processes */
    hectic_gaps gaps;
};
bool threads_rows(struct reading *reading, const struct row_taker *rows, struct threads_sums *sums);

/* The rows of thread_states of a process: what threads_watch calls. Zero before. */
struct state_rows {
    const struct reading *reading;
    const struct row_taker *taker;
    const hectic_threads *threads;
    const hectic_event *event; /* the current one; NULL: the section ends */
    struct state_wait {
        bool has_owner; /* of the black hole for which a thread waits */
        uint32_t owner;
    } * wait; /* by threads_span.place */
    size_t waits;
    bool failed; /* out of memory, or the taker has stopped */
};
void state_rows_take(void *rows, const struct threads_span *span);

/* The rows of span_states of a process in a section, from what an analysis knows of its threads;
 * that takes each event first. NULL, false: out of memory, or the taker has stopped. */
struct span_states;
struct span_states *span_states_new(const struct reading *reading, const hectic_threads *threads,
                                    const struct row_taker *rows);
void span_states_free(struct span_states *states);
bool span_states_event(struct span_states *states, const hectic_event *event);
bool span_states_are_settled(const struct span_states *states);
bool span_states_end(struct span_states *states, uint64_t now);

/* of each: a row for each span, instead of one for each label. raw: numbers at the ends of labels
 * stay. */
bool spans_rows(struct reading *reading, const struct row_taker *rows, bool each, bool raw,
                hectic_span_totals *totals);

struct sparks_options {
    bool each;      /* rows of sparks_each */
    uint64_t every; /* ns: slices; 0: the whole interval */
};
struct sparks_sums {
    bool by_events, by_counters; /* what the logs of the processes have */
    bool too_many;               /* there are more than SPARKS_ROWS_MAX rows */
    hectic_spark_cap all;        /* of all caps and sections */
    hectic_histogram durations;  /* the caller clears it */
};
enum { SPARKS_ROWS_MAX = 10000000 };
bool sparks_rows(struct reading *reading, const struct row_taker *rows,
                 const struct sparks_options *options, struct sparks_sums *sums);

/* For the events of the current process: of a whole run, or of an interval. Of an interval it is
 * known what the process has. NULL: no memory. */
hectic_stat *stat_of_process(const struct reading *reading, bool is_whole);

/* After the events of a whole run. Of a section that was cut, what the process has is then known.
 */
void stat_end_process(const struct reading *reading, hectic_stat *stat);

/* The rows of gc_caps and sizes (NULL: not wanted): what a stat knows of each cap, as it takes
 * events. Zero before. False: out of memory, or the taker has stopped. */
struct cap_rows {
    hectic_stat *stat;
    const struct reading *reading;
    const struct row_taker *states, *sizes;
    struct cap_stop {
        uint64_t from, to; /* ns */
    } * stopped;           /* of each cap: the parts of a collection so far */
    uint32_t caps;
    bool failed;
};
void cap_rows_begin(struct cap_rows *rows, const struct reading *reading, hectic_stat *stat,
                    const struct row_taker *states, const struct row_taker *sizes);
bool cap_rows_event(struct cap_rows *rows, const hectic_event *event); /* gives it to stat */
bool cap_rows_end(struct cap_rows *rows, uint64_t now);

/* The rows of utilization from collections that an analysis has found, in the order of their
 * beginnings; zero before them. False: as above. */
struct utilization {
    struct hectic_pause *pause;
    size_t pauses, capacity;
};
bool utilization_add(struct utilization *utilization, const hectic_collection *collection);
bool utilization_end(struct utilization *utilization, const struct reading *reading,
                     const struct row_taker *rows, uint64_t now); /* of a section */
void utilization_clear(struct utilization *utilization);

#endif
