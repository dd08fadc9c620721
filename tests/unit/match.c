/* What a page searches is found in texts; patterns that could take too long are refused. */
#include "view/engine/match.h"

#include "logs.h"

#include <string.h>

static struct match *make(const char *text, bool is_regex, bool has_case)
{
    const char *problem = NULL;
    struct match *match = match_new(text, is_regex, has_case, &problem);
    assert_true(match ? !problem : problem && *problem);
    return match;
}

static bool is_found(const char *what, bool is_regex, bool has_case, const char *text)
{
    uint64_t steps = 100000;
    struct match *match = make(what, is_regex, has_case);
    assert_non_null(match);
    const bool found = match_text(match, text, strlen(text), &steps);
    match_free(match);
    return found;
}

static void finds_texts(void **state)
{
    (void)state;
    assert_true(is_found("Thread", false, false, "stopping thread 7"));
    assert_false(is_found("Thread", false, true, "stopping thread 7"));
    assert_true(is_found("thread 7", false, true, "stopping thread 7"));
    assert_false(is_found("thread 77", false, false, "stopping thread 7"));
    assert_false(is_found("a.c", false, false, "abc"));
}

static void finds_regular_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *regex, *text;
        bool found;
    } cases[] = {
        {"th.*d \\d+$", "stopping thread 7", true},
        {"^thread", "stopping thread 7", false},
        {"(cap|thread) [0-9]{2,3}", "thread 123", true},
        {"(cap|thread) [0-9]{2,3}", "thread 1", false},
        {"re(q|s)?uest", "reuest", true},
        {"re[qs]+uest", "REQSQUEST", true},
        {"a+?b", "caab", true},
        {"\\(heap\\)", "(heap)", true},
        {"\\w+\\s\\w+", "one two", true},
        {"\\W", "word", false},
        {"[\\d]x", "7x", true},
        {"[^]a]", "]a", false},
        {"[[:digit:]]{1,3}\\.[[:digit:]]{1,3}\\.[[:digit:]]{1,3}", "at 10.0.255", true},
        {"x{y}", "x{y}", true},
        {"colou?r", "color", true},
        {"abc{0,1}d", "abd", true},
        {"abc*d", "abd", true},
        {"(one|two) three", "two three", true},
        {"x(yz)+w", "xyzyzw", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_found(cases[i].regex, true, false, cases[i].text) != cases[i].found)
            fail_msg("%s in %s", cases[i].regex, cases[i].text);
}

static void refuses_others(void **state)
{
    static const char *const malformed[] = {
        "",
        "(a",
        "a)",
        "[a",
        "*a",
        "a**",
        "a|*b",
        "(?=a)",
        "(a)\\1",
        "a\\",
        "a{2,1}",
        "[[:digit:",
        "a{99999999}",
        "(a{200}){200}",
        "((((a{9}){9}){9}){9}){9}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        if (make(malformed[i], true, false)) fail_msg("%s", malformed[i]);
    char text[300];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_null(make(text, false, false));
}

static void knows_the_texts_of_a_byte_0(void **state)
{
    (void)state;
    static const char text[] = "one\0two";
    struct match *match = make("two$", true, false);
    assert_true(match_text(match, text, sizeof text - 1, &(uint64_t){1000}));
    match_free(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_texts),
        cmocka_unit_test(finds_regular_expressions),
        cmocka_unit_test(refuses_others),
        cmocka_unit_test(knows_the_texts_of_a_byte_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
