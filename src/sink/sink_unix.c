/* A connection to a Unix socket. */
#include "sink/sink.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

static int unix_prepare(sink *s)
{
    struct sockaddr_un address;
    const int error = sink_prepare_path(s);
    if (error) return error;
    return strlen(s->destination.path) < sizeof address.sun_path ? 0 : ENAMETOOLONG;
}

static int unix_open(sink *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, s->destination.path, strlen(s->destination.path));
    return sink_retry_error(sink_connect(s, (const struct sockaddr *)&address, sizeof address));
}

const struct sink_kind sink_to_unix = {
    .name = "Unix socket",
    .reopens = true,
    .prepare = unix_prepare,
    .open = unix_open,
    .write = sink_send,
    .close = sink_close_fd,
};
