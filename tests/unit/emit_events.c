/* Emitted events: by the functions generated from the catalogue, by fields, as bytes. */
#include "emit.h"

static uint64_t clock_now(void *user)
{
    return ++*(uint64_t *)user;
}

/* An emitter of all classes that writes to `log`. */
struct fixture {
    hectic_emitter *emitter;
    hectic_emit_cap *cap;
    struct bytes log;
    uint64_t time;
};

static void start(struct fixture *f)
{
    *f = (struct fixture){0};
    f->emitter = hectic_emitter_new(
        &(hectic_emitter_options){.classes = HECTIC_CLASS_BIT(HECTIC_CLASS_COUNT) - 1,
                                  .clock = HECTIC_CLOCK_CALLER,
                                  .now = clock_now,
                                  .user = &f->time,
                                  .no_process = true,
                                  .no_thread = true});
    assert_non_null(f->emitter);
    f->cap = hectic_emitter_cap(f->emitter, 0);
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &f->log};
    assert_int_equal(hectic_emitter_start(f->emitter, &keeper), HECTIC_EMIT_OK);
}

/* The logged events, without block markers. */
static struct found finish(struct fixture *f)
{
    assert_int_equal(hectic_emitter_stop(f->emitter), HECTIC_EMIT_OK);
    hectic_emitter_free(f->emitter);
    struct found found = found_in(f->log.data, f->log.length);
    assert_int_equal(found.errors, 0);
    assert_int_equal(found.ends, 1);
    size_t kept = 0;
    for (size_t i = 0; i < found.count; i++)
        if (!event_is_marker(&found.event[i])) found.event[kept++] = found.event[i];
    found.count = kept;
    return found;
}

static void free_all(struct fixture *f, struct found *found)
{
    found_free(found);
    bytes_free(&f->log);
}

/* Three ways to emit the same event. */
static void every_event_is_logged_exactly(void **state)
{
    (void)state;
    enum { TIMES = 20, WAYS = 3 };
    static struct values values;
    static uint8_t payload[HECTIC_EVENT_MAX];
    size_t count, expected = 0;
    const hectic_shape *shapes = hectic_catalogue(&count);
    struct fixture f;
    struct bytes payloads = {0};
    start(&f);
    uint64_t random = 7;
    for (size_t i = 0; i < count * TIMES; i++) {
        const hectic_shape *shape = &shapes[i % count];
        if (!emit_has_call(shape)) continue;
        values_fill(&values, shape, &random, 200);
        const size_t size = values_payload(&values, shape->number, payload);
        assert_true(emit_call(f.cap, shape->number, values.value));
        assert_true(hectic_emit_fields(f.cap, shape->number, values.value, values.count));
        assert_true(hectic_emit_bytes(f.cap, shape->number, payload, size));
        bytes_write(&payloads, &(uint16_t){shape->number}, 2);
        bytes_write(&payloads, &(uint16_t){(uint16_t)size}, 2);
        bytes_write(&payloads, payload, size);
        expected += WAYS;
    }
    struct found found = finish(&f);
    assert_int_equal(found.count, expected);
    const uint8_t *at = payloads.data;
    uint64_t time = 0;
    for (size_t i = 0; i < found.count; i++) {
        uint16_t number, size;
        memcpy(&number, at, 2);
        memcpy(&size, at + 2, 2);
        assert_int_equal(found.event[i].type, number);
        assert_int_equal(found.event[i].size, size);
        assert_int_equal(found.event[i].cap, 0);
        assert_memory_equal(found.event[i].payload, at + 4, size);
        assert_true(found.event[i].time > time);
        time = found.event[i].time;
        if (i % WAYS == WAYS - 1) at += 4 + size;
    }
    free_all(&f, &found);
    bytes_free(&payloads);
}

/* A text that repeats a character `count` times. */
static char *repeat(const char *character, size_t count)
{
    const size_t size = strlen(character);
    char *text = malloc(size * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + size * i, character, size);
    text[size * count] = 0;
    return text;
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *character;
        size_t size; /* of the part that fits into 65,535 bytes */
    } cases[] = {{"a", 65535}, {"\u00e9", 65534}, {"\u4e16", 65535}, {"\U0001f30d", 65532}};
    enum { CASES = sizeof cases / sizeof *cases };
    struct fixture f;
    start(&f);
    for (size_t i = 0; i < CASES; i++) {
        char *text = repeat(cases[i].character, 70000);
        assert_true(hectic_emit_user_msg(f.cap, text));
        assert_true(hectic_emit_user_binary_msg(f.cap, text, 70000));
        assert_true(hectic_emit_program_args(f.cap, 1, text, 65533));
        assert_true(hectic_emit_version(f.cap, text));
        assert_true(hectic_emit_heap_prof_cost_centre(f.cap, 1, "main", text, "x", 1));
        free(text);
    }
    struct found found = finish(&f);
    assert_int_equal(found.count, 5 * CASES);
    for (size_t i = 0; i < CASES; i++) {
        const hectic_event *event = &found.event[5 * i];
        assert_int_equal(event[0].size, cases[i].size);
        assert_int_equal(event[1].size, 65535);
        const size_t length = strlen(cases[i].character);
        assert_int_equal(event[2].size, 4 + 65531 / length * length);
        assert_int_equal(event[3].size, 65535);
        hectic_value value[HECTIC_MAX_FIELDS];
        assert_int_equal(hectic_shape_walk(event[4].declared->shape, event[4].payload,
                                           event[4].size, value, NULL),
                         5);
        assert_int_equal(value[1].length, 4);
        assert_int_equal(value[2].length, (65535 - 12) / length * length);
        assert_true(value[3].length <= 1);
        assert_int_equal(value[4].number, 1);
    }
    free_all(&f, &found);
}

