/* Texts of events that no log covers: odd, broken and unknown ones. */
#include "../../fuzz/json.h"
#include "render.h"
#include "render/renderer.h"
#include "render/units.h"

static void check_also(uint16_t number, uint16_t size, uint16_t extra_number, const char *payload,
                       size_t length, hectic_unknown_text unknown, const char *expected)
{
    struct rendering r = rendering_also(number, size, "a description", 13, extra_number);
    r.event.payload = (const uint8_t *)payload;
    r.event.size = (uint16_t)length;
    char *const room = malloc(hectic_render_bound(&r.event) + 1);
    room[hectic_render_text(r.renderer, &r.event, unknown, room)] = 0;
    assert_string_equal(room, expected);
    free(room);
    rendering_free(&r);
}

/* An event of variable size, or of the size of the literal. */
#define VARIABLE(number, payload, expected)                                                        \
    check_also(number, HECTIC_VARIABLE, 0, payload, sizeof payload - 1, HECTIC_UNKNOWN_DESCRIBED,  \
               expected)
#define FIXED(number, payload, expected)                                                           \
    check_also(number, sizeof payload - 1, 0, payload, sizeof payload - 1,                         \
               HECTIC_UNKNOWN_DESCRIBED, expected)

static void stop_statuses_that_ghc_never_writes_have_a_text(void **state)
{
    (void)state;
    FIXED(2, "\0\0\0\7\0\4\0\0\0\0", "stopping thread 7 (thread blocked)");
    FIXED(2, "\0\0\0\7\0\16\0\0\0\0", "stopping thread 7 (blocked in a foreign call)");
    FIXED(2, "\0\0\0\7\0\17\0\0\0\0", "stopping thread 7 (blocked in a foreign call)");
    FIXED(2, "\0\0\0\7\0\20\0\0\0\0", "stopping thread 7 (blocked in throwTo)");
    FIXED(2, "\0\0\0\7\0\21\0\0\0\0", "stopping thread 7 (thread migrating)");
    FIXED(2, "\0\0\0\7\0\25\0\0\0\0", "stopping thread 7 (unknown status 21)");
    FIXED(2, "\0\0\0\7\377\377\0\0\0\0", "stopping thread 7 (unknown status 65535)");
    FIXED(2, "\0\0\0\7\0\2\377\377\377\377", "stopping thread 7 (stack overflow, size 4294967295)");
}

