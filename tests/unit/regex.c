/* Regular expressions of the page match where those of PCRE2 do, and take no more steps than the
 * text has characters, times the places of the expression. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "view/engine/regex.h"

#include "logs.h"

#include <pcre2.h>
#include <stdio.h>
#include <string.h>

enum { PATTERN = 200, TEXT = 60, RANDOM = 60000, TEXTS = 6 };

static uint64_t state = 1;

static unsigned below(unsigned most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % most;
}

static bool pcre_finds(const char *pattern, bool has_case, const char *text, size_t length)
{
    int error;
    PCRE2_SIZE offset;
    int workspace[4000];
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY |
                                         (has_case ? 0 : PCRE2_CASELESS),
                                     &error, &offset, NULL);
    if (!code) fail_msg("PCRE2 refuses %s", pattern);
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    const int result = pcre2_dfa_match(code, (PCRE2_SPTR)text, length, 0, PCRE2_DFA_SHORTEST, match,
                                       NULL, workspace, sizeof workspace / sizeof *workspace);
    if (result < 0 && result != PCRE2_ERROR_NOMATCH) fail_msg("PCRE2: %d: %s", result, pattern);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
    return result >= 0;
}

static bool finds(const char *pattern, bool has_case, const char *text, size_t length)
{
    const char *problem = NULL;
    struct regex *regex = regex_new(pattern, has_case, &problem);
    if (!regex) fail_msg("%s: %s", pattern, problem);
    const uint64_t most = (length + 1) * regex_places(regex) + 1;
    uint64_t steps = most;
    const bool is_found = regex_find(regex, text, length, &steps);
    if (steps == 0) fail_msg("%s takes more than %u steps", pattern, (unsigned)most);
    const uint64_t taken = most - steps;
    steps = taken; /* one less than what it needs to go on */
    if (taken > 0 && regex_find(regex, text, length, &steps) && !is_found) fail_msg("%s", pattern);
    assert_true(steps == 0);
    regex_free(regex);
    return is_found;
}

/* --- Random expressions ---------------------------------------------------------------------- */

static const char *const atoms[] = {
    "a",     "b",    "c",      "A",    " ",      "ä",     ".",          "[ab]",
    "[^ab]", "\\d",  "\\w",    "\\s",  "\\W",    "[a-c]", "[^\\sa]",    "[\\Da]",
    "1",     "[äb]", "\\.",    "[]a]", "[^]]",   "[b-]",  "[[:upper:]", "[[:digit:]",
    "\\S",   "€",    "[^ä-ü]", "_",    "[\\].]", "\\t",
};

static char *put_random(char *out, const char *end, unsigned depth)
{
    static const char *const edges[] = {"^", "$", "\\b", "\\B"};
    static const char *const repetitions[] = {"*",    "+",     "?",   "{2}", "{1,3}",
                                              "{2,}", "{0,2}", "{0}", "*?",  "+?"};
    const unsigned count = below(4);
    for (unsigned i = 0; i < count && end - out > 40; i++) {
        const unsigned kind = below(12);
        if (kind == 0) {
            out += sprintf(out, "%s", edges[below(4)]);
            continue;
        }
        if (kind == 1) *out++ = '|';
        if (kind < 4 && depth > 0) {
            out += sprintf(out, "%s", kind == 3 ? "(?:" : "(");
            out = put_random(out, end - 20, depth - 1);
            *out++ = ')';
        } else {
            const char *atom = atoms[below(sizeof atoms / sizeof *atoms)];
            out += sprintf(out, "%s%s", atom, strncmp(atom, "[[:", 3) == 0 ? "]" : "");
        }
        if (below(3) == 0) out += sprintf(out, "%s", repetitions[below(10)]);
    }
    *out = 0;
    return out;
}

static size_t make_text(char *text)
{
    static const char *const pieces[] = {"a", "b", "c",  "A", " ", "ä", "1", "ab", "_",
                                         ".", "]", "\n", "€", "B", "-", "ü", "\t"};
    size_t length = 0;
    for (unsigned count = below(12); count > 0; count--)
        length += (size_t)sprintf(text + length, "%s", pieces[below(17)]);
    text[length] = 0;
    return length;
}

