/* stat_report.c — the text of hectic stat, in the layout of +RTS -s of GHC 9.0. */
#include "tool/verbs/stat/stat_report.h"

#include "numbers/saturating.h"
#include "render/units.h"
#include "results/reading.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SECOND = 1000000000 };

/* --- Words ----------------------------------------------------------------------------------- */

/* Each is N/A if the value is unknown. */
static struct printed seconds(bool known, uint64_t ns, int places)
{
    struct printed out = {"N/A"};
    if (known) snprintf(out.text, sizeof out.text, "%.*fs", places, (double)ns / 1e9);
    return out;
}

/* More than all is a contradiction in a damaged log. */
static struct printed percent(bool known, double share, int places)
{
    struct printed out = {"N/A"};
    if (known && share < 1.001) snprintf(out.text, sizeof out.text, "%.*f%%", places, 100 * share);
    return out;
}

static struct printed grouped(bool known, uint64_t number)
{
    return printed_if(known, CELL_COUNT, number);
}

static struct printed counted(bool known, uint64_t number)
{
    return printed_if(known, CELL_ID, number);
}

static struct printed lasted(bool known, uint64_t ns)
{
    return printed_if(known, CELL_NS, ns);
}

/* The integer part of a number that may exceed any integer type: up to 2^64 bytes in a nanosecond,
 * 29 digits. */
