/* heap.c — the request heap: heap profiles, and the sizes of the heap. */
#include "view/requests/profile_types.h"

#include "base/array.h"
#include "report/heap_json.h"

#include <stdlib.h>
#include <string.h>

enum {
    BANDS_MAX = 1000,
    POINTS_USUAL = 1 << 10, /* of a course; with more, COURSES_MAX limits the bands */
    COURSES_MAX = 1 << 26,  /* points of the courses of all bands: 512 MB */
};

struct heap {
    hectic_heap_profile *profile;
    struct heap_sizes sizes;
    uint64_t from, to;
    size_t section, bands;
    enum { BEFORE, INSIDE, AFTER } phase;
    bool failed; /* out of memory */
};

static void heap_free(void *state)
{
    struct heap *h = state;
    hectic_heap_profile_free(h->profile);
    free(h);
}

/* --- Reading --------------------------------------------------------------------------------- */

void view_heap_types(type_set *types)
{
    static const uint16_t samples[] = {HECTIC_EVENT_HEAP_PROF_BEGIN,
                                       HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
                                       HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN,
                                       HECTIC_EVENT_HEAP_PROF_SAMPLE_END,
                                       HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING,
                                       HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE,
                                       HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN,
                                       HECTIC_EVENT_IPE,
                                       HECTIC_EVENT_SYNC};
    type_set_add_all(types, samples, sizeof samples / sizeof *samples);
}

/* Also the samples next to the interval: the weights of those at its edges, and which is the last
 * one, depend on them. The sizes of the heap are those in the interval. */
static void plan_phase(const struct heap *h, struct job_plan *plan)
{
    static const uint16_t sizes[] = {HECTIC_EVENT_HEAP_LIVE, HECTIC_EVENT_BLOCKS_SIZE,
                                     HECTIC_EVENT_HEAP_SIZE, HECTIC_EVENT_GC_STATS_GHC};
    static const double ends[] = {0.1, 0.9, 1};
    plan->from = h->phase == BEFORE ? 0 : h->phase == INSIDE ? h->from : h->to;
    plan->to = h->phase == BEFORE ? h->from : h->phase == INSIDE ? h->to : UINT64_MAX;
    plan->begins = h->phase == BEFORE ? 0 : ends[h->phase - 1];
    plan->ends = ends[h->phase];
    plan->has_types = true;
    plan->types = (type_set){0};
    view_heap_types(&plan->types);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && h->phase == INSIDE; i++)
        type_set_add(&plan->types, sizes[i]);
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    const uint64_t bands = view_value(v, "bands"), points = view_value(v, "points");
    hectic_heap_profile_options options = {.from = plan->from, .to = plan->to};
    options.samples.group = (hectic_band_group)view_value(v, "by");
    options.points = (uint32_t)points;
    if (points > POINTS_USUAL) options.samples.node_limit = (uint32_t)(COURSES_MAX / points);
    struct heap *h = calloc(1, sizeof *h);
    if (h) h->profile = hectic_heap_profile_new(&options);
    if (!h || !h->profile) {
        free(h);
        return view_fail(v, "out of memory"), NULL;
    }
    h->from = h->sizes.from = plan->from;
    h->to = h->sizes.to = plan->to;
    h->section = section->number;
    h->bands = bands < BANDS_MAX ? (size_t)bands : BANDS_MAX;
    plan_phase(h, plan);
    return h;
}

static bool take(void *state, const hectic_event *event)
{
    struct heap *h = state;
    if (h->phase == INSIDE) heap_sizes_event(&h->sizes, event);
    h->failed = !hectic_heap_profile_event(h->profile, event);
    return !h->failed;
}

static bool next(void *state, struct job_plan *plan)
{
    struct heap *h = state;
    if (h->failed || h->phase == AFTER) return false;
    h->phase++;
    plan_phase(h, plan);
    return true;
}

/* --- Bands ----------------------------------------------------------------------------------- */

struct band {
    hectic_heap_band_stats stats; /* its course is a copy, if the band is sent */
    hectic_heap_line line;
};

struct bands {
    struct heap_report report;
    struct band *band;
    size_t count, capacity, sent;
    uint32_t *place; /* by node: that of a band that is sent, plus 1 */
};

