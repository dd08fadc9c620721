/* A connection to a Unix socket. */
#include "source/source_kind.h"

#include <string.h>
#include <sys/un.h>

static bool parse(source *s, char *text, char *message, size_t size)
{
    const size_t limit = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    s->path = text;
    return strlen(text) <= limit ||
           source_refuse(message, size,
                         "%s: a socket path has at most %zu bytes, this one has %zu: use a shorter "
                         "one, perhaps a relative path",
                         s->name, limit, strlen(text));
}

/* The system reports ECONNREFUSED for files that are not sockets, too. */
static void lost(source *s, int error)
{
    struct stat status;
    if (error == UV_ECONNREFUSED && stat(s->path, &status) == 0 && !S_ISSOCK(status.st_mode))
        error = UV_ENOTSOCK;
    source_reconnect(s, error);
}

static void start(source *s)
{
    uv_pipe_init(s->loop, &s->pipe, 0);
    source_has_stream(s);
    uv_pipe_connect(&s->connect, &s->pipe, s->path, source_on_connect);
}

const struct source_kind source_unix = {
    .prefix = "unix:",
    .parse = parse,
    .start = start,
    .lost = lost,
};
