/* stat_numbers.c — see stat_report.h. */
#include "report/stat_report.h"

#include "numbers/saturating.h"

bool report_has_gc(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const bool is_recorded = r->gc_unrecorded_ns == 0 || report_recorded_ns(r) > 0;
    return r->has_gc && is_recorded && (!report->by_caps || r->has_mean_pause);
}

uint64_t report_gc_ns(const struct report *report)
{
    return report->by_caps ? report->result->gc_caps_ns : report->result->gc_main_ns;
}

uint64_t report_recorded_ns(const hectic_stat_result *r)
{
    return saturating_less(r->to - r->from, r->gc_unrecorded_ns);
}

uint64_t report_mutator_ns(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const uint64_t others[] = {r->init_ns, r->exit_ns, report_gc_ns(report)};
    uint64_t rest = report_recorded_ns(r);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        rest = rest > others[i] ? rest - others[i] : 0;
    return rest;
}

const hectic_distribution *report_pause(const struct report *report)
{
    return report->by_caps ? &report->result->mean_pause : &report->result->pause;
}

const hectic_distribution *report_pause_of(const struct report *report, uint32_t generation)
{
    const hectic_stat_generation *g = &report->result->generation[generation];
    return report->by_caps ? &g->mean_pause : &g->pause;
}

uint64_t report_wait_ns(const hectic_stat_cap *cap)
{
    return saturating_sum(cap->wait_begin_ns, saturating_sum(cap->wait_end_ns, cap->wait_out_ns));
}

hectic_stat_cap report_all_caps(const hectic_stat_result *r)
{
    hectic_stat_cap all = {0};
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        all.present_ns = saturating_sum(all.present_ns, c->present_ns);
        all.running_ns = saturating_sum(all.running_ns, c->running_ns);
        all.gc_ns = saturating_sum(all.gc_ns, c->gc_ns);
        all.gc_work_ns = saturating_sum(all.gc_work_ns, c->gc_work_ns);
        all.gc_idle_ns = saturating_sum(all.gc_idle_ns, c->gc_idle_ns);
        all.wait_begin_ns = saturating_sum(all.wait_begin_ns, c->wait_begin_ns);
        all.wait_end_ns = saturating_sum(all.wait_end_ns, c->wait_end_ns);
        all.wait_out_ns = saturating_sum(all.wait_out_ns, c->wait_out_ns);
        all.unknown_ns = saturating_sum(all.unknown_ns, c->unknown_ns);
        all.runs = saturating_sum(all.runs, c->runs);
        all.created = saturating_sum(all.created, c->created);
        all.switches = saturating_sum(all.switches, c->switches);
        all.migrated_out = saturating_sum(all.migrated_out, c->migrated_out);
    }
    return all;
}

/* What was allocated while logging was off counts, too. */
bool report_has_alloc_rate(const struct report *report)
{
    const hectic_stat_result *r = report->result;
    return r->has_allocated && r->gc_unrecorded_ns == 0 && report_has_gc(report) &&
           report_mutator_ns(report) > 0;
}

double report_alloc_rate(const struct report *report)
{
    const uint64_t mutator = report_mutator_ns(report);
    return mutator > 0 ? (double)report->result->allocated / ((double)mutator / 1e9) : 0;
}

uint64_t report_sparks(const hectic_stat_sparks *sparks)
{
    return saturating_sum(sparks->created, saturating_sum(sparks->dud, sparks->overflowed));
}

uint64_t report_collections(const hectic_stat_result *r)
{
    uint64_t collections = 0;
    for (uint32_t i = 0; i < r->generations; i++)
        collections = saturating_sum(collections, r->generation[i].collections);
    return r->has_gc_stats ? collections : r->pause.count;
}

void report_add(struct report_total *t, const struct report *report)
{
    const hectic_stat_result *r = report->result;
    const bool has_gc = report_has_gc(report), is_first = t->processes++ == 0;
    t->has_total = r->has_total && (is_first || t->has_total);
    t->has_gc = has_gc && (is_first || t->has_gc);
    t->has_gc_stats = r->has_gc_stats && (is_first || t->has_gc_stats);
    t->has_allocated = r->has_allocated && (is_first || t->has_allocated);
    t->has_threads = r->has_threads && (is_first || t->has_threads);
    t->has_tasks = r->has_tasks && (is_first || t->has_tasks);
    t->has_sparks = r->has_sparks && (is_first || t->has_sparks);
    if (is_first || r->from < t->from) t->from = r->from;
    if (r->to > t->to) t->to = r->to;
    saturating_add(&t->elapsed_ns, r->to - r->from);
    saturating_add(&t->mutator_ns, report_mutator_ns(report));
    saturating_add(&t->gc_ns, report_gc_ns(report));
    saturating_add(&t->allocated, r->allocated);
    saturating_add(&t->copied, r->copied);
    saturating_add(&t->collections, report_collections(r));
    saturating_add(&t->workers, r->workers);
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        saturating_add(&t->running_ns, c->running_ns);
        saturating_add(&t->created, c->created);
        saturating_add(&t->runs, c->runs);
        saturating_add(&t->switches, c->switches);
        saturating_add(&t->migrations, c->migrated_out);
    }
    saturating_add(&t->sparks.created, r->sparks.created);
    saturating_add(&t->sparks.dud, r->sparks.dud);
    saturating_add(&t->sparks.overflowed, r->sparks.overflowed);
    saturating_add(&t->sparks.converted, r->sparks.converted);
    saturating_add(&t->sparks.gcd, r->sparks.gcd);
    saturating_add(&t->sparks.fizzled, r->sparks.fizzled);
}
