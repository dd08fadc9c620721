/* spark_rows.c — the request spark_rows: the fate of sparks, and the size of their pools, in each
 * column of a picture. */
#include "read/decode/running.h"
#include "view/requests/rare.h"

#include "facts/sparks.h"
#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { FATES = 6 };

static const struct fate {
    const char *name;
    size_t offset;
} fates[FATES] = {
    {"created", offsetof(hectic_spark_counts, created)},
    {"converted", offsetof(hectic_spark_counts, converted)},
    {"overflowed", offsetof(hectic_spark_counts, overflowed)},
    {"dud", offsetof(hectic_spark_counts, dud)},
    {"gcd", offsetof(hectic_spark_counts, gcd)},
    {"fizzled", offsetof(hectic_spark_counts, fizzled)},
};

struct column {
    uint64_t count[FATES];
    uint64_t min, max, known; /* of the pool; ns in which it is known */
    double area;              /* sparks in the pool, times ns */
    bool has_pool;
};

struct spark_rows {
    hectic_sparks *analysis;
    struct picture picture;
    struct column *column;
    uint64_t at, last; /* up to which the pool was added; the last event of the section */
    size_t index;      /* the column of `at` */
    uint64_t edge;     /* where that column ends */
    uint64_t pool;     /* of all caps */
    bool is_known, by_events, has_failed;
};

static void rows_free(void *state)
{
    struct spark_rows *s = state;
    hectic_sparks_free(s->analysis);
    free(s->column);
    free(s);
}

static void *rows_begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct picture picture;
    if (!view_picture(v, section, &picture)) return NULL;
    const hectic_stat *stat = section->timeline->stat;
    struct spark_rows *s = calloc(1, sizeof *s);
    if (!s) return view_fail(v, "out of memory"), NULL;
    s->picture = picture;
    s->at = picture.from;
    s->index = picture_column(&picture, s->at);
    s->edge = picture_edge(&picture, s->index + 1);
    s->last = stat->last;
    s->by_events = view_seen(v, section) & SEEN_EACH_SPARK;
    s->analysis = hectic_sparks_new(picture.from, picture.to, NULL, NULL);
    s->column = calloc(picture.width, sizeof *s->column);
    /* As for the request sparks. */
    plan->from = 0;
    plan->has_types = true;
    plan->types = view_spark_types((stat->seen | stat->recorded) & SEEN_EACH_SPARK, false);
    if (s->analysis && s->column) return s;
    rows_free(s);
    return view_fail(v, "out of memory"), NULL;
}

/* --- Pools ----------------------------------------------------------------------------------- */

static void note_pool(const struct spark_rows *s, struct column *column)
{
    if (!s->is_known) return;
    if (!column->has_pool || s->pool < column->min) column->min = s->pool;
    if (!column->has_pool || s->pool > column->max) column->max = s->pool;
    column->has_pool = true;
}

/* The pool does not change until `time`. */
static void advance(struct spark_rows *s, uint64_t time)
{
    const struct picture *p = &s->picture;
    const uint64_t to = time < p->to ? time : p->to;
    while (s->at < to) {
        struct column *column = &s->column[s->index];
        const uint64_t until = s->edge < to ? s->edge : to, length = until - s->at;
        note_pool(s, column);
        if (s->is_known) column->known += length;
        if (s->is_known) column->area += (double)s->pool * (double)length;
        s->at = until;
        while (s->edge <= s->at && s->index + 1 < p->width)
            s->edge = picture_edge(p, ++s->index + 1);
    }
}

/* --- Events ---------------------------------------------------------------------------------- */

