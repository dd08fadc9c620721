/* The non-moving collector: censuses of both shapes, phases, intervals; a slow reference. */
#include "profiles/nonmoving.h"
#include "events.h"

enum { CENSUSES = 64, CLASSES = 16 };

struct got {
    hectic_nonmoving_census census[CENSUSES];
    hectic_nonmoving_class size_class[CENSUSES][CLASSES];
    size_t count, stop_at;
};

static bool take(void *user, const hectic_nonmoving_census *census)
{
    struct got *got = user;
    assert_true(got->count < CENSUSES && census->classes <= CLASSES);
    memcpy(got->size_class[got->count], census->size_class,
           census->classes * sizeof *census->size_class);
    got->census[got->count] = *census;
    return ++got->count != got->stop_at;
}

static hectic_nonmoving *nonmoving_new(uint64_t from, uint64_t to, struct got *got)
{
    hectic_nonmoving *n = hectic_nonmoving_new(from, to, got ? take : NULL, got);
    assert_non_null(n);
    return n;
}

#define FEED(time, name, ...)                                                                      \
    EVENT(hectic_nonmoving_event, n, time, HECTIC_CAP_NONE, name, "", __VA_ARGS__)
#define CENSUS(time, log_size, active, filled, live)                                               \
    FEED(time, NONMOVING_HEAP_CENSUS, log_size, active, filled, live)

/* An event of `size` bytes: a number of two bytes, others of four. */
static bool feed_raw(hectic_nonmoving *n, uint64_t time, uint16_t type, uint16_t size,
                     const uint32_t numbers[4])
{
    uint8_t room[64], *out = event_put(room, numbers[0], 2);
    for (size_t i = 1; i < 4; i++)
        out = event_put(out, numbers[i], 4);
    const hectic_event event = {.time = time, .payload = room, .type = type, .size = size};
    return hectic_nonmoving_event(n, &event);
}

static bool census_of_bytes(hectic_nonmoving *n, uint64_t time, uint32_t size, uint32_t active,
                            uint32_t filled, uint32_t live)
{
    const uint32_t numbers[] = {size, active, filled, live};
    return feed_raw(n, time, HECTIC_EVENT_NONMOVING_HEAP_CENSUS, 14, numbers);
}

/* As GHC's runtime counts them: measured in logs of filled segments. */
static void segments_have_as_many_blocks_as_the_runtimes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{8, 3638},  {16, 1926}, {24, 1309}, {32, 992},
                                        {64, 503},  {128, 253}, {256, 127}, {512, 63},
                                        {1024, 31}, {2048, 15}, {4096, 7},  {8192, 3},
                                        {16384, 1}, {32768, 0}, {0, 0},     {UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(hectic_nonmoving_blocks(sizes[i][0]), sizes[i][1]);
}

static void censuses_have_classes(void **state)
{
    (void)state;
    static struct got got;
    got.count = 0;
    hectic_nonmoving *n = nonmoving_new(0, UINT64_MAX, &got);
    FEED(0, CAP_CREATE, 0);
    FEED(0, CAP_CREATE, 1);
    CENSUS(10, 3, 0, 0, 0);
    CENSUS(11, 4, 2, 1, 1930);
    CENSUS(12, 14, 0, 3, 3);
    assert_int_equal(got.count, 0);
    CENSUS(20, 3, 1, 0, 5); /* the next one begins */
    assert_int_equal(got.count, 1);
    FEED(21, CONC_MARK_BEGIN, 0); /* ends it */
    assert_int_equal(got.count, 2);
    CENSUS(30, 3, 1, 0, 5);
    assert_true(hectic_nonmoving_end(n));
    assert_int_equal(got.count, 3);
    const hectic_nonmoving_census *first = &got.census[0];
    assert_int_equal(first->time, 10);
    assert_int_equal(first->classes, 3);
    assert_true(first->index == 0 && got.census[1].index == 1 && got.census[2].index == 2);
    const hectic_nonmoving_class *c = got.size_class[0];
    assert_int_equal(c[1].block_size, 16);
    assert_int_equal(c[1].active_segments, 2);
    assert_int_equal(c[1].filled_segments, 1);
    assert_int_equal(c[1].current_segments, 2);
    assert_int_equal(c[1].segments, 5);
    assert_int_equal(c[1].live_blocks, 1930);
    assert_int_equal(c[1].live, 1930 * 16);
    assert_int_equal(c[1].capacity, 5 * 1926 * 16);
    assert_int_equal(first->live, 1930 * 16 + 3 * 16384);
    assert_int_equal(first->capacity, 2 * 3638 * 8 + 5 * 1926 * 16 + 5 * 16384);
    assert_int_equal(first->segments, 2 + 5 + 5);
    assert_int_equal(got.census[1].time, 20);
    /* The next section counts anew. */
    CENSUS(1, 3, 0, 1, 3638);
    assert_true(hectic_nonmoving_end(n));
    assert_int_equal(got.census[3].index, 0);
    assert_int_equal(got.size_class[3][0].current_segments, 1);
    assert_int_equal(hectic_nonmoving_get_totals(n).censuses, 4);
    hectic_nonmoving_free(n);
}

