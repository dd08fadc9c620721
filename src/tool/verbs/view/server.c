/* server.c — see server.h. */
#include "tool/verbs/view/server.h"

#include "relay/authentication.h"
#include "relay/http_server.h"
#include "tool/cli/message.h"
#include "tool/input/loop.h"
#include "tool/verbs/view/own_user.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { TOKEN_BYTES = 16, PREFIX = 2 + 2 * TOKEN_BYTES + 1 };

/* A thread runs the loop; others compute the answers. */
struct view_server {
    uv_loop_t loop;
    uv_async_t ending;
    pthread_t thread;
    diagnostics diagnostics; /* nobody reads them */
    http_server *http;
    const char *page;
    size_t page_length;
    struct server_answers answers;
    char listen[SERVER_ADDRESS];
    char prefix[PREFIX]; /* "/TOKEN/" */
    char entry[PREFIX];  /* likewise, of the address that is valid once */
    bool is_entered;
};

static const char own[] = "127.0.0.1";

/* --- Answers --------------------------------------------------------------------------------- */

/* A request of the page, which an engine answers. */
struct question {
    uv_work_t work;
    const struct server_answers *answers;
    http_request *request; /* NULL: it was abandoned */
    char *text;
    bool is_done;
    const char *type;
    uint8_t *bytes;
    size_t length;
};

static void answer(uv_work_t *work)
{
    struct question *q = work->data;
    q->is_done = q->answers->answer(q->answers->user, q->text, &q->type, &q->bytes, &q->length);
}

static void on_answer(uv_work_t *work, int status)
{
    struct question *q = work->data;
    (void)status;
    if (q->request)
        http_answer(q->request, q->is_done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST,
                    http_bytes(q->bytes, q->length, q->type));
    else
        free(q->bytes);
    free(q->text);
    free(q);
}

static void abandon(void *question)
{
    struct question *q = question;
    q->request = NULL;
    uv_cancel((uv_req_t *)&q->work); /* unless it is being computed */
}

/* NULL: temporarily unavailable, or later. */
static struct MHD_Response *ask(struct view_server *server, http_request *r, const char *text)
{
    struct question *q = calloc(1, sizeof *q);
    if (q) *q = (struct question){.answers = &server->answers, .request = r, .text = strdup(text)};
    if (q) q->work.data = q;
    if (q && q->text && uv_queue_work(&server->loop, &q->work, answer, on_answer) == 0) {
        http_wait(r, abandon, q);
        return NULL;
    }
    if (q) free(q->text);
    free(q);
    return NULL;
}

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
    if (response) MHD_add_response_header(response, MHD_HTTP_HEADER_LOCATION, server->prefix);
    *status = MHD_HTTP_FOUND;
    return response;
}

/* The target is compared as it was sent, so that no two spellings name the same. */
static struct MHD_Response *respond(void *user, http_request *r, unsigned *status)
{
    static const char api[] = "api/";
    struct view_server *server = user;
    const size_t length = strlen(server->prefix);
    if (!http_host_is_local(r, own)) {
        *status = MHD_HTTP_FORBIDDEN;
        return http_text("there must be one Host header, localhost or 127.0.0.1\n");
    }
    if (enters(server, r)) return redirect(server, status);
    if (strlen(r->target) < length || !token_equals(server->prefix, r->target, length)) {
        *status = MHD_HTTP_NOT_FOUND;
        return http_text("not found: use the whole address that hectic view has printed\n");
    }
    const char *rest = r->target + length;
    if (*rest == 0 || *rest == '?') return http_page(server->page, server->page_length, status);
    if (strncmp(rest, api, sizeof api - 1) == 0) return ask(server, r, rest + sizeof api - 1);
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

struct view_server *view_server_open(uint16_t port, const char *page, size_t page_length,
                                     const struct server_answers *answers,
                                     char address[SERVER_ADDRESS])
{
    char message[256] = "out of memory";
    struct view_server *server = calloc(1, sizeof *server);
    if (server && make_prefix(server->prefix) && make_prefix(server->entry) &&
        loop_open(&server->loop) == 0) {
        server->page = page;
        server->page_length = page_length;
        server->answers = *answers;
        if (listens(server, port, message, sizeof message)) {
            snprintf(address, SERVER_ADDRESS, "http://%s:%u%s", own, http_server_port(server->http),
                     server->prefix);
            return server;
        }
        uv_run(&server->loop, UV_RUN_DEFAULT);
        uv_loop_close(&server->loop);
    }
    tool_message("%s", message);
    free(server);
    return NULL;
}

void view_server_entry(const struct view_server *server, char address[SERVER_ADDRESS])
{
    snprintf(address, SERVER_ADDRESS, "http://%s:%u%s", own, http_server_port(server->http),
             server->entry);
}

void view_server_close(struct view_server *server)
{
    uv_async_send(&server->ending);
    pthread_join(server->thread, NULL);
    uv_loop_close(&server->loop);
    diagnostics_end(&server->diagnostics);
    free(server);
}
