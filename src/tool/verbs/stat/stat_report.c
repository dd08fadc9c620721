/* stat_report.c — the text of hectic stat, in the layout of +RTS -s of GHC 9.0. */
#include "tool/verbs/stat/stat_report.h"

#include "analysis/amount.h"
#include "tool/input/reading.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"
#include "tool/output/short_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = CELL_ROOM, SECOND = 1000000000 };

/* --- Words ----------------------------------------------------------------------------------- */

/* Each prints into room[ROOM], which it returns; N/A if the value is unknown. */
static const char *seconds(char *room, bool known, uint64_t ns, int places)
{
    if (known)
        snprintf(room, ROOM, "%.*fs", places, (double)ns / 1e9);
    else
        strcpy(room, "N/A");
    return room;
}

static const char *grouped(char *room, bool known, uint64_t number)
{
    if (!known) return strcpy(room, "N/A");
    group_number(room, number);
    return room;
}

/* The integer part of a number that may exceed any integer type: up to 2^64 bytes in a nanosecond,
 * 29 digits. */
static const char *grouped_rate(char *room, bool known, double rate)
{
    char digits[32];
    if (!known) return strcpy(room, "N/A");
    snprintf(digits, sizeof digits, "%.0f", trunc(rate));
    group_digits(room, digits);
    return room;
}

static const char *percent(char *room, bool known, double share, int places)
{
    if (known)
        snprintf(room, ROOM, "%.*f%%", places, 100 * share);
    else
        strcpy(room, "N/A");
    return room;
}

static const char *counted(char *room, bool known, uint64_t number)
{
    if (known)
        snprintf(room, ROOM, "%" PRIu64, number);
    else
        strcpy(room, "N/A");
    return room;
}

