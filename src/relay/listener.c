#define _GNU_SOURCE /* accept4 */
#include "relay/listener.h"

#include "relay/authentication.h"
#include "relay/pending.h"
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
    FIRST_MS = 5000,   /* from connecting to the token's end, or to the first byte */
    GUESTS_MAX = 4096, /* who have not said it: so long that a flood of 18,000 a second … */
    GUESTS_PART = 4,   /* … leaves 0.2 s to each; and of the descriptors, no more than a part */
    AT_ONCE_MAX = 32,  /* who come in one turn of the loop: the others are not to wait for long */
    TICK_MS = 1000,
};

/* One who has not said the token, or anything, yet. */
typedef struct client {
    list_link link; /* in clients */
    pending_member member;
    relay_listener *listener;
    int fd;
    uv_poll_t poll;
    uint64_t until; /* ms of the loop */
    token_line said;
} client;

struct relay_listener {
    uv_loop_t *loop;
    const char *place;
    diagnostics *diagnostics;
    listener *listener;
    const char *token; /* NULL: none is asked for */
    bool lets_in;      /* it is asked for by others */
    bool expects;      /* bytes, whatever they are */
    bool rests;        /* there is no descriptor or memory for who comes */
    void (*came)(void *user, int fd);
    void *user;
    uv_poll_t poll;
    uv_timer_t timer;
    list_link clients;   /* the newest first */
    pending_set pending; /* of clients */
    unsigned port;
    unsigned open; /* handles */
};

/* --- Guests ---------------------------------------------------------------------------------- */

static void on_client_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Takes it off the lists. */
static void leave(client *g)
{
    list_remove(&g->link);
    pending_remove(&g->listener->pending, &g->member);
    uv_poll_stop(&g->poll);
    uv_close((uv_handle_t *)&g->poll, on_client_closed);
}

/* NULL: it has gone by itself. */
static void turn_away(client *g, const char *why)
{
    const relay_listener *d = g->listener;
    if (why) diagnostics_report(d->diagnostics, "%s: client disconnected: %s", d->place, why);
    leave(g);
    close(g->fd);
}

static void let_in(client *g)
{
    const relay_listener *d = g->listener;
    leave(g);
    d->came(d->user, g->fd);
}

static bool asks(const relay_listener *d)
{
    return d->token && d->port > 0 && !d->lets_in;
}

/* Byte by byte: what follows the token's line is for whom it comes to, and so is all where none is
 * asked for. True: it waits on. */
static bool hear(client *g)
{
    const bool asked = asks(g->listener);
    for (;;) {
        char byte;
        const ssize_t got = recv(g->fd, &byte, 1, MSG_DONTWAIT | (asked ? 0 : MSG_PEEK));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        const token_verdict verdict = got <= 0 ? TOKEN_WRONG
                                      : asked  ? token_take(&g->said, g->listener->token, byte)
                                               : TOKEN_RIGHT;
        if (verdict == TOKEN_UNFINISHED) continue;
        if (verdict == TOKEN_RIGHT)
            let_in(g);
        else
            turn_away(g, got <= 0 ? NULL : "authentication failed: wrong token");
        return false;
    }
}

static void on_words(uv_poll_t *poll, int status, int events)
{
    client *g = poll->data;
    (void)events;
    if (status < 0)
        turn_away(g, NULL);
    else
        hear(g);
}

/* What has been said by now counts, though the loop has not come to it. */
static void make_room(relay_listener *d)
{
    while (pending_is_full(&d->pending)) {
        client *g = LIST_MEMBER(pending_next_eviction(&d->pending), client, member);
        if (hear(g))
            turn_away(g, asks(d) ? "no token received, and too many clients"
                                 : "no data received, and too many clients");
    }
}

static void expect(relay_listener *d, int fd)
{
    make_room(d);
    client *g = calloc(1, sizeof *g);
    if (!g || !pending_add(&d->pending, &g->member, pending_address_of(fd))) {
        free(g);
        close(fd);
        return;
    }
    g->listener = d;
    g->fd = fd;
    g->until = uv_now(d->loop) + FIRST_MS;
    g->poll.data = g;
    list_add(&d->clients, &g->link);
    if (uv_poll_init(d->loop, &g->poll, fd) < 0) {
        list_remove(&g->link);
        pending_remove(&d->pending, &g->member);
        free(g);
        close(fd);
        return;
    }
    uv_poll_start(&g->poll, UV_READABLE | UV_DISCONNECT, on_words);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    relay_listener *d = poll->data;
    (void)status;
    (void)events;
    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        const int fd = accept4(d->listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
            diagnostics_report(d->diagnostics, "%s: cannot accept clients now: %s", d->place,
                               strerror(errno));
            uv_poll_stop(&d->poll);
            d->rests = true;
        }
        if (fd < 0) return;
        if (asks(d) || d->expects)
            expect(d, fd);
        else
            d->came(d->user, fd);
    }
}

