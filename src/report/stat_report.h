/* stat_report.h — the numbers of hectic stat that are derived from a hectic_stat_result, and all of
 * them as JSON. */
#ifndef HECTIC_SRC_STAT_REPORT_H
#define HECTIC_SRC_STAT_REPORT_H

#include "tables/tables.h"

#include "stat/stat.h"

/* What the system reports of the process, and of the children that it has waited for. */
struct report_usage {
    uint64_t user_ns, system_ns; /* CPU time */
    uint64_t resident_max;       /* maximum resident set, bytes */
};

struct report {
    const hectic_stat_result *result;
    const hectic_process *process;    /* NULL: the log is of one process */
    const struct report_usage *usage; /* NULL: unknown */
    const char *label;                /* of the window, or NULL */
    uint32_t thread;                  /* that opened the window, if has_thread */
    bool has_thread;
    size_t section;    /* counted from 1 */
    bool sections;     /* the log has several */
    bool is_whole;     /* not an interval */
    bool by_caps;      /* GC time averaged over caps */
    bool with_reasons; /* why values are N/A */
};

/* Are the next two known? The time of collections, and the rest, of the mutator; ns. */
bool report_has_gc(const struct report *report);
uint64_t report_gc_ns(const struct report *report);
uint64_t report_mutator_ns(const struct report *report);

/* The time in which collections were recorded. */
uint64_t report_recorded_ns(const hectic_stat_result *result);

/* The pauses of all collections, and of a generation, according to by_caps. */
const hectic_distribution *report_pause(const struct report *report);
const hectic_distribution *report_pause_of(const struct report *report, uint32_t generation);

/* How long a cap waited for collections to begin, to end, and for those without it; ns. */
uint64_t report_wait_ns(const hectic_stat_cap *cap);

/* Times and counts, summed over the caps. */
hectic_stat_cap report_all_caps(const hectic_stat_result *result);

/* Bytes allocated per second of mutator time; 0 if there is none. */
double report_alloc_rate(const struct report *report);
bool report_has_alloc_rate(const struct report *report);

/* Collections: of all generations, or the pauses if the log does not tell them apart. */
uint64_t report_collections(const hectic_stat_result *result);

/* All sparks, as +RTS -s counts them, including overflowed and dud ones. */
uint64_t report_sparks(const hectic_stat_sparks *sparks);

/* The cells of the record stat, but for its arrays, and of a cap and a generation. */
void report_stat_cells(const struct report *report, union stat_row *row);
void report_cap_cells(const struct report *report, uint64_t index, struct cell *cells);
void report_generation_cells(const struct report *report, uint64_t index, struct cell *cells);

/* As one object. docs/stat.md describes it. */
void report_put_json(struct json *json, const struct report *report);

/* Sums over the processes of a log: see docs/stat.md. */
struct report_total {
    size_t section;
    uint32_t processes;
    bool has_total, has_gc, has_gc_stats, has_allocated, has_threads, has_tasks, has_sparks;
    uint64_t from, to; /* the earliest, and the latest */
    uint64_t mutator_ns, gc_ns, elapsed_ns;
    uint64_t allocated, copied, collections;
    uint64_t running_ns, created, runs, switches, migrations, workers;
    hectic_stat_sparks sparks;
};
void report_add(struct report_total *total, const struct report *report);
/* An element of an array. */
void report_put_total(struct json *json, const struct report_total *total);

#endif
