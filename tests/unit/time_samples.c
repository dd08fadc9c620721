/* Call stacks in the messages of ghc-stack-profiler: its releases, parts, late definitions, and
 * what is malformed. */
#include "events.h"

#include "profiles/time_samples.h"

enum { SAMPLES_MAX = 64, TEXT_MAX = 512 };

/* A consumer, and the samples that it gave. */
struct reader {
    hectic_time_samples *samples;
    hectic_time_sample sample[SAMPLES_MAX];
    size_t count;
};

static bool take(void *user, const hectic_time_sample *sample)
{
    struct reader *reader = user;
    assert_true(reader->count < SAMPLES_MAX);
    reader->sample[reader->count++] = *sample;
    return true;
}

static int setup(void **state)
{
    struct reader *reader = calloc(1, sizeof *reader);
    reader->samples = hectic_time_samples_new(1, 0, 0, take, reader);
    *state = reader;
    return reader->samples ? 0 : -1;
}

static int teardown(void **state)
{
    struct reader *reader = *state;
    hectic_time_samples_free(reader->samples);
    free(reader);
    return 0;
}

/* A message that is put together. */
struct message {
    uint8_t bytes[65535];
    size_t size;
};

static void put(struct message *m, uint64_t number, size_t bytes)
{
    assert_true(m->size + bytes <= sizeof m->bytes);
    event_put(m->bytes + m->size, number, bytes);
    m->size += bytes;
}

static void post(struct reader *reader, uint64_t time, uint16_t cap, const struct message *m)
{
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {.time = time,
                                .payload = m->bytes,
                                .declared = &type,
                                .type = HECTIC_EVENT_USER_BINARY_MSG,
                                .size = (uint16_t)m->size,
                                .cap = cap};
    assert_true(hectic_time_samples_event(reader->samples, &event));
}

static void post_string(struct reader *reader, uint64_t number, const char *text, size_t length)
{
    static struct message m;
    m.size = 0;
    put(&m, 0xffcc, 2);
    put(&m, number, 8);
    put(&m, length, 2);
    for (size_t i = 0; i < strlen(text); i++)
        put(&m, (uint8_t)text[i], 1);
    post(reader, 1, 0, &m);
}

/* `function`: UINT64_MAX in releases from 0.3 on. */
static void post_location(struct reader *reader, uint64_t number, uint32_t row, uint32_t column,
                          uint64_t function, uint64_t file)
{
    static struct message m;
    m.size = 0;
    put(&m, 0xffcd, 2);
    put(&m, number, 8);
    put(&m, row, 4);
    put(&m, column, 4);
    if (function != UINT64_MAX) put(&m, function, 8);
    put(&m, file, 8);
    post(reader, 1, 0, &m);
}

/* A frame: 'i' (an info table), 's' (a string), 'b' (a string and a location), 'l' (a location, up
 * to release 0.2). */
struct frame {
    char kind;
    uint64_t number, location;
};

struct stack {
    uint16_t tag; /* 0xffca, 0xffcb */
    uint32_t cap;
    uint64_t thread;
    size_t thread_bytes, count;
    const struct frame *frame; /* in the order of the message */
};

static void put_stack(struct message *m, const struct stack *stack)
{
    m->size = 0;
    put(m, stack->tag, 2);
    put(m, stack->cap, 4);
    put(m, stack->thread, stack->thread_bytes);
    put(m, stack->count, 2);
    for (size_t i = 0; i < stack->count; i++) {
        const struct frame *frame = &stack->frame[i];
        put(m, frame->kind == 'i' ? 1 : frame->kind == 's' ? 2 : 3, 1);
        put(m, frame->number, 8);
        if (frame->kind == 'b') put(m, frame->location, 8);
    }
}

static void post_stack(struct reader *reader, uint64_t time, uint16_t event_cap,
                       const struct stack *stack)
{
    static struct message m;
    put_stack(&m, stack);
    post(reader, time, event_cap, &m);
}

#define FRAMES(...)                                                                                \
    .count = sizeof((const struct frame[]){__VA_ARGS__}) / sizeof(struct frame),                   \
    .frame = (const struct frame[])                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void define_info_table(struct reader *reader, uint64_t address, const char *label,
                              const char *module, const char *location)
{
    struct message m = {.size = 0};
    put(&m, address, 8);
    const char *const texts[] = {"table_info", "closure", "type", label, module, location};
    for (size_t i = 0; i < 6; i++) {
        memcpy(m.bytes + m.size, texts[i], strlen(texts[i]) + 1);
        m.size += strlen(texts[i]) + 1;
    }
    const hectic_event_type type = {.size = HECTIC_VARIABLE};
    const hectic_event event = {.time = 1,
                                .payload = m.bytes,
                                .declared = &type,
                                .type = HECTIC_EVENT_IPE,
                                .size = (uint16_t)m.size,
                                .cap = HECTIC_CAP_NONE};
    assert_true(hectic_time_samples_event(reader->samples, &event));
}

