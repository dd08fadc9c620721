/* stat_json.c — hectic stat as records: docs/stat.md lists their keys. */
#include "report/gaps_json.h"
#include "report/stat_report.h"
#include "tables/tables.h"

static struct cell ratio(bool known, uint64_t part, uint64_t whole)
{
    return cell_real(known, whole ? (double)part / (double)whole : 0);
}

/* Without any cell if it is not known. */
static struct distribution_cells distribution(bool known, const hectic_distribution *d)
{
    const bool any = d->count > 0;
    return known ? (struct distribution_cells){.count = cell_number(d->count),
                                               .total_ns = cell_number(d->sum),
                                               .mean_ns = cell_if(any, any ? d->sum / d->count : 0),
                                               .p50_ns = cell_if(any, d->p50),
                                               .p90_ns = cell_if(any, d->p90),
                                               .p99_ns = cell_if(any, d->p99),
                                               .max_ns = cell_if(any, d->max)}
                 : (struct distribution_cells){0};
}

static struct stat_sparks_cells sparks(bool known, const hectic_stat_sparks *s)
{
    return (struct stat_sparks_cells){.sparks = cell_if(known, report_sparks(s)),
                                      .created = cell_if(known, s->created),
                                      .dud = cell_if(known, s->dud),
                                      .overflowed = cell_if(known, s->overflowed),
                                      .converted = cell_if(known, s->converted),
                                      .gcd = cell_if(known, s->gcd),
                                      .fizzled = cell_if(known, s->fizzled)};
}

void report_generation_cells(const struct report *report, uint64_t index, struct cell *cells)
{
    const hectic_stat_generation *g = &report->result->generation[index];
    const union stat_generation_row row = {
        .generation = cell_number(index),
        .collections = cell_number(g->collections),
        .parallel = cell_number(g->parallel),
        .pause = distribution(report_has_gc(report), report_pause_of(report, (uint32_t)index)),
    };
    memcpy(cells, row.cells, sizeof row);
}

void report_cap_cells(const struct report *report, uint64_t index, struct cell *cells)
{
    const hectic_stat_result *r = report->result;
    const hectic_stat_cap *c = &r->cap[index];
    const bool threads = c->has_threads, gc = c->has_gc, gc_threads = gc && r->has_gc_threads;
    const union stat_cap_row row = {
        .cap = cell_number(c->cap),
        .present_ns = cell_number(c->present_ns),
        .running_ns = cell_if(threads, c->running_ns),
        .gc_ns = cell_if(gc, c->gc_ns),
        .gc_work_ns = cell_if(gc_threads, c->gc_work_ns),
        .gc_idle_ns = cell_if(gc_threads, c->gc_idle_ns),
        .gc_wait_ns = cell_if(gc, report_wait_ns(c)),
        .wait_begin_ns = cell_if(gc, c->wait_begin_ns),
        .wait_end_ns = cell_if(gc, c->wait_end_ns),
        .wait_out_ns = cell_if(gc, c->wait_out_ns),
        .unknown_ns = cell_number(c->unknown_ns),
        .idle_ns = cell_if(c->has_idle, c->idle_ns),
        .allocated_bytes = cell_if(c->has_allocated, c->allocated),
        .sparks = sparks(r->has_sparks, &c->sparks),
        .runs = cell_if(threads, c->runs),
        .switches = cell_if(threads, c->switches),
        .threads_created = cell_if(threads, c->created),
        .migrations_in = cell_if(threads, c->migrated_in),
        .migrations_out = cell_if(threads, c->migrated_out),
    };
    memcpy(cells, row.cells, sizeof row);
}

static struct stat_memory_cells memory(const hectic_stat_result *r)
{
    const bool major = r->residency_samples > 0;
    return (struct stat_memory_cells){
        .allocated_bytes = cell_if(r->has_allocated, r->allocated),
        .copied_bytes = cell_if(r->has_gc_stats, r->copied),
        .residency_max_bytes = cell_if(major, r->residency_max),
        .residency_samples = cell_if(r->has_gc_stats || major, r->residency_samples),
        .live_end_bytes = cell_if(major && r->has_live_course, r->live_last),
        .slop_max_bytes = cell_if(r->has_gc_stats && major, r->slop_max),
        .heap_max_bytes = cell_if(r->has_heap_size, r->heap_max),
        .fragmentation_max_bytes = cell_if(r->has_fragmentation, r->fragmentation_max),
        .blocks_max_bytes = cell_if(r->has_blocks, r->blocks_max),
        .lost_bytes = cell_if(r->has_lost, r->lost),
        .returned_bytes = cell_if(r->has_returned, r->returned),
    };
}

