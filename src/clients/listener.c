#define _GNU_SOURCE /* accept4 */
#include "clients/listener.h"

#include "clients/authentication.h"
#include "clients/pending.h"
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TIMEOUT_MS = 5000,    /* from connecting to the end of the token, or to the first byte */
    MAX_PENDING = 4096,   /* a flood of 18,000 clients per second leaves 0.2 s to each */
    DESCRIPTOR_SHARE = 4, /* pending clients use at most this fraction of the descriptors */
    MAX_ACCEPTS = 32,     /* per turn of the loop, so that other work is not delayed */
    TICK_MS = 1000,
};

/* A client that has not sent the token, or any byte, yet. */
typedef struct client {
    list_link link; /* in clients */
    pending_member member;
    relay_listener *listener;
    int fd;
    uv_poll_t poll;
    uint64_t until; /* ms of the loop */
    token_line line;
} client;

struct relay_listener {
    uv_loop_t *loop;
    const char *address;
    diagnostics *diagnostics;
    listener *socket;
    const char *token; /* NULL: none is required */
    bool skips_token;  /* on_client checks it */
    bool needs_bytes;  /* a first byte is required */
    bool paused;       /* descriptors or memory ran out */
    void (*on_client)(void *user, int fd);
    void *user;
    uv_poll_t poll;
    uv_timer_t timer;
    list_link clients;   /* newest first */
    pending_set pending; /* of `clients` */
    unsigned port;
    unsigned open; /* open handles */
};

/* --- Pending clients -------------------------------------------------------------------------- */

static void on_client_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Removes it from the lists. */
static void detach(client *c)
{
    list_remove(&c->link);
    pending_remove(&c->listener->pending, &c->member);
    uv_poll_stop(&c->poll);
    uv_close((uv_handle_t *)&c->poll, on_client_closed);
}

/* `why` NULL: it has disconnected. */
static void disconnect(client *c, const char *why)
{
    const relay_listener *l = c->listener;
    if (why) diagnostics_report(l->diagnostics, "%s: client disconnected: %s", l->address, why);
    detach(c);
    close(c->fd);
}

static void accept_client(client *c)
{
    const relay_listener *l = c->listener;
    detach(c);
    l->on_client(l->user, c->fd);
}

static bool needs_token(const relay_listener *l)
{
    return l->token && l->port > 0 && !l->skips_token;
}

/* Reads byte by byte: data after the token's line belongs to the receiver; without a token, all
 * data does. True: still pending. */
static bool read_client(client *c)
{
    const bool authenticate = needs_token(c->listener);
    for (;;) {
        char byte;
        const ssize_t got = recv(c->fd, &byte, 1, MSG_DONTWAIT | (authenticate ? 0 : MSG_PEEK));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        const token_verdict verdict = got <= 0 ? TOKEN_WRONG
                                      : authenticate
                                          ? token_take(&c->line, c->listener->token, byte)
                                          : TOKEN_RIGHT;
        if (verdict == TOKEN_UNFINISHED) continue;
        if (verdict == TOKEN_RIGHT)
            accept_client(c);
        else
            disconnect(c, got <= 0 ? NULL : "authentication failed: wrong token");
        return false;
    }
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    client *c = poll->data;
    (void)events;
    if (status < 0)
        disconnect(c, NULL);
    else
        read_client(c);
}

/* Data that has arrived counts, though the loop has not read it yet. */
static void evict_pending(relay_listener *l)
{
    while (pending_is_full(&l->pending)) {
        client *c = LIST_MEMBER(pending_next_eviction(&l->pending), client, member);
        if (read_client(c))
            disconnect(c, needs_token(l) ? "no token received, and too many clients"
                                         : "no data received, and too many clients");
    }
}

