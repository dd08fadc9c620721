/* Statistics of random heap profiles, in random intervals and asked at random times, equal those of
 * a slow reference that keeps every sample; those of adjacent intervals add up to those of their
 * union. */
#include "heap_events.h"

#include "profiles/heap_profile.h"
#include <math.h>

__extension__ typedef unsigned __int128 wide;

enum { ROUNDS = 400, PROFILES = 2, SAMPLES = 300, LABELS = 12, POINTS = 40 };

/* --- The reference --------------------------------------------------------------------------- */

struct sample {
    uint64_t time, index;
    uint64_t bytes[LABELS];
};

struct history {
    uint64_t period;
    bool has_times;
    size_t count;
    struct sample sample[SAMPLES];
    uint64_t distance[SAMPLES]; /* to the sample before; 0: a gap */
    bool is_gap[SAMPLES];
};

struct interval {
    uint64_t from, to, at;
    uint32_t points;
};

static void measure_distances(struct history *h)
{
    double sum = 0;
    size_t count = 0;
    uint64_t latest = 0;
    for (size_t i = 0; i < h->count; i++) {
        const uint64_t time = h->has_times ? h->sample[i].time : 0;
        h->distance[i] = 0;
        h->is_gap[i] = false;
        if (i > 0 && time > latest) {
            const double distance = (double)(time - latest);
            double usual = count > 0 ? (double)(uint64_t)(sum / (double)count) : distance;
            if (usual < (double)h->period) usual = (double)h->period;
            h->is_gap[i] = distance > 4 * usual;
            if (!h->is_gap[i]) h->distance[i] = time - latest;
            sum += h->is_gap[i] ? 4 * usual : distance;
            count++;
        }
        if (time > latest) latest = time;
    }
}

static bool is_inside(const struct history *h, const struct interval *in, size_t i)
{
    const uint64_t time = h->sample[i].time;
    return !h->has_times || (time >= in->from && (time < in->to || in->to == UINT64_MAX));
}

/* Of one label, or of all for LABELS. */
static uint64_t bytes_of(const struct history *h, size_t i, size_t label)
{
    uint64_t sum = 0;
    for (size_t l = 0; l < LABELS; l++)
        if (l == label || label == LABELS) sum += h->sample[i].bytes[l];
    return sum;
}

struct facts {
    uint64_t samples, filled, covered, gaps, max, max_time, first, last, peak_index;
    uint64_t at_peak, at_end, at;
    bool has_at;
    wide integral;
    long double mean, variance, growth, fit;
    uint64_t per_point, course[POINTS], course_time[POINTS];
    uint32_t points;
};

static size_t peak_of(const struct history *h, const struct interval *in)
{
    size_t peak = SIZE_MAX;
    for (size_t i = 0; i < h->count; i++)
        if (is_inside(h, in, i) &&
            (peak == SIZE_MAX || bytes_of(h, i, LABELS) > bytes_of(h, peak, LABELS)))
            peak = i;
    return peak;
}

static uint64_t least_time(const struct history *h, const struct interval *in)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < h->count; i++)
        if (is_inside(h, in, i) && h->sample[i].time < least) least = h->sample[i].time;
    return least;
}

/* The regression line, without the last of all samples if there are more than three. */
static void add_line(struct facts *f, const struct history *h, const struct interval *in,
                     size_t label)
{
    const bool without_last = f->samples > 3 && is_inside(h, in, h->count - 1);
    const wide count = f->samples - without_last;
    wide times = 0, sum = 0, square = 0, time_square = 0, product = 0;
    for (size_t i = 0; i + without_last < h->count; i++) {
        if (!is_inside(h, in, i)) continue;
        /* With smaller numbers than times since the log's begin, so that they fit. */
        const uint64_t when = h->has_times ? h->sample[i].time - least_time(h, in) : i;
        const uint64_t bytes = bytes_of(h, i, label);
        times += when;
        sum += bytes;
        square += (wide)bytes * bytes;
        time_square += (wide)when * when;
        product += (wide)when * bytes;
    }
    /* Times the square of the count. */
    const long double variance = (long double)(count * square - sum * sum);
    const long double time_variance = (long double)(count * time_square - times * times);
    const wide one = count * product, other = times * sum;
    const long double covariance =
        one > other ? (long double)(one - other) : -(long double)(other - one);
    if (time_variance > 0) f->growth = covariance / time_variance * (h->has_times ? 1e9L : 1);
    if (time_variance > 0 && variance > 0)
        f->fit = covariance * covariance / time_variance / variance;
}

