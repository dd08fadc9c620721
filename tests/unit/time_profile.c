/* Time profiles of ticks: against sums that are computed sample by sample. */
#include "events.h"

#include "profiles/time_profile.h"

enum { CENTRES = 12, SAMPLES = 3000, DEPTH_MAX = 255, CAPS = 3 };
enum { MAIN = 50, GC, IDLE, SYSTEM, OVERHEAD, DONT_CARE, PINNED, FIRST };

typedef bool (*feed)(void *consumer, const hectic_event *event);

static void define(feed take, void *to, uint64_t time, uint32_t number, const char *label,
                   const char *module, const char *location, bool is_caf, bool is_replayed)
{
    uint8_t room[EVENT_SIZE_MAX], *at = room;
    if (is_replayed) {
        at = event_put(at, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, 2);
        at = event_put(at, HECTIC_CAP_NONE, 2);
    }
    at = event_put(at, number, 4);
    const char *const texts[] = {label, module, location};
    for (size_t i = 0; i < 3; i++)
        at = (uint8_t *)memcpy(at, texts[i], strlen(texts[i]) + 1) + strlen(texts[i]) + 1;
    *at++ = is_caf;
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {
        .time = time,
        .payload = room,
        .declared = &type,
        .type = is_replayed ? HECTIC_EVENT_SYNC : HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
        .size = (uint16_t)(at - room),
        .cap = HECTIC_CAP_NONE,
    };
    assert_true(take(to, &event));
}

static void define_built_in(feed take, void *to)
{
    static const struct {
        uint32_t number;
        const char *label, *module;
    } built_in[] = {{MAIN, "MAIN", "MAIN"},          {GC, "GC", "GC"},
                    {IDLE, "IDLE", "IDLE"},          {SYSTEM, "SYSTEM", "SYSTEM"},
                    {PINNED, "PINNED", "SYSTEM"},    {OVERHEAD, "OVERHEAD_of", "PROFILING"},
                    {DONT_CARE, "DONT_CARE", "MAIN"}};
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        define(take, to, 1, built_in[i].number, built_in[i].label, built_in[i].module, "<built-in>",
               false, i % 2);
}

static void begin(feed take, void *to, uint64_t interval)
{
    uint8_t room[8];
    event_put(room, interval, 8);
    const hectic_event_type type = {.size = 8};
    const hectic_event event = {.time = 1,
                                .payload = room,
                                .declared = &type,
                                .type = HECTIC_EVENT_PROF_BEGIN,
                                .size = 8,
                                .cap = HECTIC_CAP_NONE};
    assert_true(take(to, &event));
}

struct sample {
    uint64_t time, tick, since;
    uint32_t cap, stack[DEPTH_MAX]; /* innermost first */
    uint8_t depth;
};

static void feed_sample(feed take, void *to, const struct sample *sample, size_t cut)
{
    uint8_t room[13 + 4 * DEPTH_MAX];
    uint8_t *at = event_put(event_put(room, sample->cap, 4), sample->tick, 8);
    at = event_put(at, sample->depth, 1);
    for (size_t i = 0; i < sample->depth; i++)
        at = event_put(at, sample->stack[i], 4);
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {.time = sample->time,
                                .payload = room,
                                .declared = &type,
                                .type = HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE,
                                .size = (uint16_t)((size_t)(at - room) - cut),
                                .cap = HECTIC_CAP_NONE};
    assert_true(take(to, &event));
}

static bool feed_profile(void *profile, const hectic_event *event)
{
    return hectic_time_profile_event(profile, event);
}

static struct sample sample_of(uint64_t time, uint64_t tick, uint32_t cap, size_t depth, ...)
{
    struct sample sample = {.time = time, .tick = tick, .cap = cap, .depth = (uint8_t)depth};
    va_list frames;
    va_start(frames, depth);
    for (size_t i = 0; i < depth; i++)
        sample.stack[i] = va_arg(frames, uint32_t);
    va_end(frames);
    return sample;
}

