/* Reading from a libuv stream (pipes and sockets), and connections. */
#include "source/source_kind.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

void source_drop(source *s, unsigned ms, void (*then)(source *s))
{
    s->begun = false;
    source_close_stream(s);
    source_later(s, ms, then);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    const source *s = handle->data;
    *buffer = uv_buf_init((char *)s->buffer, SOURCE_PIECE_MAX);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    (void)buffer;
    source *s = stream->data;
    if (length > 0) source_deliver(s, (size_t)length);
    if (length >= 0) return;
    const int error = length == UV_ECONNRESET ? UV_EOF : (int)length;
    if (s->options.once && s->begun)
        source_end(s, error == UV_EOF ? 0 : error);
    else
        s->kind->lost(s, error);
}

void source_read(source *s)
{
    s->connected = true;
    const int error = s->paused ? 0 : uv_read_start(&s->stream, on_alloc, on_read);
    if (error) source_end(s, error);
}

bool source_send(source *s, const void *bytes, size_t length)
{
    enum { MAX_UNREAD = 32768 }; /* less than the buffer of a socket */
    uv_os_fd_t fd;
    int unread = 0;
    if (!s->connected || s->ended || s->closing || uv_fileno(&s->handle, &fd) != 0) return false;
    /* Do not send a part of a message to a peer that does not read. */
    if (ioctl(fd, TIOCOUTQ, &unread) == 0 && unread > MAX_UNREAD) return false;
    /* Not with libuv, whose writes can raise SIGPIPE. */
    const ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    /* A partial message would be useless to the peer. */
    if (sent >= 0 && (size_t)sent < length) shutdown(fd, SHUT_RDWR);
    return sent >= 0 && (size_t)sent == length;
}

/* --- Connections ------------------------------------------------------------------------------ */

/* Reasons of failed connections after which it is worth trying again. */
static const struct reason {
    int error;
    const char *text;
} reasons[] = {
    {UV_EOF, "connection closed by peer"},
    {UV_ENOENT, "no such socket yet"},
    {UV_ENOTDIR, "no such socket yet"},
    {UV_ECONNREFUSED, "connection refused"},
    {UV_ENOTSOCK, "not a socket"},
    {UV_EAGAIN, "not accepting connections now"},
    {UV_ETIMEDOUT, "connection timed out"},
    {UV_EPIPE, "connection closed by peer"},
    {UV_ECONNABORTED, "connection closed by peer"},
    {UV_EHOSTUNREACH, "host unreachable"},
    {UV_EHOSTDOWN, "host down"},
    {UV_ENETUNREACH, "network unreachable"},
    {UV_ENETDOWN, "network down"},
    {UV_EADDRNOTAVAIL, "host unreachable"},
    {UV_EAI_NONAME, "unknown host"},
    {UV_EAI_NODATA, "the host has no address"},
    {UV_EAI_AGAIN, "cannot resolve the host name now"},
    {UV_EAI_FAIL, "cannot resolve the host name"},
    {UV_EMFILE, "too many open files"},
    {UV_ENFILE, "too many open files"},
};

void source_retry(source *s, const char *reason)
{
    const unsigned ms = s->retry_ms;
    s->retry_ms = 2 * ms < SOURCE_MAX_RETRY_MS ? 2 * ms : SOURCE_MAX_RETRY_MS;
    source_wait(s, "waiting for %s: %s", s->name, reason);
    source_drop(s, ms, source_start);
}

void source_reconnect(source *s, int error)
{
    const struct reason *reason = reasons, *end = reasons + sizeof reasons / sizeof *reasons;
    while (reason < end && reason->error != error)
        reason++;
    if (reason == end)
        source_end(s, error);
    else
        source_retry(s, reason->text);
}

/* TCP self-connection: a connection to an unused local port may get that same port as its own. */
static bool is_to_itself(const source *s)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    uv_os_fd_t fd;
    return uv_fileno(&s->handle, &fd) == 0 &&
           getsockname(fd, (struct sockaddr *)&here, &here_size) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &there_size) == 0 &&
           here.ss_family != AF_UNIX && here_size == there_size &&
           memcmp(&here, &there, here_size) == 0;
}

static void on_silence(source *s)
{
    if (s->connected && !s->begun && !s->paused)
        source_wait(s, "connected to %s, no data yet", s->name);
}

void source_on_connect(uv_connect_t *request, int status)
{
    source *s = request->handle->data;
    if (s->closing || s->ended) return;
    if (status == 0 && is_to_itself(s)) status = UV_ECONNREFUSED;
    if (status < 0) {
        s->kind->lost(s, status);
        return;
    }
    /* After a rejected connection, the reason for that is more useful. */
    if (!s->was_rejected) source_later(s, SOURCE_SILENCE_MS, on_silence);
    source_read(s);
}
