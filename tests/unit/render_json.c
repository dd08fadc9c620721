/* Events as JSON: the members, and validity for any bytes. */
#include "../../fuzz/json.h"
#include "render.h"
#include "render/text.h"

static void check_also(uint16_t number, uint16_t size, uint16_t extra_number, const char *payload,
                       size_t length, const char *expected)
{
    struct rendering r = rendering_also(number, size, "a \"description\"\n", 16, extra_number);
    r.event.payload = (const uint8_t *)payload;
    r.event.size = (uint16_t)length;
    r.event.time = 1200000;
    r.event.cap = 0;
    char *const room = malloc(hectic_render_bound(&r.event) + 1);
    const size_t written = hectic_render_json(r.renderer, &r.event, room);
    assert_true(is_json_object(room, written));
    room[written] = 0;
    assert_string_equal(room, expected);
    free(room);
    rendering_free(&r);
}

#define FIXED(number, payload, expected)                                                           \
    check_also(number, sizeof payload - 1, 0, payload, sizeof payload - 1,                         \
               "{\"time\":1200000,\"cap\":0,\"event\":" expected "}")
#define VARIABLE(number, payload, expected)                                                        \
    check_also(number, HECTIC_VARIABLE, 0, payload, sizeof payload - 1,                            \
               "{\"time\":1200000,\"cap\":0,\"event\":" expected "}")

static void fields_are_members(void **state)
{
    (void)state;
    FIXED(0, "\0\0\0\7", "\"CREATE_THREAD\",\"type\":0,\"thread\":7");
    FIXED(9, "", "\"GC_START\",\"type\":9");
    FIXED(57, "\377\377\377\377\377\377\377\377",
          "\"TASK_DELETE\",\"type\":57,\"task\":18446744073709551615");
    VARIABLE(
        19, "a\"\\\n\r\t\b\f\1\177/",
        "\"USER_MSG\",\"type\":19,\"message\":\"a\\\"\\\\\\\\\\n\\r\\t\\b\\f\\u0001\\u007f/\"");
    VARIABLE(19, "\xe4\xb8\x96\xff\xe4",
             "\"USER_MSG\",\"type\":19,\"message\":\"\xe4\xb8\x96"
             "\\\\xFF\\\\xE4\"");
    VARIABLE(19, "\\xE4", "\"USER_MSG\",\"type\":19,\"message\":\"\\\\\\\\xE4\"");
    VARIABLE(23, "caf\xe9\n", "\"VERSION\",\"type\":23,\"version\":\"caf\xc3\xa9\\n\"");
    VARIABLE(181, "\0\x7f\xff", "\"USER_BINARY_MSG\",\"type\":181,\"message\":\"007fff\"");
    VARIABLE(30, "\0\0\0\1a\0\0b\"\0\0",
             "\"PROGRAM_ARGS\",\"type\":30,\"capset\":1,\"args\":[\"a\",\"\",\"b\\\"\"]");
    VARIABLE(30, "\0\0\0\1", "\"PROGRAM_ARGS\",\"type\":30,\"capset\":1,\"args\":[\"\"]");
    VARIABLE(163, "\0\0\0\0\0\0\0\0\5\2\0\0\0\7\377\377\377\377",
             "\"HEAP_PROF_SAMPLE_COST_CENTRE\",\"type\":163,\"profile\":0,\"residency\":5,"
             "\"stack\":[7,4294967295]");
    VARIABLE(163, "\0\0\0\0\0\0\0\0\5\0",
             "\"HEAP_PROF_SAMPLE_COST_CENTRE\",\"type\":163,\"profile\":0,\"residency\":5,"
             "\"stack\":[]");
}

static void enumerated_values_have_names(void **state)
{
    (void)state;
    FIXED(2, "\0\0\0\7\0\10\0\0\0\5",
          "\"STOP_THREAD\",\"type\":2,\"thread\":7,\"status\":8,"
          "\"status_name\":\"blocked on black hole\",\"info\":5");
    FIXED(2, "\0\0\0\7\0\143",
          "\"STOP_THREAD\",\"type\":2,\"thread\":7,\"status\":99,"
          "\"status_name\":\"unknown status 99\"");
    check_also(2, 6, HECTIC_EVENT_USER_MARKER, "\0\0\0\7\0\10", 6,
               "{\"time\":1200000,\"cap\":0,\"event\":\"STOP_THREAD\",\"type\":2,\"thread\":7,"
               "\"status\":8,\"status_name\":\"blocked reading an MVar\"}");
    FIXED(25, "\0\0\0\1\0\2",
          "\"CAPSET_CREATE\",\"type\":25,\"capset\":1,\"capset_type\":2,"
          "\"capset_type_name\":\"CapsetOsProcess\"");
    FIXED(69, "\120\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4",
          "\"SEND_RECEIVE_LOCAL_MESSAGE\",\"type\":69,\"tag\":80,\"tag_name\":\"Ready\","
          "\"sender_process\":1,\"sender_thread\":2,\"receiver_process\":3,"
          "\"receiver_inport\":4");
}

