/* stat_json.c — hectic stat as JSON: one object, whose keys docs/stat.md lists. */
#include "report/gaps_json.h"
#include "report/stat_report.h"

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void put_distribution(struct json *json, const char *key, bool known,
                             const hectic_distribution *d)
{
    const bool any = d->count > 0;
    if (!known) {
        json_text(json, key, NULL);
        return;
    }
    json_open(json, key, '{');
    json_number(json, "count", true, d->count);
    json_number(json, "total_ns", true, d->sum);
    json_number(json, "mean_ns", any, any ? d->sum / d->count : 0);
    json_number(json, "p50_ns", any, d->p50);
    json_number(json, "p90_ns", any, d->p90);
    json_number(json, "p99_ns", any, d->p99);
    json_number(json, "max_ns", any, d->max);
    json_close(json, '}');
}

static void put_sparks(struct json *json, bool known, const hectic_stat_sparks *s)
{
    if (!known) {
        json_text(json, "sparks", NULL);
        return;
    }
    json_open(json, "sparks", '{');
    json_number(json, "sparks", true, report_sparks(s));
    json_number(json, "created", true, s->created);
    json_number(json, "dud", true, s->dud);
    json_number(json, "overflowed", true, s->overflowed);
    json_number(json, "converted", true, s->converted);
    json_number(json, "gcd", true, s->gcd);
    json_number(json, "fizzled", true, s->fizzled);
    json_close(json, '}');
}