static void a_null_text_is_empty(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_true(hectic_emit_user_msg(f.cap, NULL));
    assert_true(hectic_emit_user_binary_msg(f.cap, NULL, 0));
    assert_true(hectic_emit_bytes(f.cap, HECTIC_EVENT_GC_START, NULL, 0));
    struct found found = finish(&f);
    assert_int_equal(found.count, 3);
    for (size_t i = 0; i < found.count; i++)
        assert_int_equal(found.event[i].size, 0);
    free_all(&f, &found);
}

static void impossible_events_are_not_logged(void **state)
{
    (void)state;
    static const uint8_t payload[1 << 16];
    static const hectic_value too_big[] = {{.number = UINT64_C(1) << 32}};
    struct fixture f;
    start(&f);
    assert_false(hectic_emit_bytes(f.cap, HECTIC_EVENT_CREATE_THREAD, payload, 3));
    assert_false(hectic_emit_bytes(f.cap, HECTIC_EVENT_CREATE_THREAD, payload, 5));
    assert_false(hectic_emit_bytes(f.cap, HECTIC_EVENT_USER_MSG, payload, sizeof payload));
    assert_false(hectic_emit_bytes(f.cap, 1500, payload, 0));
    assert_false(hectic_emit_bytes(f.cap, HECTIC_DATA_END, payload, 0));
    assert_false(hectic_emit_bytes(f.cap, HECTIC_EVENT_BLOCK_MARKER, payload, 14));
    assert_false(hectic_emit_fields(f.cap, HECTIC_EVENT_CREATE_THREAD, too_big, 1));
    assert_false(hectic_emit_fields(f.cap, HECTIC_EVENT_CREATE_THREAD, too_big, 0));
    assert_false(hectic_emit_fields(f.cap, 1500, too_big, 1));
    struct found found = finish(&f);
    assert_int_equal(found.count, 0);
    free_all(&f, &found);
}

static void a_class_can_be_disabled(void **state)
{
    (void)state;
    static const hectic_value thread[] = {{.number = 1}};
    struct fixture f;
    start(&f);
    assert_int_equal(hectic_emitter_disable(f.emitter, HECTIC_CLASS_SCHEDULER), HECTIC_EMIT_OK);
    assert_false(hectic_emit_create_thread(f.cap, 1));
    assert_false(hectic_emit_fields(f.cap, HECTIC_EVENT_CREATE_THREAD, thread, 1));
    assert_false(hectic_emit_bytes(f.cap, HECTIC_EVENT_CREATE_THREAD, "\0\0\0\1", 4));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_SCHEDULER));
    assert_true(hectic_emit_gc_start(f.cap));
    struct found found = finish(&f);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.event[0].type, HECTIC_EVENT_GC_START);
    static const char off[] = "hectic: logging of scheduler is off from here";
    assert_int_equal(found.event[1].type, HECTIC_EVENT_LOG_MSG);
    assert_int_equal(found.event[1].size, sizeof off - 1);
    assert_memory_equal(found.event[1].payload, off, sizeof off - 1);
    free_all(&f, &found);
}

static void samples_are_due_once_a_period(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_COUNT));

    const uint64_t second = 1000000000;
    assert_int_equal(hectic_emitter_enable(f.emitter, HECTIC_CLASS_TICKY, &second, 1),
                     HECTIC_EMIT_OK);
    f.time = 10 * second;
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    f.time = 11 * second;
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    f.time = 14 * second; /* missed samples are not made up for */
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));

    const uint64_t tenth = second / 10; /* from now on, not after the long period */
    assert_int_equal(hectic_emitter_enable(f.emitter, HECTIC_CLASS_TICKY, &tenth, 1),
                     HECTIC_EMIT_OK);
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    const uint64_t never = UINT64_MAX;
    assert_int_equal(hectic_emitter_enable(f.emitter, HECTIC_CLASS_TICKY, &never, 1),
                     HECTIC_EMIT_OK);
    f.time = 20 * second;
    assert_true(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    assert_false(hectic_emit_due(f.cap, HECTIC_CLASS_TICKY));
    struct found found = finish(&f);
    free_all(&f, &found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_logged_exactly),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(a_null_text_is_empty),
        cmocka_unit_test(impossible_events_are_not_logged),
        cmocka_unit_test(a_class_can_be_disabled),
        cmocka_unit_test(samples_are_due_once_a_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
