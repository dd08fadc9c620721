/* Connecting sockets. */
#include "sink/sink.h"

#include <errno.h>
#include <sys/socket.h>

int sink_connect(sink *s, const struct sockaddr *address, size_t size)
{
    s->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->fd < 0) return errno;
    if (connect(s->fd, address, (socklen_t)size) == 0) return 0;
    const int error = errno;
    /* After EINTR, connecting continues in the background. */
    if (error == EINPROGRESS || error == EINTR) return EINPROGRESS;
    sink_close_fd(s);
    return error;
}

int sink_retry_error(int error)
{
    static const int retriable[] = {
        ENOENT,      ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT,
        ENETUNREACH, EHOSTUNREACH, ENETDOWN,   EHOSTDOWN,    EADDRNOTAVAIL,
    };
    for (size_t i = 0; i < sizeof retriable / sizeof *retriable; i++)
        if (error == retriable[i]) return EAGAIN;
    return error;
}
