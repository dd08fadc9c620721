/* served.c — see served.h. */
#include "tool/verbs/view/served.h"

#include "tool/cli/message.h"
#include "tool/verbs/view/page.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

struct served {
    hectic_view_source source;
    atomic_bool ends; /* nothing is read any more: answers fail at once */
    hectic_view *engine;
    pthread_mutex_t lock; /* for the engine */
    atomic_uint waiting;  /* requests: they precede reading */
    struct view_server *server;
    char *page;
};

static ptrdiff_t read_source(void *user, uint64_t position, void *buffer, size_t size)
{
    const struct served *served = user;
    if (served->ends) return -1;
    return served->source.read(served->source.user, position, buffer, size);
}

struct served *served_new(const hectic_view_source *source)
{
    struct served *served = calloc(1, sizeof *served);
    hectic_view_source own = *source;
    own.user = served;
    own.read = read_source;
    if (served) served->source = *source;
    if (served) served->engine = hectic_view_new(&own);
    if (served && served->engine) {
        pthread_mutex_init(&served->lock, NULL);
        return served;
    }
    free(served);
    tool_message("out of memory");
    return NULL;
}

void served_free(struct served *served)
{
    if (!served) return;
    served->ends = true;
    if (served->server) view_server_close(served->server);
    hectic_view_free(served->engine);
    pthread_mutex_destroy(&served->lock);
    free(served->page);
    free(served);
}

/* --- Requests -------------------------------------------------------------------------------- */

static bool answer(void *user, const char *request, const char **type, uint8_t **bytes,
                   size_t *length)
{
    struct served *served = user;
    hectic_view_answer a;
    served->waiting++;
    pthread_mutex_lock(&served->lock);
    const bool done = hectic_view_ask(served->engine, request, &a);
    *type = a.type;
    *length = a.length;
    *bytes = malloc(a.length + 1);
    if (*bytes && a.length > 0) memcpy(*bytes, a.bytes, a.length);
    pthread_mutex_unlock(&served->lock);
    served->waiting--;
    return done;
}

bool served_start(struct served *served, uint16_t port, char address[SERVER_ADDRESS])
{
    size_t length = 0;
    served->page = page_read(&length);
    if (!served->page) tool_message("%s", page_missing);
    served->server = view_server_open(port, served->page, length,
                                      &(struct server_answers){served, answer}, address);
    return served->server;
}

/* --- Reading --------------------------------------------------------------------------------- */

hectic_view_result served_read(struct served *served, const char *path)
{
    pthread_mutex_lock(&served->lock);
    const hectic_view_result result = hectic_view_read(served->engine, PIECE);
    if (result == HECTIC_VIEW_FAILED)
        tool_message("%s: %s", tool_log_name(path), hectic_view_message(served->engine));
    pthread_mutex_unlock(&served->lock);
    return result;
}

bool served_is_waited_for(const struct served *served)
{
    return served->waiting > 0;
}

/* --- The browser ----------------------------------------------------------------------------- */

static bool has_desktop(void)
{
    return isatty(STDOUT_FILENO) && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

void served_open_browser(const struct served *served)
{
    extern char **environ;
    pid_t child;
    char program[] = "xdg-open", argument[SERVER_ADDRESS];
    char *arguments[] = {program, argument, NULL};
    posix_spawn_file_actions_t actions;
    if (!has_desktop()) return;
    view_server_entry(served->server, argument);
    if (posix_spawn_file_actions_init(&actions) != 0) return;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnp(&child, program, &actions, NULL, arguments, environ); /* or not at all */
    posix_spawn_file_actions_destroy(&actions);
}
