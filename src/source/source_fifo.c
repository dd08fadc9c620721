/* A FIFO. When all writers have closed it, the next one begins another log. */
#include "source/source_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool parse(source *s, char *text, char *message, size_t size)
{
    struct stat status;
    s->path = text;
    if (stat(text, &status) < 0 || S_ISFIFO(status.st_mode)) return true;
    return source_refuse(message, size, "%s: %s is not a FIFO; create one with mkfifo", s->name,
                         text);
}

/* It may be removed and created again while it has no writer. */
static void check(source *s)
{
    struct stat status;
    const bool same = stat(s->path, &status) == 0 && status.st_ino == s->status.st_ino &&
                      status.st_dev == s->status.st_dev;
    if (same || s->begun)
        source_later(s, SOURCE_POLL_MS, check);
    else
        source_drop(s, 1, source_start);
}

static void start(source *s)
{
    /* Does not block without a writer. */
    if (s->fd < 0) s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int error = s->fd < 0 ? uv_translate_sys_error(errno) : 0;
    if (error == UV_ENOENT) {
        source_wait(s, "waiting for %s: no such FIFO; create it with: mkfifo %s", s->name, s->path);
        source_later(s, SOURCE_POLL_MS, source_start);
        return;
    }
    if (!error && fstat(s->fd, &s->status) == 0 && !S_ISFIFO(s->status.st_mode)) error = UV_EINVAL;
    if (!error) {
        uv_pipe_init(s->loop, &s->pipe, 0);
        source_has_stream(s);
        error = uv_pipe_open(&s->pipe, s->fd);
    }
    if (error) {
        source_end(s, error);
        return;
    }
    s->fd = -1;
    source_wait(
        s, "waiting for a program to write to %s; start a GHC-compiled program with: +RTS -l -ol%s",
        s->name, s->path);
    if (s->closing) return;
    source_read(s);
    source_later(s, SOURCE_POLL_MS, check);
}

static void lost(source *s, int error)
{
    if (error != UV_EOF) {
        source_end(s, error);
        return;
    }
    /* Before the old one is closed, which would discard data of the next writer. */
    s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    source_drop(s, 1, source_start);
}

const struct source_kind source_fifo = {
    .prefix = "fifo:",
    .parse = parse,
    .start = start,
    .lost = lost,
};
