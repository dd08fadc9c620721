/* What a program is like, of anything that comes in any order: asked now and then it answers, laps
 * add up, and what it tells fits together. */
#include "fuzz.h"

enum { LAP = 50 };

struct laps {
    uint64_t events, messages, dropped, created, ended, collections;
};

/* Of inputs of odd length as of a stream, where what comes late counts in no lap. */
static bool begin(hectic_vitals *v, const hectic_header *header, size_t length)
{
    const bool done = hectic_vitals_begin(v, header);
    if (length & 1) hectic_vitals_follow(v);
    return done;
}

static uint64_t collections_of(const hectic_stat_result *sums)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sums->generations; i++)
        count += sums->generation[i].collections;
    return count;
}

static void add(struct laps *laps, const hectic_vitals_told *told)
{
    laps->events += told->events;
    laps->messages += told->messages;
    laps->dropped += told->dropped;
    laps->created += told->created;
    laps->ended += told->ended;
    laps->collections += collections_of(&told->sums);
}

static bool count(void *user, const hectic_thread *thread)
{
    REQUIRE(hectic_thread_state_name(thread->state));
    ++*(uint64_t *)user;
    return true;
}

static void look(const hectic_vitals *v, const hectic_vitals_told *told)
{
    uint64_t threads = 0, in_states = 0;
    hectic_vitals_sample sample;
    REQUIRE(hectic_vitals_threads(v, HECTIC_VITALS_NOW, count, &threads));
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        in_states += told->in_state[i];
    REQUIRE(threads == told->alive && in_states == told->alive);
    for (uint32_t i = 0; i < told->sums.caps; i++)
        REQUIRE(told->cap[i].cap == told->sums.cap[i].cap &&
                hectic_cap_activity_name(told->cap[i].activity));
    for (uint32_t i = 0; hectic_vitals_get_message(v, i); i++)
        REQUIRE(strlen(hectic_vitals_get_message(v, i)->text) < HECTIC_VITALS_MESSAGE_SIZE);
    if (!hectic_vitals_get_sample(v, &sample)) return;
    for (uint32_t i = 0; i + 1 < sample.bands; i++)
        REQUIRE(sample.band[i].bytes >= sample.band[i + 1].bytes && sample.band[i].name);
}

static void lap(hectic_vitals *v, struct laps *laps)
{
    hectic_vitals_told told;
    REQUIRE(hectic_vitals_lap(v, HECTIC_VITALS_NOW, &told));
    REQUIRE(told.sums.from <= told.sums.to);
    add(laps, &told);
    look(v, &told);
    hectic_vitals_told_clear(&told);
}

static void end(hectic_vitals *v, struct laps *laps, bool follows)
{
    struct laps all = {0};
    hectic_vitals_told told;
    lap(v, laps);
    REQUIRE(hectic_vitals_tell(v, HECTIC_VITALS_NOW, &told));
    add(&all, &told);
    hectic_vitals_told_clear(&told);
    if (follows && laps->collections < all.collections) laps->collections = all.collections;
    REQUIRE(memcmp(&all, laps, sizeof all) == 0);
    *laps = (struct laps){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_vitals *v = hectic_vitals_new();
    hectic_decoder *decoder = hectic_decoder_new();
    REQUIRE(decoder && v);
    hectic_decoder_push(decoder, data, length);
    struct laps laps = {0};
    hectic_event event;
    hectic_result result;
    for (uint64_t events = 0; (result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL;) {
        if (result == HECTIC_ONE) {
            REQUIRE(hectic_vitals_event(v, &event));
            if (++events % LAP == 0) lap(v, &laps);
        }
        if (result == HECTIC_HEADER) {
            end(v, &laps, length & 1);
            REQUIRE(begin(v, hectic_decoder_header(decoder), length));
        }
        if (result == HECTIC_ERROR) {
            if (!hectic_decoder_header(decoder)) break;
            hectic_decoder_resync(decoder);
        }
    }
    end(v, &laps, length & 1);
    hectic_vitals_free(v);
    hectic_decoder_free(decoder);
    return 0;
}
