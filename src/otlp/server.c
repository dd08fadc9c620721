/* server.c — see server.h. */
#include "otlp/server.h"

#include "delivery/client.h"
#include "otlp/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HECTIC_ZLIB
#include <zlib.h>
#endif

enum {
    REQUEST_MS = 10000, /* without OTEL_EXPORTER_OTLP_TIMEOUT */
    REQUEST_MS_MIN = 1000,
    ANSWER_MAX = 1 << 20,
    URL_MAX = 4096,
    REASON_SIZE = 500,
    ERROR_SIZE = 2 * REASON_SIZE,
};

struct otlp_server {
    struct otlp_access access;
    http_client *client;
    const char *path; /* of the request */
    char url[URL_MAX + 16], error[ERROR_SIZE];
    struct buffer packed; /* the request, compressed */
    const struct buffer *body;
    bool compresses;
    struct delivery *delivery;
};

/* False: out of memory. */
static bool add_headers(http_client *client)
{
    struct otlp_list list = otlp_list_begin("OTEL_EXPORTER_OTLP_HEADERS");
    bool done = !list.failed;
    while (done && otlp_list_next(&list))
        done = http_client_add_header(client, list.name, list.value);
    otlp_list_end(&list);
    return done;
}

static uint32_t request_ms(void)
{
    const uint64_t ms =
        otlp_environment_ms("OTEL_EXPORTER_OTLP_TIMEOUT", REQUEST_MS, REQUEST_MS_MIN);
    return (uint32_t)(ms < INT32_MAX ? ms : INT32_MAX);
}

otlp_server *otlp_server_new(const struct otlp_access *access)
{
    otlp_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->access = *access;
#ifdef HECTIC_ZLIB
    server->compresses = otlp_environment_compresses();
#endif
    server->client =
        http_client_new(&(struct http_client_options){.content_type = "application/x-protobuf",
                                                      .answer_max = ANSWER_MAX,
                                                      .stalled_ms = request_ms(),
                                                      .authorities = otlp_environment_authorities(),
                                                      .is_cancelled = access->is_cancelled,
                                                      .user = access->user});
    if (server->client &&
        (!server->compresses ||
         http_client_add_header(server->client, "Content-Encoding", "gzip")) &&
        add_headers(server->client))
        return server;
    return otlp_server_free(server), NULL;
}

void otlp_server_free(otlp_server *server)
{
    if (!server) return;
    http_client_free(server->client);
    buffer_free(&server->packed);
    free(server);
}

const char *otlp_server_error(const otlp_server *server)
{
    return server->error;
}

/* --- Requests -------------------------------------------------------------------------------- */

/* A line of the server's text, which may be empty, says why. */
static void keep_error(otlp_server *server, const char *what, const char *text)
{
    const int line = (int)strcspn(text, "\r\n"), length = line < REASON_SIZE ? line : REASON_SIZE;
    snprintf(server->error, sizeof server->error, "%.20s: %.*s%s%.*s", server->path, REASON_SIZE,
             what, length > 0 ? ": " : "", length, text);
}

static void keep_refusal(otlp_server *server, const struct http_answer *answer)
{
    char what[REASON_SIZE];
    Otlp__Status *status = otlp__status__unpack(NULL, answer->body->size, answer->body->bytes);
    const char *text = status ? status->message : (const char *)answer->body->bytes;
    const char *redirect = answer->redirect ? answer->redirect : "";
    snprintf(what, sizeof what, "HTTP status %ld%s%s", answer->status,
             *redirect ? "; use the address that it redirects to: " : "", redirect);
    keep_error(server, what, *text == '<' ? "" : text); /* without a page of HTML */
    if (status) otlp__status__free_unpacked(status, NULL);
}

/* What it has left out of a request that it took must not be sent again. */
static void take_partial_success(otlp_server *server, const struct buffer *body)
{
    Otlp__ExportServiceResponse *answer =
        otlp__export_service_response__unpack(NULL, body->size, body->bytes);
    const Otlp__PartialSuccess *partial = answer ? answer->partial_success : NULL;
    if (partial && partial->rejected > 0) {
        server->delivery->lost += (uint64_t)partial->rejected;
        keep_error(server, "a part is refused", partial->error_message);
    }
    if (answer) otlp__export_service_response__free_unpacked(answer, NULL);
}

static enum attempt request(void *self, uint64_t *wait)
{
    otlp_server *server = self;
    struct http_answer answer;
    const enum attempt result = http_client_post(server->client, server->url, server->body->bytes,
                                                 server->body->size, &answer);
    server->error[0] = 0;
    if (result != ATTEMPT_DONE) {
        snprintf(server->error, sizeof server->error, "%s", http_client_error(server->client));
        return result;
    }
    if (answer.status >= 200 && answer.status < 300)
        return take_partial_success(server, answer.body), ATTEMPT_DONE;
    keep_refusal(server, &answer);
    if (answer.after > 0) *wait = server->delivery->wait = answer.after;
    if (http_status_is_temporary(answer.status)) return ATTEMPT_AGAIN;
    server->delivery->is_refused = true;
    return ATTEMPT_FAILED;
}

static void waits(void *self)
{
    const otlp_server *server = self;
    if (server->access.waits) server->access.waits(server->access.user, server->url, server->error);
}

/* False: out of memory. */
static bool compress_body(struct buffer *to, const struct buffer *body)
{
#ifdef HECTIC_ZLIB
    enum { GZIP = 16, WINDOW_BITS = 15, MEMORY = 8, FAST = 1 };
    z_stream stream = {.next_in = body->bytes, .avail_in = (uInt)body->size};
    if (deflateInit2(&stream, FAST, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return false;
    to->size = 0;
    const size_t room = deflateBound(&stream, (uLong)body->size);
    stream.next_out = buffer_room(to, room);
    stream.avail_out = (uInt)room;
    const bool done = stream.next_out && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    if (done) to->size = room - stream.avail_out;
    deflateEnd(&stream);
    return done;
#else
    (void)to, (void)body;
    return false;
#endif
}

bool otlp_server_send(otlp_server *server, const char *path, const struct buffer *body,
                      struct delivery *delivery)
{
    size_t length = strlen(server->access.url);
    while (length > 0 && server->access.url[length - 1] == '/')
        length--;
    if (length > URL_MAX) length = URL_MAX;
    snprintf(server->url, sizeof server->url, "%.*s%s", (int)length, server->access.url, path);
    server->path = path;
    server->delivery = delivery;
    server->body = server->compresses ? &server->packed : body;
    if (server->compresses && !compress_body(&server->packed, body)) {
        snprintf(server->error, sizeof server->error, "out of memory");
        return false;
    }
    return try_until_done(server->access.patience, request, waits, server) == ATTEMPT_DONE;
}

/* --- A sender -------------------------------------------------------------------------------- */

static void *open_server(const void *settings, bool (*is_cancelled)(void *user), void *user)
{
    struct otlp_access access = *(const struct otlp_access *)settings;
    access.is_cancelled = is_cancelled;
    access.user = user;
    return otlp_server_new(&access);
}

static void close_server(void *server)
{
    otlp_server_free(server);
}

static bool send_request(void *server, const char *path, const struct buffer *body,
                         struct delivery *delivery)
{
    return otlp_server_send(server, path, body, delivery);
}

static const char *error_of(const void *server)
{
    return otlp_server_error(server);
}

const struct delivery_target otlp_delivery = {.items = "items",
                                              .refusals_max = 1,
                                              .open = open_server,
                                              .close = close_server,
                                              .send = send_request,
                                              .error = error_of};
