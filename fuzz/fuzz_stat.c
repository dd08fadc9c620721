/* What a run did, of anything: asked at any point it answers, what is told of two parts adds up to
 * what is told of both, and each collection is handed out once. */
#include "fuzz.h"

enum { SUMS = 12, MIDDLE = 300 };

static void sums_of(const hectic_stat_result *r, uint64_t sum[SUMS])
{
    uint64_t running = 0, gc = 0, runs = 0, created = 0, migrations = 0;
    for (uint32_t i = 0; i < r->caps; i++) {
        running += r->cap[i].running_ns;
        gc += r->cap[i].gc_ns;
        runs += r->cap[i].runs;
        created += r->cap[i].created;
        migrations += r->cap[i].migrated_in;
    }
    const uint64_t all[SUMS] = {r->allocated,
                                r->copied,
                                r->residency_samples,
                                r->conc_syncs,
                                r->workers,
                                r->conc_marks,
                                r->conc_mark_ns,
                                running,
                                gc,
                                runs,
                                created,
                                migrations};
    memcpy(sum, all, sizeof all);
}

static void tell(const hectic_stat *stat, const hectic_stat_interval *interval, uint64_t to,
                 uint64_t sum[SUMS])
{
    hectic_stat_result r;
    REQUIRE(hectic_stat_tell(stat, interval, to, &r));
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
    s->collections = hectic_collections_new(0, UINT64_MAX, count, &s->handed_out);
    REQUIRE(s->stat && s->collections);
    s->first = hectic_stat_open(s->stat, 0);
    REQUIRE(s->first);
}

static void take(struct section *s, hectic_event event)
{
    /* Times that do not go back: an interval is told before what is behind it comes. */
    if (event.time > s->time) s->time = event.time;
    event.time = s->time;
    if (++s->events == MIDDLE) {
        tell(s->stat, s->first, s->time, s->first_sum);
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
    tell(s->stat, s->first, s->time, both);
    if (s->second) {
        tell(s->stat, s->second, s->time, second);
        for (int i = 0; i < SUMS; i++)
            REQUIRE(s->first_sum[i] + second[i] == both[i]);
        hectic_stat_close(s->stat, s->second);
    }
    tell(s->stat, NULL, HECTIC_STAT_END, both);
    hectic_stat_free(s->stat);
    hectic_collections_free(s->collections);
    *s = (struct section){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct section section = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    hectic_event event;
    hectic_result result;
    while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_ONE) take(&section, event);
        if (result == HECTIC_COMPLETE) hectic_stat_ended(section.stat);
        if (result == HECTIC_HEADER) {
            end(&section);
            begin(&section);
        }
        if (result == HECTIC_ERROR) {
            if (!hectic_decoder_header(decoder)) break;
            hectic_decoder_resync(decoder);
        }
    }
    end(&section);
    hectic_decoder_free(decoder);
    return 0;
}