static struct facts facts_of(const struct history *h, const struct interval *in, size_t label)
{
    struct facts f = {.per_point = 1};
    const size_t peak = peak_of(h, in);
    wide sum = 0, square = 0;
    uint64_t at_time = 0;
    for (size_t i = 0; i < h->count; i++) {
        if (!is_inside(h, in, i)) continue;
        const uint64_t time = h->sample[i].time, bytes = bytes_of(h, i, label);
        if (i > 0) f.integral += (wide)h->distance[i] * ((wide)bytes + bytes_of(h, i - 1, label));
        f.covered += h->distance[i];
        f.gaps += h->is_gap[i];
        f.samples++;
        sum += bytes;
        square += (wide)bytes * bytes;
        f.at_end = bytes;
        if (i == peak) {
            f.at_peak = bytes;
            f.peak_index = i;
        }
        if (h->has_times && time <= in->at && (!f.has_at || time >= at_time)) {
            f.has_at = true;
            at_time = time;
            f.at = bytes;
        }
        if (bytes == 0) continue;
        if (f.filled++ == 0) f.first = h->has_times ? time : 0;
        f.last = h->has_times ? time : 0;
        if (bytes > f.max) {
            f.max = bytes;
            f.max_time = h->has_times ? time : 0;
        }
    }
    if (f.samples == 0) return f;
    const long double count = (long double)f.samples;
    while (f.samples > in->points * f.per_point)
        f.per_point *= 2;
    uint64_t number = 0;
    for (size_t i = 0; i < h->count; i++) {
        if (!is_inside(h, in, i)) continue;
        const uint64_t bytes = bytes_of(h, i, label), when = h->has_times ? h->sample[i].time : i;
        const size_t point = number / f.per_point;
        if (number % f.per_point == 0) f.course_time[point] = when;
        f.course[point] += bytes;
        f.points = (uint32_t)point + 1;
        number++;
    }
    for (size_t point = 0; point < f.points; point++) {
        const uint64_t rest = f.samples - point * f.per_point;
        f.course[point] /= rest < f.per_point ? rest : f.per_point;
    }
    f.mean =
        f.covered ? (long double)f.integral / 2 / (long double)f.covered : (long double)sum / count;
    /* Times the square of the count. */
    const long double variance = (long double)(f.samples * square - sum * sum);
    f.variance = variance / count / count;
    add_line(&f, h, in, label);
    return f;
}

/* --- Comparison ------------------------------------------------------------------------------ */

static void assert_near(double a, long double b, long double scale)
{
    if (!(fabsl(a - b) <= 1e-9L * scale)) fail_msg("%.17g is not %.17Lg (%Lg)", a, b, scale);
}

struct check {
    const hectic_heap_profile *profile;
    const struct history *history;
    const struct interval *interval;
    bool found[LABELS];
};

