#define _GNU_SOURCE /* accept4 */
#include "live/door.h"

#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TOKEN_MOST = 256, TOKEN_MS = 5000, GUESTS_MOST = 256 };

/* One who has not said the token yet. */
typedef struct guest {
    struct guest *next;
    door *door;
    int fd;
    uv_poll_t poll;
    uint64_t until; /* ms of the loop */
    size_t said;
    char text[TOKEN_MOST];
} guest;

struct door {
    uv_loop_t *loop;
    listener *listener;
    const char *token; /* NULL: none is asked for */
    bool lets_in;      /* it is asked for by others */
    void (*came)(void *user, int fd);
    void *user;
    uv_poll_t poll;
    uv_timer_t timer;
    guest *guests;
    unsigned guest_count, port;
    unsigned open; /* handles */
};

bool door_token_is(const char *token, const char *said, size_t length)
{
    const size_t size = strlen(token);
    unsigned differs = length != size;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned char)(token[i] ^ (length > 0 ? said[i % length] : 0));
    return differs == 0;
}

/* --- Guests ------------------------------------------------------------------------------------
 */

static void on_guest_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Takes it off the list; its descriptor is given on or closed. */
static void leave(guest *g, bool welcome)
{
    door *d = g->door;
    guest **place = &d->guests;
    while (*place != g)
        place = &(*place)->next;
    *place = g->next;
    d->guest_count--;
    uv_poll_stop(&g->poll);
    uv_close((uv_handle_t *)&g->poll, on_guest_closed);
    if (welcome)
        d->came(d->user, g->fd);
    else
        close(g->fd);
}

/* Byte by byte: what follows the token's line is for whom it comes to. */
static void listen_to(uv_poll_t *poll, int status, int events)
{
    guest *g = poll->data;
    (void)events;
    for (;;) {
        char byte;
        const ssize_t got = status < 0 ? 0 : recv(g->fd, &byte, 1, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (got <= 0 || g->said == sizeof g->text) {
            leave(g, false);
            return;
        }
        if (byte == '\n') {
            if (g->said > 0 && g->text[g->said - 1] == '\r') g->said--;
            leave(g, door_token_is(g->door->token, g->text, g->said));
            return;
        }
        g->text[g->said++] = byte;
    }
}

static void lose_patience(uv_timer_t *timer)
{
    door *d = timer->data;
    for (guest *g = d->guests, *next; g; g = next) {
        next = g->next;
        if (uv_now(d->loop) >= g->until) leave(g, false);
    }
}

static void ask(door *d, int fd)
{
    guest *g = d->guest_count < GUESTS_MOST ? calloc(1, sizeof *g) : NULL;
    if (!g || uv_poll_init(d->loop, &g->poll, fd) < 0) {
        free(g);
        close(fd);
        return;
    }
    g->door = d;
    g->fd = fd;
    g->until = uv_now(d->loop) + TOKEN_MS;
    g->poll.data = g;
    g->next = d->guests;
    d->guests = g;
    d->guest_count++;
    uv_poll_start(&g->poll, UV_READABLE | UV_DISCONNECT, listen_to);
}

static void on_knock(uv_poll_t *poll, int status, int events)
{
    door *d = poll->data;
    (void)status;
    (void)events;
    for (int fd; (fd = accept4(d->listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;)
        if (d->token && d->port > 0 && !d->lets_in)
            ask(d, fd);
        else
            d->came(d->user, fd);
}

/* --- Opening
 * -------------------------------------------------------------------------------------- */

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

static bool may_be(door *d, const char *place, char *message, size_t size)
{
    union address address = {0};
    socklen_t length = sizeof address;
    getsockname(d->listener->fd, &address.any, &length);
    d->port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    if (is_of_this_host(&address) || d->token) return true;
    snprintf(message, size,
             "%s can be reached by other hosts: give a token that they have to say "
             "(--token-file FILE), or listen at tcp:127.0.0.1:PORT",
             place);
    return false;
}

static void on_closed(uv_handle_t *handle)
{
    door *d = handle->data;
    if (--d->open == 0) free(d);
}

door *door_open(uv_loop_t *loop, const char *place, const char *token,
                void (*came)(void *user, int fd), void *user, char *message, size_t size)
{
    char room[512];
    hectic_destination at;
    if (!hectic_destination_parse(&at, place, room, sizeof room) ||
        (at.kind != HECTIC_TO_UNIX && at.kind != HECTIC_TO_TCP)) {
        snprintf(message, size, "\"%s\" is no place to listen at: unix:PATH, tcp:HOST:PORT", place);
        return NULL;
    }
    door *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    *d = (door){.loop = loop, .token = token, .came = came, .user = user, .open = 2};
    d->listener = listener_new(&at, message, size);
    if (!d->listener || (at.kind == HECTIC_TO_TCP && !may_be(d, place, message, size))) {
        if (d->listener) listener_free(d->listener, true);
        free(d);
        return NULL;
    }
    uv_poll_init(loop, &d->poll, d->listener->fd);
    uv_timer_init(loop, &d->timer);
    d->poll.data = d->timer.data = d;
    uv_poll_start(&d->poll, UV_READABLE, on_knock);
    if (token) uv_timer_start(&d->timer, lose_patience, TOKEN_MS / 5, TOKEN_MS / 5);
    return d;
}

void door_let_in(door *d)
{
    d->lets_in = true;
}

unsigned door_port(const door *d)
{
    return d->port;
}

void door_close(door *d)
{
    while (d->guests)
        leave(d->guests, false);
    uv_poll_stop(&d->poll);
    uv_close((uv_handle_t *)&d->poll, on_closed);
    uv_close((uv_handle_t *)&d->timer, on_closed);
    listener_free(d->listener, true);
}
