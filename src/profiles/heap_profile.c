/* heap_profile.c — see heap_profile.h: takes the samples. */
#include "profiles/heap_sums.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 256, BANDS = 1 << 16, GAP = 4 };

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

/* Adds the latest sample, with the time to the next in the interval. */
static void add_latest(struct profile *p, uint64_t after)
{
    const uint64_t weight = p->latest_before + after;
    if (weight == 0 && !p->latest_inside) return;
    for (uint32_t i = 0; i < p->latest.count; i++) {
        const struct value *value = &p->latest.value[i];
        struct band *band = &p->band[value->band];
        if (!band_is_shown(band)) p->shown[p->shown_count++] = value->band;
        band_add(band, p, value->bytes, weight);
    }
    band_add(&p->total, p, p->latest_total, weight);
    if (!p->latest_inside) return;
    uint128_add(&p->times, (uint128){p->latest_time, 0});
    uint128_sum_add(&p->time_squares, uint128_product(p->latest_time, p->latest_time));
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
        saturating_add(&course[i], course[2 * i + 1]);
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
    saturating_add(&p->distance, *is_gap ? limit : distance);
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
            saturating_add(&others, band->bytes);
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
    p->times = (uint128){0};
    p->time_squares = (uint128_sum){0};
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
    p->slice = slice_of(options->from, options->every, time);
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
        !p->kind->has_times || time_is_inside(sample->time, options->from, options->to);
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
    if (p->samples == 0 || sample->time < p->first) p->first = sample->time;
    if (p->samples++ == 0 || sample->time > p->last) p->last = sample->time;
    p->covered += distance;
    p->gaps += is_gap;
    return keep_samples(h, p, sample);
}
