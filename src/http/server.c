#include "http/server.h"

#include "clients/authentication.h"
#include "clients/listener.h"
#include "clients/pending.h"
#include "http/microhttpd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_CLIENTS = 64,
    MAX_STREAMS = 32,     /* of them, that read logs */
    REQUEST_SIZE = 16384, /* bytes for request line and headers, and of one write */
    RESPONSE_MS = 10000,  /* from connecting, or from the answer, to the end of the response */
    STREAM_IDLE_S = 300,  /* a client that reads nothing of a log is disconnected */
    TICK_MS = 500,
    CLOSING_TICK_MS = 20,
};

/* A log that is being sent. */
typedef struct stream {
    http_server *server;
    struct MHD_Connection *connection;
    uv_poll_t poll; /* active while there is nothing to send */
    int fd;
    bool suspended, closed;
} stream;

/* A request as libmicrohttpd sees it. */
typedef struct exchange {
    http_request request; /* its connection is NULL until it is complete */
    http_server *server;
    char *target;
    void (*abandon)(void *user); /* NULL: it does not wait for an answer */
    void *user;
    bool is_answered;
    unsigned status;
    struct MHD_Response *response; /* NULL: temporarily unavailable */
} exchange;

/* A connection, for one request. */
typedef struct http_client {
    struct http_client *next;
    pending_member pending; /* until its request is complete */
    int fd;
    uint64_t since;     /* ms of the loop */
    bool complete;      /* its request is complete */
    bool disconnected;  /* libmicrohttpd will notice */
    exchange *exchange; /* NULL: its request is not complete, or was answered */
    stream *stream;     /* NULL: it does not read a log */
} client;

struct http_server {
    uv_loop_t *loop;
    struct http_handler handler;
    diagnostics *diagnostics;
    relay_listener *listener; /* NULL: it is closing */
    unsigned port;
    struct MHD_Daemon *daemon;
    uv_poll_t poll;
    uv_timer_t due, tick;
    unsigned handles; /* open handles of these three */
    uint64_t until;   /* ms of the loop: when it is closed, the last clients are disconnected */
    client *clients;
    pending_set pending;
    unsigned client_count, stream_count;
};

static void on_due(uv_timer_t *timer);

/* Runs libmicrohttpd, and schedules the next run that it asks for. */
static void run_daemon(http_server *s)
{
    MHD_UNSIGNED_LONG_LONG ms;
    mhd.run(s->daemon);
    if (mhd.get_timeout(s->daemon, &ms) == MHD_YES)
        uv_timer_start(&s->due, on_due, ms, 0);
    else
        uv_timer_stop(&s->due);
}

static void on_due(uv_timer_t *timer)
{
    run_daemon(timer->data);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    run_daemon(poll->data);
}

/* --- Clients ---------------------------------------------------------------------------------- */

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    http_server *s = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *about =
            mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        client *c = calloc(1, sizeof *c);
        *context = c;
        if (!c) return;
        *c = (client){.fd = about->connect_fd, .since = uv_now(s->loop), .next = s->clients};
        pending_add(&s->pending, &c->pending, pending_address_of(c->fd));
        s->clients = c;
        s->client_count++;
        return;
    }
    client **link = &s->clients;
    while (*link && *link != *context)
        link = &(*link)->next;
    if (!*link) return;
    *link = (*link)->next;
    s->client_count--;
    pending_remove(&s->pending, &((client *)*context)->pending);
    free(*context);
}

#define ERROR_RESPONSE(status, text)                                                               \
    "HTTP/1.1 " status "\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n" text "\n"
static const char timed_out[] = ERROR_RESPONSE("408 Request Timeout", "request timed out");
static const char too_many[] = ERROR_RESPONSE("503 Service Unavailable", "too many connections");