/* With a unit, as in tables. */
static const char *lasted(char *room, bool known, uint64_t ns)
{
    const struct cell cell = cell_number(ns);
    if (!known) return strcpy(room, "N/A");
    cell_print(room, CELL_NS, &cell);
    return room;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* --- As +RTS -s ------------------------------------------------------------------------------ */

static void print_memory(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    char a[ROOM], b[ROOM];
    const bool major = r->residency_samples > 0;
    sink_print(sink, "%16s bytes allocated in the heap\n",
               grouped(a, r->has_allocated, r->allocated));
    sink_print(sink, "%16s bytes copied during GC\n", grouped(a, r->has_gc_stats, r->copied));
    sink_print(sink, "%16s bytes maximum residency (%s sample(s))\n",
               grouped(a, major, r->residency_max),
               counted(b, r->has_gc_stats, r->residency_samples));
    sink_print(sink, "%16s bytes maximum slop\n",
               grouped(a, r->has_gc_stats && major, r->slop_max));
    sink_print(sink, "%16s MiB total memory in use (%s MiB lost due to fragmentation)\n",
               counted(a, r->has_heap_size, r->heap_max >> 20),
               counted(b, r->has_blocks, r->lost >> 20));
    if (report->usage)
        sink_print(sink, "%16" PRIu64 " MiB maximum resident set of the process, by the system\n",
                   report->usage->resident_max >> 20);
    sink_print(sink, "\n");
}

/* Time of the non-moving collector, concurrent or with all caps stopped. */
static uint64_t conc_ns(const hectic_stat_result *r)
{
    return amount_sum(r->conc_mark_ns, amount_sum(r->conc_sync_ns, r->conc_sweep_ns));
}

static void print_generation(struct sink *sink, const char *name, const char *collections,
                             const char *parallel, bool known, const hectic_distribution *pause)
{
    char time[ROOM], mean[ROOM], most[ROOM];
    const uint64_t count = pause->count;
    sink_print(sink, "  Gen %2s     %5s colls, %5s par       N/A  %7s     %7s    %7s\n", name,
               collections, parallel, seconds(time, known, pause->sum, 3),
               seconds(mean, known, count ? pause->sum / count : 0, 4),
               seconds(most, known, pause->max, 4));
}

static void print_generations(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const bool known = report_has_gc(report);
    char name[ROOM], a[ROOM], b[ROOM], c[ROOM], d[ROOM];
    sink_print(sink, "                                     "
                     "Tot time (elapsed)  Avg pause  Max pause\n");
    /* Generations are unknown; there may be pauses. */
    if (!r->has_gc_stats)
        print_generation(sink, "*", counted(a, known, r->pause.count), "N/A", known,
                         report_pause(report));
    for (uint32_t i = 0; r->has_gc_stats && i < r->generations; i++) {
        snprintf(name, sizeof name, "%u", i);
        print_generation(sink, name, counted(a, true, r->generation[i].collections),
                         counted(b, true, r->generation[i].parallel), known,
                         report_pause_of(report, i));
    }
    if (r->has_nonmoving && r->has_gc_stats && r->generations > 0) {
        /* The runtime counts all major collections, with or without a sync. */
        const uint64_t count = r->generation[r->generations - 1].collections;
        const uint64_t ns = conc_ns(r);
        sink_print(sink, "  Gen  1     %5s syncs,                      %7s     %7s    %7s\n",
                   counted(a, true, count), seconds(b, true, r->conc_sync_ns, 3),
                   seconds(c, count > 0, count ? r->conc_sync_ns / count : 0, 4),
                   seconds(d, true, r->conc_sync_max_ns, 4));
        sink_print(sink, "  Gen  1      concurrent,                 N/A  %7s     %7s        N/A\n",
                   seconds(a, true, ns, 3), seconds(b, count > 0, count ? ns / count : 0, 4));
    }
    sink_print(sink, "\n");
}

static void print_sparks(struct sink *sink, bool known, const hectic_stat_sparks *s)
{
    char a[ROOM], b[ROOM], c[ROOM], d[ROOM], e[ROOM], f[ROOM];
    sink_print(sink, "  SPARKS: %s (%s converted, %s overflowed, %s dud, %s GC'd, %s fizzled)\n\n",
               counted(a, known, report_sparks(s)), counted(b, known, s->converted),
               counted(c, known, s->overflowed), counted(d, known, s->dud),
               counted(e, known, s->gcd), counted(f, known, s->fizzled));
}

static void print_parallel(struct sink *sink, const hectic_stat_result *r)
{
    char a[ROOM], b[ROOM], c[ROOM], d[ROOM], e[ROOM];
    if (r->has_threaded && !r->threaded) return;
    if (!r->has_gc_stats || (r->has_balance && r->work_balance > 0))
        sink_print(sink, "  Parallel GC work balance: %s (serial 0%%, perfect 100%%)\n\n",
                   percent(a, r->has_balance, r->work_balance, 2));
    const bool tasks = r->has_tasks && r->has_bound;
    sink_print(sink, "  TASKS: %s (%s bound, %s peak workers (%s total), using -N%s)\n\n",
               counted(a, tasks, r->workers + 1), counted(b, tasks, 1),
               counted(c, r->has_tasks, r->workers_max), counted(d, r->has_tasks, r->workers),
               r->caps > 0 ? counted(e, true, r->caps) : "?");
    print_sparks(sink, r->has_sparks, &r->sparks);
}

static void print_phase(struct sink *sink, const char *name, bool known, uint64_t ns)
{
    char room[ROOM];
    sink_print(sink, "  %-7s time       N/A  (%8s elapsed)\n", name, seconds(room, known, ns, 3));
}

static void print_total(struct sink *sink, const struct report_usage *usage, uint64_t ns)
{
    char cpu[ROOM], user[ROOM], system[ROOM], elapsed[ROOM];
    if (!usage) {
        print_phase(sink, "Total", true, ns);
        return;
    }
    sink_print(sink, "  Total   time  %8s  (%8s elapsed)\n",
               seconds(cpu, true, amount_sum(usage->user_ns, usage->system_ns), 3),
               seconds(elapsed, true, ns, 3));
    sink_print(sink, "          CPU time by the system: %s user, %s system\n",
               seconds(user, true, usage->user_ns, 3), seconds(system, true, usage->system_ns, 3));
}

static void print_phases(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, gc = report_gc_ns(report);
    const uint64_t mutator = report_mutator_ns(report);
    const bool known = report_has_gc(report);
    char a[ROOM];
    print_phase(sink, "INIT", r->has_init, r->init_ns);
    print_phase(sink, "MUT", known, mutator);
    print_phase(sink, "GC", known, gc);
    if (r->has_nonmoving) print_phase(sink, "CONC GC", true, conc_ns(r));
    if (r->profiled) {
        print_phase(sink, "RP", false, 0);
        print_phase(sink, "PROF", false, 0);
    }
    print_phase(sink, "EXIT", r->has_exit, r->exit_ns);
    print_total(sink, report->usage, total);
    sink_print(sink, "\n");
    if (r->has_threaded && !r->threaded)
        sink_print(sink, "  %%GC     time       N/A  (%s elapsed)\n\n",
                   percent(a, known && total, ratio(gc, total), 1));
    const bool rate = r->has_allocated && known && mutator > 0;
    sink_print(sink, "  Alloc rate    %s bytes per MUT second (elapsed)\n\n",
               grouped_rate(a, rate, report_alloc_rate(report)));
    sink_print(sink, "  Productivity   N/A of total user, %s of total elapsed\n",
               percent(a, known && total, ratio(mutator, total), 1));
}

/* --- What +RTS -s does not print -------------------------------------------------------------- */

static void print_caps(struct sink *sink, const hectic_stat_result *r)
{
    const uint64_t total = r->to - r->from;
    sink_print(sink, "\n  Cap running     GC  GC wait   idle      allocated     runs  switches"
                     "    in/out\n");
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        const bool lasted = total > 0;
        char running[ROOM], gc[ROOM], wait[ROOM], idle[ROOM];
        sink_print(sink, "  %3u %7s %6s %8s %6s", c->cap,
                   percent(running, lasted && r->has_threads, ratio(c->running_ns, total), 1),
                   percent(gc, lasted && c->has_gc, ratio(c->gc_ns, total), 1),
                   percent(wait, lasted && c->has_gc, ratio(report_wait_ns(c), total), 1),
                   percent(idle, lasted && c->has_idle, ratio(c->idle_ns, total), 1));
        char a[ROOM], b[ROOM], d[ROOM], in[ROOM], out[ROOM], both[2 * ROOM + 1];
        snprintf(both, sizeof both, "%s/%s", counted(in, r->has_threads, c->migrated_in),
                 counted(out, r->has_threads, c->migrated_out));
        sink_print(sink, " %14s %8s %9s %9s\n", grouped(a, r->has_allocated, c->allocated),
                   counted(b, r->has_threads, c->runs), counted(d, r->has_threads, c->switches),
                   both);
    }
}