/* Since GHC 9.10 the size itself, in two bytes; sizes need not be powers of two. */
static void newer_censuses_have_bytes(void **state)
{
    (void)state;
    static struct got got;
    got.count = 0;
    hectic_nonmoving *n = nonmoving_new(0, UINT64_MAX, &got);
    EVENT_REPLAYED(hectic_nonmoving_event, n, 0, HECTIC_CAP_NONE, CAP_CREATE, "", 3);
    for (uint32_t size = 8; size <= 40; size += 8)
        assert_true(census_of_bytes(n, size, size, 1, 2, size));
    assert_true(hectic_nonmoving_end(n));
    assert_int_equal(got.count, 1);
    assert_int_equal(got.census[0].classes, 5);
    assert_int_equal(got.size_class[0][2].block_size, 24);
    assert_int_equal(got.size_class[0][2].current_segments, 4);
    assert_int_equal(got.size_class[0][2].live, 24 * 24);
    assert_int_equal(got.size_class[0][2].capacity, 7 * 1309 * 24);
    hectic_nonmoving_free(n);
}

static void phases_are_timed(void **state)
{
    (void)state;
    hectic_nonmoving *n = nonmoving_new(0, UINT64_MAX, NULL);
    FEED(10, CONC_MARK_BEGIN, 0);
    FEED(30, CONC_MARK_END, 100);
    FEED(31, CONC_SYNC_BEGIN, 0);
    FEED(32, CONC_SYNC_BEGIN, 0); /* GHC posts it twice */
    FEED(33, CONC_UPD_REM_SET_FLUSH, 0);
    FEED(33, CONC_UPD_REM_SET_FLUSH, 1);
    FEED(35, CONC_MARK_BEGIN, 0);
    FEED(38, CONC_MARK_END, 4);
    FEED(39, CONC_MARK_BEGIN, 0);
    FEED(40, CONC_MARK_END, 1);
    FEED(41, CONC_SYNC_END, 0);
    FEED(42, CONC_SYNC_END, 0);
    FEED(50, CONC_SWEEP_BEGIN, 0);
    FEED(57, CONC_SWEEP_END, 0);
    FEED(58, NONMOVING_PRUNED_SEGMENTS, 6, 7);
    FEED(59, NONMOVING_PRUNED_SEGMENTS, 2, 3);
    const hectic_nonmoving_totals totals = hectic_nonmoving_get_totals(n);
    static const uint64_t expected[HECTIC_NONMOVING_PHASES][3] = {
        [HECTIC_NONMOVING_MARK] = {1, 20, 20},
        [HECTIC_NONMOVING_SYNC] = {1, 10, 10},
        [HECTIC_NONMOVING_FINAL_MARK] = {2, 4, 3},
        [HECTIC_NONMOVING_SWEEP] = {1, 7, 7},
    };
    for (unsigned i = 0; i < HECTIC_NONMOVING_PHASES; i++) {
        assert_non_null(hectic_nonmoving_phase_name(i));
        assert_int_equal(totals.phase[i].count, expected[i][0]);
        assert_int_equal(totals.phase[i].ns, expected[i][1]);
        assert_int_equal(totals.phase[i].max, expected[i][2]);
    }
    assert_null(hectic_nonmoving_phase_name(HECTIC_NONMOVING_PHASES));
    assert_int_equal(totals.marked, 105);
    assert_int_equal(totals.flushes, 2);
    assert_true(totals.has_pruned);
    assert_int_equal(totals.pruned, 8);
    assert_int_equal(totals.free, 3);
    hectic_nonmoving_free(n);
}

