/* The history of hectic top, and the scaling of its graphs. */
#include "tool/verbs/top/top_history.c"
#include "events.h"
#include "tool/output/terminal_text.c"

#define FEED(time, cap, name, ...)       EVENT(feed, v, time, cap, name, "", __VA_ARGS__)
#define TEXT(time, cap, name, text, ...) EVENT(feed, v, time, cap, name, text, __VA_ARGS__)

enum { NONE = HECTIC_CAP_NONE };

static struct history *fed; /* also gets the events, if not NULL */

static bool feed(hectic_live_stats *v, const hectic_event *event)
{
    return (!fed || history_event(fed, event)) && hectic_live_stats_event(v, event);
}

static hectic_live_stats *start(hectic_live_stats *v)
{
    static const uint16_t numbers[] = {HECTIC_EVENT_CREATE_THREAD};
    if (!v) v = hectic_live_stats_new();
    assert_non_null(v);
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    hectic_header_free(header);
    return v;
}

static const struct moment *interval(struct history *h, hectic_live_stats *v, uint64_t time)
{
    hectic_live_stats_report report;
    assert_true(hectic_live_stats_interval(v, time, &report));
    assert_true(history_add(h, &(struct live_line){.live_stats = v, .report = &report, .late = 3}));
    hectic_live_stats_report_clear(&report);
    return history_get(h, history_last(h));
}

static void an_interval_becomes_a_moment(void **state)
{
    (void)state;
    struct history *h = fed = history_new();
    hectic_live_stats *v = start(NULL);
    assert_int_equal(history_last(h), 0);
    assert_int_equal(history_first(h), 0);
    FEED(0, NONE, CAP_CREATE, 0);
    FEED(1, 0, CREATE_THREAD, 5);
    FEED(2, 0, CREATE_THREAD, 6);
    FEED(3, 0, CREATE_THREAD, 7);
    TEXT(4, 0, THREAD_LABEL, "a\x1b[2Jb", 7);
    FEED(10, 0, RUN_THREAD, 5);
    FEED(40, 0, STOP_THREAD, 5, 1, 0);
    FEED(50, 0, RUN_THREAD, 6);
    TEXT(60, 0, USER_MSG, "first", 0);
    TEXT(70, 0, USER_MSG, "second", 0);
    const struct moment *m = interval(h, v, 100);
    assert_int_equal(m->to, 100);
    assert_int_equal(m->alive, 3);
    assert_int_equal(m->late, 3);
    assert_int_equal(m->messages, 2);
    assert_string_equal(m->message[0].text, "second");
    assert_int_equal(m->caps, 1);
    assert_true(m->cap[0].known);
    assert_int_equal((int)(100 * m->cap[0].mutator + 0.5f), 80);
    const struct thread_list *busiest = &m->threads[SORT_BUSIEST];
    assert_int_equal(busiest->count, 3);
    assert_int_equal(busiest->row[0].id, 6);
    assert_int_equal(busiest->row[0].ran, 50);
    assert_int_equal(busiest->row[1].ran, 30);
    assert_string_equal(busiest->row[2].label,
                        "a\\x1b[2Jb"); /* no escape sequences for the terminal */
    assert_int_equal(m->threads[SORT_NEWEST].row[0].id, 7);

    /* Run time before the interval does not count. */
    FEED(110, 0, STOP_THREAD, 6, 1, 0);
    m = interval(h, v, 200);
    assert_int_equal(m->threads[SORT_BUSIEST].row[0].ran, 10);
    assert_int_equal(m->threads[SORT_BUSIEST].row[1].ran, 0);

    /* Numbers of threads start anew in another log. */
    start(v);
    FEED(1, 0, CREATE_THREAD, 6);
    FEED(10, 0, RUN_THREAD, 6);
    m = interval(h, v, 110);
    assert_int_equal(m->threads[SORT_BUSIEST].count, 1);
    assert_int_equal(m->threads[SORT_BUSIEST].row[0].ran, 100);
    fed = NULL;
    history_free(h);
    hectic_live_stats_free(v);
}

