/* Sizes with units, as texts. */
#include <hectic/server.h>

#include <stdlib.h>
#include <string.h>

bool hectic_size_parse(const char *text, uint64_t *size)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } suffixes[] = {{"", 1},           {"k", 1000},     {"K", 1000},     {"M", 1000000},
                    {"G", 1000000000}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}};
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18) return false;
    const char *suffix = text + digits;
    const size_t length = strcspn(suffix, "B"); /* "Mi" or "MiB" */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(suffixes[i].name) == length && strncmp(suffix, suffixes[i].name, length) == 0 &&
            strlen(suffix) <= length + 1)
            return !__builtin_mul_overflow(strtoull(text, NULL, 10), suffixes[i].factor, size);
    return false;
}
