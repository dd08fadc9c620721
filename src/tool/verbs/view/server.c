/* server.c — see server.h. */
#include "tool/verbs/view/server.h"

#include "clients/authentication.h"
#include "http/routes.h"
#include "tool/cli/message.h"
#include "tool/input/loop.h"
#include "tool/verbs/view/comparing.h"
#include "tool/verbs/view/own_user.h"
#include "tool/verbs/view/page.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TOKEN_BYTES = 16, PREFIX = 2 + 2 * TOKEN_BYTES + 1, PIECE = 1 << 20 };

/* A thread runs the loop; others compute the answers. */
struct view_server {
    uv_loop_t loop;
    uv_async_t ending;
    pthread_t thread;
    diagnostics diagnostics; /* nobody reads them */
    http_server *http;
    char *page; /* NULL: there is none */
    size_t page_length;
    http_engine *engine[VIEW_LOGS];
    size_t logs;
    struct comparing comparing; /* of two logs */
    char listen[SERVER_ADDRESS];
    char prefix[PREFIX]; /* "/TOKEN/" */
    char entry[PREFIX];  /* likewise, of the address that is valid once */
    bool is_entered, is_started;
};

static const char own[] = "127.0.0.1";

/* --- Requests -------------------------------------------------------------------------------- */

/* Is it the first request for the address that is valid once, and of this user? */
static bool enters(struct view_server *server, const http_request *r)
{
    if (server->is_entered || !token_equals(server->entry, r->target, strlen(r->target)))
        return false;
    server->is_entered = is_own_user(r->fd);
    return server->is_entered;
}

static struct MHD_Response *redirect(const struct view_server *server, unsigned *status)
{
    struct MHD_Response *response = http_text("");
    if (response) http_set_header(response, MHD_HTTP_HEADER_LOCATION, server->prefix);
    *status = MHD_HTTP_FOUND;
    return response;
}

static struct MHD_Response *page_of(void *user, http_request *r, const struct http_place *place,
                                    unsigned *status)
{
    const struct view_server *server = user;
    (void)r, (void)place;
    return http_page(server->page, server->page_length, status);
}

static struct MHD_Response *ask(void *user, http_request *r, const struct http_place *place,
                                unsigned *status)
{
    struct view_server *server = user;
    (void)status;
    return http_engine_ask(server->engine[0], &server->loop, r, place->rest);
}

static struct MHD_Response *ask_second(void *user, http_request *r, const struct http_place *place,
                                       unsigned *status)
{
    struct view_server *server = user;
    (void)status;
    return http_engine_ask(server->engine[1], &server->loop, r, place->rest);
}

static struct MHD_Response *compare(void *user, http_request *r, const struct http_place *place,
                                    unsigned *status)
{
    struct view_server *server = user;
    return comparing_ask(&server->comparing, &server->loop, r, place->rest, status);
}

/* The target is compared as it was sent, so that no two spellings name the same. */
static struct MHD_Response *respond(void *user, http_request *r, unsigned *status)
{
    static const struct http_guard guard = {.host = own, .names = "localhost or 127.0.0.1"};
    static const http_route routes[] = {{"", true, page_of},
                                        {"api/", false, ask},
                                        {"2/api/", false, ask_second},
                                        {"compare", false, compare}};
    enum { OF_ONE = 2, OF_TWO = sizeof routes / sizeof *routes }; /* routes for that many logs */
    struct view_server *server = user;
    struct http_place place;
    const size_t length = strlen(server->prefix);
    struct MHD_Response *refused = http_refuse(&guard, r, false, status);
    if (refused) return refused;
    if (enters(server, r)) return redirect(server, status);
    if (strlen(r->target) < length || !token_equals(server->prefix, r->target, length)) {
        *status = MHD_HTTP_NOT_FOUND;
        return http_text("not found: use the whole address that hectic view has printed\n");
    }
    const http_route *route =
        http_route_find(routes, server->logs == 1 ? OF_ONE : OF_TWO, r->target + length, &place);
    if (route) return route->respond(server, r, &place, status);
    *status = MHD_HTTP_NOT_FOUND;
    return http_text("not found\n");
}

/* --- Lifetime -------------------------------------------------------------------------------- */

static bool make_prefix(char out[PREFIX])
{
    uint8_t token[TOKEN_BYTES];
    if (getrandom(token, sizeof token, 0) != sizeof token) return false;
    *out++ = '/';
    for (size_t i = 0; i < sizeof token; i++)
        out += snprintf(out, 3, "%02x", token[i]);
    strcpy(out, "/");
    return true;
}