static void starts_and_stops_are_spans(void **state)
{
    (void)state;
    struct history *h = fed = history_new();
    hectic_live_stats *v = start(NULL);
    FEED(0, NONE, CAP_CREATE, 0);
    TEXT(10, 0, USER_MSG, "START load", 0);
    TEXT(20, 0, USER_MSG, "START 1 item", 0);
    TEXT(30, 0, USER_MSG, "STOP 1 item", 0);
    TEXT(40, 0, USER_MSG, "hello", 0);
    TEXT(50, 0, USER_MARKER, "here", 0);
    const struct moment *m = interval(h, v, 100);
    assert_int_equal(m->messages, 2);
    assert_string_equal(m->message[0].text, "here");
    assert_string_equal(m->message[1].text, "hello");
    assert_int_equal(m->spans, 1);
    assert_string_equal(m->span[0].label, "item");
    assert_int_equal(m->span[0].count, 1);
    assert_int_equal(m->span[0].p50, 10);

    /* Sorted by total time, in descending order; counts are those of the interval. */
    TEXT(120, 0, USER_MSG, "STOP load", 0);
    m = interval(h, v, 200);
    assert_int_equal(m->spans, 2);
    assert_string_equal(m->span[0].label, "load");
    assert_int_equal(m->span[0].p99, 110);
    assert_int_equal(m->span[1].count, 0);
    assert_int_equal(m->messages, 2);
    assert_null(history_whole(h));

    /* More labels than are counted. */
    for (uint64_t i = 0; i < 2 * LABELS_MAX; i++) {
        char text[32];
        snprintf(text, sizeof text, "START label%u", (unsigned)i);
        TEXT(300 + 2 * i, 0, USER_MSG, text, 0);
        snprintf(text, sizeof text, "STOP label%u", (unsigned)i);
        TEXT(301 + 2 * i, 0, USER_MSG, text, 0);
    }
    m = interval(h, v, 2000);
    assert_int_equal(m->spans, SPANS_MAX);
    assert_string_equal(m->span[1].label, "item");
    fed = NULL;
    history_free(h);
    hectic_live_stats_free(v);
}

/* --- Profiles -------------------------------------------------------------------------------- */

static void sample(hectic_live_stats *v, uint64_t time, uint64_t small, uint64_t large)
{
    FEED(time, NONE, HEAP_PROF_SAMPLE_BEGIN, 0);
    if (small) TEXT(time, NONE, HEAP_PROF_SAMPLE_STRING, "small\x1b", 0, small);
    if (large) TEXT(time, NONE, HEAP_PROF_SAMPLE_STRING, "large", 0, large);
    FEED(time, NONE, HEAP_PROF_SAMPLE_END, 0);
}

static uint32_t name_of(const struct history *h, const char *text)
{
    for (uint32_t i = 0; i < h->names; i++)
        if (h->name[i].text && strcmp(h->name[i].text, text) == 0) return i;
    return UINT32_MAX;
}

static void bands_have_courses(void **state)
{
    (void)state;
    struct history *h = fed = history_new();
    hectic_live_stats *v = start(NULL);
    double value[HISTORY_MAX], time[HISTORY_MAX];
    FEED(0, NONE, CAP_CREATE, 0);
    interval(h, v, 100);
    sample(v, 110, 3, 20);
    const struct moment *m = interval(h, v, 200);
    const struct moment_profile *heap = &m->profile[PROFILE_HEAP];
    assert_int_equal(heap->parts, 2);
    assert_int_equal(heap->sum, 23);
    assert_string_equal(history_name(h, heap->part[0].name), "large");
    assert_string_equal(history_name(h, heap->part[1].name), "small\\x1b");
    sample(v, 210, 30, 0);
    m = interval(h, v, 300);
    interval(h, v, 400); /* without another sample */
    assert_int_equal(m->profile[PROFILE_HEAP].parts, 1);
    assert_int_equal(h->names, 2);
    /* From the first sample on; 0 where the sample does not name it. */
    assert_int_equal(history_course(h, 4, PROFILE_HEAP, name_of(h, "large"), value, time), 3);
    assert_true(value[0] == 20 && value[1] == 0 && value[2] == 0);
    assert_true(time[0] == 200 && time[2] == 400);
    assert_int_equal(history_course(h, 2, PROFILE_HEAP, name_of(h, "small\\x1b"), value, time), 1);
    assert_true(value[0] == 3);
    assert_int_equal(history_course(h, 1, PROFILE_HEAP, 0, value, time), 0);

    /* Names that no moment uses are freed. */
    for (uint64_t i = 0; i < HISTORY_MAX; i++) {
        char text[32];
        snprintf(text, sizeof text, "band %u", (unsigned)i);
        FEED(1000 + 2 * i, NONE, HEAP_PROF_SAMPLE_BEGIN, 0);
        TEXT(1000 + 2 * i, NONE, HEAP_PROF_SAMPLE_STRING, text, 0, 1);
        FEED(1000 + 2 * i, NONE, HEAP_PROF_SAMPLE_END, 0);
        interval(h, v, 1001 + 2 * i);
    }
    assert_int_equal(name_of(h, "large"), UINT32_MAX);
    assert_true(h->names <= HISTORY_MAX + 2);
    fed = NULL;
    history_free(h);
    hectic_live_stats_free(v);
}

