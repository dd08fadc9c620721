/* Statistics of arbitrary events: available at any point, the results of two parts add up to the
 * result of both, and each collection is returned once. */
#include "facts/collections.h"
#include "fuzz.h"
#include "stat/stat.h"

enum { SUMS = 18, MIDDLE = 300 };

static void sums_of(const hectic_stat_result *r, uint64_t sum[SUMS])
{
    uint64_t of_caps[10] = {0};
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        const uint64_t times[] = {c->running_ns,  c->gc_work_ns,  c->gc_idle_ns, c->wait_begin_ns,
                                  c->wait_end_ns, c->wait_out_ns, c->idle_ns};
        uint64_t all = 0;
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            all += times[k];
            of_caps[k] += times[k];
        }
        REQUIRE(all == c->present_ns && c->gc_ns == c->gc_work_ns + c->gc_idle_ns);
        of_caps[7] += c->runs;
        of_caps[8] += c->created;
        of_caps[9] += c->migrated_in;
    }
    const uint64_t all[SUMS - 10] = {r->allocated,   r->copied,          r->residency_samples,
                                     r->conc_syncs,  r->conc_marks,      r->conc_mark_ns,
                                     r->pause.count, r->mean_pause.count};
    memcpy(sum, of_caps, sizeof of_caps);
    memcpy(sum + 10, all, sizeof all);
}

static void collect(const hectic_stat *stat, const hectic_stat_interval *interval, uint64_t to,
                    uint64_t sum[SUMS])
{
    hectic_stat_result r;
    REQUIRE(hectic_stat_get(stat, interval, to, &r));
    REQUIRE(r.from <= r.to);
    sums_of(&r, sum);
    hectic_stat_result_clear(&r);
}

static bool count(void *user, const hectic_collection *collection)
{
    REQUIRE(collection->pause == 0 || collection->start > 0 || collection->has_cap);
    ++*(uint64_t *)user;
    return true;
}

/* One section, its middle after so many events. */
struct section {
    hectic_stat *stat;
    hectic_collections *collections;
    hectic_stat_interval *first, *second;
    uint64_t time, first_sum[SUMS], events, handed_out;
};

static void begin(struct section *s)
{
    *s = (struct section){.stat = hectic_stat_new()};
    REQUIRE(hectic_stat_set_ordered(s->stat));
    s->collections = hectic_collections_new(0, UINT64_MAX, count, &s->handed_out);
    REQUIRE(s->stat && s->collections);
    s->first = hectic_stat_open(s->stat, 0);
    REQUIRE(s->first);
}

static void take(struct section *s, hectic_event event)
{
    /* Times do not decrease: an interval's result is taken before later events. */
    if (event.time > s->time) s->time = event.time;
    event.time = s->time;
    if (++s->events == MIDDLE) {
        collect(s->stat, s->first, s->time, s->first_sum);
        s->second = hectic_stat_open(s->stat, s->time);
        REQUIRE(s->second);
    }
    REQUIRE(hectic_stat_event(s->stat, &event));
    REQUIRE(hectic_collections_event(s->collections, &event));
}

static void end(struct section *s)
{
    if (!s->stat) return;
    uint64_t both[SUMS], second[SUMS];
    REQUIRE(hectic_collections_end(s->collections, s->time));
    REQUIRE(s->handed_out <= s->events);
    collect(s->stat, s->first, s->time, both);
    if (s->second) {
        collect(s->stat, s->second, s->time, second);
        for (int i = 0; i < SUMS; i++)
            REQUIRE(s->first_sum[i] + second[i] == both[i] || both[i] == UINT64_MAX);
        hectic_stat_close(s->stat, s->second);
    }
    collect(s->stat, NULL, HECTIC_STAT_END, both);
    hectic_stat_free(s->stat);
    hectic_collections_free(s->collections);
    *s = (struct section){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct section section = {0};
    hectic_decoder *decoder = decoder_of(data, length);
    hectic_event event;
    hectic_result result;
    while (pull_next(decoder, &event, &result)) {
        if (result == HECTIC_GOT_EVENT) take(&section, event);
        if (result == HECTIC_COMPLETE) hectic_stat_end(section.stat);
        if (result == HECTIC_HEADER) {
            end(&section);
            begin(&section);
        }
    }
    end(&section);
    hectic_decoder_free(decoder);
    return 0;
}
