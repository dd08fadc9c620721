/* Authentication, and diagnostics about rejected clients. */
#include "clients/authentication.h"
#include "clients/diagnostics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char token[] = "a-token-of-enough-letters";

/* The result for that line, and the number of bytes consumed. */
static token_verdict parse_line(const char *text, size_t length, size_t *taken)
{
    token_line line = {0};
    token_verdict verdict = TOKEN_UNFINISHED;
    for (*taken = 0; *taken < length && verdict == TOKEN_UNFINISHED; ++*taken)
        verdict = token_take(&line, token, text[*taken]);
    return verdict;
}

static void check_line(token_verdict wanted, const char *text, size_t length)
{
    char line[4 * sizeof token];
    size_t taken;
    memcpy(line, text, length);
    line[length] = '\n';
    assert_int_equal(parse_line(line, length + 1, &taken), wanted);
}

static void only_the_exact_token_is_accepted(void **state)
{
    (void)state;
    check_line(TOKEN_RIGHT, token, strlen(token));
    check_line(TOKEN_WRONG, token, strlen(token) - 1);
    check_line(TOKEN_WRONG, token, strlen(token) + 1); /* including its NUL */
    check_line(TOKEN_WRONG, "", 0);
    char twice[2 * sizeof token];
    snprintf(twice, sizeof twice, "%s%s", token, token);
    check_line(TOKEN_WRONG, twice, strlen(twice));
    for (size_t i = 0; i < strlen(token); i++) {
        char other[sizeof token];
        memcpy(other, token, sizeof token);
        other[i] ^= 1;
        check_line(TOKEN_WRONG, other, strlen(token));
    }
}

static void error_text_is_one_line(void **state)
{
    (void)state;
    char text[1000];
    size_t taken;
    snprintf(text, sizeof text, "%s\r\nhdrb", token);
    assert_int_equal(parse_line(text, strlen(text), &taken), TOKEN_RIGHT);
    assert_int_equal(taken, strlen(token) + 2); /* the rest is left in the input */
    snprintf(text, sizeof text, "%s\nhdrb", token);
    assert_int_equal(parse_line(text, strlen(text), &taken), TOKEN_RIGHT);
    assert_int_equal(parse_line(text, strlen(token), &taken), TOKEN_UNFINISHED);
    assert_int_equal(parse_line("\n", 1, &taken), TOKEN_WRONG);
    assert_int_equal(parse_line("\r\n", 2, &taken), TOKEN_WRONG);
    memset(text, 0xff, sizeof text);
    assert_int_equal(parse_line(text, sizeof text, &taken), TOKEN_WRONG);
    assert_int_equal(taken, TOKEN_MAX + 2);
    char longest[TOKEN_MAX + 1] = {0};
    memset(longest, 'x', TOKEN_MAX);
    token_line line = {0};
    for (size_t i = 0; i < TOKEN_MAX; i++)
        assert_int_equal(token_take(&line, longest, 'x'), TOKEN_UNFINISHED);
    assert_int_equal(token_take(&line, longest, '\r'), TOKEN_UNFINISHED);
    assert_int_equal(token_take(&line, longest, '\n'), TOKEN_RIGHT);
}

static void http_clients_send_it_in_a_header(void **state)
{
    (void)state;
    char text[100];
    snprintf(text, sizeof text, "bearer %s", token);
    assert_true(token_matches_header(token, text));
    assert_false(token_matches_header(token, token));
    assert_false(token_matches_header(token, "Bearer "));
    assert_false(token_matches_header(token, NULL));
    static const char *const here[] = {"localhost", "LOCALHOST:1", "127.0.0.1",   "[::1]",
                                       "[::1]:99",  "example.org", "example.org:"};
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        assert_true(host_is_local("example.org", here[i]));
    static const char *const elsewhere[] = {"",      ":",   "localhost.evil",      "evil:localhost",
                                            "::1",   "[::", "localhost:80:80",     "]localhost",
                                            "127.1", "[]:", "example.org.evil:80", "xample.org"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        assert_false(host_is_local("example.org", elsewhere[i]));
    assert_false(host_is_local("example.org", NULL));
}

typedef struct heard {
    unsigned lines;
    char last[64];
} heard;

static void keep_text(void *user, const char *text)
{
    heard *h = user;
    h->lines++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static void diagnostics_are_rate_limited(void **state)
{
    (void)state;
    heard h = {0};
    diagnostics n;
    diagnostics_begin(&n, keep_text, &h);
    for (unsigned i = 0; i < 100000; i++)
        diagnostics_report(&n, "%u", i);
    assert_in_range(h.lines, 1000, 1060);
    diagnostics_end(&n);
    unsigned left_out = 0;
    assert_int_equal(sscanf(h.last, "%u messages suppressed here", &left_out), 1);
    assert_in_range(left_out, 98900, 99000);
    diagnostics_begin(&n, NULL, NULL); /* no receiver */
    diagnostics_report(&n, "%s", "one");
    diagnostics_end(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_exact_token_is_accepted),
        cmocka_unit_test(error_text_is_one_line),
        cmocka_unit_test(http_clients_send_it_in_a_header),
        cmocka_unit_test(diagnostics_are_rate_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
