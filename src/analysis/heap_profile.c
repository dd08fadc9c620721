/* heap_profile.c — see hectic/heap_profile.h.
 *
 * A value in an integral has half of the time to the sample before and half of the time to the
 * next: a sample is added when the next one comes. Answers before that add the latest sample
 * to a copy. */
#include <hectic/heap_profile.h>

#include "analysis/amount.h"
#include "analysis/wide.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 256, BANDS = 1 << 16, GAP = 4, LINE_LEAST = 3 };

struct band {
    uint32_t node;
    wide integral;          /* 2 * bytes * ns */
    wide sum;               /* of bytes */
    wide_sum squares;       /* of bytes * bytes */
    wide_sum moments;       /* of time * bytes */
    uint64_t max, max_time; /* bytes, ns */
    uint64_t first, last;   /* ns */
    uint64_t samples;
    uint64_t point;   /* the sum of the current point */
    uint64_t *course; /* the sums of the points before it */
};

struct value {
    uint32_t band;
    uint64_t bytes;
};

/* The bands of a sample. */
struct values {
    struct value *value;
    uint32_t count, capacity;
};

struct profile {
    const hectic_heap_kind *kind;
    struct band *band;
    uint64_t *scratch; /* for each band; 0 while it is not in use */
    uint32_t bands, capacity;
    uint32_t *shown; /* the bands of the slice for which is_shown holds; as many as `capacity` */
    uint32_t shown_count;
    uint32_t *place; /* by node: the index of its band, plus 1 */
    uint32_t places;
    struct band total;
    uint64_t count;    /* of samples, inside of the interval or not */
    uint64_t previous; /* the greatest time of a sample so far */
    uint64_t distances, distance;
    /* The latest sample, which is not added yet. */
    struct values latest;
    uint64_t latest_time, latest_total, latest_before; /* ns to the sample before, if inside */
    bool latest_inside;
    /* Inside of the interval. */
    uint64_t slice; /* where it begins; of the interval until then, what follows is of the slice */
    uint64_t samples, first, last, covered, gaps;
    wide times;
    wide_sum time_squares;
    struct values peak, at, end; /* end: unless it is the latest */
    uint64_t peak_total, peak_time, peak_index;
    uint64_t at_total, at_time, end_total;
    bool has_at;
    uint32_t point;     /* of the course: the current one */
    uint64_t per_point; /* samples */
    uint64_t *point_time, *mean_course;
};

struct hectic_heap_profile {
    hectic_heap_profile_options options;
    hectic_heap_samples *samples;
    struct profile **profile; /* by number in order of beginning; NULL: no samples yet */
    uint32_t profiles;
    uint32_t bands_left;
    uint64_t omitted;
};

static bool take_sample(void *user, const hectic_heap_sample *sample);

hectic_heap_profile *hectic_heap_profile_new(const hectic_heap_profile_options *options)
{
    hectic_heap_profile *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->options.to = UINT64_MAX;
    if (options) h->options = *options;
    h->options.points = h->options.points ? h->options.points + h->options.points % 2 : POINTS;
    h->bands_left = h->options.samples.node_limit ? h->options.samples.node_limit : BANDS;
    h->samples = hectic_heap_samples_new(&h->options.samples, take_sample, h);
    if (h->samples) return h;
    free(h);
    return NULL;
}

static void free_profile(struct profile *p)
{
    if (!p) return;
    for (uint32_t i = 0; i < p->bands; i++)
        free(p->band[i].course);
    free(p->band);
    free(p->scratch);
    free(p->shown);
    free(p->place);
    free(p->total.course);
    free(p->latest.value);
    free(p->peak.value);
    free(p->at.value);
    free(p->end.value);
    free(p->point_time);
    free(p->mean_course);
    free(p);
}

void hectic_heap_profile_free(hectic_heap_profile *h)
{
    if (!h) return;
    for (uint32_t i = 0; i < h->profiles; i++)
        free_profile(h->profile[i]);
    free(h->profile);
    hectic_heap_samples_free(h->samples);
    free(h);
}

bool hectic_heap_profile_event(hectic_heap_profile *h, const hectic_event *event)
{
    return hectic_heap_samples_event(h->samples, event);
}

/* --- Profiles and bands ---------------------------------------------------------------------- */

static struct profile *new_profile(const hectic_heap_kind *kind, uint32_t points)
{
    struct profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->kind = kind;
    p->per_point = 1;
    p->total.course = calloc(points, sizeof *p->total.course);
    p->point_time = calloc(points, sizeof *p->point_time);
    p->mean_course = calloc(points, sizeof *p->mean_course);
    if (p->total.course && p->point_time && p->mean_course) return p;
    free_profile(p);
    return NULL;
}

