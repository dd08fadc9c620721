/* Time profiles of arbitrary events: the sums of intervals and of caps add up to the whole, and all
 * sums are those of the tree. An input that begins with 'M' is a sequence of binary messages, each
 * with its length and cap in front, to reach ghc-stack-profiler's. */
#include "fuzz.h"
#include "profiles/stacks.h"
#include "profiles/symbols.h"
#include "profiles/time_profile.h"
#include "profiles/time_samples.h"

enum { PARTS = 3 };

/* The whole, the intervals, and the two halves by cap. */
struct profiles {
    hectic_time_profile *whole, *part[PARTS], *of_cap;
    hectic_time_profile *restarted; /* at each bound, if times do not go back */
    uint64_t bound[PARTS + 1];
    uint64_t time;
    int at; /* interval of `restarted` */
    bool is_ordered;
    hectic_time_totals sum[HECTIC_TIME_SOURCES]; /* of its intervals */
};

static hectic_time_profile *profile_new(uint64_t from, uint64_t to, bool has_cap)
{
    const hectic_time_profile_options options = {.from = from,
                                                 .to = to,
                                                 .has_cap = has_cap,
                                                 .cap = 1,
                                                 .symbol_limit = 1 << 20,
                                                 .node_limit = 500};
    hectic_time_profile *profile = hectic_time_profile_new(&options);
    REQUIRE(profile);
    return profile;
}

static hectic_time_totals totals_of(hectic_time_profile *profile, int source)
{
    hectic_time_totals totals;
    REQUIRE(hectic_time_profile_totals(profile, (hectic_time_source)source, &totals));
    return totals;
}

static void add_totals(hectic_time_totals *sum, const hectic_time_totals *totals)
{
    sum->samples += totals->samples;
    sum->ticks += totals->ticks;
    sum->holes += totals->holes;
    for (size_t i = 0; i < HECTIC_TIME_KINDS; i++) {
        sum->all.samples[i] += totals->all.samples[i];
        if (__builtin_add_overflow(sum->all.ns[i], totals->all.ns[i], &sum->all.ns[i]))
            sum->all.ns[i] = UINT64_MAX;
    }
}

static void require_equal(const hectic_time_totals *a, const hectic_time_totals *b)
{
    REQUIRE(a->samples == b->samples && a->ticks == b->ticks && a->holes == b->holes);
    REQUIRE(memcmp(&a->all.samples, &b->all.samples, sizeof a->all.samples) == 0);
    REQUIRE(memcmp(&a->all.ns, &b->all.ns, sizeof a->all.ns) == 0);
}

/* The sums of a profile are those of its tree. */
static void check_sums(hectic_time_profile *profile, int source)
{
    const hectic_time_totals totals = totals_of(profile, source);
    const hectic_stacks *stacks = hectic_time_profile_stacks(profile, (hectic_time_source)source);
    const hectic_symbols *symbols = hectic_time_profile_symbols(profile);
    uint64_t of_tree = 0, of_kinds = 0, of_symbols = 0, of_caps = 0;
    for (uint32_t i = 0; i < hectic_stacks_count(stacks); i++)
        of_tree += hectic_stacks_own(stacks, i, HECTIC_TIME_TICKS);
    for (size_t i = 0; i < HECTIC_TIME_KINDS; i++)
        of_kinds += totals.all.samples[i];
    for (uint32_t i = 0; i < totals.caps; i++) {
        REQUIRE(i == 0 || totals.cap[i - 1].cap < totals.cap[i].cap);
        for (size_t kind = 0; kind < HECTIC_TIME_KINDS; kind++)
            of_caps += totals.cap[i].samples[kind];
    }
    REQUIRE(totals.samples == of_tree && totals.samples == of_kinds && totals.samples == of_caps);
    REQUIRE(totals.ticks <= totals.samples && totals.holes <= totals.ticks);
    REQUIRE(totals.samples == 0 || totals.first <= totals.last);
    size_t count;
    hectic_symbol_time *times =
        hectic_time_profile_symbol_times(profile, (hectic_time_source)source, &count);
    REQUIRE(times);
    for (size_t i = 0; i < count; i++) {
        char text[40];
        const hectic_symbol symbol = hectic_symbols_get(symbols, times[i].symbol);
        REQUIRE(strlen(hectic_symbol_text(&symbol, text, sizeof text)) < sizeof text);
        REQUIRE(times[i].own[0] <= times[i].total[0] && times[i].total[0] <= totals.samples);
        of_symbols += times[i].own[0];
    }
    free(times);
    REQUIRE(of_symbols + hectic_stacks_own(stacks, HECTIC_STACKS_ROOT, 0) +
                hectic_stacks_own(stacks, HECTIC_STACKS_OTHERS, 0) ==
            totals.samples);
}

