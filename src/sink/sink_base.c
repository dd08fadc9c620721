/* Shared by the kinds of sinks: paths, closing, and the system's write calls without the signals
 * that they raise. */
#include "sink/sink.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int sink_prepare_path(sink *s)
{
    return s->destination.path && *s->destination.path ? 0 : EINVAL;
}

void sink_close_fd(sink *s)
{
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

static ssize_t result(ssize_t taken)
{
    if (taken > 0) return taken;
    return taken < 0 ? -errno : -EIO;
}

/* A write to a pipe without a reader raises SIGPIPE in this thread, one beyond the file size limit
 * SIGXFSZ. Consumes these signals, because the program did not write; but not one that was pending
 * before. */
ssize_t sink_write(sink *s, const struct iovec *piece, int count)
{
    sigset_t raised, before, mask;
    sigemptyset(&raised);
    sigaddset(&raised, SIGPIPE);
    sigaddset(&raised, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &raised, &mask);
    sigpending(&before);
    ssize_t taken;
    do
        taken = writev(s->fd, piece, count);
    while (taken < 0 && errno == EINTR);
    taken = result(taken);
    const int signal_number = taken == -EPIPE ? SIGPIPE : taken == -EFBIG ? SIGXFSZ : 0;
    if (signal_number && !sigismember(&before, signal_number)) {
        sigemptyset(&raised);
        sigaddset(&raised, signal_number);
        while (sigtimedwait(&raised, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return taken;
}

ssize_t sink_send(sink *s, const struct iovec *piece, int count)
{
    const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)piece,
                                   .msg_iovlen = (size_t)count};
    ssize_t taken;
    do
        taken = sendmsg(s->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (taken < 0 && errno == EINTR);
    return result(taken);
}