static struct printed grouped_rate(bool known, double rate)
{
    struct printed out = {"N/A"};
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", trunc(rate));
    if (known) group_digits(out.text, digits);
    return out;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* --- As +RTS -s ------------------------------------------------------------------------------ */

static void print_memory(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const bool major = r->residency_samples > 0;
    sink_print(sink, "%16s bytes allocated in the heap\n",
               grouped(r->has_allocated, r->allocated).text);
    sink_print(sink, "%16s bytes copied during GC\n", grouped(r->has_gc_stats, r->copied).text);
    sink_print(sink, "%16s bytes maximum residency (%s sample(s))\n",
               grouped(major, r->residency_max).text,
               counted(r->has_gc_stats, r->residency_samples).text);
    sink_print(sink, "%16s bytes maximum slop\n",
               grouped(r->has_gc_stats && major, r->slop_max).text);
    sink_print(sink, "%16s MiB total memory in use (%s MiB lost due to fragmentation)\n",
               counted(r->has_heap_size, r->heap_max >> 20).text,
               counted(r->has_lost, r->lost >> 20).text);
    if (report->usage)
        sink_print(sink, "%16" PRIu64 " MiB maximum resident set of the process, by the system\n",
                   report->usage->resident_max >> 20);
    sink_print(sink, "\n");
}

/* Time of the non-moving collector, concurrent or with all caps stopped. */
static uint64_t conc_ns(const hectic_stat_result *r)
{
    return saturating_sum(r->conc_mark_ns, saturating_sum(r->conc_sync_ns, r->conc_sweep_ns));
}

static void print_generation(struct sink *sink, const char *name, const char *collections,
                             const char *parallel, bool known, const hectic_distribution *pause)
{
    const uint64_t count = pause->count;
    sink_print(sink, "  Gen %2s     %5s colls, %5s par       N/A  %7s     %7s    %7s\n", name,
               collections, parallel, seconds(known, pause->sum, 3).text,
               seconds(known, count ? pause->sum / count : 0, 4).text,
               seconds(known, pause->max, 4).text);
}

static void print_generations(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const bool known = report_has_gc(report);
    sink_print(sink, "                                     "
                     "Tot time (elapsed)  Avg pause  Max pause\n");
    /* Generations are unknown; there may be pauses. */
    if (!r->has_gc_stats)
        print_generation(sink, "*", counted(known, r->pause.count).text, "N/A", known,
                         report_pause(report));
    for (uint32_t i = 0; r->has_gc_stats && i < r->generations; i++) {
        print_generation(
            sink, printed(CELL_ID, i).text, counted(true, r->generation[i].collections).text,
            counted(true, r->generation[i].parallel).text, known, report_pause_of(report, i));
    }
    if (r->has_nonmoving && r->has_gc_stats && r->generations > 0) {
        /* The runtime counts all major collections, with or without a sync. */
        const uint64_t count = r->generation[r->generations - 1].collections;
        const uint64_t ns = conc_ns(r);
        sink_print(sink, "  Gen  1     %5s syncs,                      %7s     %7s    %7s\n",
                   counted(true, count).text, seconds(true, r->conc_sync_ns, 3).text,
                   seconds(count > 0, count ? r->conc_sync_ns / count : 0, 4).text,
                   seconds(true, r->conc_sync_max_ns, 4).text);
        sink_print(sink, "  Gen  1      concurrent,                 N/A  %7s     %7s        N/A\n",
                   seconds(true, ns, 3).text, seconds(count > 0, count ? ns / count : 0, 4).text);
    }
    sink_print(sink, "\n");
}

static void print_sparks(struct sink *sink, bool known, const hectic_stat_sparks *s)
{
    sink_print(sink, "  SPARKS: %s (%s converted, %s overflowed, %s dud, %s GC'd, %s fizzled)\n\n",
               counted(known, report_sparks(s)).text, counted(known, s->converted).text,
               counted(known, s->overflowed).text, counted(known, s->dud).text,
               counted(known, s->gcd).text, counted(known, s->fizzled).text);
}

static void print_parallel(struct sink *sink, const hectic_stat_result *r)
{
    if (r->has_threaded && !r->threaded) return;
    if (!r->has_gc_stats || (r->has_balance && r->work_balance > 0))
        sink_print(sink, "  Parallel GC work balance: %s (serial 0%%, perfect 100%%)\n\n",
                   percent(r->has_balance, r->work_balance, 2).text);
    const bool tasks = r->has_tasks && r->has_bound;
    /* A log that was cut may lack caps with lower numbers than others. */
    bool is_known = r->caps > 0;
    for (uint32_t i = 0; i < r->caps; i++)
        is_known = is_known && r->cap[i].cap < r->caps;
    sink_print(sink, "  TASKS: %s (%s bound, %s peak workers (%s total), using -N%s)\n\n",
               counted(tasks, r->workers + 1).text, counted(tasks, 1).text,
               counted(r->has_tasks, r->workers_max).text, counted(r->has_tasks, r->workers).text,
               is_known ? counted(true, r->caps).text : "?");
    print_sparks(sink, r->has_sparks, &r->sparks);
}

static void print_phase(struct sink *sink, const char *name, bool known, uint64_t ns)
{
    sink_print(sink, "  %-7s time       N/A  (%8s elapsed)\n", name, seconds(known, ns, 3).text);
}

static void print_total(struct sink *sink, const struct report_usage *usage, bool known,
                        uint64_t ns)
{
    if (!usage) {
        print_phase(sink, "Total", known, ns);
        return;
    }
    sink_print(sink, "  Total   time  %8s  (%8s elapsed)\n",
               seconds(true, saturating_sum(usage->user_ns, usage->system_ns), 3).text,
               seconds(known, ns, 3).text);
    sink_print(sink, "          CPU time by the system: %s user, %s system\n",
               seconds(true, usage->user_ns, 3).text, seconds(true, usage->system_ns, 3).text);
}

static void print_phases(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, gc = report_gc_ns(report);
    const uint64_t mutator = report_mutator_ns(report), recorded = report_recorded_ns(r);
    const bool known = report_has_gc(report);
    print_phase(sink, "INIT", r->has_init, r->init_ns);
    print_phase(sink, "MUT", known, mutator);
    print_phase(sink, "GC", known, gc);
    if (r->has_nonmoving) print_phase(sink, "CONC GC", true, conc_ns(r));
    if (r->profiled) {
        print_phase(sink, "RP", false, 0);
        print_phase(sink, "PROF", false, 0);
    }
    print_phase(sink, "EXIT", r->has_exit, r->exit_ns);
    if (r->gc_unrecorded_ns > 0) print_phase(sink, "OFF", true, r->gc_unrecorded_ns);
    print_total(sink, report->usage, r->has_total, total);
    sink_print(sink, "\n");
    if (r->has_threaded && !r->threaded)
        sink_print(sink, "  %%GC     time       N/A  (%s elapsed)\n\n",
                   percent(known && recorded, ratio(gc, recorded), 1).text);
    sink_print(sink, "  Alloc rate    %s bytes per MUT second (elapsed)\n\n",
               grouped_rate(report_has_alloc_rate(report), report_alloc_rate(report)).text);
    sink_print(sink, "  Productivity   N/A of total user, %s of %s elapsed\n",
               percent(known && recorded, ratio(mutator, recorded), 1).text,
               r->gc_unrecorded_ns > 0 ? "recorded" : "total");
}

/* --- What +RTS -s does not print -------------------------------------------------------------- */

static void print_caps(struct sink *sink, const hectic_stat_result *r)
{
    sink_print(sink,
               "\n  Cap running     GC  GC wait   idle      allocated     runs  switches"
               "    in/out%s\n",
               r->unrecorded_ns > 0 ? "  unknown" : "");
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        const uint64_t total = c->present_ns;
        const bool has_time = total > 0;
        sink_print(sink, "  %3u %7s %6s %8s %6s", c->cap,
                   percent(has_time && c->has_threads, ratio(c->running_ns, total), 1).text,
                   percent(has_time && c->has_gc, ratio(c->gc_ns, total), 1).text,
                   percent(has_time && c->has_gc, ratio(report_wait_ns(c), total), 1).text,
                   percent(has_time && c->has_idle, ratio(c->idle_ns, total), 1).text);
        char both[2 * CELL_ROOM + 1];
        snprintf(both, sizeof both, "%s/%s", counted(c->has_threads, c->migrated_in).text,
                 counted(c->has_threads, c->migrated_out).text);
        const struct printed none = {""};
        const struct printed unknown =
            r->unrecorded_ns > 0 ? percent(has_time, ratio(c->unknown_ns, total), 1) : none;
        sink_print(sink, " %14s %8s %9s %9s%*s\n", grouped(c->has_allocated, c->allocated).text,
                   counted(c->has_threads, c->runs).text, counted(c->has_threads, c->switches).text,
                   both, r->unrecorded_ns > 0 ? 9 : 0, unknown.text);
    }
}

