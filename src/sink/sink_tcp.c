/* A TCP connection. The host is resolved and the token is read once, by sink_new: a name server may
 * take long, which would block later. */
#include "sink/sink.h"
#include "sink/token.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

typedef struct addresses {
    struct addrinfo *all, *now; /* now: the address to try */
    char token[TOKEN_MAX + 1];  /* "": none */
} addresses;

static int error_of(int answer)
{
    const int error = errno;
    switch (answer) {
    case 0: return 0;
    case EAI_MEMORY: return ENOMEM;
    case EAI_SERVICE: return EINVAL;
    case EAI_SYSTEM: return error;
    default: return EHOSTUNREACH;
    }
}

static int tcp_prepare(sink *s)
{
    const hectic_destination *to = &s->destination;
    if (!to->host || !*to->host || !to->port || !*to->port) return EINVAL;
    addresses *a = calloc(1, sizeof *a);
    if (!a) return ENOMEM;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    int error = to->token_file ? token_read(to->token_file, a->token, NULL, 0) : 0;
    if (!error) error = error_of(getaddrinfo(to->host, to->port, &hints, &a->all));
    if (error) {
        free(a);
        return error;
    }
    a->now = a->all;
    s->data = a;
    return 0;
}

static void tcp_forget(sink *s)
{
    addresses *a = s->data;
    freeaddrinfo(a->all);
    free(a);
}

/* TCP self-connection: a connection to an unused local port may get that same port as its own. */
static bool is_to_itself(int fd)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    return getsockname(fd, (struct sockaddr *)&here, &here_size) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &there_size) == 0 &&
           here_size == there_size && memcmp(&here, &there, here_size) == 0;
}

/* The state of the pending connection. */
static int progress(const sink *s)
{
    struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0) return EINPROGRESS;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

/* Sends the token first. The buffer of a new connection is large enough. */
static int send_token(sink *s, const char *token)
{
    const size_t length = strlen(token);
    const struct iovec line[] = {{(void *)(uintptr_t)token, length}, {(void *)(uintptr_t) "\n", 1}};
    if (length == 0) return 0;
    return sink_send(s, line, 2) == (ssize_t)length + 1 ? 0 : ECONNRESET;
}

static int tcp_open(sink *s)
{
    addresses *a = s->data;
    int error = s->fd < 0 ? sink_connect(s, a->now->ai_addr, a->now->ai_addrlen) : progress(s);
    if (!error && is_to_itself(s->fd)) error = ECONNREFUSED;
    while (error && error != EINPROGRESS && a->now->ai_next) {
        sink_close_fd(s);
        a->now = a->now->ai_next;
        error = sink_connect(s, a->now->ai_addr, a->now->ai_addrlen);
    }
    if (error == EINPROGRESS) return EAGAIN;
    a->now = a->all;
    if (!error) error = send_token(s, a->token);
    if (error)
        sink_close_fd(s);
    else
        setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return sink_retry_error(error);
}

const struct sink_kind sink_to_tcp = {
    .name = "TCP",
    .reopens = true,
    .prepare = tcp_prepare,
    .release = tcp_forget,
    .open = tcp_open,
    .write = sink_send,
    .close = sink_close_fd,
};