static void on_tick(uv_timer_t *timer)
{
    relay_listener *d = timer->data;
    client *oldest;
    while ((oldest = LIST_MEMBER(list_previous(&d->clients, &d->clients), client, link)) &&
           uv_now(d->loop) >= oldest->until)
        turn_away(oldest, asks(d) ? "timeout: no token received" : "timeout: no data received");
    if (d->rests) uv_poll_start(&d->poll, UV_READABLE, on_connection);
    d->rests = false;
}

/* --- Opening --------------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool is_of_this_host(const union address *a)
{
    if (a->any.sa_family == AF_INET) return ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static bool may_be(relay_listener *d, const char *place, char *message, size_t size)
{
    union address address = {0};
    socklen_t length = sizeof address;
    getsockname(d->listener->fd, &address.any, &length);
    d->port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    if (is_of_this_host(&address) || d->token) return true;
    snprintf(message, size,
             "%s is reachable from other hosts: require a token (--token-file FILE), or listen on "
             "tcp:127.0.0.1:PORT",
             place);
    return false;
}

static void on_closed(uv_handle_t *handle)
{
    relay_listener *d = handle->data;
    if (--d->open > 0) return;
    pending_end(&d->pending);
    free(d);
}

/* Others need descriptors as well. */
static unsigned clients_max(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / GUESTS_PART >= GUESTS_MAX)
        return GUESTS_MAX;
    return limit.rlim_cur >= GUESTS_PART ? (unsigned)(limit.rlim_cur / GUESTS_PART) : 1;
}

static bool can_wait(relay_listener *d, uv_loop_t *loop, char *message, size_t size)
{
    const int error = uv_poll_init(loop, &d->poll, d->listener->fd);
    if (error) snprintf(message, size, "%s: %s", d->place, uv_strerror(error));
    return error == 0;
}

relay_listener *relay_listener_open(uv_loop_t *loop, const char *place, const char *token,
                                    diagnostics *diagnostics, void (*came)(void *user, int fd),
                                    void *user, char *message, size_t size)
{
    char room[512];
    hectic_destination at;
    if (!hectic_destination_parse(&at, place, room, sizeof room) ||
        (at.kind != HECTIC_TO_UNIX && at.kind != HECTIC_TO_TCP)) {
        snprintf(
            message, size,
            "invalid listen address \"%s\": expected unix:PATH or tcp:HOST:PORT (port 0 to 65535)",
            place);
        return NULL;
    }
    relay_listener *d = calloc(1, sizeof *d);
    pending_set clients = {0};
    if (!d || !pending_begin(&clients, clients_max())) {
        snprintf(message, size, "out of memory");
        free(d);
        return NULL;
    }
    *d = (relay_listener){.loop = loop,
                          .pending = clients,
                          .place = place,
                          .diagnostics = diagnostics,
                          .token = token,
                          .came = came,
                          .user = user,
                          .open = 2};
    list_init(&d->clients);
    d->listener = listener_new(&at, message, size);
    if (!d->listener || (at.kind == HECTIC_TO_TCP && !may_be(d, place, message, size)) ||
        !can_wait(d, loop, message, size)) {
        if (d->listener) listener_free(d->listener, true);
        pending_end(&d->pending);
        free(d);
        return NULL;
    }
    uv_timer_init(loop, &d->timer);
    d->poll.data = d->timer.data = d;
    uv_poll_start(&d->poll, UV_READABLE, on_connection);
    uv_timer_start(&d->timer, on_tick, TICK_MS, TICK_MS);
    return d;
}

void relay_listener_require_bytes(relay_listener *d)
{
    d->expects = true;
}

void relay_listener_skip_token(relay_listener *d)
{
    d->lets_in = true;
}

unsigned relay_listener_port(const relay_listener *d)
{
    return d->port;
}

void relay_listener_close(relay_listener *d)
{
    for (list_link *g; (g = list_next(&d->clients, &d->clients));)
        turn_away(LIST_MEMBER(g, client, link), NULL);
    uv_poll_stop(&d->poll);
    uv_close((uv_handle_t *)&d->poll, on_closed);
    uv_close((uv_handle_t *)&d->timer, on_closed);
    listener_free(d->listener, true);
}
