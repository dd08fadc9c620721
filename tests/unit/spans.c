/* Spans and markers of synthetic logs. */
#include "facts/spans.h"
#include "events.h"

enum { SPANS = 16 };

struct result {
    hectic_span span[SPANS];
    size_t count;
};

static bool take(void *user, const hectic_span *span)
{
    struct result *result = user;
    assert_true(result->count < SPANS);
    result->span[result->count++] = *span;
    return true;
}

static struct result result_at(const hectic_spans *spans, uint64_t now)
{
    struct result result = {0};
    assert_true(hectic_spans_each(spans, now, take, &result));
    return result;
}

static hectic_spans *spans_new(uint64_t from, uint64_t to)
{
    hectic_spans *spans = hectic_spans_new(from, to, NULL, NULL);
    assert_non_null(spans);
    return spans;
}

#define SAY(time, text)         EVENT(hectic_spans_event, spans, time, 0, USER_MSG, text, 0)
#define SAY_ON(cap, time, text) EVENT(hectic_spans_event, spans, time, cap, USER_MSG, text, 0)
#define RUN(cap, time, thread)  EVENT(hectic_spans_event, spans, time, cap, RUN_THREAD, "", thread)
#define STOP(cap, time, thread, status)                                                            \
    EVENT(hectic_spans_event, spans, time, cap, STOP_THREAD, "", thread, status, 0)
#define MARK(time, text)    EVENT(hectic_spans_event, spans, time, 0, USER_MARKER, text, 0)
#define GC(time, cap, name) EVENT(hectic_spans_event, spans, time, cap, name, "", 0)

static void spans_are_measured(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    SAY(100, "START a");
    SAY(110, "hello");
    SAY(150, "STOP a");
    SAY(200, "START a");
    SAY(210, "START b c");
    SAY(230, "STOP a");
    SAY(300, "STOP b c");
    SAY(310, "STARTLED");
    SAY(310, "STOP");
    SAY(310, "");
    assert_true(hectic_spans_end(spans, 400));
    const struct result result = result_at(spans, 400);
    assert_int_equal(result.count, 2);
    const hectic_span *a = &result.span[0], *b = &result.span[1];
    assert_string_equal(a->label, "a");
    assert_string_equal(b->label, "b c");
    assert_int_equal(a->count, 2);
    assert_int_equal(a->total, 80);
    assert_int_equal(a->open, 80);
    assert_int_equal(a->no_gc, 80);
    assert_int_equal(a->durations->max, 50);
    assert_int_equal(a->durations->min, 30);
    assert_int_equal(a->first, 100);
    assert_int_equal(a->last, 230);
    assert_int_equal(b->total, 90);
    const hectic_span_totals totals = hectic_spans_totals(spans);
    assert_int_equal(totals.spans, 3);
    assert_int_equal(totals.messages, 4);
    assert_int_equal(totals.unstarted + totals.unstopped + totals.markers + totals.unlisted, 0);
    hectic_spans_free(spans);
}

static void spans_nest(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    SAY(100, "START a");
    SAY(120, "START a");
    SAY(130, "STOP a"); /* the inner one: 10 */
    SAY(200, "STOP a"); /* 100 */
    const struct result result = result_at(spans, 200);
    assert_int_equal(result.span[0].count, 2);
    assert_int_equal(result.span[0].total, 110);
    assert_int_equal(result.span[0].open, 100);
    assert_int_equal(result.span[0].durations->min, 10);
    assert_int_equal(result.span[0].durations->max, 100);
    hectic_spans_free(spans);
}

static void subscripts_pair(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    SAY(100, "START 1 a");
    SAY(110, "START 2 a");
    SAY(130, "STOP 1 a"); /* 30, though the other was started later */
    SAY(210, "STOP 2 a"); /* 100 */
    SAY(220, "STOP 3 a");
    SAY(230, "START 7");
    SAY(231, "STOP 7");
    SAY(240, "START 5x");
    SAY(242, "STOP 5 x");
    const struct result result = result_at(spans, 300);
    assert_int_equal(result.count, 3);
    assert_string_equal(result.span[0].label, "a");
    assert_int_equal(result.span[0].durations->min, 30);
    assert_int_equal(result.span[0].durations->max, 100);
    assert_int_equal(result.span[0].open, 110);
    assert_int_equal(result.span[0].unstarted, 1);
    assert_string_equal(result.span[1].label, "");
    assert_int_equal(result.span[1].total, 1);
    assert_string_equal(result.span[2].label, "x");
    assert_int_equal(result.span[2].total, 2);
    hectic_spans_free(spans);
}