/* "outermost|…|innermost", each with its location after an @. */
static const char *stack_text(struct reader *reader, size_t sample, char text[TEXT_MAX])
{
    assert_true(sample < reader->count);
    const hectic_symbols *symbols = hectic_time_samples_symbols(reader->samples);
    const hectic_stack_node *nodes = hectic_stacks_nodes(
        hectic_time_samples_stacks(reader->samples, reader->sample[sample].source));
    uint32_t node = reader->sample[sample].node;
    char before[TEXT_MAX] = "";
    text[0] = 0;
    for (; node != HECTIC_STACKS_ROOT; node = nodes[node].parent) {
        char name[100];
        const hectic_symbol symbol = hectic_symbols_get(symbols, nodes[node].symbol);
        memcpy(before, text, TEXT_MAX);
        snprintf(text, TEXT_MAX, "%s%s%s%s%s", hectic_symbol_text(&symbol, name, sizeof name),
                 symbol.location ? "@" : "", symbol.location ? symbol.location : "",
                 before[0] ? "|" : "", before);
    }
    return text;
}

static void check(struct reader *reader, size_t sample, const char *expected)
{
    char text[TEXT_MAX];
    assert_string_equal(stack_text(reader, sample, text), expected);
}

static uint64_t left_out(const struct reader *reader)
{
    return hectic_time_samples_warnings(reader->samples).messages;
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void a_stack_is_outermost_first(void **state)
{
    struct reader *reader = *state;
    post_string(reader, 0, "main", 4);
    post_string(reader, 1, "Main.hs", 7);
    post_location(reader, 0, 12, 3, UINT64_MAX, 1);
    define_info_table(reader, 0x4711, "go", "Lib", "Lib.hs:1:2-3");
    post_stack(
        reader, 100, 0,
        &(struct stack){.tag = 0xffca,
                        .cap = 1,
                        .thread = 7,
                        .thread_bytes = 4,
                        FRAMES({'b', 0, 0}, {'s', 0, 0}, {'i', 0x4711, 0}, {'i', 0x4712, 0})});
    post_stack(
        reader, 150, 0,
        &(struct stack){.tag = 0xffca, .cap = 1, .thread = 8, .thread_bytes = 4, .count = 0});
    assert_int_equal(reader->count, 2);
    check(reader, 0, "main@Main.hs:12:3|main|go@Lib.hs:1:2-3|0x4712");
    check(reader, 1, "");
    assert_int_equal(reader->sample[0].source, HECTIC_TIME_CALL_STACKS);
    assert_int_equal(reader->sample[0].time, 100);
    assert_int_equal(reader->sample[0].cap, 1);
    assert_int_equal(reader->sample[0].thread, 7);
    assert_int_equal(reader->sample[0].since, 0);
    assert_int_equal(reader->sample[1].thread, 8);
    assert_int_equal(reader->sample[1].since, 50);
    assert_int_equal(left_out(reader), 0);
}

static void releases_after_0_4_are_read(void **state)
{
    struct reader *reader = *state;
    post(reader, 1, 0, &(struct message){.bytes = {0xff, 0xc0, 0}, .size = 3});
    post_string(reader, 0, "größer", strlen("größer")); /* bytes */
    post_stack(reader, 5, 0,
               &(struct stack){.tag = 0xffca,
                               .cap = 0,
                               .thread = (UINT64_C(1) << 40) + 1,
                               .thread_bytes = 8,
                               FRAMES({'s', 0, 0}, {'i', 2, 0})});
    assert_int_equal(reader->count, 1);
    check(reader, 0, "größer|0x2");
    assert_int_equal(reader->sample[0].thread, (UINT64_C(1) << 40) + 1);
    assert_int_equal(left_out(reader), 0);
}

static void releases_up_to_0_2_are_innermost_first(void **state)
{
    struct reader *reader = *state;
    post_string(reader, 0, "größer", 6); /* characters */
    post_string(reader, 1, "Main.hs", 7);
    post_location(reader, 9, 12, 3, 0, 1);
    post_stack(reader, 5, 0,
               &(struct stack){.tag = 0xffcb,
                               .cap = 0,
                               .thread = 1,
                               .thread_bytes = 4,
                               FRAMES({'i', 1, 0}, {'i', 2, 0})});
    post_stack(reader, 5, 0,
               &(struct stack){.tag = 0xffca,
                               .cap = 0,
                               .thread = 1,
                               .thread_bytes = 4,
                               FRAMES({'i', 3, 0}, {'l', 9, 0})});
    check(reader, 0, "größer@Main.hs:12:3|0x3|0x2|0x1");
    assert_int_equal(left_out(reader), 0);
}

static void parts_are_joined_by_cap_and_thread(void **state)
{
    struct reader *reader = *state;
    struct stack stack = {
        .tag = 0xffcb, .cap = 0, .thread = 1, .thread_bytes = 4, FRAMES({'i', 1, 0}, {'i', 2, 0})};
    post_stack(reader, 10, 0, &stack);
    stack.cap = 1;
    post_stack(reader, 11, 1, &stack); /* another cap */
    stack.cap = 0;
    stack.thread = 2;
    post_stack(reader, 12, 0, &stack); /* another thread */
    stack.thread = 1;
    post_stack(reader, 13, 3, &stack); /* another writer */
    assert_int_equal(left_out(reader), 4);
    post_stack(reader, 14, 0,
               &(struct stack){
                   .tag = 0xffcb, .cap = 0, .thread = 1, .thread_bytes = 4, FRAMES({'i', 3, 0})});
    const struct frame last[] = {{'i', 4, 0}};
    stack = (struct stack){
        .tag = 0xffca, .cap = 1, .thread = 1, .thread_bytes = 4, .count = 1, .frame = last};
    post_stack(reader, 15, 1, &stack);
    stack.cap = 0;
    post_stack(reader, 16, 0, &stack);
    post_stack(reader, 17, 0, &stack); /* whole by itself */
    stack.thread = 2;
    post_stack(reader, 18, 0, &stack);
    assert_int_equal(reader->count, 4);
    check(reader, 0, "0x1|0x2|0x4");
    check(reader, 1, "0x1|0x2|0x3|0x4");
    check(reader, 2, "0x4");
    check(reader, 3, "0x1|0x2|0x4");
    assert_int_equal(reader->sample[0].cap, 1);
    assert_int_equal(left_out(reader), 1); /* the last part of the other writer's is missing */
}

static void definitions_may_come_late(void **state)
{
    struct reader *reader = *state;
    post_stack(reader, 5, 0,
               &(struct stack){.tag = 0xffca,
                               .thread_bytes = 4,
                               FRAMES({'b', 3, 4}, {'s', 3, 0}, {'s', 5, 0}, {'i', 6, 0})});
    check(reader, 0, "string 9223372036854775808|string 3|string 5|0x6");
    post_string(reader, 3, "late", 4);
    check(reader, 0, "late|late|string 5|0x6");
    post_location(reader, 4, 1, 2, UINT64_MAX, 7);
    post_string(reader, 7, "A.hs", 4);
    define_info_table(reader, 6, "f", "M", "M.hs:1:1");
    check(reader, 0, "late@A.hs:1:2|late|string 5|f@M.hs:1:1");
}

static void a_redefinition_begins_a_new_symbol(void **state)
{
    struct reader *reader = *state;
    const struct frame frames[] = {{'b', 0, 0}, {'s', 0, 0}};
    const struct stack stack = {.tag = 0xffca, .thread_bytes = 4, .count = 2, .frame = frames};
    for (int i = 0; i < 2; i++) {
        post_string(reader, 0, i ? "second" : "first", i ? 6 : 5);
        post_string(reader, 1, "A.hs", 4);
        post_location(reader, 0, 1, 2, UINT64_MAX, 1);
        post_stack(reader, 5, 0, &stack);
        post_stack(reader, 6, 0, &stack);
    }
    post_location(reader, 0, 3, 4, UINT64_MAX, 1);
    post_stack(reader, 7, 0, &stack);
    check(reader, 0, "first@A.hs:1:2|first");
    check(reader, 2, "second@A.hs:1:2|second");
    check(reader, 4, "second@A.hs:3:4|second");
    assert_int_equal(reader->sample[0].node, reader->sample[1].node);
    assert_int_equal(reader->sample[2].node, reader->sample[3].node);
}

static void malformed_messages_are_left_out(void **state)
{
    struct reader *reader = *state;
    const struct stack stack = {.tag = 0xffca,
                                .cap = 0,
                                .thread = 1,
                                .thread_bytes = 4,
                                FRAMES({'i', 1, 0}, {'b', 2, 3}, {'s', 4, 0})};
    static struct message m;
    put_stack(&m, &stack);
    const size_t whole = m.size;
    uint64_t expected = 0;
    for (size_t size = 2; size < whole; size++, expected++) {
        m.size = size;
        post(reader, 5, 0, &m);
    }
    assert_int_equal(left_out(reader), expected);
    m.size = whole + 1;
    post(reader, 5, 0, &m); /* too long */
    m.size = whole;
    m.bytes[12] = 9;
    post(reader, 5, 0, &m); /* a frame of an unknown kind */
    assert_int_equal(left_out(reader), expected += 2);
    post_string(reader, 0, "abc", 4);
    post_string(reader, 0, "abc", 2);
    post_string(reader, UINT64_MAX, "abc", 3);
    assert_int_equal(left_out(reader), expected += 3);
    post(reader, 5, 0, &(struct message){.bytes = {0xff, 0xcd, 1, 2, 3}, .size = 5});
    assert_int_equal(left_out(reader), expected + 1);
    /* Foreign messages are none of ours. */
    post(reader, 5, 0, &(struct message){.bytes = {0xff}, .size = 1});
    post(reader, 5, 0, &(struct message){.size = 0});
    post(reader, 5, 0, &(struct message){.bytes = "hello", .size = 5});
    post(reader, 5, 0, &(struct message){.bytes = {0xff, 0xce, 0}, .size = 3});
    assert_int_equal(left_out(reader), expected + 1);
    assert_int_equal(reader->count, 0);
    post_stack(reader, 6, 0, &stack);
    assert_int_equal(reader->count, 1);
    check(reader, 0, "0x1|string 9223372036854775808|string 4");
}

static void unfinished_stacks_are_bounded(void **state)
{
    struct reader *reader = *state;
    struct stack stack = {.tag = 0xffcb, .thread_bytes = 4, FRAMES({'i', 1, 0})};
    for (stack.thread = 0; stack.thread < 1000; stack.thread++)
        post_stack(reader, 5, 0, &stack);
    assert_int_equal(left_out(reader), 1000);
    /* One endless stack: it is dropped when it is too long. */
    static struct frame many[7000];
    for (size_t i = 0; i < 7000; i++)
        many[i] = (struct frame){'i', i, 0};
    stack.frame = many;
    stack.count = 7000;
    stack.thread = 0;
    for (size_t i = 0; i < 200; i++)
        post_stack(reader, 5, 0, &stack);
    stack.tag = 0xffca;
    stack.count = 1;
    stack.thread = 1;
    post_stack(reader, 6, 0, &stack);
    check(reader, 0, "0x1|0x0");
}

static void a_tick_of_a_cap_counts_from_the_one_before(void **state)
{
    struct reader *reader = *state;
    static const uint64_t ticks[][4] = {
        /* time, tick, cap, since */
        {1000, 1, 0, 100}, {1001, 1, 1, 100}, {1110, 2, 0, 110}, {1111, 2, 1, 110},
        {1500, 6, 0, 390}, {1512, 6, 1, 100}, {1490, 7, 0, 0},   {1600, 8, 0, 110},
    };
    EVENT(hectic_time_samples_event, reader->samples, 1, HECTIC_CAP_NONE, PROF_BEGIN, "", 100);
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        uint8_t room[13] = {0};
        event_put(event_put(room, ticks[i][2], 4), ticks[i][1], 8);
        const hectic_event_type type = {.size = HECTIC_VARIABLE};
        const hectic_event event = {.time = ticks[i][0],
                                    .payload = room,
                                    .declared = &type,
                                    .type = HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE,
                                    .size = 13,
                                    .cap = HECTIC_CAP_NONE};
        assert_true(hectic_time_samples_event(reader->samples, &event));
        const hectic_time_sample *sample = &reader->sample[i];
        assert_int_equal(sample->source, HECTIC_TIME_COST_CENTRES);
        assert_int_equal(sample->tick, ticks[i][1]);
        assert_int_equal(sample->cap, ticks[i][2]);
        assert_int_equal(sample->since, ticks[i][3]);
        assert_int_equal(sample->interval, 100);
        assert_int_equal(sample->node, HECTIC_STACKS_ROOT);
    }
}

static void kinds_need_no_location_of_the_runtime(void **state)
{
    (void)state;
    const hectic_symbol own = {.kind = HECTIC_SYMBOL_COST_CENTRE, .name = "GC", .location = "A.hs"};
    assert_int_equal(hectic_time_kind_of(&own), HECTIC_TIME_OWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stack_is_outermost_first, setup, teardown),
        cmocka_unit_test_setup_teardown(releases_after_0_4_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(releases_up_to_0_2_are_innermost_first, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_are_joined_by_cap_and_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(definitions_may_come_late, setup, teardown),
        cmocka_unit_test_setup_teardown(a_redefinition_begins_a_new_symbol, setup, teardown),
        cmocka_unit_test_setup_teardown(malformed_messages_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(unfinished_stacks_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tick_of_a_cap_counts_from_the_one_before, setup,
                                        teardown),
        cmocka_unit_test(kinds_need_no_location_of_the_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
