/* Any regular expression is compiled or refused, and searched within its number of steps. What it
 * finds, it also finds in either case, and as an alternative. The input is the expression, a
 * newline, and the text. */
#include "fuzz.h"

#include "view/engine/regex.h"

enum { PATTERN = 255, TEXT = 1000 };

static bool finds(struct regex *regex, const char *text, size_t length)
{
    const uint64_t most = (length + 1) * regex_places(regex) + 1;
    uint64_t steps = most;
    const bool is_found = regex_find(regex, text, length, &steps);
    REQUIRE(steps > 0 && steps <= most);
    for (size_t i = 0; i < regex_places(regex); i++)
        if (is_found && regex_required(regex, i) > 0 && regex_required(regex, i) < 128)
            REQUIRE(memchr(text, (int)regex_required(regex, i), length));
    return is_found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const uint8_t *newline = length > 0 ? memchr(data, '\n', length) : NULL;
    const char *problem = NULL;
    char pattern[PATTERN + 1], either[2 * PATTERN + 8];
    if (!newline || newline - data > PATTERN) return 0;
    const size_t size = (size_t)(newline - data);
    const size_t rest = length - size - 1 < TEXT ? length - size - 1 : TEXT;
    char *text = must_allocate(rest);
    memcpy(pattern, data, size);
    memcpy(text, newline + 1, rest);
    pattern[size] = 0;
    struct regex *regex = regex_new(pattern, true, &problem);
    REQUIRE(regex ? !problem : problem && *problem);
    snprintf(either, sizeof either, "x(%s)?|%s", pattern, pattern);
    /* Letters of both cases are in more sets, and so in fewer of those that are negated. */
    const bool has_negation = strstr(pattern, "[^") != NULL;
    struct regex *loose = regex ? regex_new(either, has_negation, &problem) : NULL;
    if (regex && finds(regex, text, rest) && loose) {
        uint64_t steps = UINT64_MAX;
        REQUIRE(regex_find(loose, text, rest, &steps));
    }
    regex_free(regex);
    regex_free(loose);
    free(text);
    return 0;
}
