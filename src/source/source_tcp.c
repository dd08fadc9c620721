/* A TCP connection. Resolves the host each time and tries its addresses in turn. Sends the token,
 * if there is one, first. */
#include "source/source_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == 0;
}

static bool parse(source *s, char *text, char *message, size_t size)
{
    if (!token_of_place(text, s->token, message, size)) return false;
    s->name[strcspn(s->name, ",")] = 0;
    char *colon = strchr(text, ':');
    if (*text == '[') {
        char *bracket = strchr(++text, ']');
        if (bracket) *bracket = 0;
        colon = bracket ? bracket + 1 : NULL;
    }
    if (!colon || *colon != ':' || strchr(colon + 1, ':') || colon == text || !colon[1])
        return source_refuse(
            message, size,
            "%s: expected tcp:HOST:PORT, with an IPv6 address in brackets: tcp:[::1]:4242",
            s->name);
    *colon = 0;
    s->host = text;
    s->port = colon + 1;
    const unsigned long port = is_number(s->port) ? strtoul(s->port, NULL, 10) : 1;
    return (port >= 1 && port <= 65535) ||
           source_refuse(message, size, "%s: the port must be from 1 to 65535", s->name);
}

static void on_connect(uv_connect_t *request, int status)
{
    source *s = request->handle->data;
    source_on_connect(request, status);
    if (s->connected && s->token[0]) source_send(s, s->token, strlen(s->token));
}

static void connect_next(source *s)
{
    const struct addrinfo *address = s->address;
    s->address = address->ai_next;
    uv_tcp_init(s->loop, &s->tcp);
    source_has_stream(s);
    const int error = uv_tcp_connect(&s->connect, &s->tcp, address->ai_addr, on_connect);
    if (error) s->kind->lost(s, error);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    source *s = request->data;
    s->resolving = false;
    s->addresses = s->address = addresses;
    const bool closing = s->closing;
    source_leave(s);
    if (closing) return;
    if (status < 0 || !addresses)
        source_reconnect(s, status < 0 ? status : UV_EAI_NODATA);
    else
        connect_next(s);
}

static void start(source *s)
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    if (s->addresses) uv_freeaddrinfo(s->addresses);
    s->addresses = s->address = NULL;
    s->resolve.data = s;
    const int error = uv_getaddrinfo(s->loop, &s->resolve, on_resolved, s->host, s->port, &hints);
    if (error) {
        source_reconnect(s, error);
        return;
    }
    s->resolving = true;
    s->open++;
}

static void lost(source *s, int error)
{
    s->was_rejected = s->connected && !s->begun;
    if (s->was_rejected && error == UV_EOF) {
        char reason[128];
        snprintf(reason, sizeof reason, "connection closed before a log arrived; %s",
                 token_hint(s->token));
        source_retry(s, reason);
    } else if (s->connected || !s->address) {
        source_reconnect(s, error);
    } else {
        source_drop(s, 0, connect_next);
    }
}

const struct source_kind source_tcp = {
    .prefix = "tcp:",
    .parse = parse,
    .start = start,
    .lost = lost,
};