static void check_node(const struct profiles *p, int source, uint32_t node, uint32_t column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const hectic_stacks *stacks =
            hectic_time_profile_stacks(p->part[i], (hectic_time_source)source);
        if (__builtin_add_overflow(sum, hectic_stacks_own(stacks, node, column), &sum))
            sum = UINT64_MAX;
    }
    REQUIRE(sum ==
            hectic_stacks_own(hectic_time_profile_stacks(p->whole, (hectic_time_source)source),
                              node, column));
}

static void take_restarted(struct profiles *p)
{
    for (int source = 0; source < HECTIC_TIME_SOURCES; source++) {
        const hectic_time_totals totals = totals_of(p->restarted, source);
        add_totals(&p->sum[source], &totals);
    }
}

static void check(struct profiles *p)
{
    take_restarted(p);
    for (int source = 0; source < HECTIC_TIME_SOURCES; source++) {
        hectic_time_totals sum = {0};
        for (size_t i = 0; i < PARTS; i++) {
            const hectic_time_totals part = totals_of(p->part[i], source);
            add_totals(&sum, &part);
            check_sums(p->part[i], source);
        }
        check_sums(p->whole, source);
        check_sums(p->of_cap, source);
        const hectic_time_totals whole = totals_of(p->whole, source);
        require_equal(&whole, &sum);
        if (p->is_ordered) require_equal(&whole, &p->sum[source]);
        const uint32_t nodes =
            hectic_stacks_count(hectic_time_profile_stacks(p->whole, (hectic_time_source)source));
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t column = 0; column < HECTIC_TIME_COLUMNS; column++)
                check_node(p, source, node, column);
        const hectic_time_totals of_cap = totals_of(p->of_cap, source);
        uint64_t samples = 0;
        for (uint32_t i = 0; i < whole.caps; i++)
            for (size_t kind = 0; kind < HECTIC_TIME_KINDS && whole.cap[i].cap == 1; kind++)
                samples += whole.cap[i].samples[kind];
        REQUIRE(of_cap.samples == samples);
    }
}

static void begin(struct profiles *p, const uint64_t bound[PARTS + 1])
{
    *p = (struct profiles){.is_ordered = true};
    memcpy(p->bound, bound, sizeof p->bound);
    p->whole = profile_new(0, UINT64_MAX, false);
    p->of_cap = profile_new(0, UINT64_MAX, true);
    p->restarted = profile_new(bound[0], bound[1], false);
    for (size_t i = 0; i < PARTS; i++)
        p->part[i] = profile_new(bound[i], bound[i + 1], false);
}

static void end(struct profiles *p)
{
    if (!p->whole) return;
    check(p);
    hectic_time_profile_free(p->whole);
    hectic_time_profile_free(p->of_cap);
    hectic_time_profile_free(p->restarted);
    for (size_t i = 0; i < PARTS; i++)
        hectic_time_profile_free(p->part[i]);
    p->whole = NULL;
}

static void take(struct profiles *p, const hectic_event *event)
{
    p->is_ordered &= event->time >= p->time;
    p->time = event->time;
    while (p->at + 1 < PARTS && event->time >= p->bound[p->at + 1]) {
        take_restarted(p);
        p->at++;
        hectic_time_profile_restart(p->restarted, p->bound[p->at], p->bound[p->at + 1]);
    }
    REQUIRE(hectic_time_profile_event(p->whole, event));
    REQUIRE(hectic_time_profile_event(p->of_cap, event));
    REQUIRE(hectic_time_profile_event(p->restarted, event));
    for (size_t i = 0; i < PARTS; i++)
        REQUIRE(hectic_time_profile_event(p->part[i], event));
}

static void read_messages(struct profiles *p, const uint8_t *data, size_t length)
{
    static const hectic_event_type type = {.number = HECTIC_EVENT_USER_BINARY_MSG,
                                           .size = HECTIC_VARIABLE};
    for (uint64_t time = 0; length >= 2; time++) {
        size_t size = data[0];
        const uint8_t cap = data[1];
        data += 2, length -= 2;
        if (size > length) size = length;
        const hectic_event event = {.time = time,
                                    .payload = data,
                                    .declared = &type,
                                    .type = HECTIC_EVENT_USER_BINARY_MSG,
                                    .size = (uint16_t)size,
                                    .cap = cap};
        take(p, &event);
        data += size, length -= size;
    }
}

static void read_log(struct profiles *p, const uint64_t *bound, const uint8_t *data, size_t length)
{
    hectic_decoder *decoder = decoder_of(data, length);
    hectic_event event;
    hectic_result result;
    while (pull_next(decoder, &event, &result)) {
        if (result == HECTIC_HEADER) {
            end(p);
            begin(p, bound);
        }
        if (result == HECTIC_GOT_EVENT) take(p, &event);
    }
    hectic_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const bool is_messages = length > 0 && data[0] == 'M';
    const uint64_t logs[] = {0, 5000000, 20000000, UINT64_MAX}, messages[] = {0, 3, 9, UINT64_MAX};
    struct profiles p = {0};
    if (is_messages) {
        begin(&p, messages);
        read_messages(&p, data + 1, length - 1);
    } else {
        read_log(&p, logs, data, length);
    }
    end(&p);
    return 0;
}
