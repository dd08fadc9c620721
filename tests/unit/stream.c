/* A stream delivers the events of a log: each once, and in the same order if the lag suffices, for
 * any pieces of input. */
#include "logs.h"

#include "made.h"

enum { ANY_SIZE = 1 << 30, SMALL_MEMORY = 1 << 20 };

/* The events that a stream has delivered, with payloads. */
struct given {
    hectic_event *event;
    size_t count, capacity;
    size_t headers, ends, errors;
    uint64_t late, latest_by, last; /* in the order of delivery */
};

static void given_free(struct given *g)
{
    free(g->event);
    *g = (struct given){0};
}

/* Checks an event against the input's bytes and records it. */
static void note(struct given *g, const hectic_stream *s, const hectic_event *event,
                 const struct bytes *log)
{
    assert_ptr_equal(event->declared, hectic_header_type(hectic_stream_header(s), event->type));
    const size_t head = event->declared->size == HECTIC_VARIABLE ? 12 : 10;
    const uint8_t *bytes = log->data + event->position + head;
    assert_memory_equal(event->payload, bytes, event->size);
    if (event->time < g->last) {
        g->late++;
        if (g->last - event->time > g->latest_by) g->latest_by = g->last - event->time;
    } else {
        g->last = event->time;
    }
    if (g->count == g->capacity) {
        g->capacity = 2 * g->capacity + 256;
        g->event = realloc(g->event, g->capacity * sizeof *g->event);
        assert_non_null(g->event);
    }
    g->event[g->count] = *event;
    g->event[g->count++].payload = bytes;
}

static hectic_result pull_all(struct given *g, hectic_stream *s, uint64_t now,
                              const struct bytes *log)
{
    hectic_event event;
    hectic_result result;
    while ((result = hectic_stream_pull(s, now, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_GOT_EVENT) note(g, s, &event, log);
        if (result == HECTIC_HEADER) {
            g->headers++;
            g->last = 0;
        }
        g->ends += result == HECTIC_COMPLETE;
        g->errors += result == HECTIC_ERROR;
    }
    return result;
}

/* The events that a stream delivers for a log in pieces of up to `most` bytes; the clock advances
 * by `tick` with each. */
static struct given give(const struct bytes *log, hectic_stream_options options, size_t most,
                         uint64_t tick)
{
    const size_t limit = options.memory ? options.memory : (size_t)64 << 20;
    hectic_stream *s = hectic_stream_new(&options);
    assert_non_null(s);
    struct given g = {0};
    uint64_t random = log->length + most, now = 1000;
    for (size_t at = 0; at < log->length; now += tick) {
        size_t length = 1 + random_below(&random, most);
        if (length > log->length - at) length = log->length - at;
        /* A separate copy, so that a sanitizer detects later reads. */
        uint8_t *piece = malloc(length);
        memcpy(piece, log->data + at, length);
        hectic_stream_push(s, piece, length, now);
        pull_all(&g, s, now, log);
        free(piece);
        at += length;
        assert_true(hectic_stream_get_state(s).memory <= limit);
        const uint64_t due = hectic_stream_due(s);
        assert_true(due > now && (due != UINT64_MAX) == (hectic_stream_get_state(s).held > 0 &&
                                                         options.lag < UINT64_MAX / 2));
    }
    hectic_stream_end(s);
    pull_all(&g, s, now, log);
    const hectic_stream_state state = hectic_stream_get_state(s);
    assert_int_equal(state.events, g.count);
    assert_int_equal(state.held, 0);
    assert_int_equal(state.late, g.late);
    assert_int_equal(state.latest_by, g.latest_by);
    assert_int_equal(state.damaged, g.errors);
    assert_int_equal(hectic_stream_due(s), UINT64_MAX);
    hectic_stream_free(s);
    return g;
}

/* The maximum lateness of an event. */
static uint64_t most_late(const struct bytes *log)
{
    struct found f = found_in(log->data, log->length);
    uint64_t latest = 0, most = 0;
    for (size_t i = 0; i < f.count; i++) {
        const hectic_event *e = &f.event[i];
        if (e->time > latest) latest = e->time;
        if (latest - e->time > most) most = latest - e->time;
        if (event_is_marker(e) && e->size >= 14) {
            uint64_t end = 0;
            for (size_t j = 4; j < 12; j++)
                end = end << 8 | e->payload[j];
            if (end > latest) latest = end;
        }
    }
    found_free(&f);
    return most;
}

static void expect_same_order(const struct bytes *b, const struct given *g)
{
    hectic_error error;
    hectic_log *log = hectic_log_open(bytes_input(b->data, b->length), NULL, &error);
    assert_int_equal(log != NULL, g->headers > 0);
    if (!log) return;
    hectic_event event;
    hectic_result result;
    size_t i = 0, headers = 0;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        headers += result == HECTIC_HEADER;
        if (result == HECTIC_HEADER) continue;
        assert_true(i < g->count);
        assert_int_equal(event.position, g->event[i].position);
        assert_true(event_equal(&event, &g->event[i]));
        i++;
    }
    assert_int_equal(i, g->count);
    assert_int_equal(headers, g->headers);
    hectic_log_free(log);
}

