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

/* Takes the cells of a row, which are valid until it returns. False: stop. */
struct row_taker {
    bool (*take)(void *user, const struct cell *cells);
    void *user;
};

/* How rows are made from the events of one section, as they come: by the same reader. Without
 * `begin`, a log that is read needs no more, either. */
struct live_rows {
    const struct reader *reader;
    size_t size; /* of what it has in reading->user */
    /* Sets that, which is zero. NULL: it is a copy of the row_taker. */
    void (*begin)(void *user, struct reading *reading, const struct row_taker *rows);
    bool has_empty; /* a section without events has rows */
};
extern const struct live_rows run_live, thread_state_live, message_live, gc_live, gc_cap_live,
    each_span_live, span_state_live, gap_live, size_live, heap_sample_live, time_sample_live;

/* The same of tables whose rows depend on later events: they come at the end of the section. */
extern const struct live_rows threads_pushed, spans_pushed, ticky_pushed, prof_pushed,
    heap_bands_pushed, utilization_pushed;

/* Each reads the log from its beginning. False: the taker has stopped, or out of memory. */

bool run_rows(struct reading *reading, const struct row_taker *rows);

/* windows: takes the rows of utilization, if the interval has no limits; or NULL. */
bool gc_rows(struct reading *reading, const struct row_taker *rows,
             const struct row_taker *windows);

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
/* states: takes the rows of span_states, if the interval has no limits; or NULL. */
bool threads_rows(struct reading *reading, const struct row_taker *rows,
                  const struct row_taker *states, struct threads_sums *sums);

/* The rows of span_states of a process in a section, from what an analysis knows of its threads;
 * that takes each event first. NULL, false: out of memory, or the taker has stopped. */
struct span_states;
struct span_states *span_states_new(const struct reading *reading, const hectic_threads *threads,
                                    const struct row_taker *rows);
void span_states_free(struct span_states *states);
bool span_states_event(struct span_states *states, const hectic_event *event);
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

/* For the events of the current process: of a whole run, or of an interval, for which it is known
 * what the process has. NULL: no memory. */
hectic_stat *stat_of_process(const struct reading *reading, bool is_whole);

/* The tables stat, stat_cap and stat_generation, at once. Rows of the last two are READING_CELLS,
 * and the cells of the table. A taker of NULL: that table is not wanted. */
enum stat_part { STAT_OF_RUN, STAT_OF_CAPS, STAT_OF_GENERATIONS, STAT_PARTS };
bool stat_rows(struct reading *reading, const struct row_taker *const rows[STAT_PARTS]);

/* Of whole runs: the interval does not matter. */
bool finding_rows(struct reading *reading, const struct row_taker *rows);
bool rule_rows(struct reading *reading, const struct row_taker *rows);

bool utilization_rows(struct reading *reading, const struct row_taker *rows);

/* The same from collections that an analysis has found, in the order of their beginnings; zero
 * before them. False: out of memory, or the taker has stopped. */
struct utilization {
    struct hectic_pause *pause;
    size_t pauses, capacity;
};
bool utilization_add(struct utilization *utilization, const hectic_collection *collection);
bool utilization_end(struct utilization *utilization, const struct reading *reading,
                     const struct row_taker *rows, uint64_t now); /* of a section */
void utilization_clear(struct utilization *utilization);

bool ticky_rows(struct reading *reading, const struct row_taker *rows);
bool prof_rows(struct reading *reading, const struct row_taker *rows);
bool heap_band_rows(struct reading *reading, const struct row_taker *rows);

#endif