static bool check_band(void *user, const hectic_heap_band_stats *s)
{
    struct check *c = user;
    char label[16];
    hectic_band_text(hectic_heap_profile_stacks(c->profile),
                     hectic_heap_profile_symbols(c->profile), s->node, label, sizeof label);
    const size_t number = (size_t)(label[0] - 'a');
    assert_true(number < LABELS && !c->found[number]);
    c->found[number] = true;
    const struct facts f = facts_of(c->history, c->interval, number);
    assert_int_equal(s->samples, f.filled);
    assert_true(s->integral_high == (uint64_t)(f.integral >> 64));
    assert_int_equal(s->integral_low, (uint64_t)f.integral);
    assert_int_equal(s->max, f.max);
    assert_int_equal(s->max_time, f.max_time);
    assert_int_equal(s->first, f.first);
    assert_int_equal(s->last, f.last);
    assert_int_equal(s->at_peak, f.at_peak);
    assert_int_equal(s->at_end, f.at_end);
    assert_int_equal(s->at, f.at);
    assert_near(s->mean, f.mean, f.mean);
    assert_near(s->deviation * s->deviation, f.variance, f.variance);
    assert_near(s->growth, f.growth, fabsl(f.growth));
    assert_near(s->growth_fit, f.fit, 1);
    for (uint32_t i = 0; i < f.points; i++)
        assert_int_equal(s->course[i], f.course[i]);
    return true;
}

/* The profile `number` of the log is the `shown`th with samples in the interval. */
static void check_profile(const hectic_heap_profile *profile, const struct history *h,
                          const struct interval *in, uint32_t shown)
{
    const struct facts f = facts_of(h, in, LABELS);
    hectic_heap_totals t;
    hectic_heap_profile_totals(profile, shown, &t);
    assert_int_equal(t.samples, f.samples);
    assert_int_equal(t.covered, f.covered);
    assert_int_equal(t.gaps, f.gaps);
    assert_int_equal(t.peak, f.at_peak);
    assert_int_equal(t.peak_index, f.peak_index);
    assert_int_equal(t.end, f.at_end);
    assert_int_equal(t.has_at, f.has_at);
    assert_int_equal(t.at, f.at);
    assert_int_equal(t.samples_per_point, f.per_point);
    assert_int_equal(t.points, f.points);
    assert_near(t.mean, f.mean, f.mean);
    assert_near(t.growth, f.growth, fabsl(f.growth));
    assert_near(t.growth_fit, f.fit, 1);
    for (uint32_t i = 0; i < f.points; i++) {
        assert_int_equal(t.course[i], f.course[i]);
        assert_int_equal(t.course_time[i], f.course_time[i]);
    }
    struct check c = {.profile = profile, .history = h, .interval = in};
    assert_true(hectic_heap_profile_each(profile, shown, check_band, &c));
    uint32_t bands = 0;
    for (size_t label = 0; label < LABELS; label++) {
        const struct facts of = facts_of(h, in, label);
        assert_int_equal(c.found[label], of.filled > 0 || of.integral > 0);
        bands += c.found[label];
    }
    assert_int_equal(t.bands, bands);
}

static void check_all(const hectic_heap_profile *profile, struct history *histories,
                      const struct interval *in)
{
    uint32_t shown = 0;
    for (size_t p = 0; p < PROFILES; p++) {
        measure_distances(&histories[p]);
        if (facts_of(&histories[p], in, LABELS).samples > 0)
            check_profile(profile, &histories[p], in, shown++);
    }
    assert_int_equal(hectic_heap_profile_count(profile), shown);
}

/* --- Random profiles ------------------------------------------------------------------------- */

/* All consumers take all events. */
struct consumers {
    hectic_heap_profile *profile[4];
};

static bool feed(void *user, const hectic_event *event)
{
    struct consumers *all = user;
    for (size_t i = 0; i < sizeof all->profile / sizeof *all->profile; i++)
        if (!hectic_heap_profile_event(all->profile[i], event)) return false;
    return true;
}

static uint64_t random_bytes(uint64_t *seed)
{
    static const uint64_t limits[] = {1, 1, 10, 1000, 1 << 20, UINT64_C(1) << 40};
    return random_below(seed, limits[random_below(seed, sizeof limits / sizeof *limits)]);
}

static uint64_t random_distance(uint64_t *seed, uint64_t usual)
{
    switch (random_below(seed, 20)) {
    case 0: return 0;
    case 1: return usual * (3 + random_below(seed, 5));
    case 2: return usual * 1000;
    default: return usual / 2 + random_below(seed, usual);
    }
}

