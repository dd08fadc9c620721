/* growing.c — see growing.h. */
#include "tool/verbs/view/growing.h"

#include "read/spool.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/verbs/view/server.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 20 /* ms that reading waits for requests */ };

struct growing {
    const char *name;
    struct spool spool;
    struct view_server *server;
    bool has_failed, has_ended;
};

/* The engine reads in the thread that appends, and in those of requests only what it has read
 * before. */
static ptrdiff_t read_spool(void *user, uint64_t position, void *buffer, size_t size)
{
    const struct growing *g = user;
    ssize_t got;
    do
        got = pread(g->spool.fd, buffer, size, (off_t)position);
    while (got < 0 && errno == EINTR);
    return got;
}

static bool grows(void *user)
{
    const struct growing *g = user;
    return !g->has_ended || g->spool.size == 0;
}

struct growing *growing_open(const char *name)
{
    hectic_error error;
    char address[SERVER_ADDRESS];
    struct growing *g = calloc(1, sizeof *g);
    if (!g) {
        tool_message("out of memory");
        return NULL;
    }
    g->name = name;
    g->spool.fd = -1;
    if (!spool_open(&g->spool, tool_spool_limit(), &error)) {
        tool_log_error(name, &error);
        free(g);
        return NULL;
    }
    g->server =
        view_server_new(&(hectic_view_source){.user = g, .grows = grows, .read = read_spool}, 1);
    if (!g->server || !view_server_start(g->server, 0, address)) {
        growing_close(g);
        return NULL;
    }
    tool_message("the page is at %s", address);
    view_server_open_browser(g->server);
    return g;
}

static void read_all(struct growing *g)
{
    hectic_view_result result;
    while ((result = view_server_read(g->server, 0, g->name)) == HECTIC_VIEW_MORE)
        for (int i = 0; i < PATIENCE && view_server_is_asked(g->server, 0); i++)
            usleep(1000);
    g->has_failed = result == HECTIC_VIEW_FAILED;
}

void growing_bytes(struct growing *g, const void *bytes, size_t size)
{
    hectic_error error;
    if (g->has_failed) return;
    if (spool_write(&g->spool, bytes, size, &error)) {
        read_all(g);
        return;
    }
    tool_log_error(g->name, &error);
    g->has_failed = true;
}

void growing_end(struct growing *g)
{
    g->has_ended = true;
    if (!g->has_failed) read_all(g);
}

void growing_close(struct growing *g)
{
    if (!g) return;
    view_server_free(g->server);
    close(g->spool.fd);
    free(g);
}