static void unknown_bytes_are_kept(void **state)
{
    (void)state;
    FIXED(1000, "a\xff",
          "null,\"type\":1000,\"description\":\"a \\\"description\\\"\\n\",\"payload\":\"61ff\"");
    FIXED(0, "ab",
          "\"CREATE_THREAD\",\"type\":0,\"description\":\"a \\\"description\\\"\\n\","
          "\"payload\":\"6162\"");
    FIXED(0, "\0\0\0\7xyz", "\"CREATE_THREAD\",\"type\":0,\"thread\":7,\"extra\":\"78797a\"");
    VARIABLE(30, "\0\0\1", "\"PROGRAM_ARGS\",\"type\":30,\"malformed\":true");
    VARIABLE(164, "\2\0\0\0\0\0\0\0\1no NUL",
             "\"HEAP_PROF_SAMPLE_STRING\",\"type\":164,\"profile\":2,\"residency\":1,"
             "\"malformed\":true");
    VARIABLE(210, "\0\0\0\0\0\0\0\1\0\2k\0n\0",
             "\"TICKY_COUNTER_DEF\",\"type\":210,\"counter\":1,\"arity\":2,\"kinds\":\"k\","
             "\"name\":\"n\"");
    VARIABLE(210, "\0\0\0\0\0\0\0\1\0\2k\0n\0\0\0\0\0\0\0\0\3{}\0+",
             "\"TICKY_COUNTER_DEF\",\"type\":210,\"counter\":1,\"arity\":2,\"kinds\":\"k\","
             "\"name\":\"n\",\"info_table\":3,\"json\":\"{}\",\"extra\":\"2b\"");
    VARIABLE(210, "\0\0\0\0\0\0\0\1\0\2k\0n\0\0\0",
             "\"TICKY_COUNTER_DEF\",\"type\":210,\"counter\":1,\"arity\":2,\"kinds\":\"k\","
             "\"name\":\"n\",\"malformed\":true");
}

static void global_events_have_no_cap(void **state)
{
    (void)state;
    struct rendering r = rendering_of(HECTIC_EVENT_GC_IDLE, 0);
    char room[5000];
    r.event.time = UINT64_MAX;
    room[hectic_render_json(r.renderer, &r.event, room)] = 0;
    assert_string_equal(
        room, "{\"time\":18446744073709551615,\"cap\":null,\"event\":\"GC_IDLE\",\"type\":20}");
    rendering_free(&r);
}

static void strings_stay_within_the_bound(void **state)
{
    static const char text[] = "\1\2\x1f\xff\"";
    (void)state;
    char *const room = malloc(2 + 6 * 5);
    const size_t length = hectic_render_json_string(text, 5, room);
    assert_int_equal(length, 1 + 18 + 3 + 2 + 1);
    assert_memory_equal(room, "\"\\u0001\\u0002\\u001f\xef\xbf\xbd\\\"\"", length);
    free(room);
}

/* JSON is also printed on terminals. */
static void replayed_events_are_objects(void **state)
{
    (void)state;
    check_also(HECTIC_EVENT_SYNC, HECTIC_VARIABLE, 19, "\0\23\0\3hi", 6,
               "{\"time\":1200000,\"cap\":0,\"event\":\"SYNC\",\"type\":1999,\"number\":19,"
               "\"cap_no\":3,\"fields\":\"6869\",\"replayed\":{\"cap\":3,\"event\":\"USER_MSG\","
               "\"type\":19,\"message\":\"hi\"}}");
    check_also(HECTIC_EVENT_SYNC, HECTIC_VARIABLE, 30, "\0\36\377\377\0", 5,
               "{\"time\":1200000,\"cap\":0,\"event\":\"SYNC\",\"type\":1999,\"number\":30,"
               "\"cap_no\":65535,\"fields\":\"00\",\"replayed\":{\"cap\":null,"
               "\"event\":\"PROGRAM_ARGS\",\"type\":30,\"malformed\":true}}");
    check_also(HECTIC_EVENT_SYNC, HECTIC_VARIABLE, 0, "\0\23\0\3hi", 6,
               "{\"time\":1200000,\"cap\":0,\"event\":\"SYNC\",\"type\":1999,\"number\":19,"
               "\"cap_no\":3,\"fields\":\"6869\"}");
}

static void unprintable_characters_are_escaped(void **state)
{
    (void)state;
    VARIABLE(19, "\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xc3\xa9",
             "\"USER_MSG\",\"type\":19,\"message\":\"\\u009b\\u202e\\u2028\xc3\xa9\"");
    VARIABLE(19, "\xf3\xa0\x80\x81\xf0\x9f\x98\x80",
             "\"USER_MSG\",\"type\":19,\"message\":\"\\udb40\\udc01\xf0\x9f\x98\x80\"");
    VARIABLE(23, "a\x9b\xad\xe9",
             "\"VERSION\",\"type\":23,\"version\":\"a\\u009b\\u00ad\xc3\xa9\"");
}

static void check_both(const struct rendering *r)
{
    for (int json = 0; json < 2; json++) {
        size_t length;
        char *const room = golden_render(r->renderer, &r->event, json == 1, &length);
        assert_true(is_utf8(room, length));
        if (json) assert_true(is_json_object(room, length));
        free(room);
    }
}

