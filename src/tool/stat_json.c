/* stat_json.c — hectic stat for programs: one object, whose keys docs/stat.md lists. */
#include "stat_report.h"

#include <jansson.h>
#include <stdlib.h>

/* What is not known is null. The runtime's own numbers below zero (slop) stay below zero. */
static json_t *number(bool known, uint64_t value)
{
    return known ? json_integer((json_int_t)value) : json_null();
}

static json_t *share(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static json_t *distribution(bool known, const hectic_distribution *d)
{
    if (!known) return json_null();
    const bool any = d->count > 0;
    return json_pack("{so so so so so so so}", "count", number(true, d->count), "total_ns",
                     number(true, d->sum), "mean_ns", number(any, any ? d->sum / d->count : 0),
                     "p50_ns", number(any, d->p50), "p90_ns", number(any, d->p90), "p99_ns",
                     number(any, d->p99), "max_ns", number(any, d->max));
}

static json_t *sparks(bool known, const hectic_stat_sparks *s)
{
    if (!known) return json_null();
    return json_pack("{so so so so so so}", "created", number(true, s->created), "dud",
                     number(true, s->dud), "overflowed", number(true, s->overflowed), "converted",
                     number(true, s->converted), "gcd", number(true, s->gcd), "fizzled",
                     number(true, s->fizzled));
}

static json_t *generations(const hectic_stat_result *r)
{
    if (!r->has_gc_stats) return json_null();
    json_t *all = json_array();
    for (uint32_t i = 0; i < r->generations; i++) {
        const hectic_stat_generation *g = &r->generation[i];
        json_array_append_new(all, json_pack("{si so so so}", "generation", (int)i, "collections",
                                             number(true, g->collections), "parallel",
                                             number(true, g->parallel), "pause",
                                             distribution(true, &g->pause)));
    }
    return all;
}

static json_t *cap(const hectic_stat_result *r, const hectic_stat_cap *c)
{
    const bool threads = r->has_threads, gc = r->has_gc;
    json_t *object = json_pack(
        "{si so so so so so so so so so}", "cap", (int)c->cap, "present_ns",
        number(true, c->present_ns), "running_ns", number(threads, c->running_ns), "gc_ns",
        number(gc, c->gc_ns), "gc_wait_ns", number(c->has_wait, c->gc_wait_ns), "idle_ns",
        number(c->has_wait, c->idle_ns), "gc_work_ns", number(r->has_gc_threads, c->gc_work_ns),
        "gc_idle_ns", number(r->has_gc_threads, c->gc_idle_ns), "allocated_bytes",
        number(r->has_allocated, c->allocated), "sparks", sparks(r->has_sparks, &c->sparks));
    json_object_update_new(object, json_pack("{so so so so so}", "runs", number(threads, c->runs),
                                             "switches", number(threads, c->switches),
                                             "threads_created", number(threads, c->created),
                                             "migrations_in", number(threads, c->migrated_in),
                                             "migrations_out", number(threads, c->migrated_out)));
    return object;
}

static json_t *caps(const hectic_stat_result *r)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < r->caps; i++)
        json_array_append_new(all, cap(r, &r->cap[i]));
    return all;
}

static json_t *memory(const hectic_stat_result *r)
{
    const bool major = r->residency_samples > 0;
    return json_pack("{so so so so so so so so}", "allocated_bytes",
                     number(r->has_allocated, r->allocated), "copied_bytes",
                     number(r->has_gc_stats, r->copied), "residency_max_bytes",
                     number(major, r->residency_max), "residency_samples",
                     number(r->has_gc_stats || major, r->residency_samples), "slop_max_bytes",
                     number(r->has_gc_stats && major, r->slop_max), "heap_max_bytes",
                     number(r->has_heap_size, r->heap_max), "fragmentation_max_bytes",
                     number(r->has_gc_stats, r->fragmentation_max), "returned_bytes",
                     number(r->has_returned, r->returned));
}

static json_t *times(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t total = r->to - r->from, mutator = report_mutator_ns(report);
    const bool rate = r->has_allocated && r->has_gc && mutator > 0;
    return json_pack("{so so so so so so so so so}", "init_ns", number(r->has_phases, r->init_ns),
                     "mutator_ns", number(r->has_gc, mutator), "gc_ns",
                     number(r->has_gc, report_gc_ns(report)), "gc_main_ns",
                     number(r->has_gc, r->gc_main_ns), "gc_caps_ns",
                     number(r->has_gc, r->gc_caps_ns), "exit_ns", number(r->has_phases, r->exit_ns),
                     "total_ns", number(true, total), "allocated_bytes_per_mutator_second",
                     share(rate, rate ? (double)r->allocated / ((double)mutator / 1e9) : 0),
                     "productivity", share(r->has_gc && total > 0, ratio(mutator, total)));
}

static json_t *collector(const hectic_stat_result *r)
{
    json_t *nonmoving =
        !r->has_nonmoving
            ? json_null()
            : json_pack("{so so so so so so so}", "marks", number(true, r->conc_marks), "mark_ns",
                        number(true, r->conc_mark_ns), "syncs", number(true, r->conc_syncs),
                        "sync_ns", number(true, r->conc_sync_ns), "sync_max_ns",
                        number(true, r->conc_sync_max_ns), "sweeps", number(true, r->conc_sweeps),
                        "sweep_ns", number(true, r->conc_sweep_ns));
    return json_pack("{so so so so so}", "generations", generations(r), "pause",
                     distribution(r->has_gc, &r->pause), "time_to_safepoint",
                     distribution(r->has_safepoint, &r->safepoint), "work_balance",
                     share(r->has_balance, r->work_balance), "nonmoving", nonmoving);
}

static json_t *tasks(const hectic_stat_result *r)
{
    if (!r->has_tasks) return json_null();
    return json_pack("{so so}", "workers", number(true, r->workers), "workers_max",
                     number(true, r->workers_max));
}

bool report_print_json(struct sink *sink, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    json_t *object =
        json_pack("{so so so so so so so so so so so}", "section",
                  number(true, report->section ? report->section : 1), "from_ns",
                  number(true, r->from), "to_ns", number(true, r->to), "threaded",
                  r->has_threaded ? json_boolean(r->threaded) : json_null(), "memory", memory(r),
                  "time", times(report), "gc", collector(r), "sparks",
                  sparks(r->has_sparks, &r->sparks), "tasks", tasks(r), "caps", caps(r), "doubts",
                  json_pack("{so so}", "counters_shrunk", number(true, r->shrunk),
                            "times_went_back", number(true, r->went_back)));
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (text) sink_print(sink, "%s\n", text);
    free(text);
    return text != NULL;
}