#define SAMPLE(profile, ...)                                                                       \
    do {                                                                                           \
        const struct sample sample_ = sample_of(__VA_ARGS__);                                      \
        feed_sample(feed_profile, profile, &sample_, 0);                                           \
    } while (0)

static hectic_time_totals totals_of(hectic_time_profile *profile)
{
    hectic_time_totals totals;
    assert_true(hectic_time_profile_totals(profile, HECTIC_TIME_COST_CENTRES, &totals));
    return totals;
}

/* --- The slow reference ---------------------------------------------------------------------- */

static bool is_inside(const struct sample *s, uint64_t from, uint64_t to, uint32_t cap)
{
    return s->time >= from && s->time < to && (cap == UINT32_MAX || s->cap == cap);
}

static bool contains(const struct sample *s, uint64_t number)
{
    for (size_t i = 0; i < s->depth; i++)
        if (s->stack[i] == number) return true;
    return false;
}

static hectic_time_kind kind_of(const struct sample *s)
{
    if (s->depth == 0) return HECTIC_TIME_OWN;
    switch (s->stack[0]) {
    case GC: return HECTIC_TIME_GC;
    case IDLE: return HECTIC_TIME_IDLE;
    case SYSTEM: return HECTIC_TIME_SYSTEM;
    case OVERHEAD: return HECTIC_TIME_OVERHEAD;
    case DONT_CARE: return HECTIC_TIME_DONT_CARE;
    default: return HECTIC_TIME_OWN;
    }
}

struct run {
    struct sample sample[SAMPLES];
    uint64_t interval;
};

/* The samples of random stacks: some of them deep, some recursive, some empty; with holes. */
static struct run *run_new(uint64_t seed)
{
    struct run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    uint64_t random = seed, time = 1000, tick = 1, last[CAPS] = {0};
    run->interval = seed % 4 == 3 ? 0 : 1000;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample *s = &run->sample[i];
        s->cap = (uint32_t)(i % CAPS);
        if (s->cap == 0) {
            const uint64_t ticks = random_below(&random, 50) ? 1 : random_below(&random, 12);
            tick += ticks;
            time += ticks * 1000 + random_below(&random, 100);
        }
        time += random_below(&random, 3);
        s->time = time;
        s->tick = tick;
        const uint64_t passed = time - last[s->cap];
        s->since = last[s->cap] == 0 || (run->interval && passed > 4 * run->interval)
                       ? run->interval
                       : passed;
        last[s->cap] = time;
        s->depth = (uint8_t)random_below(&random, random_below(&random, 20) ? 6 : DEPTH_MAX + 1);
        for (size_t f = 0; f < s->depth; f++)
            s->stack[f] = FIRST + (uint32_t)random_below(&random, CENTRES);
        if (s->depth > 0 && random_below(&random, 4) == 0)
            s->stack[0] = MAIN + (uint32_t)random_below(&random, 7);
    }
    return run;
}

static void check_symbols(const struct run *run, hectic_time_profile *profile, uint64_t from,
                          uint64_t to, uint32_t cap)
{
    size_t count, with_weight = 0;
    hectic_symbol_time *times =
        hectic_time_profile_symbol_times(profile, HECTIC_TIME_COST_CENTRES, &count);
    assert_non_null(times);
    for (uint32_t number = MAIN; number < FIRST + CENTRES; number++) {
        uint64_t own[2] = {0}, total[2] = {0};
        for (size_t i = 0; i < SAMPLES; i++) {
            const struct sample *s = &run->sample[i];
            if (!is_inside(s, from, to, cap)) continue;
            const bool is_own = s->depth > 0 && s->stack[0] == number;
            own[HECTIC_TIME_TICKS] += is_own;
            own[HECTIC_TIME_NS] += is_own ? s->since : 0;
            const bool is_in = kind_of(s) == HECTIC_TIME_OWN ? contains(s, number) : is_own;
            total[HECTIC_TIME_TICKS] += is_in;
            total[HECTIC_TIME_NS] += is_in ? s->since : 0;
        }
        const hectic_symbol_time *found = NULL;
        for (size_t i = 0; i < count; i++) {
            const hectic_symbol symbol =
                hectic_symbols_get(hectic_time_profile_symbols(profile), times[i].symbol);
            if (symbol.number == number) found = &times[i];
        }
        assert_true((total[HECTIC_TIME_TICKS] > 0) == (found != NULL));
        if (!found) continue;
        with_weight++;
        assert_memory_equal(found->own, own, sizeof own);
        assert_memory_equal(found->total, total, sizeof total);
    }
    assert_int_equal(with_weight, count);
    for (size_t i = 1; i < count; i++)
        assert_true(times[i - 1].own[0] >= times[i].own[0]);
    free(times);
}