static int by_position(const void *a, const void *b)
{
    const hectic_event *const x = a, *const y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Each event of the log was delivered once. */
static void expect_all(const struct bytes *b, struct given *g)
{
    struct found f = found_in(b->data, b->length);
    assert_int_equal(g->count, f.count);
    assert_int_equal(g->headers, f.headers);
    assert_int_equal(g->ends, f.ends);
    assert_int_equal(g->errors, f.errors);
    if (g->count) qsort(g->event, g->count, sizeof *g->event, by_position);
    for (size_t i = 0; i < f.count; i++) {
        assert_int_equal(f.event[i].position, g->event[i].position);
        assert_true(event_equal(&f.event[i], &g->event[i]));
    }
    found_free(&f);
}

static const size_t pieces[] = {1, 37, 5000, 300000};

/* The smallest pieces are used only for small logs. */
static bool is_quick(const struct bytes *log, size_t piece)
{
    return log->length / piece < 300000;
}

static void expect_order(const char *path, const struct bytes *log)
{
    (void)path;
    const uint64_t lag = 10 * most_late(log) + 9;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        if (!is_quick(log, pieces[i])) continue;
        struct given g = give(log, (hectic_stream_options){.lag = lag}, pieces[i], 0);
        assert_int_equal(g.late, 0);
        expect_same_order(log, &g);
        given_free(&g);
    }
}

static void expect_nothing_lost(const char *path, const struct bytes *log)
{
    (void)path;
    const uint64_t late = most_late(log);
    const hectic_stream_options options[] = {
        {.lag = 1}, {.lag = late / 2 + 1}, {.memory = SMALL_MEMORY, .lag = UINT64_MAX}};
    for (size_t i = 0; i < 3; i++) {
        const size_t piece = pieces[1 + i % 3];
        if (!is_quick(log, piece)) continue;
        struct given g = give(log, options[i], piece, i == 1 ? late / 50 : 0);
        expect_all(log, &g);
        given_free(&g);
    }
}

static void the_order_is_the_same_if_the_lag_suffices(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, expect_order);
}

static void nothing_is_lost_if_the_lag_is_too_short(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, expect_nothing_lost);
}

/* --- Test logs ------------------------------------------------------------------------------- */

enum { MARKER, CREATE, MESSAGE, TYPES };
static hectic_event_type types[TYPES];

