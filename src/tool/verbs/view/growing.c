/* growing.c — see growing.h. */
#include "tool/verbs/view/growing.h"

#include "read/spool.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/verbs/view/served.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 20 /* ms that reading waits for requests */ };

struct growing {
    const char *name;
    struct spool spool;
    struct served *served;
    bool has_failed;
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
    g->served = served_new(&(hectic_view_source){.user = g, .grows = true, .read = read_spool});
    if (!g->served || !served_start(g->served, 0, address)) {
        growing_close(g);
        return NULL;
    }
    tool_message("the page is at %s", address);
    served_open_browser(g->served);
    return g;
}

static void read_all(struct growing *g)
{
    hectic_view_result result;
    while ((result = served_read(g->served, g->name)) == HECTIC_VIEW_MORE)
        for (int i = 0; i < PATIENCE && served_is_waited_for(g->served); i++)
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
    if (!g->has_failed) read_all(g);
}

void growing_close(struct growing *g)
{
    if (!g) return;
    served_free(g->served);
    close(g->spool.fd);
    free(g);
}
