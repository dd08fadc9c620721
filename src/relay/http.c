#include "relay/http.h"

#include "relay/authentication.h"
#include "relay/listener.h"
#include "relay/metrics.h"
#include "relay/pending.h"
#include "relay/viewer.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_CLIENTS = 64,
    MAX_LOGS = 32,           /* of them, that read logs */
    MAX_VIEWERS = 8,         /* programs whose pages are open: some 30 MB each */
    VIEWER_IDLE_MS = 120000, /* without a request, its log is forgotten */
    REQUEST_SIZE = 16384,    /* bytes for request line and headers, and of one write */
    RESPONSE_MS = 10000,     /* from connecting to the end of the response */
    LOG_IDLE_S = 300,        /* a client that reads nothing of a log is disconnected */
    CLOSE_MS = 3000,         /* for the rest of a log when the relay ends */
    TICK_MS = 500,
    ADDRESS_SIZE = 512,
};

/* A log that is being sent; it comes from the program's server over a socket pair. */
typedef struct stream {
    http *http;
    struct MHD_Connection *connection;
    uv_poll_t poll; /* active while there is nothing to send */
    int fd;
    bool suspended, closed;
} stream;

/* A program whose page is open. */
typedef struct shown {
    viewer *viewer; /* NULL: unused */
    char name[PROGRAM_NAME_SIZE];
    uint64_t asked; /* ms of the loop */
} shown;

/* A request: its target as it was sent, and the answer of a viewer. */
typedef struct request {
    http *http;
    struct MHD_Connection *connection;
    char *target;
    bool is_asked;
    unsigned status;
    struct MHD_Response *response; /* NULL: temporarily unavailable */
} request;

/* A connection, for one request. */
typedef struct client {
    struct client *next;
    pending_member pending; /* until its request is complete */
    int fd;
    uint64_t since;    /* ms of the loop */
    bool complete;     /* its request is complete */
    bool disconnected; /* libmicrohttpd will notice */
    stream *stream;    /* NULL: it does not read a log */
} client;

struct http {
    uv_loop_t *loop;
    const relay *relay; /* NULL: it is closing */
    diagnostics *diagnostics;
    const char *token;
    char address[ADDRESS_SIZE], host[ADDRESS_SIZE]; /* the listen address */
    relay_listener *listener;
    unsigned port;
    struct MHD_Daemon *daemon;
    uv_poll_t poll;
    uv_timer_t due, tick;
    unsigned handles; /* open handles of these three */
    uint64_t closed;  /* when; ms of the loop */
    client *clients;
    pending_set pending;
    unsigned client_count, stream_count;
    const char *page; /* of hectic view; NULL: none */
    size_t page_length;
    shown shown[MAX_VIEWERS];
};

static void on_due(uv_timer_t *timer);

/* Runs libmicrohttpd, and schedules the next run that it asks for. */
static void run_daemon(http *h)
{
    MHD_UNSIGNED_LONG_LONG ms;
    MHD_run(h->daemon);
    if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
        uv_timer_start(&h->due, on_due, ms, 0);
    else
        uv_timer_stop(&h->due);
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
    http *h = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *about =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        client *c = calloc(1, sizeof *c);
        *context = c;
        if (!c) return;
        *c = (client){.fd = about->connect_fd, .since = uv_now(h->loop), .next = h->clients};
        pending_add(&h->pending, &c->pending, pending_address_of(c->fd));
        h->clients = c;
        h->client_count++;
        return;
    }
    client **link = &h->clients;
    while (*link && *link != *context)
        link = &(*link)->next;
    if (!*link) return;
    *link = (*link)->next;
    h->client_count--;
    pending_remove(&h->pending, &((client *)*context)->pending);
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

/* `answer` is sent unless the request was complete. */
static void disconnect(http *h, client *c, const char *answer, const char *why)
{
    if (c->disconnected) return;
    c->disconnected = true;
    pending_remove(&h->pending, &c->pending);
    diagnostics_report(h->diagnostics, "HTTP: client disconnected: %s", why);
    if (!c->complete) refuse(c->fd, answer);
    shutdown(c->fd, SHUT_RDWR);
}

/* Disconnects a client without a complete request, or else the one that waited longest for its
 * response. */