/* NULL: out of memory. */
static struct profile *profile_of(hectic_heap_profile *h, const hectic_heap_sample *sample)
{
    const uint32_t number = sample->profile;
    if (number >= h->profiles) {
        struct profile **grown = realloc(h->profile, (number + 1) * sizeof *grown);
        if (!grown) return NULL;
        h->profile = grown;
        while (h->profiles <= number)
            h->profile[h->profiles++] = NULL;
    }
    if (!h->profile[number]) h->profile[number] = new_profile(sample->kind, h->options.points);
    return h->profile[number];
}

static bool grow_places(struct profile *p, uint32_t nodes)
{
    uint32_t places = p->places ? p->places : 64;
    while (places < nodes)
        places *= 2;
    uint32_t *place = realloc(p->place, places * sizeof *place);
    if (!place) return false;
    memset(place + p->places, 0, (places - p->places) * sizeof *place);
    p->place = place;
    p->places = places;
    return true;
}

static bool grow_bands(struct profile *p)
{
    const uint32_t capacity = p->capacity ? 2 * p->capacity : 16;
    struct band *band = realloc(p->band, capacity * sizeof *band);
    if (!band) return false;
    p->band = band;
    uint64_t *scratch = realloc(p->scratch, capacity * sizeof *scratch);
    if (!scratch) return false;
    memset(scratch + p->capacity, 0, (capacity - p->capacity) * sizeof *scratch);
    p->scratch = scratch;
    uint32_t *shown = realloc(p->shown, capacity * sizeof *shown);
    if (!shown) return false;
    p->shown = shown;
    p->capacity = capacity;
    return true;
}

/* The band of a node, or HECTIC_STACKS_OTHERS' if there are too many. False: out of memory. */
static bool band_of(hectic_heap_profile *h, struct profile *p, uint32_t node, uint32_t *band)
{
    const bool may_add = h->bands_left > 0;
    if (node >= p->places || !p->place[node]) {
        if (!may_add && node != HECTIC_STACKS_OTHERS)
            return h->omitted++, band_of(h, p, HECTIC_STACKS_OTHERS, band);
        if (node >= p->places && !grow_places(p, node + 1)) return false;
        if (p->bands == p->capacity && !grow_bands(p)) return false;
        struct band *fresh = &p->band[p->bands];
        *fresh = (struct band){.node = node};
        fresh->course = calloc(h->options.points, sizeof *fresh->course);
        if (!fresh->course) return false;
        p->place[node] = ++p->bands;
        h->bands_left -= may_add;
    }
    *band = p->place[node] - 1;
    return true;
}

static bool reserve(struct values *values, size_t count)
{
    if (count <= values->capacity) return true;
    const size_t capacity = count + count / 2;
    struct value *value = realloc(values->value, capacity * sizeof *value);
    if (!value) return false;
    values->value = value;
    values->capacity = (uint32_t)capacity;
    return true;
}

static bool copy_values(struct values *to, const struct values *from)
{
    if (!reserve(to, from->count)) return false;
    if (from->count > 0) memcpy(to->value, from->value, from->count * sizeof *to->value);
    to->count = from->count;
    return true;
}

/* --- Samples --------------------------------------------------------------------------------- */

/* Bands that are not 0 in the interval, or are there only because of the time since the sample
 * before it. */
static bool is_shown(const struct band *band)
{
    return band->samples > 0 || band->integral.high > 0 || band->integral.low > 0;
}

/* Adds the latest sample's bytes. */
static inline void add(struct band *band, const struct profile *p, uint64_t bytes, uint64_t weight)
{
    const uint64_t time = p->latest_time;
    wide_add_saturated(&band->integral, wide_product(bytes, weight));
    if (!p->latest_inside) return;
    wide_add(&band->sum, (wide){bytes, 0});
    wide_sum_add(&band->squares, wide_product(bytes, bytes));
    wide_sum_add(&band->moments, wide_product(bytes, time));
    if (bytes > band->max) {
        band->max = bytes;
        band->max_time = time;
    }
    if (band->samples++ == 0) band->first = time;
    band->last = time;
    amount_add(&band->point, bytes);
}

/* Adds the latest sample, with the time to the next in the interval. */
static void add_latest(struct profile *p, uint64_t after)
{
    const uint64_t weight = p->latest_before + after;
    if (weight == 0 && !p->latest_inside) return;
    for (uint32_t i = 0; i < p->latest.count; i++) {
        const struct value *value = &p->latest.value[i];
        struct band *band = &p->band[value->band];
        if (!is_shown(band)) p->shown[p->shown_count++] = value->band;
        add(band, p, value->bytes, weight);
    }
    add(&p->total, p, p->latest_total, weight);
    if (!p->latest_inside) return;
    wide_add(&p->times, (wide){p->latest_time, 0});
    wide_sum_add(&p->time_squares, wide_product(p->latest_time, p->latest_time));
}