static void print_distribution(struct sink *sink, const char *name, const hectic_distribution *d)
{
    const bool known = d->count > 0;
    sink_print(sink, "  %-12s %8" PRIu64 " %10s %10s %10s %10s %10s\n", name, d->count,
               lasted(true, d->sum).text, lasted(known, d->p50).text, lasted(known, d->p90).text,
               lasted(known, d->p99).text, lasted(known, d->max).text);
}

static void print_pauses(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    if (!report_has_gc(report)) return;
    sink_print(sink, "\n  %-12s %8s %10s %10s %10s %10s %10s\n",
               report->by_caps ? "Mean pauses" : "Pauses", "count", "total", "p50", "p90", "p99",
               "max");
    for (uint32_t i = 0; r->has_gc_stats && i < r->generations; i++) {
        char name[CELL_ROOM];
        snprintf(name, sizeof name, "generation %u", i);
        print_distribution(sink, name, report_pause_of(report, i));
    }
    print_distribution(sink, "all", report_pause(report));
    if (r->has_safepoint) print_distribution(sink, "to safepoint", &r->safepoint);
}

static void print_gc_time(struct sink *sink, const char *name, bool has_threads,
                          const hectic_stat_cap *c)
{
    sink_print(sink, "  %4s %11s %11s %7s %11s %11s %11s\n", name,
               lasted(has_threads, c->gc_work_ns).text, lasted(has_threads, c->gc_idle_ns).text,
               percent(has_threads && c->gc_ns > 0, ratio(c->gc_idle_ns, c->gc_ns), 1).text,
               lasted(true, c->wait_begin_ns).text, lasted(true, c->wait_end_ns).text,
               lasted(true, c->wait_out_ns).text);
}