static void refuse(int fd, const char *text)
{
    send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool waits(const client *c)
{
    return c->exchange && c->exchange->abandon;
}

/* `answer` is sent unless the request was complete. */
static void disconnect(http_server *s, client *c, const char *answer, const char *why)
{
    if (c->disconnected) return;
    c->disconnected = true;
    pending_remove(&s->pending, &c->pending);
    if (why) diagnostics_report(s->diagnostics, "HTTP: client disconnected: %s", why);
    if (!c->complete) refuse(c->fd, answer);
    shutdown(c->fd, SHUT_RDWR);
    if (!waits(c)) return;
    c->exchange->abandon(c->exchange->user);
    http_answer(&c->exchange->request, 0, NULL);
}

/* Disconnects a client without a complete request, or else the one that waited longest for its
 * response. */
static bool make_room(http_server *s)
{
    client *one = LIST_MEMBER(pending_next_eviction(&s->pending), client, pending);
    if (s->client_count < MAX_CLIENTS) return true;
    for (client *c = one ? NULL : s->clients; c; c = c->next)
        if (!c->stream && !c->disconnected) one = c; /* the newest are first */
    if (one)
        disconnect(s, one, too_many,
                   one->complete ? "slow response, and too many clients"
                                 : "no request, and too many clients");
    return one != NULL;
}

static void on_client(void *user, int fd)
{
    http_server *s = user;
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    if (!make_room(s)) {
        diagnostics_report(s->diagnostics, "HTTP: client rejected: too many clients");
        refuse(fd, too_many);
        close(fd);
    } else if (getpeername(fd, (struct sockaddr *)&address, &length) != 0) {
        close(fd); /* already disconnected */
    } else {
        mhd.add_connection(s->daemon, fd, (struct sockaddr *)&address, length);
    }
    run_daemon(s);
}

/* --- Streams ---------------------------------------------------------------------------------- */

static void wake(stream *t)
{
    if (!t->suspended) return;
    t->suspended = false;
    uv_poll_stop(&t->poll);
    mhd.resume_connection(t->connection);
}

static void on_log(uv_poll_t *poll, int status, int events)
{
    stream *t = poll->data;
    (void)status;
    (void)events;
    wake(t);
    run_daemon(t->server);
}

static ssize_t read_log(void *user, uint64_t at, char *bytes, size_t most)
{
    stream *t = user;
    (void)at;
    ssize_t got;
    do
        got = t->closed ? 0 : recv(t->fd, bytes, most, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got > 0) return got;
    if (got == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return MHD_CONTENT_READER_END_WITH_ERROR;
    t->suspended = true;
    mhd.suspend_connection(t->connection);
    uv_poll_start(&t->poll, UV_READABLE | UV_DISCONNECT, on_log);
    return 0;
}

static void on_stream_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void end_log(void *user)
{
    stream *t = user;
    t->server->stream_count--;
    for (client *c = t->server->clients; c; c = c->next)
        if (c->stream == t) c->stream = NULL;
    uv_close((uv_handle_t *)&t->poll, on_stream_closed);
    close(t->fd);
}

static http_server *server_of(const http_request *r)
{
    return r->client->exchange->server;
}

bool http_has_stream(const http_request *r)
{
    return server_of(r)->stream_count < MAX_STREAMS;
}

struct MHD_Response *http_stream(http_request *r, int fd)
{
    http_server *s = server_of(r);
    stream *t = calloc(1, sizeof *t);
    if (t) *t = (stream){.server = s, .connection = r->connection, .fd = fd};
    if (!t || uv_poll_init(s->loop, &t->poll, fd) != 0) {
        free(t);
        close(fd);
        return NULL;
    }
    t->poll.data = t;
    s->stream_count++;
    struct MHD_Response *response =
        mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, REQUEST_SIZE / 2, read_log, t, end_log);
    if (!response) {
        end_log(t);
        return NULL;
    }
    http_set_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream");
    mhd.set_connection_option(r->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)STREAM_IDLE_S);
    r->client->stream = t;
    return response;
}

/* --- Responses -------------------------------------------------------------------------------- */

struct MHD_Response *http_bytes(void *bytes, size_t length, const char *type)
{
    struct MHD_Response *response =
        bytes ? mhd.create_response_from_buffer(length, bytes, MHD_RESPMEM_MUST_FREE) : NULL;
    if (response) http_set_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    return response;
}

void http_set_header(struct MHD_Response *response, const char *name, const char *value)
{
    mhd.add_response_header(response, name, value);
}

struct MHD_Response *http_text(const char *text)
{
    return http_bytes(strdup(text), strlen(text), "text/plain; charset=utf-8");
}

