/* An existing FIFO, with or without a reader. */
#include "sink/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int fifo_open(sink *s)
{
    struct stat status;
    if (stat(s->destination.path, &status) < 0) return errno;
    if (!S_ISFIFO(status.st_mode)) return EINVAL;
    s->fd = open(s->destination.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (s->fd >= 0) return 0;
    return errno == ENXIO ? EAGAIN : errno; /* no reader */
}

const struct sink_kind sink_to_fifo = {
    .name = "FIFO",
    .reopens = true,
    .prepare = sink_prepare_path,
    .open = fifo_open,
    .write = sink_write,
    .close = sink_close_fd,
};
