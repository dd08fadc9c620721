/* A client is accepted only with the token, or a host name of this machine. The input is the token,
 * a newline, and the client's bytes. */
#include "fuzz.h"

#include "relay/authentication.h"

#include <strings.h>

static void say_line(const char *token, const char *said, size_t length)
{
    const size_t size = strlen(token);
    token_line line = {0};
    token_verdict verdict = TOKEN_UNFINISHED;
    size_t taken = 0;
    while (taken < length && verdict == TOKEN_UNFINISHED)
        verdict = token_take(&line, token, said[taken++]);
    REQUIRE(taken <= TOKEN_MAX + 2);
    if (verdict == TOKEN_UNFINISHED) REQUIRE(taken == length && !memchr(said, '\n', length));
    const bool begins = length > size && memcmp(said, token, size) == 0;
    const bool right =
        begins &&
        (said[size] == '\n' || (length > size + 1 && said[size] == '\r' && said[size + 1] == '\n'));
    REQUIRE(size > TOKEN_MAX || (verdict == TOKEN_RIGHT) == right);
}

static void say_header(const char *token, const char *said)
{
    static const char scheme[] = "bearer ";
    const size_t size = sizeof scheme - 1;
    const bool borne = strncasecmp(said, scheme, size) == 0 && strcmp(said + size, token) == 0;
    REQUIRE(token_matches_header(token, said) == borne);
    if (!host_is_local(token, said)) return;
    const char *const here[] = {"localhost", "127.0.0.1", "[::1]", token};
    bool is_named = false;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        const size_t length = strlen(here[i]);
        is_named |=
            strncasecmp(said, here[i], length) == 0 && (said[length] == 0 || said[length] == ':');
    }
    REQUIRE(is_named);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const uint8_t *newline = length > 0 ? memchr(data, '\n', length) : NULL;
    if (!newline || memchr(data, 0, (size_t)(newline - data))) return 0;
    const size_t token_length = (size_t)(newline - data), said_length = length - token_length - 1;
    if (token_length == 0 || newline[-1] == '\r') return 0;
    char *token = must_allocate(token_length + 1), *said = must_allocate(said_length + 1);
    memcpy(token, data, token_length);
    memcpy(said, newline + 1, said_length);
    token[token_length] = said[said_length] = 0;
    say_line(token, said, said_length);
    say_header(token, said);
    free(token);
    free(said);
    return 0;
}
