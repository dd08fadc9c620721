#include "clients/authentication.h"

#include <string.h>
#include <strings.h>

bool token_equals(const char *token, const char *received, size_t length)
{
    const size_t size = strlen(token);
    unsigned differs = length != size;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned char)(token[i] ^ (length > 0 ? received[i % length] : 0));
    return differs == 0;
}

token_verdict token_take(token_line *line, const char *token, char byte)
{
    if (byte == '\n') {
        if (line->length > 0 && line->text[line->length - 1] == '\r') line->length--;
        return token_equals(token, line->text, line->length) ? TOKEN_RIGHT : TOKEN_WRONG;
    }
    if (line->length == sizeof line->text) return TOKEN_WRONG;
    line->text[line->length++] = byte;
    return TOKEN_UNFINISHED;
}

bool token_matches_header(const char *token, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const size_t size = sizeof scheme - 1;
    return authorization && strncasecmp(authorization, scheme, size) == 0 &&
           token_equals(token, authorization + size, strlen(authorization + size));
}

bool host_is_local(const char *own, const char *host)
{
    if (!host) return false;
    const char *const names[] = {"localhost", "127.0.0.1", "[::1]", own};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *port = host + strlen(names[i]);
        if (!*names[i] || strncasecmp(names[i], host, strlen(names[i])) != 0) continue;
        if (!*port || (*port == ':' && !port[1 + strspn(port + 1, "0123456789")])) return true;
    }
    return false;
}

bool site_is_own(const char *site)
{
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}
