/* A file, created or truncated. */
#include "sink/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int file_open(sink *s)
{
    struct stat status;
    if (stat(s->destination.path, &status) == 0 && S_ISFIFO(status.st_mode)) {
        s->kind = &sink_to_fifo;
        return s->kind->open(s);
    }
    s->truncated = false;
    /* Non-blocking for terminals and devices; no effect on regular files. */
    s->fd = open(s->destination.path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
    return s->fd < 0 ? errno : 0;
}

/* The first write truncates it: if a log is redirected to the same file, the old log ends there
 * after the new one has been opened. */
static ssize_t file_write(sink *s, const struct iovec *piece, int count)
{
    enum { NOT_A_FILE = EINVAL };
    if (!s->truncated && ftruncate(s->fd, 0) < 0 && errno != NOT_A_FILE)
        return errno == EINTR ? -EAGAIN : -errno;
    s->truncated = true;
    return sink_write(s, piece, count);
}

const struct sink_kind sink_to_file = {
    .name = "file",
    .prepare = sink_prepare_path,
    .open = file_open,
    .write = file_write,
    .close = sink_close_fd,
};