static void check_totals(const struct run *run, hectic_time_profile *profile, uint64_t from,
                         uint64_t to, uint32_t cap)
{
    hectic_time_totals expected = {0};
    hectic_time_cap caps[CAPS] = {{.cap = 0}, {.cap = 1}, {.cap = 2}};
    uint64_t tick = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sample *s = &run->sample[i];
        const uint64_t before = tick;
        if (cap != UINT32_MAX && s->cap != cap) continue;
        tick = s->tick;
        if (!is_inside(s, from, to, cap)) continue;
        expected.ticks += tick != before;
        expected.holes += before > 0 && tick - before > 4;
        if (expected.samples++ == 0) expected.first = s->time;
        expected.last = s->time;
        caps[s->cap].samples[kind_of(s)]++;
        caps[s->cap].ns[kind_of(s)] += s->since;
        expected.all.samples[kind_of(s)]++;
        expected.all.ns[kind_of(s)] += s->since;
    }
    const hectic_time_totals totals = totals_of(profile);
    assert_int_equal(totals.samples, expected.samples);
    assert_int_equal(totals.ticks, expected.ticks);
    assert_int_equal(totals.holes, expected.holes);
    assert_int_equal(totals.first, expected.first);
    assert_int_equal(totals.last, expected.last);
    assert_memory_equal(&totals.all, &expected.all, sizeof totals.all);
    for (uint32_t i = 0; i < totals.caps; i++)
        assert_memory_equal(&totals.cap[i], &caps[totals.cap[i].cap], sizeof *caps);
}

/* The definitions before the samples, or after them. */
static hectic_time_profile *profile_of(const struct run *run, bool is_late, uint64_t from,
                                       uint64_t to, uint32_t cap)
{
    const hectic_time_profile_options options = {
        .from = from, .to = to, .has_cap = cap != UINT32_MAX, .cap = cap};
    hectic_time_profile *profile = hectic_time_profile_new(&options);
    assert_non_null(profile);
    begin(feed_profile, profile, run->interval);
    if (!is_late) define_built_in(feed_profile, profile);
    for (size_t i = 0; i < SAMPLES; i++)
        feed_sample(feed_profile, profile, &run->sample[i], 0);
    if (is_late) define_built_in(feed_profile, profile);
    return profile;
}

static void sums_are_those_of_the_samples(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct run *run = run_new(seed);
        const uint64_t end = run->sample[SAMPLES - 1].time;
        const uint64_t from = seed % 3 == 0 ? end / 3 : 0;
        const uint64_t to = seed % 3 == 1 ? end / 2 : UINT64_MAX;
        const uint32_t cap = seed % 4 == 0 ? 1 : UINT32_MAX;
        hectic_time_profile *profile = profile_of(run, seed % 2, from, to, cap);
        check_symbols(run, profile, from, to, cap);
        check_totals(run, profile, from, to, cap);
        hectic_time_profile_free(profile);
        free(run);
    }
}

