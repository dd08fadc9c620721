/* A file, made or emptied. */
#include "emit/sink.h"

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
    /* Non-blocking for what is neither: a terminal, a device. A regular file knows nothing of it.
     */
    s->fd = open(s->destination.path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
    if (s->fd < 0) return errno;
    if (fstat(s->fd, &status) == 0 && (!S_ISREG(status.st_mode) || ftruncate(s->fd, 0) == 0))
        return 0;
    const int error = errno;
    sink_close_fd(s, false);
    return error;
}

const struct sink_kind sink_to_file = {
    .name = "file",
    .prepare = sink_prepare_path,
    .open = file_open,
    .write = sink_write,
    .close = sink_close_fd,
};
