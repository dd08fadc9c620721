/* ticky.c — the request ticky: ticky-ticky counters. */
#include "view/engine/job.h"

#include "report/ticky_report.h"

#include <stdlib.h>

enum { COUNTERS_MAX = 10000 };

struct ticky {
    hectic_ticky *analysis;
    struct ticky_section section; /* its totals are not set yet */
    bool is_second;               /* the events after the interval */
    bool failed;                  /* out of memory */
    /* While the answer is written: */
    struct json *json;
    struct ticky_whole whole;
    uint64_t *allocs; /* of each counter */
    uint64_t least;   /* counters that allocated less are left out */
    uint64_t room;    /* of those that allocated as much, so many are kept */
    size_t count;
};

static void ticky_free(void *state)
{
    struct ticky *t = state;
    hectic_ticky_free(t->analysis);
    free(t->allocs);
    free(t);
}

/* --- Reading --------------------------------------------------------------------------------- */

/* What the program allocated is the growth of counters, whose values before the interval are
 * needed. */
static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    static const uint16_t types[] = {
        HECTIC_EVENT_TICKY_COUNTER_DEF,  HECTIC_EVENT_TICKY_COUNTER_SAMPLE,
        HECTIC_EVENT_TICKY_BEGIN_SAMPLE, HECTIC_EVENT_IPE,
        HECTIC_EVENT_HEAP_ALLOCATED,     HECTIC_EVENT_SYNC};
    struct ticky *t = calloc(1, sizeof *t);
    if (t) t->analysis = hectic_ticky_new(plan->from, plan->to, 0);
    if (!t || !t->analysis) {
        free(t);
        return view_fail(v, "out of memory"), NULL;
    }
    uint64_t first = 0, last = 0;
    hectic_timeline_extent(section->timeline, &first, &last);
    if (first < plan->from) first = plan->from;
    if (last > plan->to) last = plan->to;
    t->section.number = section->number;
    t->section.duration = first < last ? last - first : 0;
    plan->from = 0;
    plan->ends = 0.95;
    job_plan_types(plan, types, sizeof types / sizeof *types);
    return t;
}

static bool take(void *state, const hectic_event *event)
{
    struct ticky *t = state;
    t->failed = !hectic_ticky_event(t->analysis, event);
    return !t->failed;
}

/* GHC writes the definitions of counters at the end of the program. */
static bool next(void *state, struct job_plan *plan)
{
    static const uint16_t types[] = {HECTIC_EVENT_TICKY_COUNTER_DEF, HECTIC_EVENT_IPE,
                                     HECTIC_EVENT_SYNC};
    struct ticky *t = state;
    if (t->failed || t->is_second) return false;
    t->is_second = true;
    job_plan_rest(plan, types, sizeof types / sizeof *types);
    return true;
}

/* --- The answer ------------------------------------------------------------------------------ */

static bool note_allocs(void *user, const hectic_ticky_counter *counter)
{
    struct ticky *t = user;
    t->allocs[t->count++] = counter->allocs;
    return true;
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* Chooses the counters that allocated most. False: out of memory. */
static bool choose(struct ticky *t, uint64_t counters)
{
    t->room = COUNTERS_MAX;
    if (counters <= COUNTERS_MAX) return true;
    t->allocs = malloc((size_t)counters * sizeof *t->allocs);
    if (!t->allocs) return false;
    hectic_ticky_each(t->analysis, note_allocs, t);
    qsort(t->allocs, t->count, sizeof *t->allocs, descending);
    t->least = t->allocs[COUNTERS_MAX - 1];
    for (size_t i = 0; i < COUNTERS_MAX && t->allocs[i] > t->least; i++)
        t->room--;
    return true;
}

static bool put_counter(void *user, const hectic_ticky_counter *counter)
{
    struct ticky *t = user;
    struct cell cell[TICKY_COLUMNS];
    if (counter->allocs < t->least || (counter->allocs == t->least && t->room == 0)) return true;
    if (counter->allocs == t->least) t->room--;
    ticky_put_cells(cell, t->section.number, counter, &t->whole);
    cells_put(t->json, ticky_columns, cell, false);
    return true;
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    struct ticky *t = state;
    hectic_ticky_totals *totals = &t->section.totals;
    *totals = hectic_ticky_get_totals(t->analysis);
    t->json = json;
    t->whole = (struct ticky_whole){.ns = t->section.duration,
                                    .ticked = totals->allocs,
                                    .has_allocated = totals->has_allocated,
                                    .allocated = totals->allocated};
    const bool done = !t->failed && choose(t, totals->counters);
    json_open(json, "counters", '[');
    if (done) hectic_ticky_each(t->analysis, put_counter, t);
    json_close(json, ']');
    json_number(json, "left_out", true,
                totals->counters > COUNTERS_MAX ? totals->counters - COUNTERS_MAX : 0);
    json_open(json, "sections", '[');
    ticky_put_section(json, &t->section);
    json_close(json, ']');
    return done || view_fail(v, "out of memory");
}

bool answer_ticky(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin, .take = take, .next = next, .put = put, .free = ticky_free};
    return answer_job(v, json, &kind);
}
