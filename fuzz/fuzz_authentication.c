/* A client is accepted only with the token, or a host name of this machine. The input is the token,
 * a newline, and the client's bytes. */
#include "fuzz.h"

#include "clients/authentication.h"

#include <strings.h>

static void parse_line(const char *token, const char *input, size_t length)
{
    const size_t size = strlen(token);
    token_line line = {0};
    token_verdict verdict = TOKEN_UNFINISHED;
    size_t taken = 0;
    while (taken < length && verdict == TOKEN_UNFINISHED)
        verdict = token_take(&line, token, input[taken++]);
    REQUIRE(taken <= TOKEN_MAX + 2);
    if (verdict == TOKEN_UNFINISHED) REQUIRE(taken == length && !memchr(input, '\n', length));
    const bool begins = length > size && memcmp(input, token, size) == 0;
    const bool right =
        begins && (input[size] == '\n' ||
                   (length > size + 1 && input[size] == '\r' && input[size + 1] == '\n'));
    REQUIRE(size > TOKEN_MAX || (verdict == TOKEN_RIGHT) == right);
}

static void match_header(const char *token, const char *input)
{
    static const char scheme[] = "bearer ";
    const size_t size = sizeof scheme - 1;
    const bool borne = strncasecmp(input, scheme, size) == 0 && strcmp(input + size, token) == 0;
    REQUIRE(token_matches_header(token, input) == borne);
    if (!host_is_local(token, input)) return;
    const char *const here[] = {"localhost", "127.0.0.1", "[::1]", token};
    bool is_named = false;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        const size_t length = strlen(here[i]);
        is_named |= strncasecmp(input, here[i], length) == 0 &&
                    (input[length] == 0 || input[length] == ':');
    }
    REQUIRE(is_named);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const uint8_t *newline = length > 0 ? memchr(data, '\n', length) : NULL;
    if (!newline || memchr(data, 0, (size_t)(newline - data))) return 0;
    const size_t token_length = (size_t)(newline - data), input_length = length - token_length - 1;
    if (token_length == 0 || newline[-1] == '\r') return 0;
    char *token = must_allocate(token_length + 1), *input = must_allocate(input_length + 1);
    memcpy(token, data, token_length);
    memcpy(input, newline + 1, input_length);
    token[token_length] = input[input_length] = 0;
    parse_line(token, input, input_length);
    match_header(token, input);
    free(token);
    free(input);
    return 0;
}