struct MHD_Response *http_page(const char *page, size_t length, unsigned *status)
{
    if (!page) {
        *status = MHD_HTTP_NOT_FOUND;
        return http_text("this build of hectic has no page: docs/dependencies.md lists what it is "
                         "built with\n");
    }
    struct MHD_Response *response =
        mhd.create_response_from_buffer(length, (void *)(uintptr_t)page, MHD_RESPMEM_PERSISTENT);
    if (!response) return NULL;
    http_set_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/html; charset=utf-8");
    return response;
}

/* --- Requests --------------------------------------------------------------------------------- */

const char *http_header(const http_request *r, const char *name)
{
    return mhd.lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_host(void *count, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    (void)kind, (void)value;
    *(unsigned *)count += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    return MHD_YES;
}

bool http_host_is_local(const http_request *r, const char *own)
{
    unsigned count = 0;
    mhd.get_connection_values(r->connection, MHD_HEADER_KIND, count_host, &count);
    return count == 1 && host_is_local(own, http_header(r, MHD_HTTP_HEADER_HOST));
}

void http_wait(http_request *r, void (*abandon)(void *user), void *user)
{
    r->client->exchange->abandon = abandon;
    r->client->exchange->user = user;
    mhd.suspend_connection(r->connection);
}

void http_answer(http_request *r, unsigned status, struct MHD_Response *response)
{
    exchange *e = r->client->exchange;
    e->abandon = NULL;
    e->is_answered = true;
    e->status = status;
    e->response = response;
    r->client->since = uv_now(e->server->loop);
    mhd.resume_connection(r->connection);
    uv_timer_start(&e->server->due, on_due, 0, 0); /* not now: libmicrohttpd may be running */
}

/* NULL: temporarily unavailable, or later. */
static struct MHD_Response *respond(exchange *e, const char *method, unsigned *status)
{
    struct MHD_Response *response = e->response;
    if (e->is_answered) {
        if (response) *status = e->status;
        e->response = NULL;
        return response;
    }
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) {
        *status = MHD_HTTP_OK;
        response = e->server->handler.respond(e->server->handler.user, &e->request, status);
        return response;
    }
    *status = MHD_HTTP_METHOD_NOT_ALLOWED;
    response = http_text("use GET\n");
    if (response) http_set_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return response;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **context)
{
    (void)version, (void)upload, (void)upload_size;
    http_server *s = user;
    exchange *e = *context;
    client *c =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (!e || !e->target || !c) return MHD_NO;
    e->request = (http_request){url, e->target, c->fd, c, connection};
    c->exchange = e;
    c->complete = true;
    pending_remove(&s->pending, &c->pending);
    unsigned status = MHD_HTTP_SERVICE_UNAVAILABLE;
    struct MHD_Response *response = respond(e, method, &status);
    if (!response && e->abandon) return MHD_YES; /* it is suspended */
    if (!response) {
        status = MHD_HTTP_SERVICE_UNAVAILABLE;
        response = http_text("temporarily unavailable\n");
    }
    if (!response) return MHD_NO;
    http_set_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    http_set_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    http_set_header(response, "X-Content-Type-Options", "nosniff");
    http_set_header(
        response, "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src "
        "'unsafe-inline'; img-src data: blob:; worker-src blob:; connect-src 'self'; base-uri "
        "'none'; form-action 'none'; frame-ancestors 'none'");
    http_set_header(response, "Referrer-Policy", "no-referrer");
    http_set_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    const enum MHD_Result queued = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
    return queued;
}

static void *begin_request(void *user, const char *target, struct MHD_Connection *connection)
{
    exchange *e = calloc(1, sizeof *e);
    (void)connection;
    if (e) *e = (exchange){.server = user, .target = strdup(target)};
    return e;
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    exchange *e = *context;
    (void)user, (void)connection, (void)code;
    if (!e) return;
    if (e->request.client) e->request.client->exchange = NULL;
    if (e->response) mhd.destroy_response(e->response);
    free(e->target);
    free(e);
    *context = NULL;
}

/* --- Lifetime --------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    http_server *s = handle->data;
    if (--s->handles > 0) return;
    pending_end(&s->pending);
    if (s->handler.closed) s->handler.closed(s->handler.user);
    free(s);
}

static void finish(http_server *s)
{
    mhd.stop_daemon(s->daemon);
    uv_close((uv_handle_t *)&s->poll, on_closed);
    uv_close((uv_handle_t *)&s->due, on_closed);
    uv_close((uv_handle_t *)&s->tick, on_closed);
}

/* libmicrohttpd does not watch suspended connections, and may miss the end of one that was closed
 * before it was added. */