/* GHC 7.8.2 put "reading an MVar" at 8, before the rest. USER_MARKER (58) indicates it. */
static void stop_statuses_of_ghc_7_8_2_are_understood(void **state)
{
    static const struct {
        uint8_t status;
        const char *text;
    } shifted[] = {
        {7, "blocked on an MVar"},
        {8, "blocked reading an MVar"},
        {9, "blocked on black hole owned by thread 5"},
        {10, "blocked on I/O read"},
        {13, "blocked in STM retry"},
        {19, "blocked in throwTo"},
        {20, "blocked reading an MVar"},
        {2, "stack overflow, size 5"},
        {21, "unknown status 21"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shifted / sizeof *shifted; i++) {
        const char payload[10] = {0, 0, 0, 7, 0, (char)shifted[i].status, 0, 0, 0, 5};
        char expected[100];
        snprintf(expected, sizeof expected, "stopping thread 7 (%s)", shifted[i].text);
        check_also(2, 10, HECTIC_EVENT_USER_MARKER, payload, 10, HECTIC_UNKNOWN_DESCRIBED,
                   expected);
    }
}

static void unknown_values_show_their_number(void **state)
{
    (void)state;
    VARIABLE(160, "\0\0\0\0\0\0\0\0\1\0\0\0\12\0\0\0\0\0\0\0",
             "start heap profiling 0 at sampling period 1 broken down by unknown breakdown 10");
    FIXED(69, "\117\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4",
          "sending/receiving message with tag tag 79 from process 1, thread 2 to process 3 on "
          "inport 4");
    FIXED(69, "\135\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4",
          "sending/receiving message with tag tag 93 from process 1, thread 2 to process 3 on "
          "inport 4");
}

static void bad_bytes_become_replacement_characters(void **state)
{
    (void)state;
    VARIABLE(19, "a\xff\xfez", "a\xef\xbf\xbd\xef\xbf\xbdz");
    VARIABLE(19, "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    VARIABLE(19, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    VARIABLE(19, "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");                 /* cut off */
    VARIABLE(19, "12345678\xe2\x82\xac\xe2", "12345678\xe2\x82\xac\xef\xbf\xbd");
    VARIABLE(19, "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xe0\xa0\x80\xc2\x80",
             "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xe0\xa0\x80\xc2\x80");
    VARIABLE(23, "caf\xe9", "compiler version is caf\xc3\xa9"); /* Latin-1 has none */
    VARIABLE(30,
             "\0\0\0\1\xff"
             "5",
             "capset 1: args: [\"\\65533\\&5\"]");
}

/* Bytes after a text are not a part of it. */
static void bytes_after_a_text_are_ignored(void **state)
{
    (void)state;
    check_also(19, HECTIC_VARIABLE, 0, "\xe2\x82\xac", 2, HECTIC_UNKNOWN_DESCRIBED,
               "\xef\xbf\xbd\xef\xbf\xbd");
    check_also(30, HECTIC_VARIABLE, 0, "\0\0\0\1\xc3\xbc", 5, HECTIC_UNKNOWN_DESCRIBED,
               "capset 1: args: [\"\\65533\"]");
    check_also(181, HECTIC_VARIABLE, 0, "ab\xc3\xbc", 3, HECTIC_UNKNOWN_DESCRIBED,
               "binary message ab.");
}

/* As ghc -e 'show [...]' prints them. */
static void lists_are_shown_as_haskell_does(void **state)
{
    (void)state;
    VARIABLE(30, "\0\0\0\1", "capset 1: args: [\"\"]");
    VARIABLE(30, "\0\0\0\1\0\0", "capset 1: args: [\"\"]");
    VARIABLE(30, "\0\0\0\1a\0\0b\0", "capset 1: args: [\"a\",\"\",\"b\"]");
    VARIABLE(30, "\0\0\0\1\"\\'", "capset 1: args: [\"\\\"\\\\'\"]");
    VARIABLE(30, "\0\0\0\1\a\b\t\n\v\f\r", "capset 1: args: [\"\\a\\b\\t\\n\\v\\f\\r\"]");
    VARIABLE(30, "\0\0\0\1\1\16\17\33\37\177", "capset 1: args: [\"\\SOH\\SO\\SI\\ESC\\US\\DEL\"]");
    VARIABLE(30, "\0\0\0\1\16H\16\0H\16I", "capset 1: args: [\"\\SO\\&H\\SO\",\"H\\SOI\"]");
    VARIABLE(30,
             "\0\0\0\1\xc3\xbc"
             "1\xc3\xbc"
             "a\xc3\xbc\0"
             "1",
             "capset 1: args: [\"\\252\\&1\\252a\\252\",\"1\"]");
    VARIABLE(30,
             "\0\0\0\1\177"
             "1\1"
             "1",
             "capset 1: args: [\"\\DEL1\\SOH1\"]");
    VARIABLE(30, "\0\0\0\1\xf4\x8f\xbf\xbf", "capset 1: args: [\"\\1114111\"]");
}

static void unknown_and_malformed_events_are_described_or_numbered(void **state)
{
    static const struct {
        uint16_t number, size;
        const char *payload;
        size_t length;
    } events[] = {
        {1000, 3, "abc", 3},                       /* of a future version */
        {1000, HECTIC_VARIABLE, "", 0},            /* likewise */
        {HECTIC_EVENT_SHUTDOWN, 0, "", 0},         /* known, without a text */
        {HECTIC_EVENT_CREATE_THREAD, 3, "abc", 3}, /* of an unknown size */
        {HECTIC_EVENT_USER_MSG, 3, "abc", 3},      /* not of variable size */
        {HECTIC_EVENT_GC_START, HECTIC_VARIABLE, "", 0},
        {HECTIC_EVENT_CREATE_THREAD, 4, "abc", 3}, /* shorter than declared */
        {HECTIC_EVENT_PROGRAM_ARGS, HECTIC_VARIABLE, "\0\0\0", 3},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING, HECTIC_VARIABLE, "\0\0\0\0\0\0\0\0\0x", 10},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, HECTIC_VARIABLE,
         "\0\0\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0", 17},
        {HECTIC_EVENT_TICKY_COUNTER_DEF, HECTIC_VARIABLE, "\0\0\0\0\0\0\0\0\0\1\0\0x", 13},
    };
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char numbered[40];
        snprintf(numbered, sizeof numbered, "Unknown Event (ref: %u)", events[i].number);
        check_also(events[i].number, events[i].size, 0, events[i].payload, events[i].length,
                   HECTIC_UNKNOWN_DESCRIBED, "a description");
        check_also(events[i].number, events[i].size, 0, events[i].payload, events[i].length,
                   HECTIC_UNKNOWN_NUMBERED, numbered);
    }
}

