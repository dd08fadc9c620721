#define _GNU_SOURCE /* accept4 */
#include "live/door.h"

#include "live/admission.h"
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TOKEN_MS = 5000,   /* from connecting to the token's end */
    GUESTS_MOST = 256, /* who have not said it: the oldest makes room for one more */
    AT_ONCE_MOST = 32, /* who come in one turn of the loop: the others are not to wait for long */
    TICK_MS = 1000,
};

/* One who has not said the token yet. */
typedef struct guest {
    struct guest *next;
    door *door;
    int fd;
    uv_poll_t poll;
    uint64_t until; /* ms of the loop */
    token_line said;
} guest;

struct door {
    uv_loop_t *loop;
    const char *place;
    notes *notes;
    listener *listener;
    const char *token; /* NULL: none is asked for */
    bool lets_in;      /* it is asked for by others */
    bool rests;        /* there is no descriptor or memory for who comes */
    void (*came)(void *user, int fd);
    void *user;
    uv_poll_t poll;
    uv_timer_t timer;
    guest *guests;
    unsigned guest_count, port;
    unsigned open; /* handles */
};

/* --- Guests ---------------------------------------------------------------------------------- */

static void on_guest_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Takes it off the list. */
static void leave(guest *g)
{
    door *d = g->door;
    guest **place = &d->guests;
    while (*place != g)
        place = &(*place)->next;
    *place = g->next;
    d->guest_count--;
    uv_poll_stop(&g->poll);
    uv_close((uv_handle_t *)&g->poll, on_guest_closed);
}

/* NULL: it has gone by itself. */
static void turn_away(guest *g, const char *why)
{
    const door *d = g->door;
    if (why) notes_say(d->notes, "%s: who came is hung up on: %s", d->place, why);
    leave(g);
    close(g->fd);
}

static void let_in(guest *g)
{
    const door *d = g->door;
    leave(g);
    d->came(d->user, g->fd);
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
        if (got <= 0) {
            turn_away(g, NULL);
            return;
        }
        const token_verdict verdict = token_take(&g->said, g->door->token, byte);
        if (verdict == TOKEN_UNFINISHED) continue;
        if (verdict == TOKEN_RIGHT)
            let_in(g);
        else
            turn_away(g, "what it says is not the token");
        return;
    }
}

/* Who knows the token says it at once: not the newest is the one who does not. */
static void make_room(door *d)
{
    guest *oldest = d->guests;
    if (d->guest_count < GUESTS_MOST) return;
    while (oldest->next)
        oldest = oldest->next;
    turn_away(oldest, "it says no token, and others want its place");
}

static void ask(door *d, int fd)
{
    make_room(d);
    guest *g = calloc(1, sizeof *g);
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
    for (unsigned i = 0; i < AT_ONCE_MOST; i++) {
        const int fd = accept4(d->listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
            notes_say(d->notes, "%s: who comes has to wait: %s", d->place, strerror(errno));
            uv_poll_stop(&d->poll);
            d->rests = true;
        }
        if (fd < 0) return;
        if (d->token && d->port > 0 && !d->lets_in)
            ask(d, fd);
        else
            d->came(d->user, fd);
    }
}

static void on_tick(uv_timer_t *timer)
{
    door *d = timer->data;
    for (guest *g = d->guests, *next; g; g = next) {
        next = g->next;
        if (uv_now(d->loop) >= g->until) turn_away(g, "it has not said the token in time");
    }
    if (d->rests) uv_poll_start(&d->poll, UV_READABLE, on_knock);
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

door *door_open(uv_loop_t *loop, const char *place, const char *token, notes *notes,
                void (*came)(void *user, int fd), void *user, char *message, size_t size)
{
    char room[512];
    hectic_destination at;
    if (!hectic_destination_parse(&at, place, room, sizeof room) ||
        (at.kind != HECTIC_TO_UNIX && at.kind != HECTIC_TO_TCP)) {
        snprintf(message, size,
                 "\"%s\" is no place to listen at: unix:PATH, tcp:HOST:PORT (0 to 65535)", place);
        return NULL;
    }
    door *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    *d = (door){.loop = loop,
                .place = place,
                .notes = notes,
                .token = token,
                .came = came,
                .user = user,
                .open = 2};
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
    uv_timer_start(&d->timer, on_tick, TICK_MS, TICK_MS);
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
        turn_away(d->guests, NULL);
    uv_poll_stop(&d->poll);
    uv_close((uv_handle_t *)&d->poll, on_closed);
    uv_close((uv_handle_t *)&d->timer, on_closed);
    listener_free(d->listener, true);
}
