/* Heap profiles of arbitrary events: each sample is consistent; statistics are available at any
 * point; those of adjacent intervals, and of slices, add up to those of the whole. */
#include "fuzz.h"

#include "profiles/heap_profile.h"

enum { PROFILES = 256, NODES = 40, MIDDLE = 100, TEXT = 64 };

struct sums {
    uint64_t samples, covered, gaps;
};

/* One section. */
struct section {
    hectic_heap_samples *samples;
    hectic_heap_profile *both, *first, *second, *sliced;
    struct sums slices; /* before the latest */
    uint64_t counts[PROFILES];
    bool lacks_times[PROFILES]; /* some samples */
    uint64_t events;
};

static void require_text(const hectic_stacks *stacks, const hectic_symbols *symbols, uint32_t node)
{
    char text[TEXT];
    memset(text, 1, sizeof text);
    const size_t length = hectic_band_text(stacks, symbols, node, text, sizeof text);
    REQUIRE(strlen(text) == (length < TEXT ? length : TEXT - 1));
}

static bool take_sample(void *user, const hectic_heap_sample *sample)
{
    struct section *s = user;
    REQUIRE(sample->profile < PROFILES && sample->index == s->counts[sample->profile]++);
    REQUIRE(hectic_breakdown_text(sample->kind->breakdown));
    const hectic_stacks *stacks = hectic_heap_samples_stacks(s->samples);
    bool seen[NODES] = {false};
    uint64_t total = 0;
    for (size_t i = 0; i < sample->bands; i++) {
        const uint32_t node = sample->band[i].node;
        REQUIRE(node < hectic_stacks_count(stacks) && node < NODES && !seen[node]);
        seen[node] = true;
        if (__builtin_add_overflow(total, sample->band[i].bytes, &total)) total = UINT64_MAX;
        require_text(stacks, hectic_heap_samples_symbols(s->samples), node);
    }
    REQUIRE(total == sample->total);
    s->lacks_times[sample->profile] |= !sample->kind->has_times;
    return true;
}

static void add_totals(struct sums *sums, const hectic_heap_profile *profile, uint32_t number)
{
    hectic_heap_totals totals;
    hectic_heap_profile_totals(profile, number, &totals);
    sums->samples += totals.samples;
    sums->covered += totals.covered; /* modulo 2^64 */
    sums->gaps += totals.gaps;
}

static bool take_slice(void *user, const hectic_heap_profile *profile, uint32_t number,
                       uint64_t from, uint64_t to)
{
    struct section *s = user;
    REQUIRE(from < to && number < hectic_heap_profile_count(profile));
    add_totals(&s->slices, profile, number);
    return true;
}

static void begin(struct section *s, uint64_t middle, hectic_band_group group)
{
    *s = (struct section){0};
    const hectic_heap_samples_options options = {.group = group, .node_limit = NODES};
    hectic_heap_profile_options both = {
        .samples = options, .to = UINT64_MAX, .has_at = true, .at = middle, .points = 4};
    hectic_heap_profile_options first = both, second = both;
    first.to = second.from = middle;
    hectic_heap_profile_options sliced = both;
    sliced.every = 1 + middle % 1000000000;
    sliced.slice = take_slice;
    sliced.user = s;
    s->samples = hectic_heap_samples_new(&options, take_sample, s);
    s->both = hectic_heap_profile_new(&both);
    s->first = hectic_heap_profile_new(&first);
    s->second = hectic_heap_profile_new(&second);
    s->sliced = hectic_heap_profile_new(&sliced);
    REQUIRE(s->samples && s->both && s->first && s->second && s->sliced);
}

struct bands {
    const hectic_heap_profile *profile;
    const hectic_heap_totals *totals;
    uint64_t at_peak, at_end, at;
    uint32_t count, node;
};

static void add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum)) *sum = UINT64_MAX;
}