static void put_generations(struct json *json, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    if (!r->has_gc_stats) {
        json_text(json, "generations", NULL);
        return;
    }
    json_open(json, "generations", '[');
    for (uint32_t i = 0; i < r->generations; i++) {
        const hectic_stat_generation *g = &r->generation[i];
        json_open(json, NULL, '{');
        json_number(json, "generation", true, i);
        json_number(json, "collections", true, g->collections);
        json_number(json, "parallel", true, g->parallel);
        put_distribution(json, "pause", report_has_gc(report), report_pause_of(report, i));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_cap(struct json *json, const hectic_stat_result *r, const hectic_stat_cap *c)
{
    const bool threads = r->has_threads, gc = c->has_gc, gc_threads = gc && r->has_gc_threads;
    json_open(json, NULL, '{');
    json_number(json, "cap", true, c->cap);
    json_number(json, "present_ns", true, c->present_ns);
    json_number(json, "running_ns", threads, c->running_ns);
    json_number(json, "gc_ns", gc, c->gc_ns);
    json_number(json, "gc_work_ns", gc_threads, c->gc_work_ns);
    json_number(json, "gc_idle_ns", gc_threads, c->gc_idle_ns);
    json_number(json, "gc_wait_ns", gc, report_wait_ns(c));
    json_number(json, "wait_begin_ns", gc, c->wait_begin_ns);
    json_number(json, "wait_end_ns", gc, c->wait_end_ns);
    json_number(json, "wait_out_ns", gc, c->wait_out_ns);
    json_number(json, "idle_ns", c->has_idle, c->idle_ns);
    json_number(json, "allocated_bytes", r->has_allocated, c->allocated);
    put_sparks(json, r->has_sparks, &c->sparks);
    json_number(json, "runs", threads, c->runs);
    json_number(json, "switches", threads, c->switches);
    json_number(json, "threads_created", threads, c->created);
    json_number(json, "migrations_in", threads, c->migrated_in);
    json_number(json, "migrations_out", threads, c->migrated_out);
    json_close(json, '}');
}

static void put_caps(struct json *json, const hectic_stat_result *r)
{
    json_open(json, "caps", '[');
    for (uint32_t i = 0; i < r->caps; i++)
        put_cap(json, r, &r->cap[i]);
    json_close(json, ']');
}

static void put_memory(struct json *json, const hectic_stat_result *r)
{
    const bool major = r->residency_samples > 0;
    json_open(json, "memory", '{');
    json_number(json, "allocated_bytes", r->has_allocated, r->allocated);
    json_number(json, "copied_bytes", r->has_gc_stats, r->copied);
    json_number(json, "residency_max_bytes", major, r->residency_max);
    json_number(json, "residency_samples", r->has_gc_stats || major, r->residency_samples);
    json_number(json, "slop_max_bytes", r->has_gc_stats && major, r->slop_max);
    json_number(json, "heap_max_bytes", r->has_heap_size, r->heap_max);
    json_number(json, "fragmentation_max_bytes", r->has_fragmentation, r->fragmentation_max);
    json_number(json, "blocks_max_bytes", r->has_blocks, r->blocks_max);
    json_number(json, "lost_bytes", r->has_blocks, r->lost);
    json_number(json, "returned_bytes", r->has_returned, r->returned);
    json_close(json, '}');
}

static void put_times(struct json *json, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, mutator = report_mutator_ns(report);
    const bool has_gc = report_has_gc(report), rate = r->has_allocated && has_gc && mutator > 0;
    json_open(json, "time", '{');
    json_number(json, "init_ns", r->has_init, r->init_ns);
    json_number(json, "mutator_ns", has_gc, mutator);
    json_number(json, "gc_ns", has_gc, report_gc_ns(report));
    json_number(json, "gc_main_ns", r->has_gc, r->gc_main_ns);
    json_number(json, "gc_caps_ns", r->has_mean_pause, r->gc_caps_ns);
    json_number(json, "exit_ns", r->has_exit, r->exit_ns);
    json_number(json, "total_ns", true, total);
    json_real(json, "allocated_bytes_per_mutator_second", rate, report_alloc_rate(report));
    json_real(json, "productivity", has_gc && total > 0, ratio(mutator, total));
    json_close(json, '}');
}

static void put_nonmoving(struct json *json, const hectic_stat_result *r)
{
    if (!r->has_nonmoving) {
        json_text(json, "nonmoving", NULL);
        return;
    }
    json_open(json, "nonmoving", '{');
    json_number(json, "marks", true, r->conc_marks);
    json_number(json, "mark_ns", true, r->conc_mark_ns);
    json_number(json, "syncs", true, r->conc_syncs);
    json_number(json, "sync_ns", true, r->conc_sync_ns);
    json_number(json, "sync_max_ns", true, r->conc_sync_max_ns);
    json_number(json, "sweeps", true, r->conc_sweeps);
    json_number(json, "sweep_ns", true, r->conc_sweep_ns);
    json_close(json, '}');
}

static void put_collector(struct json *json, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const hectic_stat_cap all = report_all_caps(r);
    const bool threads = r->has_gc_threads && r->caps > 0 && r->cap[0].has_gc;
    json_open(json, "gc", '{');
    put_generations(json, report);
    put_distribution(json, "pause", report_has_gc(report), report_pause(report));
    put_distribution(json, "time_to_safepoint", r->has_safepoint, &r->safepoint);
    json_number(json, "work_ns", threads, all.gc_work_ns);
    json_number(json, "idle_ns", threads, all.gc_idle_ns);
    json_real(json, "idle_share", threads && all.gc_ns > 0, ratio(all.gc_idle_ns, all.gc_ns));
    json_real(json, "work_balance", r->has_balance, r->work_balance);
    put_nonmoving(json, r);
    json_close(json, '}');
}

static void put_tasks(struct json *json, const hectic_stat_result *r)
{
    if (!r->has_tasks) {
        json_text(json, "tasks", NULL);
        return;
    }
    json_open(json, "tasks", '{');
    json_number(json, "workers", true, r->workers);
    json_number(json, "workers_max", true, r->workers_max);
    json_close(json, '}');
}

void report_put_json(struct json *json, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const hectic_process *process = report->process;
    json_open(json, NULL, '{');
    json_number(json, "section", true, report->section);
    if (process) {
        json_number(json, "process", process->has_capset, process->capset);
        json_number(json, "pid", process->has_pid, process->pid);
    }
    json_number(json, "from_ns", true, r->from);
    json_number(json, "to_ns", true, r->to);
    json_flag(json, "threaded", r->has_threaded, r->threaded);
    put_memory(json, r);
    put_times(json, report);
    put_collector(json, report);
    put_sparks(json, r->has_sparks, &r->sparks);
    put_tasks(json, r);
    put_caps(json, r);
    gaps_put(json, &r->gaps);
    json_open(json, "warnings", '{');
    json_number(json, "counters_shrunk", true, r->counter_resets);
    json_number(json, "times_went_back", true, r->time_steps_back);
    json_close(json, '}');
    json_close(json, '}');
}

void report_put_total(struct json *json, const struct report_total *total)
{
    json_open(json, "total", '{');
    json_number(json, "processes", true, total->processes);
    json_number(json, "from_ns", true, total->from);
    json_number(json, "to_ns", true, total->to);
    json_number(json, "mutator_ns", total->has_gc, total->mutator_ns);
    json_number(json, "gc_ns", total->has_gc, total->gc_ns);
    json_number(json, "total_ns", true, total->elapsed_ns);
    json_number(json, "allocated_bytes", total->has_allocated, total->allocated);
    json_number(json, "copied_bytes", total->has_gc_stats, total->copied);
    json_number(json, "collections", total->has_gc, total->collections);
    json_number(json, "running_ns", total->has_threads, total->running_ns);
    json_number(json, "threads_created", total->has_threads, total->created);
    json_number(json, "runs", total->has_threads, total->runs);
    json_number(json, "switches", total->has_threads, total->switches);
    json_number(json, "migrations", total->has_threads, total->migrations);
    json_number(json, "workers", total->has_tasks, total->workers);
    put_sparks(json, total->has_sparks, &total->sparks);
    json_close(json, '}');
}