/* How caps spent the time of collections, and the sums. */
static void print_gc_times(struct sink *sink, const hectic_stat_result *r)
{
    const hectic_stat_cap all = report_all_caps(r);
    if (r->caps == 0 || !r->cap[0].has_gc) return;
    sink_print(sink, "\n  In GC     working        idle  idle %%   wait begin    wait end"
                     "     no part\n");
    for (uint32_t i = 0; i < r->caps; i++) {
        print_gc_time(sink, printed(CELL_ID, r->cap[i].cap).text, r->has_gc_threads, &r->cap[i]);
    }
    print_gc_time(sink, "all", r->has_gc_threads, &all);
}

static void print_collector(struct sink *sink, const hectic_stat_result *r)
{
    if (r->has_nonmoving) {
        sink_print(sink, "\n  Non-moving    %" PRIu64 " marks %s, ", r->conc_marks,
                   lasted(true, r->conc_mark_ns).text);
        sink_print(sink, "%" PRIu64 " syncs %s, ", r->conc_syncs,
                   lasted(true, r->conc_sync_ns).text);
        sink_print(sink, "%" PRIu64 " sweeps %s\n", r->conc_sweeps,
                   lasted(true, r->conc_sweep_ns).text);
    }
    if (r->has_fragmentation)
        sink_print(sink, "\n  Fragmentation %s bytes at most, at the end of a collection\n",
                   grouped(true, r->fragmentation_max).text);
    if (r->has_returned)
        sink_print(sink, "\n  Returned      %s bytes to the OS\n", grouped(true, r->returned).text);
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
        {r->has_lost, "lost due to fragmentation",
         r->has_blocks ? "the log was cut before HEAP_INFO_GHC"
                       : "no BLOCKS_SIZE events: a GHC from 9.2 on, and +RTS -lg"},
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
        {r->has_total, "Total", "no events of threads, collections or the program's end: +RTS -l"},
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
    const uint64_t mutator = report_mutator_ns(report), recorded = report_recorded_ns(r);
    sink_print(sink, "Time       %s elapsed", seconds(r->has_total, total, 3).text);
    if (r->gc_unrecorded_ns > 0)
        sink_print(sink, ", of which %s are recorded", seconds(true, recorded, 3).text);
    if (report_has_gc(report)) {
        sink_print(sink, ": mutator %s (%s)", seconds(true, mutator, 3).text,
                   percent(recorded > 0, ratio(mutator, recorded), 1).text);
        sink_print(sink, ", GC %s (%s)", seconds(true, gc, 3).text,
                   percent(recorded > 0, ratio(gc, recorded), 1).text);
    }
    sink_print(sink, "\n");
}

static void headline_memory(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    if (r->has_allocated) sink_print(sink, "Allocated  %s bytes", grouped(true, r->allocated).text);
    if (report_has_alloc_rate(report))
        sink_print(sink, ", %s bytes per MUT second",
                   grouped_rate(true, report_alloc_rate(report)).text);
    if (r->has_allocated) sink_print(sink, "\n");
    if (r->residency_samples > 0)
        sink_print(sink, "Residency  %s bytes maximum\n", grouped(true, r->residency_max).text);
    if (r->has_heap_size)
        sink_print(sink, "Memory     %s MiB total in use\n", counted(true, r->heap_max >> 20).text);
}

void report_print_headline(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const hectic_distribution *pause = report_pause(report);
    headline_time(sink, report);
    if (report_has_gc(report) && pause->count > 0)
        sink_print(sink, "GC         %s, longest pause %s\n",
                   quantity(pause->count, "collection").text, lasted(true, pause->max).text);
    headline_memory(sink, report);
    if (r->has_threads) {
        const hectic_stat_cap all = report_all_caps(r);
        const uint64_t known = saturating_less(all.present_ns, all.unknown_ns);
        sink_print(sink, "Threads    %s created; caps ran threads %s of the time\n",
                   printed(CELL_COUNT, all.created).text,
                   percent(known > 0, ratio(all.running_ns, known), 1).text);
    }
}

/* --- Sums over processes --------------------------------------------------------------------- */