enum { YIELDING = 3, FINISHED = 5 };

static void threads_have_spans_of_their_own(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    RUN(0, 10, 7);
    RUN(1, 10, 8);
    SAY_ON(0, 100, "START a");
    SAY_ON(1, 110, "START a");
    SAY_ON(0, 130, "STOP a"); /* 30 */
    STOP(1, 140, 8, YIELDING);
    STOP(0, 150, 7, YIELDING);
    RUN(0, 160, 8);           /* it continues on another cap */
    SAY_ON(0, 210, "STOP a"); /* 100 */
    assert_true(hectic_spans_end(spans, 300));
    const struct result result = result_at(spans, 300);
    assert_int_equal(result.span[0].count, 2);
    assert_int_equal(result.span[0].across, 0);
    assert_int_equal(result.span[0].durations->min, 30);
    assert_int_equal(result.span[0].durations->max, 100);
    hectic_spans_free(spans);
}

/* Thread 7 finishes without stopping its span. */
static void unmatched_spans_pair_across_threads(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    RUN(0, 10, 7);
    RUN(1, 10, 8);
    SAY_ON(1, 90, "STOP a");
    SAY_ON(0, 100, "START a");
    SAY_ON(1, 120, "STOP a"); /* 20, unless thread 7 stops it */
    assert_int_equal(hectic_spans_totals(spans).spans, 0);
    SAY_ON(1, 130, "START a");
    SAY_ON(1, 140, "STOP a"); /* 10 */
    STOP(0, 150, 7, FINISHED);
    assert_int_equal(hectic_spans_totals(spans).spans, 2);
    assert_true(hectic_spans_end(spans, 300));
    const struct result result = result_at(spans, 300);
    assert_int_equal(result.span[0].count, 2);
    assert_int_equal(result.span[0].across, 1);
    assert_int_equal(result.span[0].total, 30);
    assert_int_equal(result.span[0].open, 30);
    assert_int_equal(result.span[0].unstarted, 1);
    assert_int_equal(result.span[0].unstopped, 0);
    assert_int_equal(hectic_spans_totals(spans).across, 1);
    hectic_spans_free(spans);
}

/* More STARTs than the limit: the others are not followed. */
static void open_spans_are_limited(void **state)
{
    (void)state;
    enum { MOST = 1 << 20, MORE = 5 };
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    for (uint64_t i = 0; i < MOST + MORE; i++)
        SAY(i, "START a");
    SAY_ON(1, MOST + MORE, "STOP a"); /* it cannot be kept as pending */
    assert_int_equal(hectic_spans_totals(spans).unfollowed, MORE);
    assert_int_equal(hectic_spans_totals(spans).unstarted, 1);
    for (uint64_t i = 0; i < MOST; i++)
        SAY(2 * MOST, "STOP a");
    assert_true(hectic_spans_end(spans, 2 * MOST));
    assert_int_equal(hectic_spans_totals(spans).spans, MOST);
    assert_int_equal(hectic_spans_totals(spans).unstopped, 0);
    hectic_spans_free(spans);
}

/* A STOP is not pending indefinitely. */
static void pending_spans_are_limited(void **state)
{
    (void)state;
    enum { MOST = 1 << 20 };
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    SAY_ON(0, 0, "START a");
    SAY_ON(1, 5, "STOP a");
    uint64_t time = 10;
    for (; hectic_spans_totals(spans).unstarted == 0; time++) {
        assert_true(time < MOST);
        SAY_ON(2, time, "START a");
        SAY_ON(2, time, "STOP a");
    }
    assert_true(time >= MOST / 2);
    assert_true(hectic_spans_end(spans, time));
    const struct result result = result_at(spans, time);
    assert_int_equal(result.span[0].across, 0);
    assert_int_equal(result.span[0].unstopped, 1);
    assert_int_equal(result.span[0].open, time);
    assert_int_equal(result.span[0].total, time);
    hectic_spans_free(spans);
}

/* Pairs depend on the whole section. */
static void intervals_use_later_events(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, 200);
    RUN(0, 10, 7);
    RUN(1, 10, 8);
    SAY_ON(0, 100, "START a");
    SAY_ON(1, 120, "STOP a");
    SAY_ON(1, 250, "hello");
    assert_false(hectic_spans_are_settled(spans));
    SAY_ON(0, 300, "STOP a");
    assert_true(hectic_spans_are_settled(spans));
    assert_true(hectic_spans_end(spans, 200));
    const struct result result = result_at(spans, 200);
    assert_int_equal(result.span[0].count, 0);
    assert_int_equal(result.span[0].total, 100);
    assert_int_equal(result.span[0].unstarted, 1);
    assert_int_equal(result.span[0].unstopped, 0);
    hectic_spans_free(spans);
}