static void print_distribution(struct sink *sink, const char *name, const hectic_distribution *d)
{
    char total[ROOM], p50[ROOM], p90[ROOM], p99[ROOM], max[ROOM];
    const bool known = d->count > 0;
    sink_print(sink, "  %-12s %8" PRIu64 " %10s %10s %10s %10s %10s\n", name, d->count,
               lasted(total, true, d->sum), lasted(p50, known, d->p50), lasted(p90, known, d->p90),
               lasted(p99, known, d->p99), lasted(max, known, d->max));
}

static void print_pauses(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    if (!report_has_gc(report)) return;
    sink_print(sink, "\n  %-12s %8s %10s %10s %10s %10s %10s\n",
               report->by_caps ? "Mean pauses" : "Pauses", "count", "total", "p50", "p90", "p99",
               "max");
    for (uint32_t i = 0; r->has_gc_stats && i < r->generations; i++) {
        char name[ROOM];
        snprintf(name, sizeof name, "generation %u", i);
        print_distribution(sink, name, report_pause_of(report, i));
    }
    print_distribution(sink, "all", report_pause(report));
    if (r->has_safepoint) print_distribution(sink, "to safepoint", &r->safepoint);
}

static void print_gc_time(struct sink *sink, const char *name, bool has_threads,
                          const hectic_stat_cap *c)
{
    char work[ROOM], idle[ROOM], share[ROOM], begin[ROOM], end[ROOM], out[ROOM];
    sink_print(sink, "  %4s %11s %11s %7s %11s %11s %11s\n", name,
               lasted(work, has_threads, c->gc_work_ns), lasted(idle, has_threads, c->gc_idle_ns),
               percent(share, has_threads && c->gc_ns > 0, ratio(c->gc_idle_ns, c->gc_ns), 1),
               lasted(begin, true, c->wait_begin_ns), lasted(end, true, c->wait_end_ns),
               lasted(out, true, c->wait_out_ns));
}