void report_print_total(struct sink *sink, const struct report_total *t)
{
    sink_print(sink, "\nSums over %" PRIu32 " processes\n\n", t->processes);
    sink_print(sink, "%16s bytes allocated in the heaps\n",
               grouped(t->has_allocated, t->allocated).text);
    sink_print(sink, "%16s bytes copied during GC\n", grouped(t->has_gc_stats, t->copied).text);
    sink_print(sink, "%16s collections\n\n", grouped(t->has_gc, t->collections).text);
    sink_print(sink, "  Threads: %s created, %s runs, %s migrations; %s workers\n\n",
               counted(t->has_threads, t->created).text, counted(t->has_threads, t->runs).text,
               counted(t->has_threads, t->migrations).text, counted(t->has_tasks, t->workers).text);
    print_sparks(sink, t->has_sparks, &t->sparks);
    print_phase(sink, "MUT", t->has_gc, t->mutator_ns);
    print_phase(sink, "GC", t->has_gc, t->gc_ns);
    print_phase(sink, "Total", t->has_total, t->elapsed_ns);
    sink_print(sink, "  From the first start to the last end: %s elapsed\n",
               seconds(true, t->to - t->from, 3).text);
    sink_print(sink, "\n");
}

/* --- As a row -------------------------------------------------------------------------------- */

static struct cell share_if(bool known, double part, double whole)
{
    return known && whole > 0 && part < 1.001 * whole ? cell_share(part / whole) : cell_unknown();
}

bool report_row(struct table *table, struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t gc = report_gc_ns(report), recorded = report_recorded_ns(r);
    const hectic_distribution *pause = report_pause(report), *safepoint = &r->safepoint;
    const hectic_stat_cap all = report_all_caps(r);
    const hectic_process none = {0}, *process = report->process ? report->process : &none;
    const bool waits = r->caps > 0 && r->cap[0].has_gc, has_gc = report_has_gc(report);
    const bool paused = has_gc && pause->count > 0;
    const union stat_every_row cells = {
        .section = cell_number(report->section),
        .process = cell_if(process->has_capset, process->capset),
        .pid = cell_if(process->has_pid, process->pid),
        .label = cell_text(report->label),
        .thread = cell_if(report->has_thread, report->thread),
        .from_ns = cell_number(r->from),
        .to_ns = cell_number(r->to),
        .mutator_ns = cell_if(has_gc, report_mutator_ns(report)),
        .gc_ns = cell_if(has_gc, gc),
        .gc_share = share_if(has_gc, (double)gc, (double)recorded),
        .gc_bar = share_if(has_gc, (double)gc, (double)recorded),
        .collections = cell_if(r->has_gc, report_collections(r)),
        .pause_max_ns = cell_if(paused, pause->max),
        .pause_p50_ns = cell_if(paused, pause->p50),
        .pause_p99_ns = cell_if(paused, pause->p99),
        .allocated_bytes = cell_if(r->has_allocated, r->allocated),
        .copied_bytes = cell_if(r->has_gc_stats, r->copied),
        .residency_bytes = cell_if(r->residency_samples > 0, r->residency_max),
        /* A heap is never empty: 0 stands for what was not reported yet. */
        .heap_bytes = cell_if(r->has_heap_size && r->heap_max > 0, r->heap_max),
        .running_ns = cell_if(r->has_threads, all.running_ns),
        .running_share = share_if(r->has_threads, (double)all.running_ns, (double)all.present_ns),
        .gc_idle_ns = cell_if(waits && r->has_gc_threads, all.gc_idle_ns),
        .gc_wait_ns = cell_if(waits, report_wait_ns(&all)),
        .safepoint_ns = cell_if(r->has_safepoint, safepoint->sum),
        .safepoint_max_ns = cell_if(r->has_safepoint && safepoint->count > 0, safepoint->max),
        .runs = cell_if(r->has_threads, all.runs),
        .switches = cell_if(r->has_threads, all.switches),
        .migrations = cell_if(r->has_threads, all.migrated_out),
        .sparks = cell_if(r->has_sparks, report_sparks(&r->sparks)),
        .sparks_created = cell_if(r->has_sparks, r->sparks.created),
        .sparks_converted = cell_if(r->has_sparks, r->sparks.converted),
        .returned_bytes = cell_if(r->has_returned, r->returned),
    };
    return table_row(table, sink, cells.cells);
}
