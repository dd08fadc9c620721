/* Numbers and times in few characters, and texts that are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/text.h"
#include "render/units.h"

#include <string.h>

static void times_have_a_suitable_unit(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } times[] = {{0, "0ns"},           {999, "999ns"},       {1000, "1.0us"},
                 {12.4e6, "12ms"},     {999e9, "999s"},      {1000e9, "17m"},
                 {999 * 60e9, "999m"}, {17 * 3600e9, "17h"}, {42 * 86400e9, "42d"},
                 {358108487e9, "11y"}};
    char out[UNITS_ROOM];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        units_put(out, times[i].ns, UNITS_TIME, UNITS_TWO, false);
        assert_string_equal(out, times[i].text);
    }
    (void)state;
}

static void all_numbers_fit(void **state)
{
    char out[UNITS_ROOM];
    for (double number = 1; number < (double)UINT64_MAX; number *= 1.01) {
        units_put(out, number, UNITS_TIME, UNITS_TWO, false);
        assert_true(strlen(out) <= 5);
        units_put(out, number, UNITS_COUNT, UNITS_TWO, false);
        assert_true(strlen(out) <= 5);
        units_put(out, number, UNITS_BINARY, UNITS_TWO, false);
        assert_true(strlen(out) <= 5);
    }
    (void)state;
}

static void numbers_have_the_digits_that_are_wanted(void **state)
{
    static const struct {
        double number;
        enum unit_kind units;
        enum unit_digits digits;
        bool with_space;
        const char *text;
    } numbers[] = {
        {999, UNITS_NS, UNITS_THREE, false, "999ns"},
        {1234567, UNITS_NS, UNITS_THREE, false, "1.23ms"},
        {999600, UNITS_NS, UNITS_THREE, true, "1.00 ms"},
        {5e12, UNITS_NS, UNITS_THREE, false, "5000s"},
        {1234567, UNITS_NS, UNITS_EXACT, true, "1.235 ms"},
        {1023, UNITS_BYTES, UNITS_THREE, false, "1023B"},
        {1536, UNITS_BYTES, UNITS_THREE, false, "1.50KiB"},
        {1536, UNITS_SIZE, UNITS_TENTH, true, "1.5 KiB"},
        {4 << 20, UNITS_SIZE, UNITS_WHOLE, true, "4 MiB"},
        {4 << 20, UNITS_SIZE, UNITS_TENTH, true, "4.0 MiB"},
        {7, UNITS_SIZE, UNITS_TENTH, true, "7 bytes"},
        {0x1p63, UNITS_BYTES, UNITS_THREE, false, "8.00EiB"},
    };
    char out[UNITS_ROOM];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int length = units_put(out, numbers[i].number, numbers[i].units, numbers[i].digits,
                                     numbers[i].with_space);
        assert_string_equal(out, numbers[i].text);
        assert_int_equal(length, strlen(out));
    }
    (void)state;
}

static void nouns_have_their_number(void **state)
{
    static const struct {
        uint64_t number;
        const char *noun, *text;
    } quantities[] = {
        {0, "event", "0 events"},
        {1, "entry", "1 entry"},
        {80000, "entry", "80,000 entries"},
        {UINT64_MAX, "other message", "18,446,744,073,709,551,615 other messages"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        units_quantity(out, sizeof out, quantities[i].number, quantities[i].noun);
        assert_string_equal(out, quantities[i].text);
    }
    (void)state;
}

static void names_of_units_are_known(void **state)
{
    assert_true(units_is_name("KiB", 3) && units_is_name("%", 1) && units_is_name("ns", 2));
    assert_false(units_is_name("Ki", 2) || units_is_name("x", 1) || units_is_name("", 0));
    (void)state;
}

static void characters_are_not_divided(void **state)
{
    static const struct {
        const char *text;
        size_t most, length;
    } cuts[] = {
        {"abc", 3, 3},
        {"abc", 2, 2},
        {"\xc3\xa4", 1, 0},
        {"a\xe2\x80\xa6z", 3, 1},
        {"a\xe2\x80\xa6z", 4, 4},
        {"\xf0\x9f\x98\x80", 3, 0},
        {"\x80\x80\x80\x80\x80\x80\x80", 5, 2}, /* no character is so long */
        {"", 0, 0},
        {"\xc3\xa4", 0, 0},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        assert_int_equal(text_cut(cuts[i].text, strlen(cuts[i].text), cuts[i].most),
                         cuts[i].length);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_a_suitable_unit),
        cmocka_unit_test(all_numbers_fit),
        cmocka_unit_test(numbers_have_the_digits_that_are_wanted),
        cmocka_unit_test(nouns_have_their_number),
        cmocka_unit_test(names_of_units_are_known),
        cmocka_unit_test(characters_are_not_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