static void end_point(struct band *band, uint32_t point)
{
    if (band->point > 0) band->course[point] = band->point;
    band->point = 0;
}

static void join_points(uint64_t *course, uint32_t points)
{
    for (uint32_t i = 0; i < points / 2; i++) {
        course[i] = course[2 * i];
        amount_add(&course[i], course[2 * i + 1]);
    }
    memset(course + points / 2, 0, points / 2 * sizeof *course);
}

/* Begins a point of the course, at the time of its first sample. */
static void begin_point(struct profile *p, uint32_t points, uint64_t time)
{
    for (uint32_t i = 0; p->samples > 0 && i < p->shown_count; i++)
        end_point(&p->band[p->shown[i]], p->point);
    end_point(&p->total, p->point);
    if (p->samples / p->per_point == points) {
        for (uint32_t i = 0; i < p->shown_count; i++)
            join_points(p->band[p->shown[i]].course, points);
        join_points(p->total.course, points);
        for (uint32_t i = 0; i < points / 2; i++)
            p->point_time[i] = p->point_time[2 * i];
        p->per_point *= 2;
    }
    p->point = (uint32_t)(p->samples / p->per_point);
    p->point_time[p->point] = time;
}

/* The time since the previous sample; 0: a gap. */
static uint64_t distance_of(struct profile *p, uint64_t time, bool *is_gap)
{
    *is_gap = false;
    if (p->count == 0 || time <= p->previous) return 0;
    const uint64_t distance = time - p->previous;
    const uint64_t mean = p->distances ? p->distance / p->distances : distance;
    const uint64_t usual = mean > p->kind->period ? mean : p->kind->period;
    const uint64_t limit = usual > UINT64_MAX / GAP ? UINT64_MAX : GAP * usual;
    *is_gap = distance > limit;
    p->distances++;
    amount_add(&p->distance, *is_gap ? limit : distance);
    return *is_gap ? 0 : distance;
}

/* Sorts the bands of a sample if it has many, since memory is faster in its order. */
static void order_latest(struct profile *p)
{
    if (p->latest.count < p->bands / 8) return;
    for (uint32_t i = 0; i < p->latest.count; i++)
        p->scratch[p->latest.value[i].band] = p->latest.value[i].bytes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->bands; i++) {
        if (p->scratch[i] == 0) continue;
        p->latest.value[count++] = (struct value){i, p->scratch[i]};
        p->scratch[i] = 0;
    }
}

/* Bands of 0 bytes are as good as absent. */
static bool set_latest(hectic_heap_profile *h, struct profile *p, const hectic_heap_sample *sample)
{
    uint64_t others = 0;
    p->latest.count = 0;
    if (!reserve(&p->latest, sample->bands + 1)) return false;
    for (size_t i = 0; i < sample->bands; i++) {
        const hectic_heap_band *band = &sample->band[i];
        uint32_t index;
        if (band->bytes == 0) continue;
        if (!band_of(h, p, band->node, &index)) return false;
        if (p->band[index].node == HECTIC_STACKS_OTHERS)
            amount_add(&others, band->bytes);
        else
            p->latest.value[p->latest.count++] = (struct value){index, band->bytes};
    }
    uint32_t index;
    if (others > 0 && !band_of(h, p, HECTIC_STACKS_OTHERS, &index)) return false;
    if (others > 0) p->latest.value[p->latest.count++] = (struct value){index, others};
    p->latest_total = sample->total;
    order_latest(p);
    return true;
}

static bool keep_samples(hectic_heap_profile *h, struct profile *p,
                         const hectic_heap_sample *sample)
{
    if (p->samples == 1 || sample->total > p->peak_total) {
        if (!copy_values(&p->peak, &p->latest)) return false;
        p->peak_total = sample->total;
        p->peak_time = sample->time;
        p->peak_index = sample->index;
    }
    const bool is_at = h->options.has_at && p->kind->has_times && sample->time <= h->options.at &&
                       (!p->has_at || sample->time >= p->at_time);
    if (!is_at) return true;
    p->has_at = true;
    p->at_total = sample->total;
    p->at_time = sample->time;
    return copy_values(&p->at, &p->latest);
}

static void keep_end(struct profile *p)
{
    const struct values end = p->latest;
    p->latest = p->end;
    p->end = end;
    p->end_total = p->latest_total;
}

/* --- Slices ---------------------------------------------------------------------------------- */

static uint64_t end_of_slice(const hectic_heap_profile *h, const struct profile *p)
{
    const uint64_t end = amount_sum(p->slice, h->options.every);
    return end < h->options.to ? end : h->options.to;
}