static void declare_types(struct made *m)
{
    static const uint16_t number[] = {HECTIC_EVENT_BLOCK_MARKER, HECTIC_EVENT_CAP_CREATE,
                                      HECTIC_EVENT_USER_MSG};
    for (size_t i = 0; i < TYPES; i++) {
        const hectic_shape *shape = hectic_shape_by_number(number[i]);
        types[i] = (hectic_event_type){.number = number[i],
                                       .size = shape->variable ? HECTIC_VARIABLE : shape->size,
                                       .shape = shape,
                                       .description = "Type",
                                       .description_length = 4};
    }
    made_header(m, types, TYPES);
}

/* A block that begins with one message. */
static void put_filled_block(struct made *m, uint16_t cap, uint64_t time, uint64_t end,
                             const char *text)
{
    const hectic_value value = {.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)};
    const uint32_t size = 24 + 12 + value.length;
    hectic_encode_block_marker(bytes_grow(&m->bytes, 24), 24, time, size, end, cap);
    m->time = time;
    made_event(m, HECTIC_EVENT_USER_MSG, &value, 1);
}

/* It ends at the message's time. */
static void put_block(struct made *m, uint16_t cap, uint64_t time, const char *text)
{
    put_filled_block(m, cap, time, time, text);
}

/* Pushes the bytes from `from` on, and returns the delivered messages. */
static const char *messages(hectic_stream *s, const struct made *m, size_t from, uint64_t now)
{
    static char text[4096];
    hectic_event event;
    hectic_result result;
    size_t length = 0;
    hectic_stream_push(s, m->bytes.data + from, m->bytes.length - from, now);
    while ((result = hectic_stream_pull(s, now, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_COMPLETE) text[length++] = '.';
        if (result == HECTIC_HEADER) text[length++] = '#';
        if (result == HECTIC_ERROR) text[length++] = '!';
        if (result != HECTIC_GOT_EVENT || event.type != HECTIC_EVENT_USER_MSG) continue;
        assert_true(length + event.size < sizeof text);
        memcpy(text + length, event.payload, event.size);
        length += event.size;
    }
    text[length] = 0;
    return text;
}

static void an_event_is_held_for_the_lag(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_stream *s = hectic_stream_new(&(hectic_stream_options){.lag = 1000});
    declare_types(&m);
    put_block(&m, 0, 5000000, "a");
    assert_int_equal(hectic_stream_due(s), UINT64_MAX);
    assert_string_equal(messages(s, &m, 0, 70), "#");
    assert_int_equal(hectic_stream_due(s), 1070);
    size_t from = m.bytes.length;
    put_block(&m, 0, 5000050, "b");
    assert_string_equal(messages(s, &m, from, 500), "");
    assert_int_equal(hectic_stream_get_state(s).held, 4);
    assert_int_equal(hectic_stream_due(s), 1070);
    from = m.bytes.length;
    assert_string_equal(messages(s, &m, from, 1069), "");
    assert_string_equal(messages(s, &m, from, 1070), "a");
    assert_int_equal(hectic_stream_get_state(s).behind, 50);
    assert_int_equal(hectic_stream_due(s), 1500);
    /* It is delivered with the later event that arrived before it. */
    put_block(&m, 1, 5000049, "c");
    assert_string_equal(messages(s, &m, from, 1400), "");
    assert_int_equal(hectic_stream_due(s), 1500);
    from = m.bytes.length;
    assert_string_equal(messages(s, &m, from, 1500), "cb");
    assert_int_equal(hectic_stream_due(s), UINT64_MAX);
    put_block(&m, 1, 5000020, "late");
    assert_string_equal(messages(s, &m, from, 1501), "late");
    assert_int_equal(hectic_stream_get_state(s).late, 2);
    assert_int_equal(hectic_stream_get_state(s).latest_by, 30);
    hectic_stream_free(s);
    bytes_free(&m.bytes);
}

static void events_that_all_caps_have_passed_are_not_held(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_stream *s = hectic_stream_new(&(hectic_stream_options){.lag = 1000});
    declare_types(&m);
    hectic_encode_block_marker(bytes_grow(&m.bytes, 24), 24, 1, 24 + 2 * 12, 10, 0);
    m.time = 10;
    made_numbers(&m, HECTIC_EVENT_CAP_CREATE, 0, 0, 0);
    made_numbers(&m, HECTIC_EVENT_CAP_CREATE, 1, 0, 0);
    put_block(&m, 0, 2000, "a");
    put_block(&m, 0, 2500, "b");
    assert_string_equal(messages(s, &m, 0, 1), "#"); /* cap 1 has not written */
    size_t from = m.bytes.length;
    put_block(&m, 1, 2099, "c");
    assert_string_equal(messages(s, &m, from, 1), "");
    from = m.bytes.length;
    put_block(&m, 1, 2600, "d");
    assert_string_equal(messages(s, &m, from, 1), "ac");
    from = m.bytes.length;
    put_block(&m, 0, 3700, "e"); /* cap 1 does not delay events older than the lag */
    assert_string_equal(messages(s, &m, from, 1), "bd");
    from = m.bytes.length;
    hectic_encode_data_end(bytes_grow(&m.bytes, 2), 2);
    assert_string_equal(messages(s, &m, from, 1), "e.");
    hectic_stream_free(s);
    bytes_free(&m.bytes);
}

/* If the existing caps are unknown, another one may begin. */
static void a_stream_waits_for_caps_that_start_later(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_stream *s = hectic_stream_new(&(hectic_stream_options){.lag = 1000});
    declare_types(&m);
    assert_string_equal(messages(s, &m, 0, 1), "#");
    size_t from = m.bytes.length;
    put_block(&m, 0, 1000, "a");
    put_block(&m, 0, 1500, "b");
    assert_string_equal(messages(s, &m, from, 8001), ""); /* long after the header */
    from = m.bytes.length;
    put_block(&m, 1, 900, "c");
    assert_string_equal(messages(s, &m, from, 8500), "");
    from = m.bytes.length;
    assert_string_equal(messages(s, &m, from, 9001), "cab");
    assert_int_equal(hectic_stream_get_state(s).late, 0);
    put_block(&m, 0, 3000, "d");
    put_block(&m, 0, 3200, "e");
    put_block(&m, 1, 3500, "f");
    assert_string_equal(messages(s, &m, from, 9002), "d"); /* now the caps are known */
    hectic_stream_free(s);
    bytes_free(&m.bytes);
}

/* Cap 0 writes the events of 1000 ns, cap 1 of 3000: three times as late. */
static void the_lag_grows_to_the_length_of_blocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t most, lag;
        const char *order;
        uint64_t late;
    } expected[] = {{5000, 3748, "#abcBdGef", 2},
                    {3000, 3000, "#abcBdGef", 2},
                    {2998, 1000, "#abcBdeGf", 4},
                    {0, 1000, "#abcBdeGf", 4}};
    static const struct {
        uint16_t cap;
        uint64_t from, to;
        const char *text;
    } block[] = {{0, 1, 1000, "a"},    {0, 1000, 2000, "b"}, {0, 2000, 3000, "c"},
                 {1, 1, 3000, "B"},    {0, 3000, 4000, "d"}, {0, 4000, 5000, "e"},
                 {0, 5000, 6000, "f"}, {1, 3001, 6000, "G"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct made m = {0};
        char order[16] = "";
        const hectic_stream_options options = {.lag = 1000, .lag_max = expected[i].most};
        hectic_stream *s = hectic_stream_new(&options);
        declare_types(&m);
        size_t from = 0;
        for (size_t j = 0; j < sizeof block / sizeof *block; j++) {
            put_filled_block(&m, block[j].cap, block[j].from, block[j].to, block[j].text);
            strcat(order, messages(s, &m, from, block[j].to));
            from = m.bytes.length;
        }
        assert_string_equal(order, expected[i].order);
        assert_int_equal(hectic_stream_get_state(s).lag, expected[i].lag);
        assert_int_equal(hectic_stream_get_state(s).late, expected[i].late);
        hectic_stream_free(s);
        bytes_free(&m.bytes);
    }
}