/* How caps spent the time of collections, and the sums. */
static void print_gc_times(struct sink *sink, const hectic_stat_result *r)
{
    const hectic_stat_cap all = report_all_caps(r);
    char name[ROOM];
    if (r->caps == 0 || !r->cap[0].has_gc) return;
    sink_print(sink, "\n  In GC     working        idle  idle %%   wait begin    wait end"
                     "     no part\n");
    for (uint32_t i = 0; i < r->caps; i++) {
        snprintf(name, sizeof name, "%u", r->cap[i].cap);
        print_gc_time(sink, name, r->has_gc_threads, &r->cap[i]);
    }
    print_gc_time(sink, "all", r->has_gc_threads, &all);
}

static void print_collector(struct sink *sink, const hectic_stat_result *r)
{
    char a[ROOM];
    if (r->has_nonmoving) {
        sink_print(sink, "\n  Non-moving    %" PRIu64 " marks %s, ", r->conc_marks,
                   lasted(a, true, r->conc_mark_ns));
        sink_print(sink, "%" PRIu64 " syncs %s, ", r->conc_syncs, lasted(a, true, r->conc_sync_ns));
        sink_print(sink, "%" PRIu64 " sweeps %s\n", r->conc_sweeps,
                   lasted(a, true, r->conc_sweep_ns));
    }
    if (r->has_fragmentation)
        sink_print(sink, "\n  Fragmentation %s bytes at most, at the end of a collection\n",
                   grouped(a, true, r->fragmentation_max));
    if (r->has_returned)
        sink_print(sink, "\n  Returned      %s bytes to the OS\n", grouped(a, true, r->returned));
}

/* --- Why not --------------------------------------------------------------------------------- */

