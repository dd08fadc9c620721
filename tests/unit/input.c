/* Inputs that read from a function. */
#include <hectic/input.h>

#include "bytes.h"
#include "read/input.h"

struct given {
    const uint8_t *bytes;
    size_t length, at, piece;
    int calls, closed;
    bool fails;
    uint64_t wanted; /* by `enough` */
};

static ptrdiff_t give(void *user, void *buffer, size_t size, hectic_error *error)
{
    struct given *g = user;
    g->calls++;
    if (g->at == g->length && g->fails) {
        *error = (hectic_error){.kind = HECTIC_IO, .number = 5};
        return -1;
    }
    size_t length = g->length - g->at;
    if (length > g->piece) length = g->piece;
    if (length > size) length = size;
    memcpy(buffer, g->bytes + g->at, length);
    g->at += length;
    return (ptrdiff_t)length;
}

static void close_it(void *user)
{
    struct given *g = user;
    g->closed++;
}

static bool enough(void *user, const void *bytes, size_t length)
{
    struct given *g = user;
    (void)bytes;
    g->wanted -= length < g->wanted ? length : g->wanted;
    return g->wanted == 0;
}

static hectic_input *open_it(struct given *g)
{
    const hectic_reader reader = {.user = g, .read = give, .close = close_it};
    hectic_input *input = hectic_input_from_reader(&reader);
    assert_non_null(input);
    assert_int_equal(g->calls, 0); /* it does not wait before the first read */
    return input;
}

static size_t read_all(hectic_input *input, uint8_t *to, size_t size)
{
    size_t got = 0;
    ptrdiff_t length;
    hectic_error error;
    while ((length = hectic_input_read(input, to + got, size - got, &error)) > 0)
        got += (size_t)length;
    assert_int_equal(length, 0);
    return got;
}

static void readers_given_by_the_caller_work(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "hdrbhetbhete"
                                   "hdredatb"
                                   " what is behind a header";
    uint8_t got[100], again[10];
    hectic_error error;
    for (size_t piece = 1; piece <= sizeof bytes; piece++) {
        struct given g = {.bytes = bytes, .length = sizeof bytes, .piece = piece};
        hectic_input *input = open_it(&g);
        assert_int_equal(read_all(input, got, sizeof got), sizeof bytes);
        assert_memory_equal(got, bytes, sizeof bytes);
        assert_string_equal(hectic_input_kind(input), "pipe");
        hectic_input_free(input);
        assert_int_equal(g.closed, 1);

        g = (struct given){.bytes = bytes, .length = sizeof bytes, .piece = piece};
        input = open_it(&g);
        assert_false(hectic_input_is_random(input));
        assert_true(hectic_input_make_random(input, &error));
        assert_int_equal(hectic_input_pread(input, 6, again, 7, &error), 7);
        assert_memory_equal(again, bytes + 6, 7);
        assert_int_equal(read_all(input, got, sizeof got), sizeof bytes);
        hectic_input_free(input);
    }
}

static void reading_ends_at_the_limit(void **state)
{
    (void)state;
    static const uint8_t bytes[100] = "hdrbhetbhete"
                                      "hdredatb";
    uint8_t got[200];
    for (int random = 0; random < 2; random++) {
        struct given g = {.bytes = bytes, .length = sizeof bytes, .piece = 10, .wanted = 34};
        hectic_input *input = open_it(&g);
        input_until(input, enough, &g);
        hectic_error error;
        if (random) assert_true(hectic_input_make_random(input, &error));
        const size_t length = read_all(input, got, sizeof got);
        assert_true(length >= 34 && length < 34 + 10);
        assert_int_equal(g.at, length);
        hectic_input_free(input);
    }
}

static void errors_are_reported(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "ab";
    uint8_t got[10];
    struct given g = {.bytes = bytes, .length = 2, .piece = 10, .fails = true};
    hectic_input *input = open_it(&g);
    hectic_error error = {0};
    assert_int_equal(hectic_input_read(input, got, sizeof got, &error), -1);
    assert_int_equal(error.kind, HECTIC_IO);
    assert_int_equal(error.number, 5);
    hectic_input_free(input);
    assert_int_equal(g.closed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_given_by_the_caller_work),
        cmocka_unit_test(reading_ends_at_the_limit),
        cmocka_unit_test(errors_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
