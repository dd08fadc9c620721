#include "relay/http.h"

#include "http/routes.h"
#include "metrics/metrics.h"
#include "relay/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_VIEWERS = 8,         /* programs whose pages are open: some 30 MB each */
    VIEWER_IDLE_MS = 120000, /* without a request, its log is forgotten */
    CLOSE_MS = 3000,         /* for the rest of a log when the relay ends */
    ADDRESS_SIZE = 512,
};

/* A program whose page is open. */
typedef struct shown {
    viewer *viewer; /* NULL: unused */
    char name[PROGRAM_NAME_SIZE];
    uint64_t asked; /* ms of the loop */
} shown;

struct http {
    uv_loop_t *loop;
    const relay *relay; /* NULL: it is closing */
    struct http_guard guard;
    char address[ADDRESS_SIZE], host[ADDRESS_SIZE]; /* the listen address */
    http_server *server;
    const char *page; /* of hectic view; NULL: none */
    size_t page_length;
    shown shown[MAX_VIEWERS];
};

/* --- Logs and metrics ------------------------------------------------------------------------- */

static struct MHD_Response *healthz(void *user, http_request *r, const struct http_place *place,
                                    unsigned *status)
{
    (void)user, (void)r, (void)place, (void)status;
    return http_text("ok\n");
}

static struct MHD_Response *not_found(unsigned *status)
{
    *status = MHD_HTTP_NOT_FOUND;
    return http_text("not found; available paths: /, /metrics, /healthz, /log/NAME, /view/NAME/\n");
}

/* NULL: temporarily unavailable. */
static struct MHD_Response *log_of(void *user, http_request *r, const struct http_place *place,
                                   unsigned *status)
{
    const http *h = user;
    int pair[2];
    const program *p = relay_find(h->relay, place->name);
    if (!p) return not_found(status);
    if (!http_has_stream(r)) return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) return NULL;
    if (!hectic_server_adopt(program_server(p), pair[1]))
        close(pair[1]); /* then the log is empty */
    return http_stream(r, pair[0]);
}

static struct MHD_Response *metrics_of(void *user, http_request *r, const struct http_place *place,
                                       unsigned *status)
{
    const http *h = user;
    (void)place, (void)status;
    size_t count = 0, length;
    for (const program *p = NULL; (p = relay_next(h->relay, p));)
        count++;
    struct metrics_program *about = calloc(count + 1, sizeof *about), *next = about;
    if (!about) return NULL;
    for (program *p = NULL; (p = relay_next(h->relay, p)); next++)
        *next = program_metrics(p);
    const enum metrics_format format = metrics_format_for(http_header(r, "Accept"));
    const row_store *store = relay_store(h->relay);
    const struct delivery_counts stored =
        store ? row_store_count(store) : (struct delivery_counts){0};
    const struct otlp_sending *otlp = relay_otlp(h->relay);
    struct delivery_counts sent = {0};
    if (otlp) delivery_sender_count(otlp->sender, &sent);
    const struct metrics_relay all = {relay_recorded(h->relay), store ? &stored : NULL,
                                      otlp ? &sent : NULL};
    char *page = metrics_page(format, &all, about, count, &length);
    free(about);
    return http_bytes(page, length, metrics_content_type(format));
}

static struct MHD_Response *index_of(void *user, http_request *r, const struct http_place *place,
                                     unsigned *status)
{
    const http *h = user;
    (void)r, (void)place, (void)status;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs("hectic relay\n\n/metrics\n/healthz\n", out);
    for (const program *p = NULL; (p = relay_next(h->relay, p));)
        fprintf(out, "/log/%s\n/view/%s/\n", program_name(p), program_name(p));
    if (fclose(out) == 0) return http_bytes(text, length, "text/plain; charset=utf-8");
    free(text);
    return NULL;
}

/* --- The page of hectic view ------------------------------------------------------------------ */

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

/* NULL: temporarily unavailable, or later. */
static struct MHD_Response *ask(void *user, http_request *r, const struct http_place *place,
                                unsigned *status)
{
    http *h = user;
    shown *s = shown_as(h, place->name, status);
    if (!s)
        return http_text(*status == MHD_HTTP_NOT_FOUND ? "there is no such program\n"
                                                       : "too many pages are open\n");
    s->asked = uv_now(h->loop);
    return viewer_ask(s->viewer, r, place->rest);
}

static struct MHD_Response *page_of(void *user, http_request *r, const struct http_place *place,
                                    unsigned *status)
{
    const http *h = user;
    (void)r, (void)place;
    return http_page(h->page, h->page_length, status);
}

/* --- All requests ----------------------------------------------------------------------------- */

static struct MHD_Response *respond(void *user, http_request *r, unsigned *status)
{
    static const http_route routes[] = {
        {"/healthz", true, healthz}, {"/view/*/", true, page_of},     {"/view/*/api/", false, ask},
        {"/log/*", false, log_of},   {"/metrics", false, metrics_of}, {"/", false, index_of},
    };
    http *h = user;
    struct http_place place;
    const http_route *route =
        http_route_find(routes, sizeof routes / sizeof *routes, r->target, &place);
    const bool is_page = route && route->is_page;
    struct MHD_Response *refused = NULL;
    if (!route || route->respond != healthz) refused = http_refuse(&h->guard, r, is_page, status);
    if (refused) return refused;
    if (!h->relay && !is_page) return NULL;
    return route ? route->respond(h, r, &place, status) : not_found(status);
}

/* --- Lifetime --------------------------------------------------------------------------------- */

static void on_tick(void *user)
{
    http *h = user;
    for (size_t i = 0; i < MAX_VIEWERS; i++)
        if (uv_now(h->loop) >= h->shown[i].asked + VIEWER_IDLE_MS) forget(&h->shown[i]);
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

http *http_new(uv_loop_t *loop, relay *r, const char *address, const char *token, char *message,
               size_t size)
{
    http *h = calloc(1, sizeof *h);
    snprintf(message, size, "out of memory");
    if (!h) return NULL;
    *h = (http){.loop = loop, .relay = r};
    set_host(h, address);
    h->guard = (struct http_guard){token, h->host, "localhost or the relay's listen address", true};
    if ((size_t)snprintf(h->address, sizeof h->address, "tcp:%s", address) >= sizeof h->address)
        snprintf(message, size, "the listen address is too long");
    else if (!is_address(h->address))
        snprintf(message, size,
                 "invalid listen address \"%s\": expected HOST:PORT, such as 127.0.0.1:9464",
                 address);
    else
        h->server = http_server_open(
            loop, h->address, token, relay_diagnostics(r),
            &(struct http_handler){.respond = respond, .tick = on_tick, .closed = free, .user = h},
            message, size);
    if (h->server) return h;
    free(h);
    return NULL;
}

unsigned http_port(const http *h)
{
    return http_server_port(h->server);
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
    http_server_close(h->server, CLOSE_MS);
}