static void add_sample(uint64_t *seed, struct heap_made *m, struct history *h, uint8_t number,
                       uint64_t time)
{
    struct sample *s = &h->sample[h->count];
    *s = (struct sample){.time = time, .index = h->count};
    h->count++;
    heap_begin(m, time);
    /* Without bands, a sample's profile is unknown. */
    for (size_t n = 1 + random_below(seed, 2 * LABELS); n > 0; n--) {
        const size_t label = random_below(seed, LABELS);
        const uint64_t bytes = random_bytes(seed);
        s->bytes[label] += bytes;
        heap_band(m, number, (const char[]){(char)('a' + label), 0}, bytes);
    }
    heap_end(m);
}

/* Four consumers: the union of intervals, and three adjacent ones. */
static void try_round(uint64_t seed)
{
    struct history *histories = calloc(PROFILES, sizeof *histories);
    const uint64_t usual = UINT64_C(1) << (3 + random_below(&seed, 27));
    const size_t count = random_below(&seed, SAMPLES);
    const uint64_t start = random_below(&seed, 1000 * usual);
    const uint64_t span = usual * (count + 1);
    uint64_t cut[4];
    for (size_t i = 0; i < 4; i++)
        cut[i] = start + random_below(&seed, 2 * span);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++)
            if (cut[j] < cut[i]) {
                const uint64_t other = cut[i];
                cut[i] = cut[j];
                cut[j] = other;
            }
    if (random_below(&seed, 2)) {
        cut[0] = 0;
        cut[3] = UINT64_MAX;
    }
    const uint64_t at = start + random_below(&seed, span);
    const uint32_t points = 2 * (1 + (uint32_t)random_below(&seed, POINTS / 2));
    struct interval in[4] = {{cut[0], cut[3], at, points},
                             {cut[0], cut[1], at, points},
                             {cut[1], cut[2], at, points},
                             {cut[2], cut[3], at, points}};
    struct consumers all;
    for (size_t i = 0; i < 4; i++) {
        all.profile[i] = hectic_heap_profile_new(&(hectic_heap_profile_options){
            .from = in[i].from, .to = in[i].to, .has_at = true, .at = at, .points = points});
        assert_non_null(all.profile[i]);
    }
    struct heap_made made = {.feed = feed, .consumer = &all};
    for (uint8_t p = 0; p < PROFILES; p++) {
        histories[p].period = random_below(&seed, 3) * usual;
        histories[p].has_times = random_below(&seed, 6) > 0;
        heap_define(&made, p, histories[p].period, 7, 6, histories[p].has_times ? "" : "void");
    }
    uint64_t time = start;
    for (size_t i = 0; i < count; i++) {
        const uint8_t number = (uint8_t)random_below(&seed, PROFILES);
        add_sample(&seed, &made, &histories[number], number, time);
        time += random_distance(&seed, usual);
        if (random_below(&seed, 50) == 0 && time > usual) time -= usual;
        if (random_below(&seed, 40) == 0) check_all(all.profile[0], histories, &in[0]);
    }
    for (size_t i = 0; i < 4; i++)
        check_all(all.profile[i], histories, &in[i]);
    for (size_t p = 0; p < PROFILES; p++) {
        if (!histories[p].has_times) continue; /* all are in each interval */
        for (size_t label = 0; label <= LABELS; label++) {
            struct facts whole = facts_of(&histories[p], &in[0], label);
            for (size_t i = 1; i < 4; i++) {
                const struct facts part = facts_of(&histories[p], &in[i], label);
                whole.integral -= part.integral;
                whole.samples -= part.samples;
                whole.covered -= part.covered;
                whole.gaps -= part.gaps;
            }
            assert_true(whole.integral == 0 && whole.samples == 0);
            assert_true(whole.covered == 0 && whole.gaps == 0);
        }
    }
    for (size_t i = 0; i < 4; i++)
        hectic_heap_profile_free(all.profile[i]);
    free(histories);
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ROUNDS; seed++)
        try_round(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