static void intervals_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 26; seed++) {
        struct run *run = run_new(seed);
        uint64_t random = seed;
        const uint64_t end = run->sample[SAMPLES - 1].time + 1;
        const uint64_t cuts[] = {0, random_below(&random, end / 2),
                                 end / 2 + random_below(&random, end / 2), UINT64_MAX};
        hectic_time_profile *whole = profile_of(run, false, 0, UINT64_MAX, UINT32_MAX);
        const hectic_stacks *tree = hectic_time_profile_stacks(whole, HECTIC_TIME_COST_CENTRES);
        const hectic_time_totals all = totals_of(whole);
        hectic_time_totals sum = {0};
        uint64_t *own = calloc(2 * (size_t)hectic_stacks_count(tree), sizeof *own);
        for (size_t i = 0; i < 3; i++) {
            hectic_time_profile *part = profile_of(run, false, cuts[i], cuts[i + 1], UINT32_MAX);
            const hectic_time_totals totals = totals_of(part);
            sum.samples += totals.samples;
            sum.ticks += totals.ticks;
            sum.holes += totals.holes;
            for (size_t kind = 0; kind < HECTIC_TIME_KINDS; kind++) {
                sum.all.samples[kind] += totals.all.samples[kind];
                sum.all.ns[kind] += totals.all.ns[kind];
            }
            const hectic_stacks *stacks =
                hectic_time_profile_stacks(part, HECTIC_TIME_COST_CENTRES);
            assert_int_equal(hectic_stacks_count(stacks), hectic_stacks_count(tree));
            for (uint32_t node = 0; node < hectic_stacks_count(tree); node++)
                for (uint32_t c = 0; c < 2; c++)
                    own[2 * node + c] += hectic_stacks_own(stacks, node, c);
            hectic_time_profile_free(part);
        }
        assert_int_equal(sum.samples, all.samples);
        assert_int_equal(sum.ticks, all.ticks);
        assert_int_equal(sum.holes, all.holes);
        assert_memory_equal(&sum.all, &all.all, sizeof all.all);
        for (uint32_t node = 0; node < hectic_stacks_count(tree); node++)
            for (uint32_t c = 0; c < 2; c++)
                assert_int_equal(own[2 * node + c], hectic_stacks_own(tree, node, c));
        free(own);
        hectic_time_profile_free(whole);
        free(run);
    }
}

static void a_restart_begins_the_next_interval(void **state)
{
    (void)state;
    struct run *run = run_new(30);
    const uint64_t middle = run->sample[SAMPLES / 2].time;
    hectic_time_profile *profile =
        hectic_time_profile_new(&(hectic_time_profile_options){.from = 0, .to = middle});
    begin(feed_profile, profile, run->interval);
    define_built_in(feed_profile, profile);
    size_t i = 0;
    for (; run->sample[i].time < middle; i++)
        feed_sample(feed_profile, profile, &run->sample[i], 0);
    check_totals(run, profile, 0, middle, UINT32_MAX);
    hectic_time_profile_restart(profile, middle, UINT64_MAX);
    for (; i < SAMPLES; i++)
        feed_sample(feed_profile, profile, &run->sample[i], 0);
    check_totals(run, profile, middle, UINT64_MAX, UINT32_MAX);
    check_symbols(run, profile, middle, UINT64_MAX, UINT32_MAX);
    hectic_time_profile_free(profile);
    free(run);
}

/* --- Single cases ---------------------------------------------------------------------------- */

static void recursion_counts_once(void **state)
{
    (void)state;
    hectic_time_profile *profile = hectic_time_profile_new(NULL);
    begin(feed_profile, profile, 10);
    SAMPLE(profile, 100, 1, 0, 4, 7, 8, 7, 8);
    SAMPLE(profile, 110, 2, 0, 1, 8);
    size_t count;
    hectic_symbol_time *times =
        hectic_time_profile_symbol_times(profile, HECTIC_TIME_COST_CENTRES, &count);
    assert_int_equal(count, 2);
    const hectic_symbols *symbols = hectic_time_profile_symbols(profile);
    for (size_t i = 0; i < count; i++) {
        const bool is_8 = hectic_symbols_get(symbols, times[i].symbol).number == 8;
        assert_int_equal(times[i].own[HECTIC_TIME_TICKS], 1);
        assert_int_equal(times[i].total[HECTIC_TIME_TICKS], is_8 ? 2 : 1);
        assert_int_equal(times[i].total[HECTIC_TIME_NS], is_8 ? 20 : 10);
    }
    free(times);
    hectic_time_profile_free(profile);
}