static void centre(hectic_live_stats *v, uint32_t number, const char *texts, size_t size)
{
    uint8_t room[128];
    memcpy(event_put(room, number, 4), texts, size);
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {.time = 1,
                                .payload = room,
                                .declared = &type,
                                .type = HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
                                .size = (uint16_t)(4 + size),
                                .cap = NONE};
    assert_true(feed(v, &event));
}

static void tick(hectic_live_stats *v, uint64_t time, uint64_t number, uint32_t inner,
                 uint32_t outer)
{
    uint8_t room[32], *at = event_put(event_put(room, 0, 4), number, 8);
    at = event_put(at, outer ? 2 : 1, 1);
    at = event_put(at, inner, 4);
    if (outer) at = event_put(at, outer, 4);
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {.time = time,
                                .payload = room,
                                .declared = &type,
                                .type = HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE,
                                .size = (uint16_t)(at - room),
                                .cap = NONE};
    assert_true(feed(v, &event));
}

static void cost_centres_are_summed_over_seconds(void **state)
{
    (void)state;
    const uint64_t second = 1000000000;
    struct history *h = fed = history_new();
    hectic_live_stats *v = start(NULL);
    FEED(0, NONE, CAP_CREATE, 0);
#define CENTRE(number, texts) centre(v, number, texts, sizeof texts)
    CENTRE(1, "inner\0Main\0Main.hs:1:1\0");
    CENTRE(2, "outer\0Main\0Main.hs:2:1\0");
    CENTRE(3, "CAF\0Main\0Main.hs\0\1");
    CENTRE(4, "GC\0GC\0<built-in>\0");
    for (uint64_t i = 0; i < 8; i++) { /* a moment of a second */
        const uint64_t at = i * second + 10;
        tick(v, at, 4 * i + 1, 1, 2);
        tick(v, at + 1, 4 * i + 2, i < 4 ? 2 : 1, 0);
        tick(v, at + 2, 4 * i + 3, 4, 0);
        if (i == 7) tick(v, at + 3, 4 * i + 4, 3, 0);
        interval(h, v, (i + 1) * second);
    }
    const struct moment *m = history_get(h, 8);
    assert_int_equal(m->time_samples[HECTIC_TIME_OWN], 3);
    assert_int_equal(m->time_samples[HECTIC_TIME_GC], 1);
    const struct moment_profile *time = &m->profile[PROFILE_TIME];
    assert_int_equal(time->sum, 3);
    assert_int_equal(time->parts, 2); /* "outer" is never innermost; GC is not the program's own */
    assert_string_equal(history_name(h, time->part[0].name), "Main.inner");
    assert_int_equal(time->part[0].value, 2);
    assert_string_equal(history_name(h, time->part[1].name), "Main.CAF");

    /* The last five seconds: moments 4 to 8. */
    struct moment_profile sum;
    uint64_t samples[HECTIC_TIME_KINDS];
    history_recent(h, 8, 5 * second, &sum, samples);
    assert_int_equal(samples[HECTIC_TIME_GC], 5);
    assert_int_equal(sum.sum, 11);
    assert_int_equal(sum.parts, 3);
    assert_string_equal(history_name(h, sum.part[0].name), "Main.inner");
    assert_int_equal(sum.part[0].value, 9);
    assert_int_equal(sum.part[0].total, 9);
    assert_int_equal(sum.part[1].value, 1);
    history_recent(h, 8, 1, &sum, samples); /* that moment, however long it is */
    assert_int_equal(sum.sum, 3);
    double value[HISTORY_MAX], times[HISTORY_MAX];
    assert_int_equal(history_course(h, 8, PROFILE_TIME, name_of(h, "Main.inner"), value, times), 8);
    assert_true(value[0] == 0.5 && value[5] == 1);

    /* Another log begins with other numbers of cost centres. */
    assert_true(history_begin(h, NULL, false));
    start(v);
    CENTRE(2, "inner\0Main\0Main.hs:1:1\0");
    tick(v, 5, 1, 2, 0);
    m = interval(h, v, 100);
    assert_int_equal(m->profile[PROFILE_TIME].part[0].name, name_of(h, "Main.inner"));
    history_recent(h, 9, 5 * second, &sum, samples);
    assert_int_equal(sum.sum, 1);
    fed = NULL;
    history_free(h);
    hectic_live_stats_free(v);
}

