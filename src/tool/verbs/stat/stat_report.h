/* stat_report.h — what hectic stat prints: for people, and for programs. */
#ifndef HECTIC_STAT_REPORT_H
#define HECTIC_STAT_REPORT_H

#include "tool/output/json.h"
#include "tool/output/table.h"

#include <hectic/stat.h>

/* What the system says of the process whose log it is, with the processes that it has waited for.
 */
struct report_usage {
    uint64_t user_ns, system_ns; /* CPU time */
    uint64_t resident_max;       /* bytes of its memory that were in RAM, at most */
};

struct report {
    const hectic_stat_result *result;
    const hectic_process *process;    /* NULL: the log is of one process */
    const struct report_usage *usage; /* NULL: not known */
    const char *label;                /* of the window, or NULL */
    uint32_t thread;                  /* that has opened the window, where has_thread */
    bool has_thread;
    size_t section;    /* counted from 1 */
    bool sections;     /* the log has several */
    bool is_whole;     /* not an interval */
    bool by_caps;      /* GC time averaged over caps */
    bool with_reasons; /* why what is N/A is so */
};

/* Is what follows known? Total time of collections, and what then is left for the mutator, ns. */
bool report_has_gc(const struct report *report);
uint64_t report_gc_ns(const struct report *report);
uint64_t report_mutator_ns(const struct report *report);

/* The pauses of all collections, and of a generation's, as by_caps says. */
const hectic_distribution *report_pause(const struct report *report);
const hectic_distribution *report_pause_of(const struct report *report, uint32_t generation);

/* How long a cap waited for collections to begin, to end, and for those of others; ns. */
uint64_t report_wait_ns(const hectic_stat_cap *cap);

/* What all caps did together: times and counts, added up. */
hectic_stat_cap report_all_caps(const hectic_stat_result *result);

/* Bytes allocated per elapsed second of the mutator's; 0 where that has no time. */
double report_alloc_rate(const struct report *report);

/* All that were made, as +RTS -s counts them: also those that no pool took. */
uint64_t report_sparks(const hectic_stat_sparks *sparks);

/* As +RTS -s prints it, and then what that does not tell. */
void report_print(struct sink *sink, const struct report *report);

/* The most important numbers, as report_print prints them: about six lines, each with a title of 11
 * columns. What the log does not hold is left out. */
void report_print_headline(struct sink *sink, const struct report *report);

/* As one object. docs/stat.md describes it. */
void report_put_json(struct json *json, const struct report *report);

/* Sums over the processes of a log, as far as they mean something: see docs/stat.md. */
struct report_total {
    uint32_t processes;
    bool has_gc, has_gc_stats, has_allocated, has_threads, has_tasks, has_sparks;
    uint64_t from, to; /* of the earliest, and of the latest */
    uint64_t mutator_ns, gc_ns, elapsed_ns;
    uint64_t allocated, copied, collections;
    uint64_t running_ns, created, runs, switches, migrations, workers;
    hectic_stat_sparks sparks;
};
void report_add(struct report_total *total, const struct report *report);
void report_print_total(struct sink *sink, const struct report_total *total);
void report_put_total(struct json *json, const struct report_total *total);

/* As one row of a table. False after a message. */
extern const struct table_column report_columns[];
bool report_row(struct table *table, struct sink *sink, const struct report *report);

#endif
