/* Collections: leader, reason, participants and results; with and without requests and statistics.
 */
#include "events.h"

#include "facts/collections.h"

#define FEED(time, cap, name, ...)                                                                 \
    EVENT(hectic_collections_event, c, time, cap, name, "", __VA_ARGS__)

struct list {
    hectic_collection got[16];
    size_t count;
};

static bool take(void *user, const hectic_collection *collection)
{
    struct list *list = user;
    assert_true(list->count < 16);
    list->got[list->count++] = *collection;
    return true;
}

static void each_collection_is_reported(void **state)
{
    (void)state;
    struct list list = {0};
    hectic_collections *c = hectic_collections_new(0, UINT64_MAX, take, &list);
    FEED(1, 0, HEAP_SIZE, 0, 100);
    FEED(5, 1, RUN_THREAD, 3);
    FEED(10, 1, STOP_THREAD, 3, 1, 0);
    FEED(11, 1, REQUEST_PAR_GC, 0);
    FEED(12, 0, GC_START, 0);
    FEED(20, 1, GC_START, 0);
    FEED(21, 2, GC_START, 0); /* its time is a little late */
    FEED(30, 1, GC_STATS_GHC, 0, 1, 400, 16, 32, 3, 300, 400, 100);
    FEED(28, 1, GC_END, 0);
    FEED(31, 1, HEAP_LIVE, 0, 77);
    FEED(32, 1, HEAP_SIZE, 0, 200);
    FEED(33, 0, GC_END, 0);
    FEED(33, 1, RUN_THREAD, 3); /* before the last of the others continues */
    assert_int_equal(list.count, 0);
    FEED(34, 2, GC_END, 0);
    assert_int_equal(list.count, 1);
    FEED(50, 1, STOP_THREAD, 3, 6, 0);
    FEED(60, 1, REQUEST_SEQ_GC, 0);
    FEED(61, 1, GC_START, 0);
    FEED(70, 1, GC_STATS_GHC, 0, 0, 40, 1, 2, 1, 0, 40, 0);
    FEED(70, 1, GC_END, 0);
    FEED(72, 1, RUN_THREAD, 3);
    FEED(80, 1, REQUEST_SEQ_GC, 0);
    FEED(81, 1, GC_START, 0);
    assert_true(hectic_collections_end(c, 100));
    assert_int_equal(list.count, 3);
    const hectic_collection *first = &list.got[0], *second = &list.got[1], *third = &list.got[2];
    assert_int_equal(first->start, 20);
    assert_int_equal(first->pause, 8);
    assert_int_equal(first->cap, 1);
    assert_int_equal(first->reason, HECTIC_GC_HEAP);
    assert_int_equal(first->safepoint, 9);
    assert_int_equal(first->participants, 3);
    assert_true(first->has_mean_pause);
    assert_int_equal(first->mean_pause, (8 + 21 + 13) / 3);
    assert_int_equal(first->threads, 3);
    assert_int_equal(first->generation, 1);
    assert_true(first->has_balance && first->balance == 0.25);
    assert_true(first->has_live && first->live == 77);
    assert_true(first->before == 100 && first->after == 200);
    assert_int_equal(second->reason, HECTIC_GC_REQUEST);
    assert_int_equal(second->participants, 1);
    assert_false(second->has_live || second->has_after || second->has_balance);
    assert_int_equal(second->before, 200);
    assert_int_equal(second->mean_pause, 9);
    assert_false(third->has_ended || third->has_stats || third->has_mean_pause);
    assert_int_equal(third->pause, 19);
    hectic_collections_free(c);
}

/* A collection that follows a foreign call: the program requested it if the same thread goes on at
 * once. One after a thread has finished may be that of the end, if it is the last one. */
static void calls_and_ends_are_reasons(void **state)
{
    (void)state;
    enum { MS = 1000000, CALL = 6, END = 5 };
    const struct {
        uint64_t before, after; /* ns, from the stop and to the run of `next` */
        uint16_t status;
        uint32_t next;
        hectic_gc_reason reason;
    } cases[] = {{5000, 9 * MS, CALL, 3, HECTIC_GC_REQUEST},
                 {10000, 5000, CALL, 3, HECTIC_GC_UNKNOWN},
                 {5000, 10 * MS, CALL, 3, HECTIC_GC_UNKNOWN},
                 {5000, 700 * MS, CALL, 3, HECTIC_GC_IDLE},
                 {300 * MS, 5000, CALL, 3, HECTIC_GC_IDLE},
                 {0, 1, CALL, 4, HECTIC_GC_UNKNOWN},
                 {0, 1, CALL, 3, HECTIC_GC_REQUEST},
                 {0, 1, END, 5, HECTIC_GC_UNKNOWN},
                 {0, 1, END, 5, HECTIC_GC_EXIT}};
    enum { CASES = sizeof cases / sizeof *cases };
    struct list list = {0};
    hectic_collections *c = hectic_collections_new(0, UINT64_MAX, take, &list);
    uint64_t time = 0;
    for (size_t i = 0; i < CASES; i++) {
        const uint64_t at = time + cases[i].before;
        FEED(time, 0, STOP_THREAD, 3, cases[i].status, 0);
        FEED(at, 0, REQUEST_SEQ_GC, 0);
        FEED(at, 0, GC_START, 0);
        FEED(at + 1, 0, GC_END, 0);
        time = at + 1 + cases[i].after;
        FEED(time, 0, RUN_THREAD, cases[i].next);
    }
    assert_true(hectic_collections_end(c, time));
    assert_int_equal(list.count, CASES);
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(list.got[i].reason, cases[i].reason);
    hectic_collections_free(c);
}

/* The non-threaded runtime logs no requests; a log that begins in the middle lacks some. */
static void requests_are_optional(void **state)
{
    (void)state;
    struct list list = {0};
    hectic_collections *c = hectic_collections_new(15, 40, take, &list);
    FEED(10, 0, GC_START, 0);
    FEED(12, 0, GC_END, 0);
    FEED(20, 0, GC_START, 0);
    FEED(25, 0, GC_END, 0);
    FEED(27, 0, GC_STATS_GHC, 0, 0, 40, 1, 2, 1, 0, 40, 0);
    FEED(40, 0, GC_START, 0);
    assert_true(hectic_collections_end(c, 50));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.got[0].pause, 5);
    assert_true(list.got[0].has_stats);
    assert_int_equal(list.got[0].reason, HECTIC_GC_UNKNOWN);
    FEED(16, 0, GC_END, 0);
    FEED(17, 3, GC_STATS_GHC, 0, 2, 40, 1, 2, 1, 0, 40, 0);
    assert_true(hectic_collections_end(c, 20));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.got[1].generation, 2);
    assert_int_equal(list.got[1].cap, 3);
    hectic_collections_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_collection_is_reported),
        cmocka_unit_test(calls_and_ends_are_reasons),
        cmocka_unit_test(requests_are_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