static void trends(void **state)
{
    (void)state;
    const double time[] = {1e9, 2e9, 3e9, 4e9};
    double slope;
    assert_int_equal(trend_of((const double[]){1, 2, 3, 4}, time, 4, &slope), 1);
    assert_true(slope > 0.999 && slope < 1.001);
    assert_int_equal(trend_of((const double[]){8, 6, 4, 2}, time, 4, &slope), -1);
    assert_true(slope > -2.001 && slope < -1.999);
    assert_int_equal(trend_of((const double[]){100, 101, 100, 101}, time, 4, &slope), 0);
    assert_int_equal(trend_of((const double[]){0, 0}, time, 2, &slope), 0);
    assert_int_equal(trend_of((const double[]){5}, time, 1, &slope), 0);
    assert_int_equal(trend_of(NULL, NULL, 0, &slope), 0);
    const double same[] = {7, 7};
    assert_int_equal(trend_of((const double[]){1, 2}, same, 2, &slope), 0);
    assert_true(slope == 0);
}

static void a_finished_log_has_its_whole_run(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_CREATE_THREAD};
    struct history *h = fed = history_new();
    hectic_live_stats *v = start(NULL);
    hectic_header *header = event_header(numbers, 1);
    assert_true(history_begin(h, header, true));
    assert_null(history_whole(h));
    FEED(0, NONE, CAP_CREATE, 0);
    FEED(1, 0, CREATE_THREAD, 5);
    FEED(10, 0, RUN_THREAD, 5);
    TEXT(20, 0, USER_MSG, "START item", 0);
    TEXT(30, 0, USER_MSG, "STOP item", 0);
    FEED(40, 0, STOP_THREAD, 5, 5, 0); /* finished */
    interval(h, v, 100);
    FEED(110, 0, CREATE_THREAD, 6);
    TEXT(120, 0, USER_MSG, "START item", 0);
    TEXT(150, 0, USER_MSG, "STOP item", 0);
    interval(h, v, 200);
    assert_true(history_end(h));
    const struct moment *m = history_whole(h);
    assert_non_null(m);
    assert_int_equal(m->from, 0);
    assert_int_equal(m->created, 2);
    assert_int_equal(m->span[0].count, 2);
    assert_int_equal(m->span[0].p99, 30);
    assert_int_equal(m->threads[SORT_BUSIEST].count, 2);
    assert_int_equal(m->threads[SORT_BUSIEST].row[0].id, 5);
    assert_int_equal(m->threads[SORT_BUSIEST].row[0].ran, 30);
    assert_true(m->threads[SORT_BUSIEST].row[0].has_ended);
    assert_int_equal(history_last(h), 2);
    fed = NULL;
    hectic_header_free(header);
    history_free(h);
    hectic_live_stats_free(v);
}

static void the_oldest_is_dropped(void **state)
{
    (void)state;
    struct history *h = history_new();
    hectic_live_stats *v = start(NULL);
    for (uint64_t i = 1; i <= 2 * HISTORY_MAX + 7; i++) {
        FEED(10 * i, 0, HEAP_LIVE, 0, i);
        interval(h, v, 10 * i);
        assert_int_equal(history_last(h), i);
        assert_int_equal(history_first(h), i > HISTORY_MAX ? i - HISTORY_MAX + 1 : 1);
    }
    for (uint64_t i = history_first(h); i <= history_last(h); i++)
        assert_int_equal(history_get(h, i)->live, i);
    history_free(h);
    hectic_live_stats_free(v);
}

static void lists_keep_the_first(void **state)
{
    (void)state;
    static struct thread_row room[LISTED_MAX];
    uint64_t random = 7;
    for (int i = 0; i < 20 * THREAD_SORTS; i++) {
        const enum thread_sort order = (enum thread_sort)(i % THREAD_SORTS);
        struct thread_list list = {.row = room};
        struct thread_row all[5 * LISTED_MAX];
        for (uint32_t j = 0; j < 5 * LISTED_MAX; j++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            all[j] = (struct thread_row){.id = j,
                                         .state = (hectic_thread_state)(random >> 60) %
                                                  HECTIC_THREAD_STATES,
                                         .since = random >> 40 & 63,
                                         .born = random >> 30 & 63,
                                         .ran = random >> 50 & 63};
            thread_list_offer(&list, order, &all[j]);
        }
        assert_int_equal(list.count, LISTED_MAX);
        for (uint32_t place = 0; place < LISTED_MAX; place++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < 5 * LISTED_MAX; j++)
                before += thread_is_before(order, &all[j], &list.row[place]);
            assert_int_equal(before, place);
        }
    }
}

