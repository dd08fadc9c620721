/* Functions of the caller. */
#include "sink/sink.h"

#include <errno.h>
#include <unistd.h>

static int writer_prepare(sink *s)
{
    return s->writer.write ? 0 : EINVAL;
}

static int writer_open(sink *s)
{
    if (s->writer.init && !s->writer.init(s->destination.user)) return EIO;
    s->process = getpid();
    return 0;
}

/* One piece at a time, so that the number of written bytes is known. */
static ssize_t writer_write(sink *s, const struct iovec *piece, int count)
{
    while (count > 1 && piece->iov_len == 0) {
        piece++;
        count--;
    }
    const bool taken = s->writer.write(s->destination.user, piece->iov_base, piece->iov_len);
    return taken ? (ssize_t)piece->iov_len : -EIO;
}

static void writer_flush(sink *s)
{
    if (s->writer.flush) s->writer.flush(s->destination.user);
}

/* In a forked child, only the parent stops it. */
static void writer_close(sink *s)
{
    if (s->process == getpid() && s->writer.stop) s->writer.stop(s->destination.user);
    s->process = 0;
}

const struct sink_kind sink_to_writer = {
    .name = "writer",
    .prepare = writer_prepare,
    .open = writer_open,
    .write = writer_write,
    .flush = writer_flush,
    .close = writer_close,
};