static void add_pending(relay_listener *l, int fd)
{
    evict_pending(l);
    client *c = calloc(1, sizeof *c);
    if (!c || !pending_add(&l->pending, &c->member, pending_address_of(fd))) {
        free(c);
        close(fd);
        return;
    }
    c->listener = l;
    c->fd = fd;
    c->until = uv_now(l->loop) + TIMEOUT_MS;
    c->poll.data = c;
    list_add(&l->clients, &c->link);
    if (uv_poll_init(l->loop, &c->poll, fd) < 0) {
        list_remove(&c->link);
        pending_remove(&l->pending, &c->member);
        free(c);
        close(fd);
        return;
    }
    uv_poll_start(&c->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    relay_listener *l = poll->data;
    (void)status;
    (void)events;
    for (unsigned i = 0; i < MAX_ACCEPTS; i++) {
        const int fd = accept4(l->socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
            diagnostics_report(l->diagnostics, "%s: cannot accept clients now: %s", l->address,
                               strerror(errno));
            uv_poll_stop(&l->poll);
            l->paused = true;
        }
        if (fd < 0) return;
        if (needs_token(l) || l->needs_bytes)
            add_pending(l, fd);
        else
            l->on_client(l->user, fd);
    }
}

static void on_tick(uv_timer_t *timer)
{
    relay_listener *l = timer->data;
    client *oldest;
    while ((oldest = LIST_MEMBER(list_previous(&l->clients, &l->clients), client, link)) &&
           uv_now(l->loop) >= oldest->until)
        disconnect(oldest,
                   needs_token(l) ? "timeout: no token received" : "timeout: no data received");
    if (l->paused) uv_poll_start(&l->poll, UV_READABLE, on_connection);
    l->paused = false;
}

/* --- Opening ---------------------------------------------------------------------------------- */

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool is_loopback(const union socket_address *a)
{
    if (a->any.sa_family == AF_INET) return ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static bool check_exposure(relay_listener *l, const char *address, char *message, size_t size)
{
    union socket_address bound = {0};
    socklen_t length = sizeof bound;
    getsockname(l->socket->fd, &bound.any, &length);
    l->port = ntohs(bound.any.sa_family == AF_INET ? bound.v4.sin_port : bound.v6.sin6_port);
    if (is_loopback(&bound) || l->token) return true;
    snprintf(message, size,
             "%s is reachable from other hosts: require a token (--token-file FILE), or listen on "
             "tcp:127.0.0.1:PORT",
             address);
    return false;
}

static void on_closed(uv_handle_t *handle)
{
    relay_listener *l = handle->data;
    if (--l->open > 0) return;
    pending_end(&l->pending);
    free(l);
}

/* Leaves descriptors for other uses. */
static unsigned max_pending(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / DESCRIPTOR_SHARE >= MAX_PENDING)
        return MAX_PENDING;
    return limit.rlim_cur >= DESCRIPTOR_SHARE ? (unsigned)(limit.rlim_cur / DESCRIPTOR_SHARE) : 1;
}

static bool init_poll(relay_listener *l, uv_loop_t *loop, char *message, size_t size)
{
    const int error = uv_poll_init(loop, &l->poll, l->socket->fd);
    if (error) snprintf(message, size, "%s: %s", l->address, uv_strerror(error));
    return error == 0;
}

relay_listener *relay_listener_open(uv_loop_t *loop, const char *address, const char *token,
                                    diagnostics *diagnostics, void (*on_client)(void *user, int fd),
                                    void *user, char *message, size_t size)
{
    char buffer[512];
    hectic_destination at;
    if (!hectic_destination_parse(&at, address, buffer, sizeof buffer) ||
        (at.kind != HECTIC_TO_UNIX && at.kind != HECTIC_TO_TCP)) {
        snprintf(
            message, size,
            "invalid listen address \"%s\": expected unix:PATH or tcp:HOST:PORT (port 0 to 65535)",
            address);
        return NULL;
    }
    relay_listener *l = calloc(1, sizeof *l);
    pending_set clients = {0};
    if (!l || !pending_begin(&clients, max_pending())) {
        snprintf(message, size, "out of memory");
        free(l);
        return NULL;
    }
    *l = (relay_listener){.loop = loop,
                          .pending = clients,
                          .address = address,
                          .diagnostics = diagnostics,
                          .token = token,
                          .on_client = on_client,
                          .user = user,
                          .open = 2};
    list_init(&l->clients);
    l->socket = listener_new(&at, message, size);
    if (!l->socket || (at.kind == HECTIC_TO_TCP && !check_exposure(l, address, message, size)) ||
        !init_poll(l, loop, message, size)) {
        if (l->socket) listener_free(l->socket, true);
        pending_end(&l->pending);
        free(l);
        return NULL;
    }
    uv_timer_init(loop, &l->timer);
    l->poll.data = l->timer.data = l;
    uv_poll_start(&l->poll, UV_READABLE, on_connection);
    uv_timer_start(&l->timer, on_tick, TICK_MS, TICK_MS);
    return l;
}

void relay_listener_require_bytes(relay_listener *l)
{
    l->needs_bytes = true;
}

void relay_listener_skip_token(relay_listener *l)
{
    l->skips_token = true;
}

unsigned relay_listener_port(const relay_listener *l)
{
    return l->port;
}

void relay_listener_close(relay_listener *l)
{
    for (list_link *c; (c = list_next(&l->clients, &l->clients));)
        disconnect(LIST_MEMBER(c, client, link), NULL);
    uv_poll_stop(&l->poll);
    uv_close((uv_handle_t *)&l->poll, on_closed);
    uv_close((uv_handle_t *)&l->timer, on_closed);
    listener_free(l->socket, true);
}
