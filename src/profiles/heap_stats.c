/* heap_stats.c — the statistics of heap profiles: see heap_profile.h. */
#include "profiles/heap_sums.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_LEAST = 3 }; /* with more samples, the line leaves out the last one */

/* A square root, without the mathematical library: Newton's method, from an estimate that halves
 * the exponent. */
static double root(double square)
{
    if (!(square > 0)) return 0;
    double estimate = 1;
    for (double rest = square; rest >= 4; rest /= 4)
        estimate *= 2;
    for (double rest = square; rest < 1; rest *= 4)
        estimate /= 2;
    for (int i = 0; i < 8; i++)
        estimate = (estimate + square / estimate) / 2;
    return estimate;
}

/* n * (sum of squares) - (sum)^2 */
static double spread_of(const uint128_sum *squares, uint128 sum, uint64_t count)
{
    const uint256 more = uint256_scaled(*squares, count), less = uint256_product(sum, sum);
    return uint256_difference(&more, &less);
}

/* The regression line. The last sample of a section is not in it, unless there are few: when a
 * program ends, its heap is empty. */
static void regress(const struct profile *p, const struct band *before, const struct band *all,
                    hectic_heap_band_stats *stats)
{
    const bool without_last = p->latest_inside && p->samples > LINE_LEAST;
    const struct band *band = without_last ? before : all;
    const uint64_t count = p->samples - without_last;
    uint128 times = p->times;
    uint128_sum time_squares = p->time_squares;
    if (p->latest_inside && !without_last) {
        uint128_add(&times, (uint128){p->latest_time, 0});
        uint128_sum_add(&time_squares, uint128_product(p->latest_time, p->latest_time));
    }
    const uint256 moments = uint256_scaled(band->moments, count);
    const uint256 products = uint256_product(times, band->sum);
    const double covariance = uint256_difference(&moments, &products);
    const double variance = spread_of(&band->squares, band->sum, count);
    const double time_variance = spread_of(&time_squares, times, count);
    const double unit = p->kind->has_times ? 1e9 : 1;
    if (time_variance > 0) stats->growth = covariance / time_variance * unit;
    if (time_variance > 0 && variance > 0)
        stats->growth_fit = covariance / time_variance * (covariance / variance);
    if (stats->growth_fit > 1) stats->growth_fit = 1;
}

/* The band with its bytes in the latest sample. `course` has room for its points. */
static hectic_heap_band_stats stats_of(const struct profile *p, const struct band *known,
                                       uint64_t latest, uint64_t *course)
{
    struct band band = *known;
    if (latest > 0) band_add(&band, p, latest, p->latest_before);
    memcpy(course, known->course, p->point * sizeof *course);
    course[p->point] = band.point;
    for (uint32_t i = 0; i < p->point; i++)
        course[i] /= p->per_point;
    course[p->point] /= p->samples - p->point * p->per_point;
    const bool has_times = p->kind->has_times;
    hectic_heap_band_stats stats = {
        .node = band.node,
        .max = band.max,
        .max_time = has_times ? band.max_time : 0,
        .first = has_times ? band.first : 0,
        .last = has_times ? band.last : 0,
        .samples = band.samples,
        .integral_high = band.integral.high,
        .integral_low = band.integral.low,
        .mean = p->covered > 0 ? uint128_to_double(band.integral) / (2 * (double)p->covered)
                               : uint128_to_double(band.sum) / (double)p->samples,
        .course = course,
    };
    stats.deviation = root(spread_of(&band.squares, band.sum, p->samples)) / (double)p->samples;
    regress(p, known, &band, &stats);
    return stats;
}

/* The profile with that number among those with samples in the interval. */
static const struct profile *profile_at(const hectic_heap_profile *h, uint32_t number)
{
    for (uint32_t i = 0; i < h->profiles; i++)
        if (h->profile[i] && h->profile[i]->samples > 0 && number-- == 0) return h->profile[i];
    return NULL;
}

uint32_t hectic_heap_profile_count(const hectic_heap_profile *h)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->profiles; i++)
        count += h->profile[i] && h->profile[i]->samples > 0;
    return count;
}

static uint32_t count_bands(const struct profile *p)
{
    uint32_t count = p->shown_count;
    for (uint32_t i = 0; p->latest_inside && i < p->latest.count; i++)
        count += !band_is_shown(&p->band[p->latest.value[i].band]);
    return count;
}