static bool make_room(http *h)
{
    client *one = LIST_MEMBER(pending_next_eviction(&h->pending), client, pending);
    if (h->client_count < MAX_CLIENTS) return true;
    for (client *c = one ? NULL : h->clients; c; c = c->next)
        if (!c->stream && !c->disconnected) one = c; /* the newest are first */
    if (one)
        disconnect(h, one, too_many,
                   one->complete ? "slow response, and too many clients"
                                 : "no request, and too many clients");
    return one != NULL;
}

static void on_client(void *user, int fd)
{
    http *h = user;
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    if (!make_room(h)) {
        diagnostics_report(h->diagnostics, "HTTP: client rejected: too many clients");
        refuse(fd, too_many);
        close(fd);
    } else if (getpeername(fd, (struct sockaddr *)&address, &length) != 0) {
        close(fd); /* already disconnected */
    } else {
        MHD_add_connection(h->daemon, fd, (struct sockaddr *)&address, length);
    }
    run_daemon(h);
}

/* --- Logs ------------------------------------------------------------------------------------- */

static void wake(stream *s)
{
    if (!s->suspended) return;
    s->suspended = false;
    uv_poll_stop(&s->poll);
    MHD_resume_connection(s->connection);
}

static void on_log(uv_poll_t *poll, int status, int events)
{
    stream *s = poll->data;
    (void)status;
    (void)events;
    wake(s);
    run_daemon(s->http);
}

static ssize_t read_log(void *user, uint64_t at, char *bytes, size_t most)
{
    stream *s = user;
    (void)at;
    ssize_t got;
    do
        got = s->closed ? 0 : recv(s->fd, bytes, most, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got > 0) return got;
    if (got == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return MHD_CONTENT_READER_END_WITH_ERROR;
    s->suspended = true;
    MHD_suspend_connection(s->connection);
    uv_poll_start(&s->poll, UV_READABLE | UV_DISCONNECT, on_log);
    return 0;
}

static void on_stream_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void end_log(void *user)
{
    stream *s = user;
    s->http->stream_count--;
    for (client *c = s->http->clients; c; c = c->next)
        if (c->stream == s) c->stream = NULL;
    uv_close((uv_handle_t *)&s->poll, on_stream_closed);
    close(s->fd);
}

static bool begin_stream(stream *s, const program *p)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) return false;
    s->fd = pair[0];
    s->poll.data = s;
    if (uv_poll_init(s->http->loop, &s->poll, s->fd) != 0) {
        close(pair[0]);
        close(pair[1]);
        return false;
    }
    if (!hectic_server_adopt(program_server(p), pair[1]))
        close(pair[1]); /* then the log is empty */
    return true;
}

static client *client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* NULL: temporarily unavailable. */
static struct MHD_Response *log_of(http *h, const program *p, struct MHD_Connection *connection)
{
    client *c = client_of(connection);
    stream *s = c && h->stream_count < MAX_LOGS ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    *s = (stream){.http = h, .connection = connection};
    if (!begin_stream(s, p)) {
        free(s);
        return NULL;
    }
    h->stream_count++;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, REQUEST_SIZE / 2, read_log, s, end_log);
    if (!response) {
        end_log(s);
        return NULL;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream");
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)LOG_IDLE_S);
    c->stream = s;
    return response;
}

/* --- Responses -------------------------------------------------------------------------------- */

/* Takes ownership of `text`, which may be NULL. */
static struct MHD_Response *page_of(char *text, size_t length, const char *type)
{
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (response) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    return response;
}

static struct MHD_Response *text_of(const char *text)
{
    return page_of(strdup(text), strlen(text), "text/plain; charset=utf-8");
}

static struct MHD_Response *metrics_of(const http *h, const char *accept)
{
    size_t count = 0, length;
    for (const program *p = NULL; (p = relay_next(h->relay, p));)
        count++;
    struct metrics_program *about = calloc(count + 1, sizeof *about), *next = about;
    if (!about) return NULL;
    for (program *p = NULL; (p = relay_next(h->relay, p)); next++)
        *next = (struct metrics_program){
            .name = program_name(p),
            .pid = program_pid(p),
            .live_stats = program_live_stats(p),
            .damaged = program_damaged(p),
            .stream = program_stream_state(p),
            .server = hectic_server_get_state(program_server(p)),
            .record = program_recorded(p),
        };
    const enum metrics_format format = metrics_format_for(accept);
    char *page = metrics_page(format, relay_recorded(h->relay), about, count, &length);
    free(about);
    return page_of(page, length, metrics_content_type(format));
}

