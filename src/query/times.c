/* times.c — see times.h. */
#include "query/times.h"

#include <string.h>

static const struct unit {
    const char *name;
    uint64_t ns;
} units[] = {
    {"ns", 1},         {"us", 1000},       {"\u00b5s", 1000},    {"ms", 1000000},
    {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

/* Only 0 needs none. */
static const struct unit *unit_find(const char *name, bool is_zero)
{
    if (*name == 0 && is_zero) return units;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0) return &units[i];
    return NULL;
}

bool time_parse(const char *text, uint64_t *ns)
{
    const size_t whole_digits = strspn(text, "0123456789");
    const char *fraction = text + whole_digits;
    fraction += *fraction == '.';
    const size_t fraction_digits = strspn(fraction, "0123456789");
    const char *name = fraction + fraction_digits;
    const struct unit *unit = unit_find(name, strspn(text, "0.") == strlen(text));
    if (whole_digits == 0 || unit == NULL) return false;

    uint64_t whole = 0;
    for (size_t i = 0; i < whole_digits; i++)
        if (__builtin_mul_overflow(whole, 10u, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(text[i] - '0'), &whole))
            return false;
    if (__builtin_mul_overflow(whole, unit->ns, &whole)) return false;
    uint64_t part = 0, place = unit->ns;
    for (size_t i = 0; i < fraction_digits && (place /= 10) > 0; i++)
        part += place * (uint64_t)(fraction[i] - '0');
    return !__builtin_add_overflow(whole, part, ns);
}
