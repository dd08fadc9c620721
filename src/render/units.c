/* units.c — see units.h. */
#include "render/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    double size;
};

#define TIMES                                                                                      \
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6},                                                           \
    {                                                                                              \
        "s", 1e9                                                                                   \
    }
#define BINARY(first, end)                                                                         \
    {first, 1}, {"K" end, 0x1p10}, {"M" end, 0x1p20}, {"G" end, 0x1p30}, {"T" end, 0x1p40},        \
        {"P" end, 0x1p50}, {"E" end, 0x1p60},                                                      \
    {                                                                                              \
        0                                                                                          \
    }

static const struct unit scales[][9] = {
    [UNITS_NS] = {TIMES, {0}},
    [UNITS_TIME] = {TIMES, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"y", 31557600e9}, {0}},
    [UNITS_BYTES] = {BINARY("B", "iB")},
    [UNITS_SIZE] = {BINARY("bytes", "iB")},
    [UNITS_COUNT] =
        {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}, {0}},
    [UNITS_BINARY] = {BINARY("", "")},
};

/* Is the number, of that unit, written in the next one? */
static bool is_too_large(const struct unit *unit, double number, enum unit_digits digits)
{
    const double next = unit[1].size / unit->size;
    switch (digits) {
    case UNITS_TWO: return number >= 999.5;
    case UNITS_THREE:
    case UNITS_TENTH: return number >= next - 0.5;
    case UNITS_WHOLE:
    case UNITS_EXACT: break;
    }
    return number >= next;
}

static int places_of(double number, enum unit_digits digits)
{
    switch (digits) {
    case UNITS_TWO: return number < 9.95;
    case UNITS_THREE: return number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    case UNITS_TENTH: return number < 99.95;
    case UNITS_WHOLE: return number < 0x1p63 && number != (double)(unsigned long long)number;
    case UNITS_EXACT: break;
    }
    return 3;
}

int units_put(char *out, double number, enum unit_kind kind, enum unit_digits digits,
              bool with_space)
{
    const struct unit *unit = scales[kind];
    while (unit[1].name && is_too_large(unit, number / unit->size, digits))
        unit++;
    number /= unit->size;
    return snprintf(out, UNITS_ROOM, "%.*f%s%s", unit->size > 1 ? places_of(number, digits) : 0,
                    number, with_space ? " " : "", unit->name);
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

void units_quantity(char *out, size_t size, uint64_t number, const char *noun)
{
    char digits[32];
    const size_t length = strlen(noun);
    const bool is_changed = number != 1 && noun[length - 1] == 'y';
    group_number(digits, number);
    snprintf(out, size, "%s %.*s%s", digits, (int)(length - is_changed), noun,
             number == 1  ? ""
             : is_changed ? "ies"
                          : "s");
}

bool units_is_name(const char *text, size_t length)
{
    static const enum unit_kind named[] = {UNITS_NS, UNITS_SIZE};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        for (const struct unit *unit = scales[named[i]]; unit->name; unit++)
            if (strlen(unit->name) == length && memcmp(unit->name, text, length) == 0) return true;
    return length == 1 && *text == '%';
}

int units_exact(char out[UNITS_EXACT_ROOM], double number)
{
    const bool is_whole = fabs(number) < 1e15 && number == floor(number);
    return snprintf(out, UNITS_EXACT_ROOM, is_whole ? "%.0f" : "%.17g", number + 0.0);
}