void hectic_heap_profile_totals(const hectic_heap_profile *h, uint32_t number,
                                hectic_heap_totals *totals)
{
    *totals = (hectic_heap_totals){0};
    const struct profile *p = profile_at(h, number);
    if (!p) return;
    const hectic_heap_band_stats total = stats_of(p, &p->total, p->latest_total, p->mean_course);
    *totals = (hectic_heap_totals){
        .kind = p->kind,
        .samples = p->samples,
        .first = p->first,
        .last = p->last,
        .covered = p->covered,
        .gaps = p->gaps,
        .peak = p->peak_total,
        .peak_time = p->peak_time,
        .peak_index = p->peak_index,
        .end = p->latest_inside ? p->latest_total : p->end_total,
        .has_at = p->has_at,
        .at = p->at_total,
        .at_time = p->at_time,
        .mean = total.mean,
        .growth = total.growth,
        .growth_fit = total.growth_fit,
        .samples_per_point = p->per_point,
        .points = (uint32_t)((p->samples - 1) / p->per_point + 1),
        .course = p->mean_course,
        .course_time = p->point_time,
        .bands = count_bands(p),
    };
}

void hectic_heap_profile_slice(const hectic_heap_profile *h, uint32_t number, uint64_t *from,
                               uint64_t *to)
{
    const struct profile *p = profile_at(h, number);
    const bool has_slices = p && h->options.every > 0 && p->kind->has_times;
    *from = has_slices ? p->slice : h->options.from;
    *to = has_slices ? end_of_slice(h, p) : h->options.to;
}

enum { AT_PEAK, AT, AT_END, LATEST, KEPT };

/* A band that is passed on, with its bytes in the samples that are kept. */
struct shown {
    uint32_t node, band;
    uint64_t bytes[KEPT];
};

static int by_node(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* `place`: of each band in `shown`. */
static void spread(const struct values *values, int kept, const uint64_t *place,
                   struct shown *shown)
{
    for (uint32_t i = 0; i < values->count; i++)
        shown[place[values->value[i].band]].bytes[kept] = values->value[i].bytes;
}

/* Sets `shown` to the bands in order of nodes; returns their number. All bands of samples that are
 * kept are among them. */
static uint32_t list_shown(const struct profile *p, struct shown *shown)
{
    static const struct values none;
    const struct values *latest = p->latest_inside ? &p->latest : &none;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->shown_count; i++)
        shown[count++].band = p->shown[i];
    for (uint32_t i = 0; i < latest->count; i++)
        if (!band_is_shown(&p->band[latest->value[i].band]))
            shown[count++].band = latest->value[i].band;
    for (uint32_t i = 0; i < count; i++) {
        shown[i] = (struct shown){p->band[shown[i].band].node, shown[i].band, {0}};
        p->scratch[shown[i].band] = i;
    }
    spread(&p->peak, AT_PEAK, p->scratch, shown);
    spread(&p->at, AT, p->scratch, shown);
    spread(p->latest_inside ? latest : &p->end, AT_END, p->scratch, shown);
    spread(latest, LATEST, p->scratch, shown);
    for (uint32_t i = 0; i < count; i++)
        p->scratch[shown[i].band] = 0;
    qsort(shown, count, sizeof *shown, by_node);
    return count;
}

bool hectic_heap_profile_each(const hectic_heap_profile *h, uint32_t number,
                              hectic_heap_band_callback callback, void *user)
{
    const struct profile *p = profile_at(h, number);
    if (!p) return true;
    struct shown *shown = malloc(((size_t)p->shown_count + p->latest.count + 1) * sizeof *shown);
    uint64_t *course = malloc(h->options.points * sizeof *course);
    const uint32_t count = shown && course ? list_shown(p, shown) : 0;
    bool go_on = shown && course;
    for (uint32_t i = 0; go_on && i < count; i++) {
        const uint64_t *bytes = shown[i].bytes;
        hectic_heap_band_stats stats = stats_of(p, &p->band[shown[i].band], bytes[LATEST], course);
        stats.at_peak = bytes[AT_PEAK];
        stats.at = bytes[AT];
        stats.at_end = bytes[AT_END];
        go_on = callback(user, &stats);
    }
    free(shown);
    free(course);
    return go_on;
}

const hectic_symbols *hectic_heap_profile_symbols(const hectic_heap_profile *h)
{
    return hectic_heap_samples_symbols(h->samples);
}

const hectic_stacks *hectic_heap_profile_stacks(const hectic_heap_profile *h)
{
    return hectic_heap_samples_stacks(h->samples);
}

hectic_heap_warnings hectic_heap_profile_warnings(const hectic_heap_profile *h)
{
    hectic_heap_warnings warnings = hectic_heap_samples_warnings(h->samples);
    warnings.omitted += h->omitted;
    return warnings;
}