/* Ends without a beginning do not count; a beginning whose end is lost does not extend. */
static void phases_without_partner_are_left_out(void **state)
{
    (void)state;
    hectic_nonmoving *n = nonmoving_new(0, UINT64_MAX, NULL);
    FEED(5, CONC_MARK_END, 3);
    FEED(6, CONC_SYNC_END, 0);
    FEED(7, CONC_SWEEP_END, 0);
    FEED(10, CONC_MARK_BEGIN, 0);
    FEED(20, CONC_MARK_BEGIN, 0);
    FEED(21, CONC_MARK_END, 0);
    FEED(30, CONC_SYNC_BEGIN, 0);
    FEED(31, CONC_MARK_BEGIN, 0);
    FEED(32, CONC_SWEEP_BEGIN, 0); /* the ends of both are lost */
    FEED(33, CONC_SWEEP_END, 0);
    FEED(40, CONC_MARK_BEGIN, 0);
    FEED(45, CONC_MARK_END, 0);
    FEED(50, CONC_SYNC_BEGIN, 0);
    FEED(60, CONC_MARK_BEGIN, 0);
    FEED(70, CONC_SYNC_BEGIN, 0); /* no repetition */
    FEED(65, CONC_SYNC_END, 0);   /* time goes back */
    FEED(80, CONC_SYNC_BEGIN, 0);
    assert_true(hectic_nonmoving_end(n));
    FEED(90, CONC_SYNC_END, 0);
    const hectic_nonmoving_totals totals = hectic_nonmoving_get_totals(n);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_MARK].count, 2);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_MARK].ns, 6);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_FINAL_MARK].count, 0);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_SYNC].count, 1);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_SYNC].ns, 0);
    assert_int_equal(totals.phase[HECTIC_NONMOVING_SWEEP].ns, 1);
    assert_int_equal(totals.marked, 3);
    hectic_nonmoving_free(n);
}

static void bad_events_are_counted(void **state)
{
    (void)state;
    static struct got got;
    got.count = 0;
    hectic_nonmoving *n = nonmoving_new(0, UINT64_MAX, &got);
    static const uint32_t zeros[4];
    for (uint16_t size = 0; size < 13; size++)
        assert_true(feed_raw(n, 1, HECTIC_EVENT_NONMOVING_HEAP_CENSUS, size, zeros));
    for (uint16_t size = 0; size < 8; size++)
        assert_true(feed_raw(n, 1, HECTIC_EVENT_NONMOVING_PRUNED_SEGMENTS, size, zeros));
    assert_true(feed_raw(n, 1, HECTIC_EVENT_CONC_MARK_END, 3, zeros));
    assert_int_equal(hectic_nonmoving_get_totals(n).malformed, 13 + 8 + 1);
    CENSUS(1, 15, 1, 1, 1); /* no block fits */
    CENSUS(1, 255, 1, 1, 1);
    assert_true(census_of_bytes(n, 1, 0, 1, 1, 1));
    assert_true(census_of_bytes(n, 1, 40000, 1, 1, 1));
    assert_int_equal(hectic_nonmoving_get_totals(n).malformed, 13 + 8 + 1 + 4);
    /* The largest numbers. */
    FEED(1, CAP_CREATE, 65535);
    assert_true(census_of_bytes(n, 1, 16384, UINT32_MAX, UINT32_MAX, UINT32_MAX));
    assert_true(hectic_nonmoving_end(n));
    assert_int_equal(got.count, 1);
    assert_true(got.census[0].live == UINT32_MAX * UINT64_C(16384));
    assert_true(got.census[0].segments == UINT32_MAX * UINT64_C(2) + 65536);
    assert_false(hectic_nonmoving_get_totals(n).has_pruned);
    /* The callback stops. */
    got.stop_at = 2;
    assert_true(census_of_bytes(n, 1, 16, 1, 1, 1));
    assert_false(census_of_bytes(n, 1, 16, 1, 1, 1));
    got.stop_at = 0;
    hectic_nonmoving_free(n);
}

/* --- Intervals ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

/* Random collections, with a census each; the numbers of the reference are sums over them. */
struct collection {
    uint64_t mark[2], sync[2], sweep[2], census;
    uint32_t live[3];
};

enum { COLLECTIONS = 40 };

