/* server.c — see server.h. */
#include "tool/verbs/view/server.h"

#include "relay/authentication.h"
#include "tool/cli/message.h"
#include "tool/verbs/view/own_user.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    MAX_CLIENTS = 64,
    REQUEST_SIZE = 16384, /* bytes for request line and headers */
    IDLE_S = 10,          /* a client that sends or reads nothing is disconnected */
    TOKEN_BYTES = 16,
    PREFIX = 2 + 2 * TOKEN_BYTES + 1,
};

struct view_server {
    struct MHD_Daemon *daemon;
    const char *page;
    size_t page_length;
    struct server_answers answers;
    char prefix[PREFIX]; /* "/TOKEN/" */
    char entry[PREFIX];  /* likewise, of the address that is valid once */
    bool is_entered;
    unsigned port;
};

static const char own[] = "127.0.0.1";

/* Only scripts of the page itself, and connections to this server only. */
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

static const char no_page[] =
    "<!doctype html><html lang=en><meta charset=utf-8><title>hectic view</title>"
    "<p>This build of hectic has no page: it was built without node, npm or the compiler for wasm. "
    "Install what docs/dependencies.md lists for the page, and build again.\n";

struct reply {
    unsigned status;
    const char *type;
    const uint8_t *bytes;
    uint8_t *owned; /* to be freed; NULL: constant */
    size_t length;
    const char *location; /* of a redirection; or NULL */
};

static struct reply text_reply(unsigned status, const char *text)
{
    return (struct reply){.status = status,
                          .type = "text/plain; charset=utf-8",
                          .bytes = (const uint8_t *)text,
                          .length = strlen(text)};
}

static struct reply page_reply(const struct view_server *server)
{
    struct reply reply = {.status = MHD_HTTP_OK,
                          .type = "text/html; charset=utf-8",
                          .bytes = (const uint8_t *)server->page,
                          .length = server->page_length};
    if (server->page) return reply;
    reply.status = MHD_HTTP_NOT_FOUND;
    reply.bytes = (const uint8_t *)no_page;
    reply.length = sizeof no_page - 1;
    return reply;
}

static struct reply answer_reply(const struct view_server *server, const char *request)
{
    struct reply reply = {0};
    const bool done = server->answers.answer(server->answers.user, request, &reply.type,
                                             &reply.owned, &reply.length);
    if (!reply.owned) return text_reply(MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
    reply.status = done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST;
    reply.bytes = reply.owned;
    return reply;
}

/* Is it the first request for the address that is valid once, and of this user? */
static bool enters(struct view_server *server, struct MHD_Connection *connection,
                   const char *target)
{
    const union MHD_ConnectionInfo *about =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!target || server->is_entered || !token_equals(server->entry, target, strlen(target)))
        return false;
    server->is_entered = about && is_own_user(about->connect_fd);
    return server->is_entered;
}

static struct reply entry_reply(const struct view_server *server)
{
    struct reply reply = text_reply(MHD_HTTP_FOUND, "");
    reply.location = server->prefix;
    return reply;
}

/* `target`: the request's target as it was sent, so that no two spellings name the same. */
static struct reply reply_to(struct view_server *server, struct MHD_Connection *connection,
                             const char *method, const char *target)
{
    static const char api[] = "api/";
    const size_t length = strlen(server->prefix);
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    if (!host_is_local(own, host))
        return text_reply(MHD_HTTP_FORBIDDEN, "the Host header must be localhost or 127.0.0.1\n");
    if (strcmp(method, "GET") != 0) return text_reply(MHD_HTTP_METHOD_NOT_ALLOWED, "use GET\n");
    if (enters(server, connection, target)) return entry_reply(server);
    if (!target || strlen(target) < length || !token_equals(server->prefix, target, length))
        return text_reply(MHD_HTTP_NOT_FOUND,
                          "not found: use the whole address that hectic view has printed\n");
    const char *rest = target + length;
    if (*rest == 0 || *rest == '?') return page_reply(server);
    if (strncmp(rest, api, sizeof api - 1) == 0) return answer_reply(server, rest + sizeof api - 1);
    return text_reply(MHD_HTTP_NOT_FOUND, "not found\n");
}

static void add_headers(struct MHD_Response *response, const struct reply *reply)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET");
    if (reply->location)
        MHD_add_response_header(response, MHD_HTTP_HEADER_LOCATION, reply->location);
}

/* `context`: the target, from keep_target. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **context)
{
    (void)url, (void)version, (void)upload, (void)upload_size;
    const struct reply reply = reply_to(user, connection, method, *context);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply.length, (void *)(uintptr_t)reply.bytes,
        reply.owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!response) free(reply.owned);
    if (!response) return MHD_NO;
    add_headers(response, &reply);
    const enum MHD_Result queued = MHD_queue_response(connection, reply.status, response);
    MHD_destroy_response(response);
    return queued;
}

static void *keep_target(void *user, const char *target, struct MHD_Connection *connection)
{
    (void)user, (void)connection;
    return strdup(target);
}

static void drop_target(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    (void)user, (void)connection, (void)code;
    free(*context);
    *context = NULL;
}

static void ignore_log(void *user, const char *format, va_list arguments)
{
    (void)user, (void)format, (void)arguments;
}

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

static struct MHD_Daemon *start_daemon(struct view_server *server, uint16_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(port),
                                        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    return MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG, port, NULL, NULL,
        on_request, server, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_SOCK_ADDR,
        (const struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CLIENTS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_SIZE, MHD_OPTION_URI_LOG_CALLBACK, keep_target, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, drop_target, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

/* Signals are for the other threads. */
static struct MHD_Daemon *start(struct view_server *server, uint16_t port)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    struct MHD_Daemon *daemon = start_daemon(server, port);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

struct view_server *view_server_open(uint16_t port, const char *page, size_t page_length,
                                     const struct server_answers *answers,
                                     char address[SERVER_ADDRESS])
{
    struct view_server *server = calloc(1, sizeof *server);
    if (!server) {
        tool_message("out of memory");
        return NULL;
    }
    server->page = page;
    server->page_length = page_length;
    server->answers = *answers;
    errno = 0;
    if (make_prefix(server->prefix) && make_prefix(server->entry))
        server->daemon = start(server, port);
    const union MHD_DaemonInfo *about =
        server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (about) {
        server->port = about->port;
        snprintf(address, SERVER_ADDRESS, "http://%s:%u%s", own, server->port, server->prefix);
        return server;
    }
    tool_message("cannot listen at %s, port %u: %s", own, (unsigned)port,
                 errno ? strerror(errno) : "the server does not start");
    view_server_close(server);
    return NULL;
}

void view_server_entry(const struct view_server *server, char address[SERVER_ADDRESS])
{
    snprintf(address, SERVER_ADDRESS, "http://%s:%u%s", own, server->port, server->entry);
}

void view_server_close(struct view_server *server)
{
    if (server->daemon) MHD_stop_daemon(server->daemon);
    free(server);
}