static void print_reasons(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    static const char no_leader[] =
        "no GC_START events: +RTS -lg; or none that identify the GC leader";
    static const char parts[] =
        "no events identify the GC leader, or blocks of caps are too far apart";
    const bool waits = r->caps > 0 && r->cap[0].has_gc, idles = r->caps > 0 && r->cap[0].has_idle;
    const struct {
        bool known;
        const char *what, *why;
    } reasons[] = {
        {false, "CPU times", "eventlogs do not record them"},
        {r->has_allocated, "allocated, Alloc rate",
         "no HEAP_ALLOCATED events: a GHC from 7.6 on, and +RTS -lg"},
        {r->has_gc_stats, "copied, slop, generations, work balance",
         "no GC_STATS_GHC events: a GHC from 7.6 on, and +RTS -lg"},
        {r->residency_samples > 0, "maximum residency",
         "no HEAP_LIVE events: no major collection ended here"},
        {r->has_heap_size, "total memory in use",
         "no HEAP_SIZE events: a GHC from 7.6 on, and +RTS -lg"},
        {r->has_blocks, "lost due to fragmentation",
         "no BLOCKS_SIZE events: a GHC from 9.2 on, and +RTS -lg"},
        {report_has_gc(report), "MUT, GC, Productivity", r->has_gc ? parts : no_leader},
        {r->has_threads, "running, runs, switches", "no RUN_THREAD events: +RTS -ls"},
        {waits, "cap: GC, GC wait", r->has_gc ? parts : no_leader},
        {waits && idles, "cap: idle", waits ? "no RUN_THREAD events: +RTS -ls" : "as GC, GC wait"},
        {r->has_gc_threads || !waits, "GC working, idle", "no GC_WORK events: +RTS -lg"},
        {r->has_tasks, "TASKS", "no TASK_CREATE events: a GHC from 7.6 on, and +RTS -ls"},
        {r->has_bound || !r->has_tasks, "bound tasks",
         "no OS thread has the number of the process"},
        {r->has_sparks || (r->has_threaded && !r->threaded), "SPARKS",
         "no SPARK_COUNTERS events: ghc -threaded, and +RTS -lp"},
        {r->has_init, "INIT",
         report->is_whole ? "no tasks of the main OS thread: a GHC from 7.6 on, and +RTS -ls"
                          : "known for whole runs only; MUT includes it"},
        {r->has_exit, "EXIT",
         report->is_whole ? "the log does not have the end of the program, or tasks (+RTS -ls)"
                          : "known for whole runs only; MUT includes it"},
        {!r->profiled, "RP, PROF", "heap profiles do not record their duration; GC includes it"},
    };
    sink_print(sink, "\n  N/A\n");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (!reasons[i].known) sink_print(sink, "    %s: %s\n", reasons[i].what, reasons[i].why);
}

static void print_process(struct sink *sink, const hectic_process *process)
{
    if (!process) return;
    sink_print(sink, "Process ");
    if (process->has_pid)
        sink_print(sink, "%" PRIu32 " (capset %" PRIu32 ")\n\n", process->pid, process->capset);
    else
        sink_print(sink, "of capset %" PRIu32 "\n\n", process->capset);
}

void report_print(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    if (report->sections) sink_print(sink, "Section %zu\n\n", report->section);
    print_process(sink, report->process);
    if (!report->is_whole)
        sink_print(sink, "From %" PRIu64 ".%09" PRIu64 " s to %" PRIu64 ".%09" PRIu64 " s\n\n",
                   r->from / SECOND, r->from % SECOND, r->to / SECOND, r->to % SECOND);
    print_memory(sink, report);
    print_generations(sink, report);
    print_parallel(sink, r);
    print_phases(sink, report);
    print_caps(sink, r);
    print_pauses(sink, report);
    print_gc_times(sink, r);
    print_collector(sink, r);
    if (report->with_reasons) print_reasons(sink, report);
    if (hectic_gaps_any(&r->gaps)) gaps_print(sink, "\n  Gaps: ", &r->gaps);
    sink_print(sink, "\n");
}

/* "Time       0.021s elapsed: mutator 0.013s (62.5%), GC 0.001s (3.0%)" */
static void headline_time(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, gc = report_gc_ns(report);
    const uint64_t mutator = report_mutator_ns(report);
    char a[ROOM], b[ROOM];
    sink_print(sink, "Time       %s elapsed", seconds(a, true, total, 3));
    if (report_has_gc(report)) {
        sink_print(sink, ": mutator %s (%s)", seconds(a, true, mutator, 3),
                   percent(b, total > 0, ratio(mutator, total), 1));
        sink_print(sink, ", GC %s (%s)", seconds(a, true, gc, 3),
                   percent(b, total > 0, ratio(gc, total), 1));
    }
    sink_print(sink, "\n");
}