static void the_last_place_is_taken(void **state)
{
    (void)state;
    static struct thread_row room[LISTED_MAX];
    struct thread_list list = {.row = room};
    for (uint32_t i = 0; i <= LISTED_MAX; i++)
        thread_list_offer(&list, SORT_BUSIEST, &(struct thread_row){.id = i, .ran = 1000 - i});
    assert_int_equal(list.count, LISTED_MAX);
    assert_int_equal(room[LISTED_MAX - 1].id, LISTED_MAX - 1);
}

static void the_longest_blocked_are_first(void **state)
{
    (void)state;
    const struct thread_row running = {.id = 1, .state = HECTIC_THREAD_RUNNING, .since = 1};
    const struct thread_row lately = {.id = 2, .state = HECTIC_THREAD_MVAR, .since = 90};
    const struct thread_row long_ago = {.id = 3, .state = HECTIC_THREAD_STM, .since = 10};
    assert_true(thread_is_before(SORT_BLOCKED, &long_ago, &lately));
    assert_true(thread_is_before(SORT_BLOCKED, &lately, &running));
    assert_false(thread_is_before(SORT_BLOCKED, &running, &long_ago));
    assert_false(is_blocked(HECTIC_THREAD_RUNNABLE) || is_blocked(HECTIC_THREAD_FOREIGN));
}

static void graphs_fit(void **state)
{
    (void)state;
    const double values[] = {1, 9, 2, 3, 4, 5, 8};
    double out[8];
    assert_int_equal(graph_fit(values, 0, 1, 8, out), 0);
    assert_int_equal(graph_fit(values, 7, 1, 8, out), 7);
    assert_int_equal(graph_fit(values, 7, 1, 7, out), 7);
    assert_memory_equal(out, values, sizeof values);

    /* Numbers 1, 2-3, 4-5, 6-7: the same neighbors after the first ones are dropped. */
    assert_int_equal(graph_fit(values, 7, 1, 4, out), 4);
    const double pairs[] = {1, 9, 4, 8};
    assert_memory_equal(out, pairs, sizeof pairs);
    assert_int_equal(graph_fit(values + 1, 6, 2, 4, out), 3);
    assert_memory_equal(out, pairs + 1, sizeof pairs - sizeof *pairs);

    /* At most all columns, and always the last value. */
    double many[HISTORY_MAX], fit[64];
    for (size_t i = 0; i < HISTORY_MAX; i++)
        many[i] = (double)i;
    for (size_t columns = 1; columns <= 64; columns++)
        for (uint64_t first = 1; first < 20; first++) {
            const size_t used = graph_fit(many, HISTORY_MAX, first, columns, fit);
            assert_in_range(used, columns / 2, columns);
            assert_true(used > 0 && fit[used - 1] == HISTORY_MAX - 1);
        }
}

static void heights(void **state)
{
    (void)state;
    assert_int_equal(graph_eighths(0, 10, 4), 0);
    assert_int_equal(graph_eighths(10, 10, 4), 32);
    assert_int_equal(graph_eighths(5, 10, 4), 16);
    assert_int_equal(graph_eighths(0.001, 10, 4), 1); /* values above 0 are visible */
    assert_int_equal(graph_eighths(20, 10, 4), 32);
    assert_int_equal(graph_eighths(5, 0, 4), 0);
}

static void parts_of_bars_add_up(void **state)
{
    (void)state;
    for (unsigned width = 0; width < 30; width++)
        for (int a = -1; a <= 12; a++)
            for (int b = -1; b <= 12; b++)
                for (int c = -1; c <= 12; c++) {
                    const double share[BAR_SHARES] = {a / 10.0, b / 10.0, c / 10.0};
                    const struct bar bar = bar_of(share, width);
                    assert_int_equal(bar.part[0] + bar.part[1] + bar.part[2] + bar.rest, width);
                }
    const struct bar bar = bar_of((const double[]){0.5, 0.25, 0.125}, 16);
    assert_int_equal(bar.part[0], 8);
    assert_int_equal(bar.part[1], 4);
    assert_int_equal(bar.part[2], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_becomes_a_moment),
        cmocka_unit_test(starts_and_stops_are_spans),
        cmocka_unit_test(bands_have_courses),
        cmocka_unit_test(cost_centres_are_summed_over_seconds),
        cmocka_unit_test(trends),
        cmocka_unit_test(a_finished_log_has_its_whole_run),
        cmocka_unit_test(the_oldest_is_dropped),
        cmocka_unit_test(lists_keep_the_first),
        cmocka_unit_test(the_last_place_is_taken),
        cmocka_unit_test(the_longest_blocked_are_first),
        cmocka_unit_test(graphs_fit),
        cmocka_unit_test(heights),
        cmocka_unit_test(parts_of_bars_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
