/* sparks.c — the request sparks: what happened to the sparks of an interval, and their sizes. */
#include "read/decode/running.h"
#include "view/requests/rare.h"

#include "report/distribution.h"
#include "report/sparks_report.h"

#include <stdlib.h>

struct sparks {
    hectic_sparks *analysis;
    uint64_t to, last;
    size_t section;
    bool by_events, has_failed;
};

static void sparks_free(void *state)
{
    struct sparks *sparks = state;
    hectic_sparks_free(sparks->analysis);
    free(sparks);
}

static void add_types(type_set *types, const uint16_t *type, size_t count)
{
    for (size_t i = 0; i < count; i++)
        type_set_add(types, type[i]);
}

type_set view_spark_types(bool by_events, bool durations)
{
    static const uint16_t counters[] = {HECTIC_EVENT_CAP_CREATE, HECTIC_EVENT_STARTUP,
                                        HECTIC_EVENT_SPARK_COUNTERS, HECTIC_EVENT_SYNC},
                          events[] = {HECTIC_EVENT_SPARK_CREATE,   HECTIC_EVENT_SPARK_DUD,
                                      HECTIC_EVENT_SPARK_OVERFLOW, HECTIC_EVENT_SPARK_RUN,
                                      HECTIC_EVENT_SPARK_STEAL,    HECTIC_EVENT_SPARK_FIZZLE,
                                      HECTIC_EVENT_SPARK_GC,       HECTIC_EVENT_CREATE_SPARK,
                                      HECTIC_EVENT_RUN_SPARK,      HECTIC_EVENT_STEAL_SPARK},
                          threads[] = {HECTIC_EVENT_CREATE_SPARK_THREAD, RUNNING_EVIDENCE,
                                       HECTIC_EVENT_STOP_THREAD};
    type_set types = {{0}};
    add_types(&types, counters, sizeof counters / sizeof *counters);
    if (by_events) add_types(&types, events, sizeof events / sizeof *events);
    if (by_events && durations) add_types(&types, threads, sizeof threads / sizeof *threads);
    return types;
}

static void *sparks_begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    const hectic_stat *stat = section->timeline->stat;
    struct sparks *sparks = calloc(1, sizeof *sparks);
    if (!sparks) return view_fail(v, "out of memory"), NULL;
    sparks->to = plan->to;
    sparks->last = stat->last;
    sparks->section = section->number;
    sparks->by_events = view_seen(v, section) & SEEN_EACH_SPARK;
    sparks->analysis = hectic_sparks_new(plan->from, plan->to, NULL, NULL);
    /* The counters only grow, and a pool has a size, from the beginning on. */
    plan->from = 0;
    plan->has_types = true;
    plan->types = view_spark_types((stat->seen | stat->recorded) & SEEN_EACH_SPARK, true);
    if (sparks->analysis) return sparks;
    sparks_free(sparks);
    return view_fail(v, "out of memory"), NULL;
}

static bool sparks_take(void *state, const hectic_event *event)
{
    struct sparks *sparks = state;
    sparks->has_failed = !hectic_sparks_event(sparks->analysis, event);
    return !sparks->has_failed;
}

static void put_caps(const struct sparks *sparks, uint64_t now, struct json *json)
{
    static const hectic_spark_cap nothing;
    json_open(json, "sparks", '[');
    for (uint32_t i = 0; i < hectic_sparks_caps(sparks->analysis); i++) {
        struct cell cell[SPARKS_COLUMNS] = {0};
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->analysis, i, now, &cap);
        view_section_cells(sparks->section, cell);
        cell[SPARKS_FIRST_NUMBER - 1] = cell_number(cap.cap);
        sparks_put_numbers(cell, sparks->by_events, &nothing, &cap, 0, false);
        cells_put(json, sparks_columns, cell, false);
    }
    json_close(json, ']');
}

static bool sparks_put(void *state, hectic_view *v, struct json *json)
{
    struct sparks *sparks = state;
    const uint64_t now = sparks->last < sparks->to ? sparks->last : sparks->to;
    struct cell cell[SPARKS_DURATION_COLUMNS];
    if (sparks->has_failed) return view_fail(v, "out of memory");
    hectic_sparks_end(sparks->analysis, now);
    put_caps(sparks, now, json);
    json_text(json, "source", sparks->by_events ? "events" : "counters");
    sparks_put_durations(cell, hectic_sparks_durations(sparks->analysis));
    json_open(json, "durations", '[');
    cells_put(json, sparks_duration_columns, cell, false);
    json_close(json, ']');
    distribution_put(json, "sizes", hectic_sparks_durations(sparks->analysis));
    return true;
}

bool answer_sparks(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {sparks_begin, sparks_take, NULL, sparks_put, sparks_free};
    return answer_job(v, json, &kind);
}
