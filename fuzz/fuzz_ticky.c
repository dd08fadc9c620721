/* Ticky counters and the non-moving collector, of arbitrary events: numbers are consistent, and two
 * intervals add up to their union. */
#include "fuzz.h"
#include "profiles/nonmoving.h"
#include "profiles/ticky.h"

struct analyses {
    hectic_ticky *ticky;
    hectic_nonmoving *nonmoving;
};

static bool check_census(void *user, const hectic_nonmoving_census *census)
{
    uint64_t segments = 0, live = 0;
    REQUIRE(census->classes > 0 && census->classes < 65536);
    for (uint32_t i = 0; i < census->classes; i++) {
        const hectic_nonmoving_class *c = &census->size_class[i];
        REQUIRE(hectic_nonmoving_blocks(c->block_size) > 0 && c->current_segments > 0);
        REQUIRE(i == 0 || c->block_size > c[-1].block_size);
        REQUIRE(c->capacity / hectic_nonmoving_blocks(c->block_size) / c->block_size ==
                c->segments);
        segments += c->segments;
        live += c->live;
    }
    REQUIRE(segments == census->segments && live == census->live);
    ++*(uint64_t *)user;
    return true;
}

static struct analyses analyses_new(uint64_t from, uint64_t to, uint64_t *censuses)
{
    const struct analyses all = {hectic_ticky_new(from, to, 100),
                                 hectic_nonmoving_new(from, to, check_census, censuses)};
    REQUIRE(all.ticky && all.nonmoving);
    return all;
}

struct sums {
    uint64_t entries, allocs, allocd, samples;
};

/* Saturates as the totals do, since the counters are parts of them. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool check_counter(void *user, const hectic_ticky_counter *counter)
{
    struct sums *sums = user;
    const char *const texts[] = {counter->name,      counter->type,     counter->free_variables,
                                 counter->arguments, counter->ipe_name, counter->module,
                                 counter->location,  counter->ipe_type};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        REQUIRE(!texts[i] || strlen(texts[i]) < 65536);
    REQUIRE(counter->samples > 0 && (counter->is_defined || !counter->name));
    uint64_t closures;
    if (hectic_ticky_closures(counter, 8, &closures)) REQUIRE(closures <= counter->allocd / 8);
    sums->entries = plus(sums->entries, counter->entries);
    sums->allocs = plus(sums->allocs, counter->allocs);
    sums->allocd = plus(sums->allocd, counter->allocd);
    sums->samples += counter->samples;
    return true;
}

static void check(const struct analyses *all, uint64_t *censuses)
{
    const hectic_ticky_totals totals = hectic_ticky_get_totals(all->ticky);
    struct sums sums = {0};
    REQUIRE(hectic_ticky_each(all->ticky, check_counter, &sums));
    REQUIRE(totals.counters <= 100 && totals.defined <= 100);
    REQUIRE(sums.entries == totals.entries && sums.allocs == totals.allocs &&
            sums.allocd == totals.allocd && sums.samples == totals.samples);
    REQUIRE(hectic_nonmoving_end(all->nonmoving));
    const hectic_nonmoving_totals collector = hectic_nonmoving_get_totals(all->nonmoving);
    REQUIRE(*censuses == collector.censuses);
    for (size_t i = 0; i < HECTIC_NONMOVING_PHASES; i++)
        REQUIRE(collector.phase[i].max <= collector.phase[i].ns &&
                (collector.phase[i].count > 0 || collector.phase[i].ns == 0));
}

/* Passes the first section's events to an analysis of the interval; returns the last time. */
static uint64_t run(const uint8_t *data, size_t length, const struct analyses *all)
{
    hectic_decoder *decoder = decoder_of(data, length);
    hectic_event event;
    hectic_result result;
    uint64_t last = 0;
    while (pull_next(decoder, &event, &result)) {
        if (result != HECTIC_GOT_EVENT) continue;
        REQUIRE(hectic_ticky_event(all->ticky, &event));
        REQUIRE(hectic_nonmoving_event(all->nonmoving, &event));
        if (event.time > last) last = event.time;
    }
    hectic_decoder_free(decoder);
    return last;
}

static void free_all(const struct analyses *all)
{
    hectic_ticky_free(all->ticky);
    hectic_nonmoving_free(all->nonmoving);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    uint64_t censuses[3] = {0}, middle = 0;
    hectic_ticky_totals ticky[3];
    hectic_nonmoving_totals nonmoving[3];
    for (size_t i = 3; i-- > 0;) {
        const struct analyses all =
            analyses_new(i == 1 ? middle : 0, i == 0 ? middle : UINT64_MAX, &censuses[i]);
        const uint64_t last = run(data, length, &all);
        check(&all, &censuses[i]);
        ticky[i] = hectic_ticky_get_totals(all.ticky);
        nonmoving[i] = hectic_nonmoving_get_totals(all.nonmoving);
        if (i == 2) middle = last / 2;
        free_all(&all);
    }
    /* Beyond the limit of counters, which of them are kept depends on the interval. */
    if (ticky[2].omitted == 0) {
        REQUIRE(plus(ticky[0].entries, ticky[1].entries) == ticky[2].entries);
        REQUIRE(plus(ticky[0].allocs, ticky[1].allocs) == ticky[2].allocs);
        REQUIRE(ticky[0].samples + ticky[1].samples == ticky[2].samples);
        REQUIRE(plus(ticky[0].allocated, ticky[1].allocated) == ticky[2].allocated);
    }
    REQUIRE(nonmoving[0].censuses + nonmoving[1].censuses == nonmoving[2].censuses);
    for (size_t i = 0; i < HECTIC_NONMOVING_PHASES; i++) {
        REQUIRE(nonmoving[0].phase[i].count + nonmoving[1].phase[i].count ==
                nonmoving[2].phase[i].count);
        REQUIRE(plus(nonmoving[0].phase[i].ns, nonmoving[1].phase[i].ns) ==
                nonmoving[2].phase[i].ns);
    }
    return 0;
}