/* The bytes with the longest output, and random ones, in the longest payloads of every shape:
 * valid, and within the bound. */
/* An event of that size, or of several if that is variable; of a SYNC event, with that number of
 * the event that it holds. */
static void check_patterns(struct rendering *r, uint16_t declared, uint16_t held, uint64_t *seed)
{
    static const char *const patterns[] = {
        "\1",
        "\xff",
        "\"",
        "\0",
        "\xff"
        "0",
        "\xc2\x80"
        "0",
        "\16H",
        "\xf4\x8f\xbf\xbf"
        "1",
        "9",
        "\xff\0",
    };
    enum { PATTERNS = sizeof patterns / sizeof *patterns, RANDOM = 4 };
    uint8_t *const payload = malloc(65535);
    const bool is_sync = r->event.type == HECTIC_EVENT_SYNC && held != HECTIC_EVENT_SYNC;
    r->event.payload = payload;
    r->event.time = UINT64_MAX;
    for (size_t p = 0; p < PATTERNS + RANDOM; p++) {
        const size_t period = p < PATTERNS ? strlen(patterns[p]) + !*patterns[p] : 1;
        for (size_t b = 0; b < 65535; b++)
            payload[b] =
                p < PATTERNS ? (uint8_t)patterns[p][b % period] : (uint8_t)random_next(seed);
        /* Strings must be terminated, the first ones early. */
        for (unsigned s = 0; s < 8 && p % 2; s++)
            payload[s < 7 ? 30 + s * 3 : 65000] = 0;
        if (is_sync) memcpy(payload, (uint8_t[]){(uint8_t)(held >> 8), (uint8_t)held}, 2);
        for (unsigned s = 0; s < 3; s++) {
            const bool variable = declared == HECTIC_VARIABLE;
            r->event.size = variable ? (uint16_t[]){65535, 65001, 40}[s] : declared;
            r->event.cap = (uint16_t)(random_next(seed) | 0x8000);
            check_both(r);
        }
    }
    free(payload);
}

static void any_bytes_give_valid_json_and_text_within_the_bound(void **state)
{
    size_t count;
    uint64_t seed = 7;
    (void)state;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        const uint16_t number = shapes[i].number;
        const uint16_t declared = shapes[i].variable ? HECTIC_VARIABLE : shapes[i].size;
        struct rendering plain = rendering_of(number, declared);
        struct rendering sync =
            rendering_also(HECTIC_EVENT_SYNC, HECTIC_VARIABLE, "a description", 13, number);
        check_patterns(&plain, declared, HECTIC_EVENT_SYNC, &seed);
        check_patterns(&sync, HECTIC_VARIABLE, number, &seed);
        rendering_free(&plain);
        rendering_free(&sync);
    }
}

static void long_descriptions_stay_within_the_bound(void **state)
{
    (void)state;
    char *const description = malloc(HECTIC_DESCRIPTION_MAX);
    memset(description, 1, HECTIC_DESCRIPTION_MAX);
    struct rendering r =
        rendering_also(1000, HECTIC_VARIABLE, description, HECTIC_DESCRIPTION_MAX, 0);
    r.event.payload = (const uint8_t *)description;
    r.event.size = 65535;
    check_both(&r);
    assert_true(hectic_render_bound(&r.event) <= HECTIC_RENDER_MAX);
    rendering_free(&r);
    free(description);
}

/* Each payload of the log with every event, with random changes. */
static void changed_payloads_give_valid_json(void **state)
{
    uint64_t seed = 3;
    (void)state;
    struct bytes log = bytes_of_file("tests/logs/every-event.eventlog");
    struct found events = found_in(log.data, log.length);
    hectic_renderer *const renderer = hectic_renderer_new(hectic_decoder_header(events.decoder));
    for (size_t i = 0; i < events.count; i++) {
        hectic_event event = events.event[i];
        uint8_t *const payload = malloc(event.size ? event.size : 1);
        for (unsigned change = 0; change < 50; change++) {
            memcpy(payload, event.payload, event.size);
            for (unsigned byte = 0; byte < change % 5 && event.size; byte++)
                payload[random_below(&seed, event.size)] = (uint8_t)random_next(&seed);
            event.payload = payload;
            check_both(&(struct rendering){.renderer = renderer, .event = event});
            event.payload = events.event[i].payload;
        }
        free(payload);
    }
    hectic_renderer_free(renderer);
    found_free(&events);
    bytes_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_members),
        cmocka_unit_test(replayed_events_are_objects),
        cmocka_unit_test(enumerated_values_have_names),
        cmocka_unit_test(unprintable_characters_are_escaped),
        cmocka_unit_test(unknown_bytes_are_kept),
        cmocka_unit_test(global_events_have_no_cap),
        cmocka_unit_test(strings_stay_within_the_bound),
        cmocka_unit_test(any_bytes_give_valid_json_and_text_within_the_bound),
        cmocka_unit_test(long_descriptions_stay_within_the_bound),
        cmocka_unit_test(changed_payloads_give_valid_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