static struct stat_time_cells times(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t mutator = report_mutator_ns(report), recorded = report_recorded_ns(r);
    const bool has_gc = report_has_gc(report);
    return (struct stat_time_cells){
        .init_ns = cell_if(r->has_init, r->init_ns),
        .mutator_ns = cell_if(has_gc, mutator),
        .gc_ns = cell_if(has_gc, report_gc_ns(report)),
        .gc_main_ns = cell_if(r->has_gc, r->gc_main_ns),
        .gc_caps_ns = cell_if(r->has_mean_pause, r->gc_caps_ns),
        .exit_ns = cell_if(r->has_exit, r->exit_ns),
        .total_ns = cell_if(r->has_total, r->to - r->from),
        .allocated_bytes_per_mutator_second =
            cell_real(report_has_alloc_rate(report), report_alloc_rate(report)),
        .unrecorded_ns = cell_number(r->gc_unrecorded_ns),
        .productivity = ratio(has_gc && recorded > 0, mutator, recorded),
    };
}

static struct stat_nonmoving_cells nonmoving(const hectic_stat_result *r)
{
    const bool known = r->has_nonmoving;
    return (struct stat_nonmoving_cells){
        .marks = cell_if(known, r->conc_marks),
        .mark_ns = cell_if(known, r->conc_mark_ns),
        .syncs = cell_if(known, r->conc_syncs),
        .sync_ns = cell_if(known, r->conc_sync_ns),
        .sync_max_ns = cell_if(known, r->conc_sync_max_ns),
        .sweeps = cell_if(known, r->conc_sweeps),
        .sweep_ns = cell_if(known, r->conc_sweep_ns),
    };
}

static struct stat_gc_cells collector(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const hectic_stat_cap all = report_all_caps(r);
    const bool threads = r->has_gc_threads && r->caps > 0 && r->cap[0].has_gc;
    return (struct stat_gc_cells){
        .pause = distribution(report_has_gc(report), report_pause(report)),
        .time_to_safepoint = distribution(r->has_safepoint, &r->safepoint),
        .work_ns = cell_if(threads, all.gc_work_ns),
        .idle_ns = cell_if(threads, all.gc_idle_ns),
        .idle_share = ratio(threads && all.gc_ns > 0, all.gc_idle_ns, all.gc_ns),
        .work_balance = cell_real(r->has_balance, r->work_balance),
        .nonmoving = nonmoving(r),
    };
}

void report_stat_cells(const struct report *report, union stat_row *row)
{
    const hectic_stat_result *r = report->result;
    const hectic_process none = {0}, *process = report->process ? report->process : &none;
    *row = (union stat_row){
        .section = cell_number(report->section),
        .process = cell_if(process->has_capset, process->capset),
        .pid = cell_if(process->has_pid, process->pid),
        .from_ns = cell_number(r->from),
        .to_ns = cell_number(r->to),
        .threaded = cell_if(r->has_threaded, r->threaded),
        .memory = memory(r),
        .time = times(report),
        .gc = collector(report),
        .sparks = sparks(r->has_sparks, &r->sparks),
        .tasks = {cell_if(r->has_tasks, r->workers), cell_if(r->has_tasks, r->workers_max)},
        .gaps = gaps_cells(&r->gaps),
        .warnings = {cell_number(r->counter_resets), cell_number(r->time_steps_back)},
    };
}

static void take_generation(const void *report, uint64_t index, struct cell *cells)
{
    report_generation_cells(report, index, cells);
}

static void take_cap(const void *report, uint64_t index, struct cell *cells)
{
    report_cap_cells(report, index, cells);
}

void report_put_json(struct json *json, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const struct cell_rows generations = {take_generation, report}, caps = {take_cap, report};
    union stat_row row;
    report_stat_cells(report, &row);
    row.of.gc.generations = cell_array(r->has_gc_stats, r->generations, &generations);
    row.of.caps = cell_array(true, r->caps, &caps);
    cells_put(json, stat_columns, row.cells, report->process);
}

void report_put_total(struct json *json, const struct report_total *total)
{
    const bool threads = total->has_threads;
    record_put(json, NULL, stat_total, .section = cell_number(total->section),
               .processes = cell_number(total->processes), .from_ns = cell_number(total->from),
               .to_ns = cell_number(total->to),
               .mutator_ns = cell_if(total->has_gc, total->mutator_ns),
               .gc_ns = cell_if(total->has_gc, total->gc_ns),
               .total_ns = cell_if(total->has_total, total->elapsed_ns),
               .allocated_bytes = cell_if(total->has_allocated, total->allocated),
               .copied_bytes = cell_if(total->has_gc_stats, total->copied),
               .collections = cell_if(total->has_gc, total->collections),
               .running_ns = cell_if(threads, total->running_ns),
               .threads_created = cell_if(threads, total->created),
               .runs = cell_if(threads, total->runs), .switches = cell_if(threads, total->switches),
               .migrations = cell_if(threads, total->migrations),
               .workers = cell_if(total->has_tasks, total->workers),
               .sparks = sparks(total->has_sparks, &total->sparks));
}