static void each_section_has_its_clock(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_stream *s = hectic_stream_new(NULL);
    declare_types(&m);
    put_block(&m, 0, 2000, "a");
    declare_types(&m);
    put_block(&m, 0, 1000, "b");
    assert_string_equal(messages(s, &m, 0, 1), "#a#");
    assert_int_equal(hectic_stream_due(s), 1000000001);
    hectic_stream_end(s);
    assert_string_equal(messages(s, &m, m.bytes.length, 2), "b");
    assert_int_equal(hectic_stream_get_state(s).late, 0);
    hectic_stream_free(s);
    bytes_free(&m.bytes);
}

static void damage_is_skipped(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_stream *s = hectic_stream_new(NULL);
    declare_types(&m);
    put_block(&m, 0, 2000, "b");
    memset(bytes_grow(&m.bytes, 100), 0x77, 100);
    put_block(&m, 0, 1000, "a");
    assert_string_equal(messages(s, &m, 0, 1), "#!");
    assert_int_equal(hectic_stream_get_state(s).damaged, 1);
    assert_int_equal(hectic_stream_get_state(s).skipped, 100);
    hectic_stream_end(s);
    assert_string_equal(messages(s, &m, m.bytes.length, 1), "ab");
    hectic_stream_free(s);
    /* Without a header nothing can be read. */
    s = hectic_stream_new(NULL);
    assert_string_equal(messages(s, &m, 1, 1), "!");
    assert_null(hectic_stream_header(s));
    assert_int_equal(hectic_stream_error(s)->kind, HECTIC_NOT_A_LOG);
    assert_string_equal(messages(s, &m, 0, 1), "");
    hectic_stream_free(s);
    bytes_free(&m.bytes);
}

