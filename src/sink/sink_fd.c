/* A descriptor of the caller. Its flags are shared with other users of the open file and must not
 * be changed, so a descriptor that may block is written to after polling. */
#define _GNU_SOURCE /* ptsname_r */
#include "sink/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd_open(sink *s);

static int fd_prepare(sink *s)
{
    return s->destination.fd < 0 ? EINVAL : 0;
}

static void fd_close(sink *s)
{
    if (s->fd != s->destination.fd) sink_close_fd(s);
    s->fd = -1;
}

/* A descriptor that is ready accepts PIPE_BUF bytes without blocking. */
static ssize_t write_when_ready(sink *s, const struct iovec *piece, int count)
{
    struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0) return -EAGAIN;
    while (count > 1 && piece->iov_len == 0) {
        piece++;
        count--;
    }
    struct iovec first = *piece;
    if (first.iov_len > PIPE_BUF) first.iov_len = PIPE_BUF;
    return sink_write(s, &first, 1);
}

#define FD_KIND(name_, write_)                                                                     \
    {                                                                                              \
        .name = name_, .prepare = fd_prepare, .open = fd_open, .write = write_, .close = fd_close, \
    }

const struct sink_kind sink_to_fd = FD_KIND("descriptor", sink_write);
static const struct sink_kind socket_kind = FD_KIND("socket descriptor", sink_send);
static const struct sink_kind slow_kind = FD_KIND("blocking descriptor", write_when_ready);

/* Can the same object be reopened by its name in /proc? */
static bool is_reopenable(int fd, mode_t mode)
{
    char name[64];
    /* Not the master of a terminal: that would create another terminal. */
    return S_ISFIFO(mode) || (isatty(fd) && ptsname_r(fd, name, sizeof name) != 0);
}

static int fd_open(sink *s)
{
    const int fd = s->destination.fd, flags = fcntl(fd, F_GETFL);
    struct stat status;
    if (flags < 0 || fstat(fd, &status) < 0) return errno;
    if ((flags & O_ACCMODE) == O_RDONLY) return EBADF;
    s->fd = fd;
    s->kind = S_ISSOCK(status.st_mode)                              ? &socket_kind
              : S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) ? &slow_kind
                                                                    : &sink_to_fd;
    if (!is_reopenable(fd, status.st_mode)) return 0;
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const int own = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own < 0) return errno == ENXIO ? EPIPE : 0;
    s->fd = own;
    s->kind = &sink_to_fd;
    return 0;
}