static void matches_as_pcre2(void **unused)
{
    (void)unused;
    unsigned found = 0;
    for (unsigned i = 0; i < RANDOM; i++) {
        char pattern[PATTERN], text[TEXT];
        put_random(pattern, pattern + PATTERN, 3);
        for (unsigned k = 0; k < TEXTS; k++) {
            const size_t length = make_text(text);
            const bool has_case = below(2), is_found = finds(pattern, has_case, text, length);
            if (is_found != pcre_finds(pattern, has_case, text, length))
                fail_msg("/%s/ in \"%s\": %d", pattern, text, is_found);
            found += is_found;
        }
    }
    assert_in_range(found, RANDOM * TEXTS / 10, RANDOM * TEXTS * 9 / 10);
}

/* --- Single ones ----------------------------------------------------------------------------- */

static void takes_linear_time(void **unused)
{
    (void)unused;
    enum { LENGTH = 20000 };
    static char text[LENGTH];
    static const char *const patterns[] = {
        "(a|b)*a(a|b){60}c", "((((((((((((((((((((a)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+c",
        "(a*)*(a*)*(a*)*c",  "(a|aa)+$c",
        "(.*)(.*)(.*)(.*)c", "(((a{0,9}){0,9}){0,9})c",
        "(((()*)*)*)*c",     "((a?){30}){30}c",
    };
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        assert_false(finds(patterns[i], true, text, sizeof text));
}

static void knows_other_bytes(void **unused)
{
    (void)unused;
    assert_true(finds("^.$", true, "\xe4", 1));
    assert_true(finds("^..$", true, "\xc3x", 2));
    assert_true(finds("^[^a]$", true, "\xff", 1));
    assert_true(finds("\xe4", true, "a\xe4", 2));
    assert_false(finds("\xe4", true, "\xe5", 1));
    assert_false(finds("ä", true, "\xc3", 1));
    assert_true(finds("a.b", true, "a\0b", 3));
    assert_true(finds("[[:cntrl:]]", true, "\0", 1));
}

static void refuses(void **unused)
{
    (void)unused;
    static const char *const patterns[] = {
        "(",
        "(?",
        "(?=a)",
        "(?:",
        ")",
        "a)",
        "[",
        "[]",
        "[^",
        "[a",
        "[a-",
        "[b-a]",
        "[[:none:]]",
        "[[:alpha",
        "[[.a.]]",
        "[\\",
        "\\",
        "\\1",
        "\\q",
        "*",
        "a|*",
        "(*)",
        "^*",
        "a**",
        "a{2}{2}",
        "a{2,1}",
        "a{2048}",
        "a{1,2048}",
        "(a{200}){200}",
        "a{99999999999999999999}",
        "(a{2000}){2000}",
        "a++",
        "{2}",
        "\\b+",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const char *problem = NULL;
        struct regex *regex = regex_new(patterns[i], false, &problem);
        if (regex || !problem) fail_msg("/%s/ is not refused", patterns[i]);
    }
    char deep[300];
    memset(deep, '(', 140);
    memset(deep + 140, ')', 140);
    deep[280] = 0;
    const char *problem = NULL;
    assert_null(regex_new(deep, false, &problem));
    assert_non_null(strstr(problem, "too many groups"));
}

static void tells_what_is_required(void **unused)
{
    (void)unused;
    static const struct {
        const char *pattern, *required; /* a space for each place without one */
    } cases[] = {
        {"abc", "abc "},         {"ab?c", "a  c "},  {"a(b|c)d", "a    d "},
        {"(ab)+c", "ab c "},     {"a|b", "     "},   {"Ab\\dc", "ab c "},
        {"a{2}b{0,1}", "aa   "}, {"(ab){0}c", "c "}, {"(a(bc)*)d", "a    d "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[PATTERN] = "";
        const char *problem;
        struct regex *regex = regex_new(cases[i].pattern, false, &problem);
        for (size_t k = 0; k < regex_places(regex); k++) {
            const uint32_t c = regex_required(regex, k);
            got[k] = c ? (char)c : ' ';
        }
        if (strcmp(got, cases[i].required) != 0) fail_msg("%s: \"%s\"", cases[i].pattern, got);
        regex_free(regex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_as_pcre2),       cmocka_unit_test(takes_linear_time),
        cmocka_unit_test(knows_other_bytes),      cmocka_unit_test(refuses),
        cmocka_unit_test(tells_what_is_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
