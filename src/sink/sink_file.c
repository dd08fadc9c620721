/* A file, made or emptied. */
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
    s->begun = false;
    /* Non-blocking for what is neither: a terminal, a device. A regular file knows nothing of it.
     */
    s->fd = open(s->destination.path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
    return s->fd < 0 ? errno : 0;
}

/* The first write empties it: when a log goes on in the file where it is, the old one is ended
 * there after the new one has been opened. */
static ssize_t file_write(sink *s, const struct iovec *piece, int count)
{
    enum { IS_NO_FILE = EINVAL };
    if (!s->begun && ftruncate(s->fd, 0) < 0 && errno != IS_NO_FILE)
        return errno == EINTR ? -EAGAIN : -errno;
    s->begun = true;
    return sink_write(s, piece, count);
}

const struct sink_kind sink_to_file = {
    .name = "file",
    .prepare = sink_prepare_path,
    .open = file_open,
    .write = file_write,
    .close = sink_close_fd,
};
