/* Standard input, or an inherited descriptor. */
#include "read/file.h"
#include "source/source_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse(source *s, char *text, char *message, size_t size)
{
    if (strcmp(text, "-") == 0) text = "0";
    const size_t digits = strspn(text, "0123456789");
    if (text[digits] || digits > 9)
        return source_refuse(message, size, "%s: invalid descriptor (example: fd:3)", s->name);
    const int number = (int)strtol(text, NULL, 10);
    if (isatty(number))
        return source_refuse(
            message, size,
            "%s is a terminal: pipe a log into it, or name a source such as unix:PATH", s->name);
    s->fd = fcntl(number, F_DUPFD_CLOEXEC, 3);
    if (s->fd >= 0) return true;
    s->error = errno == EBADF ? 0 : errno;
    return source_refuse(message, size, "%s: %s", s->name,
                         s->error ? strerror(s->error) : "not open");
}

static void read_file(source *s)
{
    if (s->paused || s->ended || s->closing) return;
    const ssize_t length = file_read(s->fd, s->buffer, SOURCE_PIECE_MAX);
    if (length <= 0) {
        source_end(s, length < 0 ? uv_translate_sys_error(errno) : 0);
        return;
    }
    source_deliver(s, (size_t)length);
    source_later(s, 0, read_file);
}

static const struct source_kind fd_file = {
    .prefix = "fd:",
    .resume = read_file,
};

static void start(source *s)
{
    const uv_handle_type type = uv_guess_handle(s->fd);
    if (type == UV_FILE) {
        s->kind = &fd_file;
        read_file(s);
        return;
    }
    int error = UV_EINVAL;
    s->flags = fcntl(s->fd, F_GETFL); /* others may share it and expect it to block */
    if (type == UV_TCP) {
        uv_tcp_init(s->loop, &s->tcp);
        source_has_stream(s);
        error = uv_tcp_open(&s->tcp, s->fd);
    } else if (type == UV_NAMED_PIPE) {
        uv_pipe_init(s->loop, &s->pipe, 0);
        source_has_stream(s);
        error = uv_pipe_open(&s->pipe, s->fd);
    }
    if (error) {
        source_end(s, error);
        return;
    }
    s->fd = -1;
    source_wait(s, "waiting for a log on %s", s->name);
    if (!s->closing) source_read(s);
}

static void lost(source *s, int error)
{
    source_end(s, error == UV_EOF ? 0 : error);
}

const struct source_kind source_fd = {
    .prefix = "fd:",
    .parse = parse,
    .start = start,
    .lost = lost,
};