static struct MHD_Response *index_of(const http *h)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs("hectic relay\n\n/metrics\n/healthz\n", out);
    for (const program *p = NULL; (p = relay_next(h->relay, p));)
        fprintf(out, "/log/%s\n/view/%s/\n", program_name(p), program_name(p));
    if (fclose(out) == 0) return page_of(text, length, "text/plain; charset=utf-8");
    free(text);
    return NULL;
}

static const char *request_header(struct MHD_Connection *connection, const char *header)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, header);
}

/* --- The page of hectic view ------------------------------------------------------------------ */

/* Only scripts of the page itself, and connections to this server only. */
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

static struct MHD_Response *page_of_view(const http *h, unsigned *status)
{
    if (!h->page) {
        *status = MHD_HTTP_NOT_FOUND;
        return text_of("this build of hectic has no page: docs/dependencies.md lists what it is "
                       "built with\n");
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(
        h->page_length, (void *)(uintptr_t)h->page, MHD_RESPMEM_PERSISTENT);
    if (!response) return NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/html; charset=utf-8");
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    return response;
}

static void forget(shown *s)
{
    if (s->viewer) viewer_free(s->viewer);
    s->viewer = NULL;
}

/* The place of a program's viewer, or one that is free or has had no requests for some time; NULL:
 * all are in use. */
static shown *place_for(http *h, const char *name)
{
    shown *place = NULL;
    for (size_t i = 0; i < MAX_VIEWERS; i++) {
        shown *s = &h->shown[i];
        if (s->viewer && strcmp(s->name, name) == 0) return s;
        const bool is_idle = !s->viewer || uv_now(h->loop) >= s->asked + VIEWER_IDLE_MS;
        if (is_idle && (!place || place->viewer)) place = s;
    }
    return place;
}

/* A program whose log has ended is shown until another one connects with its name. NULL: there is
 * none, or its page cannot be opened now, and *status is set. */
static shown *shown_as(http *h, const char *name, unsigned *status)
{
    const program *p = relay_find(h->relay, name);
    shown *s = place_for(h, name);
    const bool is_same = s && s->viewer && strcmp(s->name, name) == 0;
    if (is_same && (!p || !viewer_has_ended(s->viewer))) return s;
    *status = p ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_NOT_FOUND;
    if (!p || !s) return NULL;
    forget(s);
    s->viewer = viewer_new(h->loop, program_server(p));
    snprintf(s->name, sizeof s->name, "%s", name);
    return s->viewer ? s : NULL;
}

static void on_answer(void *user, const viewer_answer *answer)
{
    request *r = user;
    r->status = answer->done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST;
    r->response = page_of((char *)answer->bytes, answer->length, answer->bytes ? answer->type : "");
    MHD_resume_connection(r->connection);
    uv_timer_start(&r->http->due, on_due, 0, 0); /* not now: libmicrohttpd may be running */
}

/* NULL: the connection is suspended until there is an answer, if r->is_asked is set. */
static struct MHD_Response *ask(http *h, request *r, const char *name, const char *text,
                                unsigned *status)
{
    shown *s = shown_as(h, name, status);
    if (!s)
        return text_of(*status == MHD_HTTP_NOT_FOUND ? "there is no such program\n"
                                                     : "too many pages are open\n");
    s->asked = uv_now(h->loop);
    *status = MHD_HTTP_SERVICE_UNAVAILABLE;
    if (!viewer_ask(s->viewer, text, on_answer, r)) return NULL;
    r->is_asked = true;
    MHD_suspend_connection(r->connection);
    return NULL;
}

/* The rest of a target of the form /view/NAME/REST; NULL: it is another. */
static const char *parse_view(const char *target, char name[PROGRAM_NAME_SIZE])
{
    static const char view[] = "/view/";
    if (strncmp(target, view, sizeof view - 1) != 0) return NULL;
    const char *begin = target + sizeof view - 1, *end = strchr(begin, '/');
    if (!end || end == begin || end - begin >= PROGRAM_NAME_SIZE) return NULL;
    snprintf(name, PROGRAM_NAME_SIZE, "%.*s", (int)(end - begin), begin);
    return end + 1;
}

static bool is_page(const char *rest)
{
    return rest && (*rest == 0 || *rest == '?');
}

/* --- All requests ----------------------------------------------------------------------------- */

static struct MHD_Response *respond(http *h, request *r, const char *url, unsigned *status)
{
    static const char log[] = "/log/", api[] = "api/";
    struct MHD_Connection *connection = r->connection;
    char name[PROGRAM_NAME_SIZE];
    const char *rest = parse_view(r->target, name);
    *status = MHD_HTTP_OK;
    if (strcmp(url, "/healthz") == 0) return text_of("ok\n");
    if (h->token && is_page(rest)) return page_of_view(h, status);
    if (h->token && !token_matches_header(
                        h->token, request_header(connection, MHD_HTTP_HEADER_AUTHORIZATION))) {
        *status = MHD_HTTP_UNAUTHORIZED;
        struct MHD_Response *response =
            text_of("authentication required: send Authorization: Bearer TOKEN\n");
        if (response) MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
        return response;
    }
    if (!h->token && !host_is_local(h->host, request_header(connection, MHD_HTTP_HEADER_HOST))) {
        *status = MHD_HTTP_FORBIDDEN;
        return text_of("the Host header must be localhost or the relay's listen address\n");
    }
    if (!h->token && !is_page(rest) && !site_is_own(request_header(connection, "Sec-Fetch-Site"))) {
        *status = MHD_HTTP_FORBIDDEN; /* a link to the page is allowed: it has nothing of a log */
        return text_of("requests of other web pages are refused\n");
    }
    if (strcmp(url, "/metrics") == 0)
        return metrics_of(h, request_header(connection, MHD_HTTP_HEADER_ACCEPT));
    if (strcmp(url, "/") == 0) return index_of(h);
    if (is_page(rest)) return page_of_view(h, status);
    if (rest && strncmp(rest, api, sizeof api - 1) == 0)
        return ask(h, r, name, rest + sizeof api - 1, status);
    const program *p =
        strncmp(url, log, sizeof log - 1) == 0 ? relay_find(h->relay, url + sizeof log - 1) : NULL;
    if (p) return log_of(h, p, connection);
    *status = MHD_HTTP_NOT_FOUND;
    return text_of("not found; available paths: /, /metrics, /healthz, /log/NAME, /view/NAME/\n");
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **context)
{
    (void)version;
    (void)upload;
    (void)upload_size;
    http *h = user;
    request *r = *context;
    if (!r || !r->target) return MHD_NO;
    r->connection = connection;
    client *c = client_of(connection);
    if (c) c->complete = true;
    if (c) pending_remove(&h->pending, &c->pending);
    const bool is_new = !r->is_asked;
    unsigned status = MHD_HTTP_SERVICE_UNAVAILABLE;
    struct MHD_Response *response;
    if (r->is_asked) {
        status = r->response ? r->status : MHD_HTTP_SERVICE_UNAVAILABLE;
        response = r->response;
        r->response = NULL;
    } else if (!h->relay)
        response = text_of("the relay is shutting down\n");
    else if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
        response = respond(h, r, url, &status);
    else {
        status = MHD_HTTP_METHOD_NOT_ALLOWED;
        response = text_of("use GET\n");
    }
    if (!response && is_new && r->is_asked) return MHD_YES; /* it is suspended */
    if (!response) {
        status = MHD_HTTP_SERVICE_UNAVAILABLE;
        response = text_of("temporarily unavailable\n");
    }
    if (!response) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static void *begin_request(void *user, const char *target, struct MHD_Connection *connection)
{
    request *r = calloc(1, sizeof *r);
    (void)connection;
    if (r) *r = (request){.http = user, .target = strdup(target)};
    return r;
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    request *r = *context;
    (void)user, (void)connection, (void)code;
    if (!r) return;
    if (r->response) MHD_destroy_response(r->response);
    free(r->target);
    free(r);
    *context = NULL;
}

/* --- Lifetime --------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    http *h = handle->data;
    if (--h->handles > 0) return;
    pending_end(&h->pending);
    free(h);
}

static void finish(http *h)
{
    MHD_stop_daemon(h->daemon);
    uv_close((uv_handle_t *)&h->poll, on_closed);
    uv_close((uv_handle_t *)&h->due, on_closed);
    uv_close((uv_handle_t *)&h->tick, on_closed);
}

/* libmicrohttpd does not watch suspended connections. */
static bool has_disconnected(int fd)
{
    char byte;
    const ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void on_tick(uv_timer_t *timer)
{
    http *h = timer->data;
    const uint64_t now = uv_now(h->loop);
    const bool last = !h->relay && now >= h->closed + CLOSE_MS;
    for (client *c = h->clients; c; c = c->next) {
        if (last) shutdown(c->fd, SHUT_RDWR);
        if (!c->stream && now >= c->since + RESPONSE_MS)
            disconnect(h, c, timed_out,
                       c->complete ? "timeout: response not read" : "timeout: no request");
        if (c->stream && (last || has_disconnected(c->fd))) {
            c->stream->closed = true;
            wake(c->stream);
        }
    }
    run_daemon(h);
    for (size_t i = 0; i < MAX_VIEWERS; i++)
        if (now >= h->shown[i].asked + VIEWER_IDLE_MS) forget(&h->shown[i]);
    if (!h->relay && !h->clients) finish(h);
}

static void on_log_line(void *user, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void on_log_line(void *user, const char *format, va_list arguments)
{
    const http *h = user;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = 0;
    char *page = strstr(text, " ('"); /* its response, as HTML */
    if (page) strcpy(page, ")");
    diagnostics_report(h->diagnostics, "HTTP: %s", text);
}

static struct MHD_Daemon *start_daemon(http *h)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_log_line, h,
        MHD_OPTION_CONNECTION_LIMIT, 2U * MAX_CLIENTS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_SIZE, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_URI_LOG_CALLBACK, begin_request, h, MHD_OPTION_NOTIFY_COMPLETED, end_request,
        NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* The host without the port, with the brackets of an IPv6 address, as in a Host header. */
static void set_host(http *h, const char *address)
{
    const char *colon = strrchr(address, ':');
    const size_t length = colon ? (size_t)(colon - address) : strlen(address);
    snprintf(h->host, sizeof h->host, "%.*s", (int)length, address);
}

static bool is_address(const char *address)
{
    char buffer[512];
    hectic_destination at;
    return hectic_destination_parse(&at, address, buffer, sizeof buffer);
}

static bool init_poll(http *h)
{
    const union MHD_DaemonInfo *about = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return about && uv_poll_init(h->loop, &h->poll, about->epoll_fd) == 0;
}

http *http_new(uv_loop_t *loop, relay *r, const char *address, const char *token, char *message,
               size_t size)
{
    http *h = calloc(1, sizeof *h);
    if (!h ||
        (size_t)snprintf(h->address, sizeof h->address, "tcp:%s", address) >= sizeof h->address) {
        snprintf(message, size, "%s", h ? "the listen address is too long" : "out of memory");
        free(h);
        return NULL;
    }
    if (!is_address(h->address)) {
        snprintf(message, size,
                 "invalid listen address \"%s\": expected HOST:PORT, such as 127.0.0.1:9464",
                 address);
        free(h);
        return NULL;
    }
    h->loop = loop;
    h->relay = r;
    h->diagnostics = relay_diagnostics(r);
    h->token = token;
    h->handles = 3;
    set_host(h, address);
    h->listener =
        relay_listener_open(loop, h->address, token, h->diagnostics, on_client, h, message, size);
    if (h->listener && pending_begin(&h->pending, 2 * MAX_CLIENTS)) h->daemon = start_daemon(h);
    if (h->daemon && !init_poll(h)) {
        MHD_stop_daemon(h->daemon);
        h->daemon = NULL;
    }
    if (!h->daemon) {
        if (h->listener)
            snprintf(message, size, "cannot start the HTTP server: out of memory or descriptors");
        if (h->listener) relay_listener_close(h->listener);
        pending_end(&h->pending);
        free(h);
        return NULL;
    }
    relay_listener_skip_token(h->listener);
    relay_listener_require_bytes(h->listener);
    h->port = relay_listener_port(h->listener);
    uv_timer_init(loop, &h->due);
    uv_timer_init(loop, &h->tick);
    h->poll.data = h->due.data = h->tick.data = h;
    uv_poll_start(&h->poll, UV_READABLE, on_ready);
    uv_timer_start(&h->tick, on_tick, TICK_MS, TICK_MS);
    return h;
}

unsigned http_port(const http *h)
{
    return h->port;
}

void http_set_page(http *h, const char *page, size_t length)
{
    h->page = page;
    h->page_length = length;
}

void http_close(http *h)
{
    h->relay = NULL;
    for (size_t i = 0; i < MAX_VIEWERS; i++)
        forget(&h->shown[i]);
    h->closed = uv_now(h->loop);
    relay_listener_close(h->listener);
}
