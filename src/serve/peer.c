/* One reader: output to it, and commands from it. */
#include "serve/serve.h"
#include "sink/sink.h"
#include "sink/token.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static peer *peer_new(sink *s, int fd)
{
    peer *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->sink = s;
    p->fd = fd;
    p->ready = !s;
    p->is_reader = s != NULL;
    p->progress_at = clock_ms();
    return p;
}

peer *peer_open_destination(const hectic_destination *at, char *message, size_t size)
{
    char token[TOKEN_MAX + 1];
    sink *s = sink_new(at);
    peer *p = s ? peer_new(s, -1) : NULL;
    if (p) peer_try_open(p);
    if (p && !p->gone) return p;
    const int error = errno;
    const bool no_token = !s && at->token_file && token_read(at->token_file, token, message, size);
    if (!no_token) snprintf(message, size, "cannot open the destination: %s", strerror(error));
    if (p)
        peer_free(p);
    else
        sink_free(s);
    return NULL;
}

static bool is_unix_socket(int fd)
{
    int domain = 0;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

/* A Unix socket buffers 200 KB by default, which fills up in a millisecond: a reader that is
 * scheduled later would fall behind. TCP adapts its buffers itself. Its flushed data are sent at
 * once, without waiting for acknowledgements. */
peer *peer_adopt(int fd)
{
    enum { WIDE = 1 << 20 };         /* the system limits it */
    enum { TCP_RECEIVED = 6 << 20 }; /* Linux' default limit of a receive buffer */
    const bool is_unix = is_unix_socket(fd);
    if (is_unix)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){WIDE}, sizeof(int));
    else
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    peer *p = peer_new(NULL, fd);
    if (p && !is_unix) p->hidden = TCP_RECEIVED;
    return p;
}

static void drop_output(peer *p)
{
    chunk_release(p->current);
    p->current = NULL;
    p->out.size = p->sent = 0;
}

void peer_free(peer *p)
{
    drop_output(p);
    bytes_clear(&p->out);
    bytes_clear(&p->answers);
    if (p->sink) {
        /* A connection that is being made has a descriptor, too. */
        if (p->ready || p->sink->kind->reopens) p->sink->kind->close(p->sink);
        sink_free(p->sink);
    } else {
        close(p->fd);
    }
    free(p);
}

bool peer_try_open(peer *p)
{
    const int error = p->sink->kind->open(p->sink);
    p->ready = error == 0;
    p->fd = p->ready ? p->sink->fd : -1;
    p->gone = error && error != EAGAIN && !p->sink->kind->reopens;
    errno = error;
    return p->ready;
}

void peer_disconnect(peer *p)
{
    if (!p->sink || !p->sink->kind->reopens || p->ended) {
        p->gone = true;
        return;
    }
    p->sink->kind->close(p->sink);
    drop_output(p);
    p->ready = p->begun = false;
    p->fd = -1;
}

static ssize_t send_some(peer *p, const struct iovec *piece, int count)
{
    if (p->sink) return p->sink->kind->write(p->sink, piece, count);
    const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)piece,
                                   .msg_iovlen = (size_t)count};
    ssize_t taken;
    do
        taken = sendmsg(p->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (taken < 0 && errno == EINTR);
    return taken < 0 ? -errno : taken;
}

/* What a socket holds has not been read, and what a peer that left has not read is unknown. */
void peer_note_read(peer *p)
{
    int unread = 0;
    struct pollfd left = {.fd = p->fd};
    if (ioctl(p->fd, SIOCOUTQ, &unread) < 0) unread = 0; /* a file */
    if (p->gone || poll(&left, 1, 0) > 0) return;
    unread += p->hidden;
    if (unread == 0) p->check.chunk = p->taken.chunk;
    if (p->total < p->check.total + (uint64_t)unread && unread > 0) return;
    p->read = p->check.chunk;
    p->check.chunk = p->taken.chunk;
    p->check.total = p->taken.total;
}

bool peer_has_unsent(const peer *p)
{
    return p->out.size > 0 || p->current;
}

bool peer_write(peer *p)
{
    const size_t bytes = p->current ? p->current->size : 0;
    while (p->ready && p->sent < p->out.size + bytes) {
        const size_t out = p->sent < p->out.size ? p->sent : p->out.size;
        const struct iovec piece[] = {
            {p->out.at ? p->out.at + out : NULL, p->out.size - out},
            {p->current ? p->current->bytes + (p->sent - out) : NULL, bytes - (p->sent - out)},
        };
        const ssize_t taken = send_some(p, piece, 2);
        p->full = taken == -ENOSPC || taken == -EDQUOT;
        if (taken == -EAGAIN || taken == -EWOULDBLOCK || p->full) return false;
        if (taken < 0) {
            peer_disconnect(p);
            return false;
        }
        p->sent += (size_t)taken;
        p->total += (size_t)taken;
        p->progress_at = clock_ms();
    }
    return p->ready;
}

bool peer_command(peer *p, hectic_control_command *command)
{
    uint8_t byte;
    while (!p->sink && !p->input_closed) {
        const ssize_t got = recv(p->fd, &byte, 1, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (got <= 0) p->input_closed = true;
        if (got < 0) p->gone = true;
        if (got <= 0) return false;
        switch (hectic_control_parse(&p->parser, byte, command)) {
        case HECTIC_CONTROL_COMMAND: return true;
        case HECTIC_CONTROL_INVALID: peer_reject(p, FAULT_INVALID); break;
        case HECTIC_CONTROL_PARTIAL:
            if (p->parser.length == 1) p->command_at = clock_ms();
        }
    }
    return false;
}

void peer_reject(peer *p, fault fault)
{
    p->fault = fault;
    p->input_closed = true;
}
