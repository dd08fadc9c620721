/* Live statistics of arbitrary events in any order: every snapshot is consistent, and intervals add
 * up. */
#include "facts/threads.h"
#include "fuzz.h"
#include "stat/live_stats.h"
#include "stat/stat.h"

enum { INTERVAL = 50 };

struct intervals {
    uint64_t events, messages, dropped, created, ended, collections;
};

/* Inputs of odd length are treated as a stream, where late events count in no interval. */
static bool begin(hectic_live_stats *v, const hectic_header *header, size_t length)
{
    const bool done = hectic_live_stats_begin(v, header);
    if (length & 1) hectic_live_stats_follow(v);
    return done;
}

static uint64_t collections_of(const hectic_stat_result *sums)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sums->generations; i++)
        count += sums->generation[i].collections;
    return count;
}

static void add(struct intervals *intervals, const hectic_live_stats_report *report)
{
    intervals->events += report->events;
    intervals->messages += report->messages;
    intervals->dropped += report->dropped;
    intervals->created += report->created;
    intervals->ended += report->ended;
    intervals->collections += collections_of(&report->sums);
}

static bool count(void *user, const hectic_thread *thread)
{
    REQUIRE(hectic_thread_state_name(thread->state));
    ++*(uint64_t *)user;
    return true;
}

static void look(const hectic_live_stats *v, const hectic_live_stats_report *report)
{
    uint64_t threads = 0, in_states = 0;
    hectic_live_stats_sample sample;
    REQUIRE(hectic_live_stats_threads(v, HECTIC_LIVE_STATS_NOW, count, &threads));
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        in_states += report->in_state[i];
    REQUIRE(threads == report->alive && in_states == report->alive);
    for (uint32_t i = 0; i < report->sums.caps; i++)
        REQUIRE(report->cap[i].cap == report->sums.cap[i].cap &&
                hectic_cap_activity_name(report->cap[i].activity));
    if (!hectic_live_stats_get_sample(v, &sample)) return;
    for (uint32_t i = 0; i + 1 < sample.bands; i++)
        REQUIRE(sample.band[i].bytes >= sample.band[i + 1].bytes && sample.band[i].name);
}

static void interval(hectic_live_stats *v, struct intervals *intervals)
{
    hectic_live_stats_report report;
    REQUIRE(hectic_live_stats_interval(v, HECTIC_LIVE_STATS_NOW, &report));
    REQUIRE(report.sums.from <= report.sums.to);
    add(intervals, &report);
    look(v, &report);
    hectic_live_stats_report_clear(&report);
}

static void end(hectic_live_stats *v, struct intervals *intervals, bool follows)
{
    struct intervals all = {0};
    hectic_live_stats_report report;
    interval(v, intervals);
    REQUIRE(hectic_live_stats_snapshot(v, HECTIC_LIVE_STATS_NOW, &report));
    add(&all, &report);
    hectic_live_stats_report_clear(&report);
    if (follows && intervals->collections < all.collections)
        intervals->collections = all.collections;
    REQUIRE(memcmp(&all, intervals, sizeof all) == 0);
    *intervals = (struct intervals){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_decoder *decoder = decoder_of(data, length);
    REQUIRE(v);
    struct intervals intervals = {0};
    hectic_event event;
    hectic_result result;
    for (uint64_t events = 0; pull_next(decoder, &event, &result);) {
        if (result == HECTIC_GOT_EVENT) {
            REQUIRE(hectic_live_stats_event(v, &event));
            if (++events % INTERVAL == 0) interval(v, &intervals);
        }
        if (result == HECTIC_HEADER) {
            end(v, &intervals, length & 1);
            REQUIRE(begin(v, hectic_decoder_header(decoder), length));
        }
    }
    end(v, &intervals, length & 1);
    hectic_live_stats_free(v);
    hectic_decoder_free(decoder);
    return 0;
}
