/* Numbers and times in few characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tool/output/short_numbers.c"

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
    char out[16];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        short_time(out, times[i].ns);
        assert_string_equal(out, times[i].text);
    }
    (void)state;
}

static void all_numbers_fit(void **state)
{
    char out[16];
    for (double number = 1; number < (double)UINT64_MAX; number *= 1.01) {
        short_time(out, number);
        assert_true(strlen(out) <= 5);
        short_number(out, number, 1000);
        assert_true(strlen(out) <= 5);
        short_number(out, number, 1024);
        assert_true(strlen(out) <= 5);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_a_suitable_unit),
        cmocka_unit_test(all_numbers_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