static void *run(void *server)
{
    struct view_server *s = server;
    uv_run(&s->loop, UV_RUN_DEFAULT);
    return NULL;
}

static void on_ending(uv_async_t *async)
{
    struct view_server *server = async->data;
    http_server_close(server->http, 0);
    uv_close((uv_handle_t *)async, NULL);
}

/* Signals are for the other threads. */
static bool start(struct view_server *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool is_started = pthread_create(&server->thread, NULL, run, server) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* Begins to listen. False, with the reason in the message. */
static bool listens(struct view_server *server, uint16_t port, char *message, size_t size)
{
    snprintf(server->listen, sizeof server->listen, "tcp:%s:%u", own, (unsigned)port);
    diagnostics_begin(&server->diagnostics, NULL, NULL);
    server->http =
        http_server_open(&server->loop, server->listen, NULL, &server->diagnostics,
                         &(struct http_handler){.respond = respond, .user = server}, message, size);
    if (!server->http) return false;
    snprintf(message, size, "the server does not start: out of memory or descriptors");
    if (uv_async_init(&server->loop, &server->ending, on_ending) == 0) {
        server->ending.data = server;
        if (start(server)) return true;
        uv_close((uv_handle_t *)&server->ending, NULL);
    }
    http_server_close(server->http, 0);
    return false;
}

struct view_server *view_server_new(const hectic_view_source *source, size_t logs)
{
    struct view_server *server = calloc(1, sizeof *server);
    bool done = server;
    for (size_t i = 0; done && i < logs; i++) {
        hectic_view_source own = source[i];
        own.logs = (unsigned)logs;
        server->comparing.path[i] = own.name;
        server->engine[i] = http_engine_new(&own);
        done = server->engine[i];
        server->logs += done;
    }
    if (done) return server;
    view_server_free(server);
    tool_message("out of memory");
    return NULL;
}

bool view_server_start(struct view_server *server, uint16_t port, char address[SERVER_ADDRESS])
{
    char message[256] = "out of memory";
    server->page = page_read(&server->page_length);
    if (!server->page) tool_message("%s", page_missing);
    if (make_prefix(server->prefix) && make_prefix(server->entry) &&
        loop_open(&server->loop) == 0) {
        if (listens(server, port, message, sizeof message)) {
            snprintf(address, SERVER_ADDRESS, "http://%s:%u%s", own, http_server_port(server->http),
                     server->prefix);
            server->is_started = true;
            return true;
        }
        uv_run(&server->loop, UV_RUN_DEFAULT);
        uv_loop_close(&server->loop);
    }
    tool_message("%s", message);
    return false;
}

void view_server_free(struct view_server *server)
{
    if (!server) return;
    for (size_t i = 0; i < server->logs; i++)
        http_engine_end(server->engine[i]);
    if (server->is_started) {
        uv_async_send(&server->ending);
        pthread_join(server->thread, NULL);
        uv_loop_close(&server->loop);
        diagnostics_end(&server->diagnostics);
    }
    for (size_t i = 0; i < server->logs; i++)
        http_engine_free(server->engine[i], NULL, NULL);
    free(server->page);
    free(server);
}

/* --- The log --------------------------------------------------------------------------------- */

hectic_view_result view_server_read(struct view_server *server, size_t log, const char *path)
{
    char message[400];
    const hectic_view_result result =
        http_engine_read(server->engine[log], PIECE, message, sizeof message);
    if (result == HECTIC_VIEW_FAILED) tool_message("%s: %s", tool_log_name(path), message);
    return result;
}

bool view_server_has_log(const struct view_server *server, size_t log)
{
    return http_engine_has_log(server->engine[log]);
}

bool view_server_is_asked(const struct view_server *server, size_t log)
{
    return http_engine_is_asked(server->engine[log]);
}

/* --- The browser ----------------------------------------------------------------------------- */

static bool has_desktop(void)
{
    return isatty(STDOUT_FILENO) && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

void view_server_open_browser(const struct view_server *server)
{
    extern char **environ;
    pid_t child;
    char program[] = "xdg-open", argument[SERVER_ADDRESS];
    char *arguments[] = {program, argument, NULL};
    posix_spawn_file_actions_t actions;
    if (!has_desktop()) return;
    snprintf(argument, sizeof argument, "http://%s:%u%s", own, http_server_port(server->http),
             server->entry);
    if (posix_spawn_file_actions_init(&actions) != 0) return;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnp(&child, program, &actions, NULL, arguments, environ); /* or not at all */
    posix_spawn_file_actions_destroy(&actions);
}