static bool take_band(void *user, const hectic_heap_band_stats *band)
{
    struct bands *b = user;
    const hectic_heap_totals *totals = b->totals;
    REQUIRE(b->count++ == 0 || band->node > b->node);
    b->node = band->node;
    REQUIRE(band->samples <= totals->samples);
    REQUIRE(band->max >= band->at_peak && band->max >= band->at_end && band->max >= band->at);
    /* Not NaN either. */
    REQUIRE(band->mean >= 0 && band->mean <= 0x1p65 && band->deviation >= 0);
    REQUIRE(band->growth_fit >= 0 && band->growth_fit <= 1 && band->growth - band->growth == 0);
    for (uint32_t i = 0; i < totals->points; i++)
        REQUIRE(band->course[i] <= band->max);
    require_text(hectic_heap_profile_stacks(b->profile), hectic_heap_profile_symbols(b->profile),
                 band->node);
    add(&b->at_peak, band->at_peak);
    add(&b->at_end, band->at_end);
    add(&b->at, band->at);
    return true;
}

static void look(const hectic_heap_profile *profile)
{
    for (uint32_t i = 0; i < hectic_heap_profile_count(profile); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(profile, i, &totals);
        struct bands bands = {.profile = profile, .totals = &totals};
        REQUIRE(hectic_heap_profile_each(profile, i, take_band, &bands));
        REQUIRE(bands.count == totals.bands);
        REQUIRE(bands.at_peak == totals.peak && bands.at_end == totals.end);
        REQUIRE(!totals.has_at || bands.at == totals.at);
        REQUIRE(totals.peak >= totals.end && totals.peak >= totals.at);
        REQUIRE(totals.samples > (totals.points - 1) * totals.samples_per_point);
        REQUIRE(totals.samples <= totals.points * totals.samples_per_point);
    }
}

static void take(struct section *s, const hectic_event *event)
{
    REQUIRE(hectic_heap_samples_event(s->samples, event));
    REQUIRE(hectic_heap_profile_event(s->both, event));
    REQUIRE(hectic_heap_profile_event(s->first, event));
    REQUIRE(hectic_heap_profile_event(s->second, event));
    REQUIRE(hectic_heap_profile_event(s->sliced, event));
    if (++s->events % MIDDLE == 0) look(s->both);
}

/* Of all profiles. */
static struct sums sums_of(const hectic_heap_profile *profile)
{
    struct sums sums = {0};
    for (uint32_t i = 0; i < hectic_heap_profile_count(profile); i++)
        add_totals(&sums, profile, i);
    return sums;
}

static bool is_sum(struct sums both, struct sums a, struct sums b)
{
    return a.samples + b.samples == both.samples && a.covered + b.covered == both.covered &&
           a.gaps + b.gaps == both.gaps;
}

static void end(struct section *s)
{
    if (!s->samples) return;
    look(s->both);
    look(s->first);
    look(s->second);
    look(s->sliced);
    bool lacks_times = false;
    uint64_t samples = 0;
    for (size_t i = 0; i < PROFILES; i++) {
        lacks_times |= s->lacks_times[i];
        samples += s->counts[i];
    }
    const struct sums both = sums_of(s->both);
    REQUIRE(both.samples == samples);
    REQUIRE(lacks_times || is_sum(both, sums_of(s->first), sums_of(s->second)));
    REQUIRE(lacks_times || is_sum(both, s->slices, sums_of(s->sliced)));
    hectic_heap_samples_free(s->samples);
    hectic_heap_profile_free(s->both);
    hectic_heap_profile_free(s->first);
    hectic_heap_profile_free(s->second);
    hectic_heap_profile_free(s->sliced);
    *s = (struct section){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct section section = {0};
    hectic_decoder *decoder = decoder_of(data, length);
    hectic_event event;
    hectic_result result;
    /* The last bytes select the interval, as the log has no use for them. */
    uint64_t middle = 0;
    for (size_t i = 0; i < 5 && i < length; i++)
        middle = middle << 8 | data[length - 1 - i];
    while (pull_next(decoder, &event, &result)) {
        if (result == HECTIC_GOT_EVENT) take(&section, &event);
        if (result == HECTIC_HEADER) {
            end(&section);
            begin(&section, middle, (hectic_band_group)(length % 4));
        }
    }
    end(&section);
    hectic_decoder_free(decoder);
    return 0;
}