static void collections_are_left_out(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    GC(50, 0, GC_START);
    SAY(60, "START a");
    GC(100, 0, GC_END);
    GC(200, 0, GC_START);
    GC(210, 1, GC_START);
    GC(220, 0, GC_END);
    GC(230, 0, GC_END); /* repeated: ignored */
    GC(240, 1, GC_END);
    SAY(300, "STOP a");
    const struct result result = result_at(spans, 300);
    assert_int_equal(result.span[0].open, 240);
    assert_int_equal(result.span[0].no_gc, 240 - 40 - 40);
    hectic_spans_free(spans);
}

static void unmatched_messages_are_reported(void **state)
{
    (void)state;
    for (unsigned cut = 0; cut < 2; cut++) {
        hectic_spans *spans = spans_new(0, cut ? 400 : UINT64_MAX);
        SAY(100, "STOP a");
        SAY(200, "START a");
        SAY(500, "STOP a");
        SAY(600, "START a");
        assert_true(hectic_spans_end(spans, cut ? 400 : 700));
        const struct result result = result_at(spans, 0);
        assert_int_equal(result.count, 1);
        assert_int_equal(result.span[0].unstarted, 1);
        assert_int_equal(result.span[0].unstopped, cut ? 0 : 1); /* after the cut: unknown */
        assert_int_equal(result.span[0].total, cut ? 200 : 300 + 100);
        assert_int_equal(result.span[0].count, cut ? 0 : 1);
        hectic_spans_free(spans);
    }
}

static void markers_are_counted(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    MARK(100, "tick");
    MARK(150, "START a");
    MARK(200, "tick");
    MARK(330, "tick");
    assert_true(hectic_spans_end(spans, 400));
    MARK(10, "tick"); /* of the next section */
    assert_true(hectic_spans_end(spans, 20));
    const struct result result = result_at(spans, 0);
    assert_int_equal(result.count, 2);
    assert_true(result.span[0].is_marker && result.span[1].is_marker);
    assert_int_equal(result.span[0].count, 4);
    assert_int_equal(result.span[0].durations->sum, 230);
    assert_int_equal(result.span[0].durations->count, 2);
    assert_int_equal(result.span[0].durations->max, 130);
    assert_int_equal(hectic_spans_totals(spans).markers, 5);
    assert_int_equal(hectic_spans_totals(spans).messages, 0);
    hectic_spans_free(spans);
}

static void numbered_markers_are_one(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    hectic_spans_group(spans);
    MARK(100, "iteration 7");
    MARK(130, "iteration 12");
    MARK(140, "v2");
    assert_true(hectic_spans_end(spans, 400));
    const struct result result = result_at(spans, 0);
    assert_int_equal(result.count, 2);
    assert_string_equal(result.span[0].label, "iteration #");
    assert_int_equal(result.span[0].count, 2);
    assert_int_equal(result.span[0].durations->sum, 30);
    assert_string_equal(result.span[1].label, "v2");
    hectic_spans_free(spans);
}

static void labels_are_limited(void **state)
{
    (void)state;
    hectic_spans *spans = spans_new(0, UINT64_MAX);
    char text[64];
    for (unsigned i = 0; i < 70000; i++) {
        snprintf(text, sizeof text, "START label %u", i);
        SAY(i, text);
    }
    const hectic_span_totals totals = hectic_spans_totals(spans);
    assert_int_equal(totals.unlisted, 70000 - 65536);
    assert_true(hectic_spans_end(spans, 70000));
    assert_int_equal(hectic_spans_totals(spans).unstopped, 65536);
    hectic_spans_free(spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_measured),
        cmocka_unit_test(spans_nest),
        cmocka_unit_test(subscripts_pair),
        cmocka_unit_test(threads_have_spans_of_their_own),
        cmocka_unit_test(unmatched_spans_pair_across_threads),
        cmocka_unit_test(open_spans_are_limited),
        cmocka_unit_test(pending_spans_are_limited),
        cmocka_unit_test(intervals_use_later_events),
        cmocka_unit_test(collections_are_left_out),
        cmocka_unit_test(unmatched_messages_are_reported),
        cmocka_unit_test(markers_are_counted),
        cmocka_unit_test(numbered_markers_are_one),
        cmocka_unit_test(labels_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