static void headline_memory(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    char a[ROOM];
    if (r->has_allocated) sink_print(sink, "Allocated  %s bytes", grouped(a, true, r->allocated));
    if (r->has_allocated && report_has_gc(report) && report_mutator_ns(report) > 0)
        sink_print(sink, ", %s bytes per MUT second",
                   grouped_rate(a, true, report_alloc_rate(report)));
    if (r->has_allocated) sink_print(sink, "\n");
    if (r->residency_samples > 0)
        sink_print(sink, "Residency  %s bytes maximum\n", grouped(a, true, r->residency_max));
    if (r->has_heap_size)
        sink_print(sink, "Memory     %s MiB total in use\n", counted(a, true, r->heap_max >> 20));
}

void report_print_headline(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const hectic_distribution *pause = report_pause(report);
    char a[ROOM];
    headline_time(sink, report);
    if (report_has_gc(report) && pause->count > 0)
        sink_print(sink, "GC         %" PRIu64 " collection%s, longest pause %s\n", pause->count,
                   pause->count == 1 ? "" : "s", lasted(a, true, pause->max));
    headline_memory(sink, report);
    if (r->has_threads) {
        const hectic_stat_cap all = report_all_caps(r);
        const double whole = (double)(r->to - r->from) * r->caps;
        sink_print(sink, "Threads    %" PRIu64 " created; caps ran threads %s of the time\n",
                   all.created,
                   percent(a, whole > 0, whole > 0 ? (double)all.running_ns / whole : 0, 1));
    }
}

/* --- Sums over processes --------------------------------------------------------------------- */

void report_print_total(struct sink *sink, const struct report_total *t)
{
    char a[ROOM], b[ROOM], c[ROOM], d[ROOM];
    sink_print(sink, "\nSums over %" PRIu32 " processes\n\n", t->processes);
    sink_print(sink, "%16s bytes allocated in the heaps\n",
               grouped(a, t->has_allocated, t->allocated));
    sink_print(sink, "%16s bytes copied during GC\n", grouped(a, t->has_gc_stats, t->copied));
    sink_print(sink, "%16s collections\n\n", grouped(a, t->has_gc, t->collections));
    sink_print(sink, "  Threads: %s created, %s runs, %s migrations; %s workers\n\n",
               counted(a, t->has_threads, t->created), counted(b, t->has_threads, t->runs),
               counted(c, t->has_threads, t->migrations), counted(d, t->has_tasks, t->workers));
    print_sparks(sink, t->has_sparks, &t->sparks);
    print_phase(sink, "MUT", t->has_gc, t->mutator_ns);
    print_phase(sink, "GC", t->has_gc, t->gc_ns);
    print_phase(sink, "Total", true, t->elapsed_ns);
    sink_print(sink, "  From the first start to the last end: %s elapsed\n",
               seconds(a, true, t->to - t->from, 3));
    sink_print(sink, "\n");
}

/* --- As a row -------------------------------------------------------------------------------- */