static bool has_disconnected(int fd)
{
    char byte;
    const ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void check_client(http_server *s, client *c, bool is_last)
{
    const bool has_gone = (c->stream || waits(c) || !c->complete) && has_disconnected(c->fd);
    if (c->stream && (is_last || has_gone)) {
        c->stream->closed = true;
        wake(c->stream);
    } else if (is_last || has_gone) {
        disconnect(s, c, timed_out, NULL);
    } else if (!c->stream && !waits(c) && uv_now(s->loop) >= c->since + RESPONSE_MS) {
        disconnect(s, c, timed_out,
                   c->complete ? "timeout: response not read" : "timeout: no request");
    }
    if (is_last) shutdown(c->fd, SHUT_RDWR);
}

static void on_tick(uv_timer_t *timer)
{
    http_server *s = timer->data;
    const bool is_last = !s->listener && uv_now(s->loop) >= s->until;
    for (client *c = s->clients; c; c = c->next)
        check_client(s, c, is_last);
    run_daemon(s);
    if (s->handler.tick) s->handler.tick(s->handler.user);
    if (!s->listener && !s->clients) finish(s);
}

static void on_log_line(void *user, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void on_log_line(void *user, const char *format, va_list arguments)
{
    const http_server *s = user;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = 0;
    char *page = strstr(text, " ('"); /* its response, as HTML */
    if (page) strcpy(page, ")");
    diagnostics_report(s->diagnostics, "HTTP: %s", text);
}

static struct MHD_Daemon *start_daemon(http_server *s)
{
    return mhd.start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, on_log_line, s,
        MHD_OPTION_CONNECTION_LIMIT, 2U * MAX_CLIENTS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_SIZE, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_URI_LOG_CALLBACK, begin_request, s, MHD_OPTION_NOTIFY_COMPLETED, end_request,
        NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static bool init_poll(http_server *s)
{
    const union MHD_DaemonInfo *about = mhd.get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return about && uv_poll_init(s->loop, &s->poll, about->epoll_fd) == 0;
}

http_server *http_server_open(uv_loop_t *loop, const char *address, const char *token,
                              diagnostics *diagnostics, const struct http_handler *handler,
                              char *message, size_t size)
{
    if (!mhd_load(message, size)) return NULL;
    http_server *s = calloc(1, sizeof *s);
    snprintf(message, size, "cannot start the HTTP server: out of memory or descriptors");
    if (!s) return NULL;
    s->loop = loop;
    s->handler = *handler;
    s->diagnostics = diagnostics;
    s->handles = 3;
    if (pending_begin(&s->pending, 2 * MAX_CLIENTS)) s->daemon = start_daemon(s);
    const bool is_polled = s->daemon && init_poll(s);
    s->poll.data = s->due.data = s->tick.data = s;
    uv_timer_init(loop, &s->due);
    uv_timer_init(loop, &s->tick);
    if (is_polled)
        s->listener =
            relay_listener_open(loop, address, token, diagnostics, on_client, s, message, size);
    if (!s->listener) {
        s->handler.closed = NULL;
        if (s->daemon) mhd.stop_daemon(s->daemon);
        if (is_polled) uv_close((uv_handle_t *)&s->poll, on_closed);
        s->handles -= !is_polled;
        uv_close((uv_handle_t *)&s->due, on_closed);
        uv_close((uv_handle_t *)&s->tick, on_closed);
        return NULL;
    }
    relay_listener_skip_token(s->listener);
    relay_listener_require_bytes(s->listener);
    s->port = relay_listener_port(s->listener);
    uv_poll_start(&s->poll, UV_READABLE, on_ready);
    uv_timer_start(&s->tick, on_tick, TICK_MS, TICK_MS);
    return s;
}

unsigned http_server_port(const http_server *s)
{
    return s->port;
}

void http_server_close(http_server *s, unsigned ms)
{
    s->until = uv_now(s->loop) + ms;
    relay_listener_close(s->listener);
    s->listener = NULL;
    uv_timer_start(&s->tick, on_tick, 0, CLOSING_TICK_MS);
}