static bool collect(void *user, const hectic_heap_band_stats *stats)
{
    struct bands *b = user;
    if (!array_reserve(b->band, b->capacity, b->count + 1)) return false;
    struct band *band = &b->band[b->count++];
    *band = (struct band){*stats, hectic_heap_line_of(&b->report.totals, stats->course)};
    band->stats.course = NULL;
    if (band->line.growth > 0) b->report.growing += band->line.growth;
    return true;
}

static int by_node(const struct band *a, const struct band *b)
{
    return a->stats.node < b->stats.node ? -1 : a->stats.node > b->stats.node;
}

/* The largest at any time first. */
static int by_own_peak(const void *a, const void *b)
{
    const struct band *x = a, *y = b;
    if (x->stats.max != y->stats.max) return x->stats.max > y->stats.max ? -1 : 1;
    return by_node(x, y);
}

/* The largest in the largest sample first. */
static int by_size(const void *a, const void *b)
{
    const struct band *x = a, *y = b;
    if (x->stats.at_peak != y->stats.at_peak) return x->stats.at_peak > y->stats.at_peak ? -1 : 1;
    return by_node(x, y);
}

static bool copy_course(void *user, const hectic_heap_band_stats *stats)
{
    const struct bands *b = user;
    const size_t size = b->report.totals.points * sizeof *stats->course;
    if (!b->place[stats->node]) return true;
    uint64_t *copy = malloc(size + 1);
    if (copy) memcpy(copy, stats->course, size);
    b->band[b->place[stats->node] - 1].stats.course = copy;
    return copy;
}

static void bands_clear(struct bands *b)
{
    for (size_t i = 0; i < b->sent; i++)
        free((uint64_t *)(uintptr_t)b->band[i].stats.course);
    free(b->band);
    free(b->place);
}

/* Chooses bands as hectic heap --bands does. False: out of memory. */
static bool choose(struct bands *b, const struct heap *h, struct heap_report_sum *others)
{
    if (!hectic_heap_profile_each(h->profile, b->report.number, collect, b)) return false;
    if (b->count > 0) qsort(b->band, b->count, sizeof *b->band, by_own_peak);
    b->sent = b->count < h->bands ? b->count : h->bands;
    if (b->sent > 0) qsort(b->band, b->sent, sizeof *b->band, by_size);
    for (size_t i = b->sent; i < b->count; i++)
        heap_report_add(others, &b->band[i].stats);
    b->place = calloc(hectic_stacks_count(b->report.stacks), sizeof *b->place);
    for (size_t i = 0; i < b->sent && b->place; i++)
        b->place[b->band[i].stats.node] = (uint32_t)i + 1;
    return b->place && hectic_heap_profile_each(h->profile, b->report.number, copy_course, b);
}

static bool put_profile(struct json *json, const struct heap *h, uint32_t number)
{
    struct heap_report_sum others = {0}, excluded = {0};
    struct bands b = {.report = {.number = number,
                                 .symbols = hectic_heap_profile_symbols(h->profile),
                                 .stacks = hectic_heap_profile_stacks(h->profile)}};
    hectic_heap_profile_totals(h->profile, number, &b.report.totals);
    bool done = choose(&b, h, &others);
    struct heap_labels labels = {0};
    heap_report_begin(json, &b.report);
    for (size_t i = 0; i < b.sent && done; i++)
        done = heap_report_band(json, &b.report, &labels, &b.band[i].stats, &b.band[i].line);
    done = heap_report_end(json, &b.report, &labels, &others, &excluded) && done;
    bands_clear(&b);
    return done;
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    const struct heap *h = state;
    const uint32_t count = hectic_heap_profile_count(h->profile);
    const hectic_heap_warnings warnings = hectic_heap_profile_warnings(h->profile);
    bool done = !h->failed;
    json_open(json, "sections", '[');
    json_open(json, NULL, '{');
    json_number(json, "section", true, h->section);
    json_open(json, "profiles", '[');
    for (uint32_t i = 0; i < count && done; i++)
        done = put_profile(json, h, i);
    json_close(json, ']');
    heap_report_sizes(json, &h->sizes);
    heap_report_warnings(json, &warnings);
    json_close(json, '}');
    json_close(json, ']');
    return done || view_fail(v, "out of memory");
}

bool answer_heap(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin, .take = take, .next = next, .put = put, .free = heap_free};
    return answer_job(v, json, &kind);
}