/* A writer that fills its memory with events that are not due yet. */
static void memory_is_bounded(void **state)
{
    (void)state;
    struct made m = {0};
    uint64_t random = 1;
    declare_types(&m);
    for (int i = 0; i < 100000; i++)
        put_block(&m, (uint16_t)random_below(&random, 60000), random_below(&random, 1000000000),
                  "some text");
    const hectic_stream_options options = {.lag = UINT64_MAX, .memory = SMALL_MEMORY};
    struct given g = give(&m.bytes, options, 10000, 0);
    assert_true(g.late > 0);
    expect_all(&m.bytes, &g);
    given_free(&g);
    bytes_free(&m.bytes);
}

static void a_stream_can_be_freed_at_any_time(void **state)
{
    (void)state;
    struct made m = {0};
    hectic_event event;
    declare_types(&m);
    for (uint64_t i = 0; i < 1000; i++)
        put_block(&m, 0, 2 * i % 999, "some text");
    for (int pulls = 0; pulls < 1000; pulls += 333) {
        hectic_stream *s = hectic_stream_new(&(hectic_stream_options){.lag = 100});
        hectic_stream_push(s, m.bytes.data, m.bytes.length, 1);
        for (int i = 0; i < pulls; i++)
            assert_int_not_equal(hectic_stream_pull(s, 1, &event), HECTIC_PARTIAL);
        hectic_stream_free(s);
    }
    bytes_free(&m.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_the_same_if_the_lag_suffices),
        cmocka_unit_test(nothing_is_lost_if_the_lag_is_too_short),
        cmocka_unit_test(an_event_is_held_for_the_lag),
        cmocka_unit_test(events_that_all_caps_have_passed_are_not_held),
        cmocka_unit_test(a_stream_waits_for_caps_that_start_later),
        cmocka_unit_test(the_lag_grows_to_the_length_of_blocks),
        cmocka_unit_test(each_section_has_its_clock),
        cmocka_unit_test(damage_is_skipped),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_stream_can_be_freed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