/* The last declaration of a number wins. */
static void an_event_is_rendered_by_its_last_declaration(void **state)
{
    (void)state;
    check_also(2, 10, 2, "", 0, HECTIC_UNKNOWN_DESCRIBED, "");
}

static void times_come_before_the_cap_and_the_text(void **state)
{
    static const struct {
        uint64_t time;
        uint16_t cap;
        const char *raw, *pretty;
    } lines[] = {
        {0, HECTIC_CAP_NONE, "0: GC idle", "  0s   0ms   0.0  us: GC idle"},
        {1200000, 0, "1200000: cap 0: GC idle", "  0s   1ms 200.0  us: cap 0: GC idle"},
        {12345678901, 9, "12345678901: cap 9: GC idle", " 12s 345ms 678.901us: cap 9: GC idle"},
        {999999999999, 10, "999999999999: cap 10: GC idle",
         "999s 999ms 999.999us: cap 10: GC idle"},
        {1000000000010, 65534, "1000000000010: cap 65534: GC idle",
         "1000s   0ms   0.10 us: cap 65534: GC idle"},
        {UINT64_MAX, 100, "18446744073709551615: cap 100: GC idle",
         "18446744073s 709ms 551.615us: cap 100: GC idle"},
    };
    (void)state;
    struct rendering r = rendering_of(HECTIC_EVENT_GC_IDLE, 0);
    char room[5000];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        r.event.time = lines[i].time;
        r.event.cap = lines[i].cap;
        room[hectic_render_line(r.renderer, &r.event, HECTIC_TIME_RAW, HECTIC_UNKNOWN_DESCRIBED,
                                room)] = 0;
        assert_string_equal(room, lines[i].raw);
        room[hectic_render_line(r.renderer, &r.event, HECTIC_TIME_PRETTY, HECTIC_UNKNOWN_DESCRIBED,
                                room)] = 0;
        assert_string_equal(room, lines[i].pretty);
    }
    rendering_free(&r);
}

/* Numbers of all lengths, as printed by the C library, without writing beyond their size. */
static void numbers_are_exact(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t value = random_next(&seed) >> (i % 64);
        if (i < 100) {
            value = 1;
            for (unsigned power = 0; power < i / 5; power++)
                value *= 10;
            value += i % 5 - 2;
        }
        char expected[24], *room;
        const size_t length =
            (size_t)snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
        room = malloc(length);
        assert_int_equal(hectic_render_u64(value, room), length);
        assert_memory_equal(room, expected, length);
        free(room);

        uint8_t payload[8];
        for (size_t b = 0; b < 8; b++)
            payload[b] = (uint8_t)(value >> (56 - 8 * b));
        char task[64];
        snprintf(task, sizeof task, "task 0x%llx deleted", (unsigned long long)value);
        check_also(HECTIC_EVENT_TASK_DELETE, 8, 0, (const char *)payload, 8,
                   HECTIC_UNKNOWN_DESCRIBED, task);
    }
}

static void types_are_listed(void **state)
{
    char room[64 + 4 * 4 + 1];
    (void)state;
    hectic_event_type type = {.number = 65534, .size = 18, .description = "a\xff\xff\xff"};
    type.description_length = 4;
    room[render_type(&type, room)] = 0;
    assert_string_equal(room, "65534: a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd (size 18)");
    type.size = HECTIC_VARIABLE;
    room[render_type(&type, room)] = 0;
    assert_string_equal(room, "65534: a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd (size variable)");
}

/* --- Text for terminals ---------------------------------------------------------------------- */

static struct bytes visible(const char *text, size_t length)
{
    struct bytes out = {0};
    bytes_grow(&out, 4 * length + 1);
    out.length = hectic_render_visible(text, length, (char *)out.data);
    assert_true(out.length <= 4 * length);
    out.data[out.length] = 0;
    return out;
}