/* The caps whose numbers an event changes: at most two. */
static size_t caps_of(const hectic_event *event, uint16_t cap[2])
{
    hectic_event replayed;
    size_t count = 0;
    if (event->type == HECTIC_EVENT_SYNC) {
        if (!hectic_read_replayed(event, &replayed)) return 0;
        event = &replayed;
    }
    if (event->cap == HECTIC_CAP_NONE) return 0;
    cap[count++] = event->cap;
    hectic_event_spark_steal steal;
    hectic_event_steal_spark old_steal;
    if (event->type == HECTIC_EVENT_SPARK_STEAL && hectic_read_spark_steal(event, &steal))
        cap[count++] = steal.victim_cap;
    if (event->type == HECTIC_EVENT_STEAL_SPARK && hectic_read_steal_spark(event, &old_steal))
        cap[count++] = old_steal.victim_cap;
    return count - (count == 2 && cap[1] == cap[0]);
}

static void add_counts(struct column *column, const hectic_spark_counts *before,
                       const hectic_spark_counts *after)
{
    for (size_t i = 0; i < FATES; i++) {
        uint64_t a, b;
        memcpy(&a, (const char *)before + fates[i].offset, sizeof a);
        memcpy(&b, (const char *)after + fates[i].offset, sizeof b);
        column->count[i] += b - a;
    }
}

static bool rows_take(void *state, const hectic_event *event)
{
    struct spark_rows *s = state;
    if (running_step_of(event->type) != RUNNING_SAME) return true; /* durations are not shown */
    hectic_spark_cap before[2] = {0}, after[2] = {0};
    uint16_t cap[2];
    const size_t caps = caps_of(event, cap);
    advance(s, event->time);
    for (size_t i = 0; i < caps; i++)
        hectic_sparks_find(s->analysis, cap[i], event->time, &before[i]);
    s->has_failed = !hectic_sparks_event(s->analysis, event);
    const bool inside = event->time >= s->picture.from && event->time < s->picture.to;
    struct column *column = inside ? &s->column[s->index] : NULL; /* `at` is its time */
    for (size_t i = 0; i < caps; i++) {
        if (!hectic_sparks_find(s->analysis, cap[i], event->time, &after[i])) continue;
        s->is_known = true;
        s->pool += after[i].pool - before[i].pool;
        if (!column) continue;
        if (s->by_events)
            add_counts(column, &before[i].events, &after[i].events);
        else
            add_counts(column, &before[i].counters, &after[i].counters);
    }
    if (column) note_pool(s, column);
    return !s->has_failed;
}

/* --- The answer ------------------------------------------------------------------------------ */

static void put_pool(const struct spark_rows *s, struct json *json)
{
    json_open(json, "pool", '{');
    json_open(json, "min", '[');
    for (size_t i = 0; i < s->picture.width; i++)
        json_number(json, NULL, s->column[i].has_pool, s->column[i].min);
    json_close(json, ']');
    json_open(json, "mean", '[');
    for (size_t i = 0; i < s->picture.width; i++) {
        const struct column *column = &s->column[i];
        const double mean = column->known ? column->area / (double)column->known : 0;
        json_real(json, NULL, column->known > 0, mean);
    }
    json_close(json, ']');
    json_open(json, "max", '[');
    for (size_t i = 0; i < s->picture.width; i++)
        json_number(json, NULL, s->column[i].has_pool, s->column[i].max);
    json_close(json, ']');
    json_close(json, '}');
}

static bool rows_put(void *state, hectic_view *v, struct json *json)
{
    struct spark_rows *s = state;
    if (s->has_failed) return view_fail(v, "out of memory");
    advance(s, s->last);
    json_number(json, "from_ns", true, s->picture.from);
    json_number(json, "to_ns", true, s->picture.to);
    json_text(json, "source", s->by_events ? "events" : "counters");
    for (size_t fate = 0; fate < FATES; fate++) {
        json_open(json, fates[fate].name, '[');
        for (size_t i = 0; i < s->picture.width; i++)
            json_number(json, NULL, true, s->column[i].count[fate]);
        json_close(json, ']');
    }
    put_pool(s, json);
    return true;
}

bool answer_spark_rows(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {rows_begin, rows_take, NULL, rows_put, rows_free};
    return answer_job(v, json, &kind);
}
