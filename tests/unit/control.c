/* The control protocol, byte by byte. */
#include <hectic/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The number of commands in the bytes; the last one in *command. */
static size_t take(hectic_control_parser *p, const void *bytes, size_t length,
                   hectic_control_command *command)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count +=
            hectic_control_parse(p, ((const uint8_t *)bytes)[i], command) == HECTIC_CONTROL_COMMAND;
    return count;
}

#define MESSAGE                                                                                    \
    "\xf0\x9e\x97\x8c\0\x0f"                                                                       \
    "eventlog-socket\x05"

static void bytes_are_those_of_eventlog_socket(void **state)
{
    (void)state;
    uint8_t out[HECTIC_CONTROL_MESSAGE_MAX];
    const size_t length = sizeof MESSAGE - 1;
    assert_int_equal(hectic_control_encode(out, sizeof out, "eventlog-socket", 5), length);
    assert_memory_equal(out, MESSAGE, length);
    assert_int_equal(hectic_control_encode(NULL, 0, "eventlog-socket", 5), length);
    assert_int_equal(hectic_control_encode(out, sizeof out, "", 5), 0);
    char name[258] = {0};
    memset(name, 'n', 256);
    assert_int_equal(hectic_control_encode(out, sizeof out, name, 5), 0);
    name[255] = 0;
    assert_int_equal(hectic_control_encode(out, sizeof out, name, 5), sizeof out);
    hectic_control_parser p = {0};
    hectic_control_command command;
    assert_int_equal(take(&p, out, sizeof out, &command), 1);
    assert_string_equal(command.name, name);
}

static void commands_are_parsed_at_their_last_byte(void **state)
{
    (void)state;
    hectic_control_parser p = {0};
    hectic_control_command command;
    for (int again = 0; again < 3; again++) {
        assert_int_equal(take(&p, MESSAGE, sizeof MESSAGE - 2, &command), 0);
        assert_int_equal(take(&p, "\x05", 1, &command), 1);
        assert_int_equal(command.id, 5);
        assert_int_equal(command.length, 15);
        assert_string_equal(command.name, "eventlog-socket");
    }
    assert_false(p.invalid);
}

/* If any byte before the name changes, nothing after it is a command. */
static void a_changed_byte_ends_the_commands(void **state)
{
    (void)state;
    enum { SIZE = sizeof MESSAGE - 1, NAME = 6 };
    for (size_t at = 0; at < SIZE; at++)
        for (int value = 0; value < 256; value++) {
            uint8_t bytes[SIZE];
            memcpy(bytes, MESSAGE, SIZE);
            if (bytes[at] == value) continue;
            bytes[at] = (uint8_t)value;
            hectic_control_parser p = {0};
            hectic_control_command command = {0};
            const size_t first = take(&p, bytes, SIZE, &command);
            if (at >= NAME) assert_int_equal(first, 1);
            if (at == NAME - 1) continue; /* another length: a longer name, or garbage after it */
            assert_int_equal(take(&p, MESSAGE, SIZE, &command), at >= NAME);
            assert_int_equal(p.invalid, at < NAME);
        }
}

static void input_must_begin_with_a_command(void **state)
{
    (void)state;
    static const char *const others[] = {"POST / HTTP/1.1\r\n\r\n", "a-token\n", "\n",
                                         "\xf0\x9e\x97"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hectic_control_parser p = {0};
        hectic_control_command command;
        assert_int_equal(take(&p, others[i], strlen(others[i]), &command), 0);
        assert_int_equal(take(&p, MESSAGE, sizeof MESSAGE - 1, &command), 0);
        assert_true(p.invalid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_eventlog_socket),
        cmocka_unit_test(commands_are_parsed_at_their_last_byte),
        cmocka_unit_test(a_changed_byte_ends_the_commands),
        cmocka_unit_test(input_must_begin_with_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