static uint64_t make(struct collection *c, uint64_t seed)
{
    uint64_t time = 0;
    for (size_t i = 0; i < COLLECTIONS; i++, c++) {
        uint64_t *const times[] = {&c->mark[0],  &c->mark[1],  &c->sync[0], &c->sync[1],
                                   &c->sweep[0], &c->sweep[1], &c->census};
        for (size_t j = 0; j < 7; j++)
            *times[j] = time += 1 + next_random(&seed) % 20;
        for (size_t j = 0; j < 3; j++)
            c->live[j] = (uint32_t)(next_random(&seed) % 1000);
    }
    return time;
}

static void feed(hectic_nonmoving *n, const struct collection *c)
{
    for (size_t i = 0; i < COLLECTIONS; i++, c++) {
        FEED(c->mark[0], CONC_MARK_BEGIN, 0);
        FEED(c->mark[1], CONC_MARK_END, i);
        FEED(c->sync[0], CONC_SYNC_BEGIN, 0);
        FEED(c->sync[1], CONC_SYNC_END, 0);
        FEED(c->sweep[0], CONC_SWEEP_BEGIN, 0);
        FEED(c->sweep[1], CONC_SWEEP_END, 0);
        for (size_t j = 0; j < 3; j++)
            CENSUS(c->census + (j > 0), 4 + j, 1, 1, c->live[j]);
    }
    assert_true(hectic_nonmoving_end(n));
}

static void add(hectic_nonmoving_totals *sums, size_t phase, const uint64_t times[2], uint64_t from,
                uint64_t to)
{
    if (times[1] < from || times[1] >= to) return;
    const uint64_t length = times[1] - times[0];
    sums->phase[phase].count++;
    sums->phase[phase].ns += length;
    if (length > sums->phase[phase].max) sums->phase[phase].max = length;
}

static hectic_nonmoving_totals slow(const struct collection *c, uint64_t from, uint64_t to)
{
    hectic_nonmoving_totals sums = {0};
    for (size_t i = 0; i < COLLECTIONS; i++, c++) {
        add(&sums, HECTIC_NONMOVING_MARK, c->mark, from, to);
        add(&sums, HECTIC_NONMOVING_SYNC, c->sync, from, to);
        add(&sums, HECTIC_NONMOVING_SWEEP, c->sweep, from, to);
        if (c->mark[1] >= from && c->mark[1] < to) sums.marked += i;
        sums.censuses += c->census >= from && c->census < to;
    }
    return sums;
}

static void intervals_equal_the_reference_and_add_up(void **state)
{
    (void)state;
    static struct got got;
    static struct collection c[COLLECTIONS];
    uint64_t seed = 3;
    for (size_t round = 0; round < 100; round++) {
        const uint64_t end = make(c, round) + 5;
        const uint64_t middle = next_random(&seed) % end;
        const uint64_t bounds[][2] = {{0, middle}, {middle, UINT64_MAX}, {0, UINT64_MAX}};
        hectic_nonmoving_totals totals[3];
        for (size_t i = 0; i < 3; i++) {
            got.count = 0;
            hectic_nonmoving *n = nonmoving_new(bounds[i][0], bounds[i][1], &got);
            feed(n, c);
            totals[i] = hectic_nonmoving_get_totals(n);
            const hectic_nonmoving_totals expected = slow(c, bounds[i][0], bounds[i][1]);
            assert_memory_equal(&totals[i], &expected, sizeof expected);
            assert_int_equal(got.count, expected.censuses);
            for (size_t j = 0; j < got.count; j++)
                for (size_t k = 0; k < 3; k++)
                    assert_int_equal(got.size_class[j][k].live_blocks,
                                     c[got.census[j].index].live[k]);
            hectic_nonmoving_free(n);
        }
        assert_int_equal(totals[0].censuses + totals[1].censuses, totals[2].censuses);
        for (size_t i = 0; i < HECTIC_NONMOVING_PHASES; i++)
            assert_int_equal(totals[0].phase[i].ns + totals[1].phase[i].ns, totals[2].phase[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_have_as_many_blocks_as_the_runtimes),
        cmocka_unit_test(censuses_have_classes),
        cmocka_unit_test(newer_censuses_have_bytes),
        cmocka_unit_test(phases_are_timed),
        cmocka_unit_test(phases_without_partner_are_left_out),
        cmocka_unit_test(bad_events_are_counted),
        cmocka_unit_test(intervals_equal_the_reference_and_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