/* Two processes, of caps 0 and 1, and 2 and 3; each has its own ticks. */
static void ticks_of_merged_logs_are_told_apart(void **state)
{
    (void)state;
    hectic_time_profile *profile = hectic_time_profile_new(NULL);
    begin(feed_profile, profile, 10);
    for (uint64_t i = 0; i < 20; i++) {
        SAMPLE(profile, 100 + 10 * i, 1 + i, 0, 0);
        if (i % 3) SAMPLE(profile, 100 + 10 * i, 900 + i, 2, 0);
        SAMPLE(profile, 101 + 10 * i, 1 + i, 1, 0);
        if (i % 3) SAMPLE(profile, 102 + 10 * i, 900 + i, 3, 0);
    }
    assert_int_equal(totals_of(profile).samples, 66);
    assert_int_equal(totals_of(profile).ticks, 33);
    assert_int_equal(totals_of(profile).holes, 0);
    SAMPLE(profile, 1000, 30, 0, 0);
    SAMPLE(profile, 1001, 30, 1, 0);
    assert_int_equal(totals_of(profile).ticks, 34);
    assert_int_equal(totals_of(profile).holes, 1);
    hectic_time_profile_free(profile);
}

static void bad_input_has_an_answer(void **state)
{
    (void)state;
    hectic_time_profile *profile = hectic_time_profile_new(NULL);
    begin(feed_profile, profile, 0); /* a tick of 0 ns */
    SAMPLE(profile, 1000, 1, UINT32_MAX, 1, 7);
    SAMPLE(profile, 999, 0, UINT32_MAX, 1, 7); /* backwards */
    SAMPLE(profile, 5000, UINT64_MAX, HECTIC_TIME_CAPS, 0);
    SAMPLE(profile, UINT64_MAX, 2, 0, 0);
    const struct sample cut = sample_of(6000, 3, 0, 2, 7, 8);
    feed_sample(feed_profile, profile, &cut, 1);
    feed_sample(feed_profile, profile, &cut, 9);
    const hectic_time_totals totals = totals_of(profile);
    assert_int_equal(totals.samples, 4); /* the time 2^64-1, too: the interval has no end */
    assert_int_equal(totals.interval, 0);
    assert_int_equal(totals.first, 999);
    assert_int_equal(totals.last, UINT64_MAX);
    assert_int_equal(totals.caps, 2);
    assert_int_equal(totals.cap[1].cap, HECTIC_TIME_CAPS);
    assert_int_equal(totals.all.samples[HECTIC_TIME_OWN], 4);
    assert_int_equal(hectic_time_profile_warnings(profile).malformed, 2);
    hectic_time_profile_free(profile);
}

static void stacks_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    hectic_time_profile *profile =
        hectic_time_profile_new(&(hectic_time_profile_options){.to = UINT64_MAX, .node_limit = 4});
    for (uint32_t i = 0; i < 5; i++)
        SAMPLE(profile, 100 + i, i, 0, 1, 10 + i);
    const hectic_stacks *stacks = hectic_time_profile_stacks(profile, HECTIC_TIME_COST_CENTRES);
    assert_int_equal(hectic_stacks_own(stacks, HECTIC_STACKS_OTHERS, HECTIC_TIME_TICKS), 3);
    assert_int_equal(hectic_time_profile_warnings(profile).omitted, 3);
    assert_int_equal(totals_of(profile).samples, 5);
    hectic_time_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_samples),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(a_restart_begins_the_next_interval),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(ticks_of_merged_logs_are_told_apart),
        cmocka_unit_test(bad_input_has_an_answer),
        cmocka_unit_test(stacks_beyond_the_limit_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