const struct table_column report_columns[] = {
    READING_COLUMNS,
    {"label", "Window", CELL_TEXT, OPTIONAL},
    {"thread", "Thread", CELL_ID, OPTIONAL | RANK(2)},
    {"from_ns", "From", CELL_TIME, 0},
    {"to_ns", "To", CELL_TIME, RANK(3)},
    {"mutator_ns", "MUT", CELL_NS, RANK(1)},
    {"gc_ns", "GC", CELL_NS, RANK(1)},
    {"gc_share", "GC %", CELL_SHARE, 0},
    {"gc_bar", "", CELL_BAR, RANK(3)},
    {"collections", "GCs", CELL_COUNT, RANK(1)},
    {"pause_max_ns", "Max pause", CELL_NS, 0},
    {"pause_p50_ns", "p50", CELL_NS, OPTIONAL | RANK(4)},
    {"pause_p99_ns", "p99", CELL_NS, OPTIONAL | RANK(3)},
    {"allocated_bytes", "Allocated", CELL_BYTES, 0},
    {"copied_bytes", "Copied", CELL_BYTES, RANK(4)},
    {"residency_bytes", "Live", CELL_BYTES, OPTIONAL | RANK(1)},
    {"heap_bytes", "Heap", CELL_BYTES, RANK(2)},
    {"running_ns", "Running", CELL_NS, RANK(2)},
    {"running_share", "Running %", CELL_SHARE, RANK(3)},
    {"gc_idle_ns", "GC idle", CELL_NS, OPTIONAL | RANK(4)},
    {"gc_wait_ns", "GC wait", CELL_NS, OPTIONAL | RANK(4)},
    {"safepoint_ns", "Safepoint", CELL_NS, OPTIONAL | RANK(4)},
    {"safepoint_max_ns", "Max safepoint", CELL_NS, OPTIONAL | RANK(5)},
    {"runs", "Runs", CELL_COUNT, RANK(3)},
    {"switches", "Switches", CELL_COUNT, OPTIONAL | RANK(5)},
    {"migrations", "Migrations", CELL_COUNT, OPTIONAL | RANK(5)},
    {"sparks", "Sparks", CELL_COUNT, OPTIONAL | RANK(4)},
    {"sparks_created", "Created", CELL_COUNT, OPTIONAL | RANK(5)},
    {"sparks_converted", "Converted", CELL_COUNT, OPTIONAL | RANK(5)},
    {"returned_bytes", "Returned", CELL_BYTES, OPTIONAL | RANK(5)},
    {0},
};

static struct cell share_if(bool known, double part, double whole)
{
    return known && whole > 0 ? cell_share(part / whole) : cell_unknown();
}

bool report_row(struct table *table, struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, gc = report_gc_ns(report);
    const hectic_distribution *pause = report_pause(report), *safepoint = &r->safepoint;
    const hectic_stat_cap all = report_all_caps(r);
    const hectic_process none = {0}, *process = report->process ? report->process : &none;
    const bool waits = r->caps > 0 && r->cap[0].has_gc, has_gc = report_has_gc(report);
    const bool paused = has_gc && pause->count > 0;
    const struct cell cells[] = {
        cell_number(report->section),
        cell_if(process->has_capset, process->capset),
        cell_if(process->has_pid, process->pid),
        cell_text(report->label),
        cell_if(report->has_thread, report->thread),
        cell_number(r->from),
        cell_number(r->to),
        cell_if(has_gc, report_mutator_ns(report)),
        cell_if(has_gc, gc),
        share_if(has_gc, (double)gc, (double)total),
        share_if(has_gc, (double)gc, (double)total),
        cell_if(r->has_gc, report_collections(r)),
        cell_if(paused, pause->max),
        cell_if(paused, pause->p50),
        cell_if(paused, pause->p99),
        cell_if(r->has_allocated, r->allocated),
        cell_if(r->has_gc_stats, r->copied),
        cell_if(r->residency_samples > 0, r->residency_max),
        cell_if(r->has_heap_size, r->heap_max),
        cell_if(r->has_threads, all.running_ns),
        share_if(r->has_threads, (double)all.running_ns, (double)total * r->caps),
        cell_if(waits && r->has_gc_threads, all.gc_idle_ns),
        cell_if(waits, report_wait_ns(&all)),
        cell_if(r->has_safepoint, safepoint->sum),
        cell_if(r->has_safepoint && safepoint->count > 0, safepoint->max),
        cell_if(r->has_threads, all.runs),
        cell_if(r->has_threads, all.switches),
        cell_if(r->has_threads, all.migrated_out),
        cell_if(r->has_sparks, report_sparks(&r->sparks)),
        cell_if(r->has_sparks, r->sparks.created),
        cell_if(r->has_sparks, r->sparks.converted),
        cell_if(r->has_returned, r->returned),
    };
    return table_row(table, sink, cells);
}