static void unprintable_characters_are_escaped(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"plain \\ \xc3\xa9 \xf0\x9f\x98\x80", "plain \\ \xc3\xa9 \xf0\x9f\x98\x80"},
        {"\a\b\t\n\v\f\r\x1b\x01\x7f", "\\a\\b\\t\\n\\v\\f\\r\\x1b\\x01\\x7f"},
        {"\xc2\x9b\xc2\x85", "\\u009b\\u0085"},                /* C1 */
        {"\x9b\xff\xe2\x80", "\\x9b\\xff\\xe2\\x80"},          /* invalid UTF-8 */
        {"\xe2\x80\xae\xe2\x81\xa6", "\\u202e\\u2066"},        /* from right to left */
        {"\xe2\x80\xa8\xe2\x80\x8b", "\\u2028\\u200b"},        /* line separator; zero width */
        {"\xef\xbb\xbf\xee\x80\x80", "\\ufeff\\ue000"},        /* byte order; private */
        {"\xf3\xa0\x80\x81", "\\U000e0001"},                   /* tag */
        {"\xf4\x8f\xbf\xbf", "\\U0010ffff"},                   /* unassigned */
        {"\xed\xa0\x80\xc0\x80", "\\xed\\xa0\\x80\\xc0\\x80"}, /* surrogate, overlong NUL */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes out = visible(cases[i][0], strlen(cases[i][0]));
        assert_string_equal(out.data, cases[i][1]);
        bytes_free(&out);
    }
    struct bytes nul = visible("\0", 1);
    assert_string_equal(nul.data, "\\x00");
    bytes_free(&nul);
}

/* The output has no control characters, in ASCII or UTF-8, and escaping is idempotent. */
static void any_bytes_become_printable(void **state)
{
    (void)state;
    enum { RUNS = 20000, LONGEST = 40 };
    uint64_t seed = 9;
    for (unsigned run = 0; run < RUNS; run++) {
        char text[LONGEST];
        const size_t length = random_below(&seed, LONGEST);
        for (size_t i = 0; i < length; i++) /* a small range, so that there is UTF-8 among them */
            text[i] = "\x1b\xc2\x9b\x80\xe2\xae\xf0\x9f a\n\\"[random_below(&seed, 12)];
        struct bytes once = visible(text, length);
        assert_true(is_utf8((const char *)once.data, once.length));
        for (size_t i = 0; i < once.length; i++) {
            const uint8_t c = once.data[i];
            assert_true(c >= 0x20 && c != 0x7f);
            assert_false(c == 0xc2 && once.data[i + 1] < 0xa0);
        }
        struct bytes twice = visible((const char *)once.data, once.length);
        bytes_assert_equal(&once, &twice);
        bytes_free(&once);
        bytes_free(&twice);
    }
}

/* A SYNC event has the text of the replayed event, if the header declares that. */
static void replayed_events_are_shown(void **state)
{
    (void)state;
#define SYNC_TEXT(declared, payload, unknown, expected)                                            \
    check_also(HECTIC_EVENT_SYNC, HECTIC_VARIABLE, declared, payload, sizeof payload - 1, unknown, \
               expected)
    SYNC_TEXT(19, "\0\23\0\3hello", HECTIC_UNKNOWN_DESCRIBED, "a description: cap 3: hello");
    SYNC_TEXT(19, "\0\23\377\377hello", HECTIC_UNKNOWN_DESCRIBED, "a description: hello");
    SYNC_TEXT(19, "\0\23\0\3hello", HECTIC_UNKNOWN_NUMBERED,
              "Unknown Event (ref: 1999): cap 3: hello");
    SYNC_TEXT(30, "\0\36\0\3a", HECTIC_UNKNOWN_DESCRIBED,
              "a description: cap 3: Unknown Event (ref: 30)");
    SYNC_TEXT(19, "\0\0\0\3\0\0\0\7", HECTIC_UNKNOWN_DESCRIBED, "a description");
    SYNC_TEXT(19, "\0\23\0", HECTIC_UNKNOWN_DESCRIBED, "a description");
    SYNC_TEXT(19, "", HECTIC_UNKNOWN_DESCRIBED, "a description");
    SYNC_TEXT(19, "\7\317\0\3\0\23\0\3hello", HECTIC_UNKNOWN_DESCRIBED, "a description");
#undef SYNC_TEXT
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_statuses_that_ghc_never_writes_have_a_text),
        cmocka_unit_test(stop_statuses_of_ghc_7_8_2_are_understood),
        cmocka_unit_test(unknown_values_show_their_number),
        cmocka_unit_test(bad_bytes_become_replacement_characters),
        cmocka_unit_test(bytes_after_a_text_are_ignored),
        cmocka_unit_test(lists_are_shown_as_haskell_does),
        cmocka_unit_test(unknown_and_malformed_events_are_described_or_numbered),
        cmocka_unit_test(an_event_is_rendered_by_its_last_declaration),
        cmocka_unit_test(times_come_before_the_cap_and_the_text),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(types_are_listed),
        cmocka_unit_test(unprintable_characters_are_escaped),
        cmocka_unit_test(any_bytes_become_printable),
        cmocka_unit_test(replayed_events_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