/* The course has values up to a point. */
static void clear_band(struct band *band, uint32_t points)
{
    memset(band->course, 0, points * sizeof *band->course);
    *band = (struct band){.node = band->node, .course = band->course};
}

/* Forgets what is inside of the slice. */
static void clear_slice(struct profile *p)
{
    for (uint32_t i = 0; i < p->shown_count; i++)
        clear_band(&p->band[p->shown[i]], p->point);
    p->shown_count = 0;
    clear_band(&p->total, p->point);
    p->latest_inside = p->has_at = false;
    p->latest_before = 0;
    p->samples = p->covered = p->gaps = 0;
    p->at_total = p->at_time = p->end_total = 0;
    p->times = (wide){0};
    p->time_squares = (wide_sum){0};
    p->peak.count = p->at.count = p->end.count = 0;
    p->per_point = 1;
}

/* The number of a profile among those with samples in the interval. */
static uint32_t number_of(const hectic_heap_profile *h, const struct profile *p)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < h->profiles && h->profile[i] != p; i++)
        number += h->profile[i] && h->profile[i]->samples > 0;
    return number;
}

/* Ends the slice if the sample, which is in the interval, is beyond. False: the callback stops. */
static bool pass_slice(hectic_heap_profile *h, struct profile *p, uint64_t time)
{
    const hectic_heap_profile_options *options = &h->options;
    if (options->every == 0 || !p->kind->has_times) return true;
    if (p->samples > 0) {
        const uint64_t end = end_of_slice(h, p);
        if (time < end || end == UINT64_MAX) return true;
        if (options->slice && !options->slice(options->user, h, number_of(h, p), p->slice, end))
            return false;
        clear_slice(p);
    }
    p->slice = options->from + (time - options->from) / options->every * options->every;
    return true;
}

/* --- Taking samples -------------------------------------------------------------------------- */

static bool take_sample(void *user, const hectic_heap_sample *sample)
{
    hectic_heap_profile *h = user;
    const hectic_heap_profile_options *options = &h->options;
    struct profile *p = profile_of(h, sample);
    if (!p) return false;
    const bool inside =
        !p->kind->has_times || (sample->time >= options->from &&
                                (sample->time < options->to || options->to == UINT64_MAX));
    bool is_gap;
    if (inside && !pass_slice(h, p, sample->time)) return false;
    const uint64_t distance = distance_of(p, sample->time, &is_gap);
    if (p->count > 0) add_latest(p, inside ? distance : 0);
    if (p->latest_inside && !inside) keep_end(p);
    /* The time of the regression: without times, the number of the sample. */
    const uint64_t time = p->kind->has_times ? sample->time : sample->index;
    p->count++;
    if (sample->time > p->previous) p->previous = sample->time;
    p->latest_inside = inside;
    p->latest_before = inside ? distance : 0;
    p->latest_time = time;
    if (!set_latest(h, p, sample)) return false;
    if (!inside) return true;
    if (p->samples % p->per_point == 0) begin_point(p, options->points, time);
    if (p->samples++ == 0) p->first = sample->time;
    p->last = sample->time;
    p->covered += distance;
    p->gaps += is_gap;
    return keep_samples(h, p, sample);
}

/* --- Answers --------------------------------------------------------------------------------- */

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
static double spread_of(const wide_sum *squares, wide sum, uint64_t count)
{
    const wide256 more = wide256_scaled(*squares, count), less = wide256_product(sum, sum);
    return wide256_difference(&more, &less);
}

/* The regression line. The last sample of a section is not in it, unless there are few: when a
 * program ends, its heap is empty. */
static void regress(const struct profile *p, const struct band *before, const struct band *all,
                    hectic_heap_band_stats *stats)
{
    const bool without_last = p->latest_inside && p->samples > LINE_LEAST;
    const struct band *band = without_last ? before : all;
    const uint64_t count = p->samples - without_last;
    wide times = p->times;
    wide_sum time_squares = p->time_squares;
    if (p->latest_inside && !without_last) {
        wide_add(&times, (wide){p->latest_time, 0});
        wide_sum_add(&time_squares, wide_product(p->latest_time, p->latest_time));
    }
    const wide256 moments = wide256_scaled(band->moments, count);
    const wide256 products = wide256_product(times, band->sum);
    const double covariance = wide256_difference(&moments, &products);
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
    if (latest > 0) add(&band, p, latest, p->latest_before);
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
        .mean = p->covered > 0 ? wide_to_double(band.integral) / (2 * (double)p->covered)
                               : wide_to_double(band.sum) / (double)p->samples,
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
        count += !is_shown(&p->band[p->latest.value[i].band]);
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
        if (!is_shown(&p->band[latest->value[i].band])) shown[count++].band = latest->value[i].band;
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
