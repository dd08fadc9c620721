/* short_numbers.c — see short_numbers.h. */
#include "tool/output/short_numbers.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void short_number(char out[16], double number, double base)
{
    static const char *const units[2][7] = {{"", "k", "M", "G", "T", "P", "E"},
                                            {"", "K", "M", "G", "T", "P", "E"}};
    size_t i = 0;
    for (; number >= 999.5 && i < 6; i++)
        number /= base;
    snprintf(out, 16, i > 0 && number < 9.95 ? "%.1f%s" : "%.0f%s", number, units[base > 1000][i]);
}

void short_time(char out[16], double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1, "ns"},   {1e3, "us"},   {1e6, "ms"},    {1e9, "s"},
                 {60e9, "m"}, {3600e9, "h"}, {86400e9, "d"}, {31557600e9, "y"}};
    enum { LAST = sizeof units / sizeof *units - 1 };
    size_t i = 0;
    while (i < LAST && ns >= 999.5 * units[i].ns)
        i++;
    ns /= units[i].ns;
    snprintf(out, 16, i > 0 && ns < 9.95 ? "%.1f%s" : "%.0f%s", ns, units[i].name);
}

int group_digits(char *out, const char *digits)
{
    const size_t length = strlen(digits);
    char *end = out;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return (int)(end - out);
}

int group_number(char out[32], uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return group_digits(out, digits);
}
