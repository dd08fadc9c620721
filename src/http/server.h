/* An HTTP server for untrusted clients: connections, their limits and what all responses have. The
 * relay (http.h) and hectic view use it. In the thread of a libuv loop, on libmicrohttpd.
 *
 * A connection has one request. It has 10 s to send it, and 10 s to read the response. If there are
 * too many connections, the address with most incomplete requests loses its oldest one, or else the
 * client that has been there longest. Only GET and HEAD are allowed. */
#ifndef HECTIC_SRC_HTTP_SERVER_H
#define HECTIC_SRC_HTTP_SERVER_H

#include "clients/diagnostics.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <uv.h>

typedef struct http_server http_server;

typedef struct http_request {
    const char *url;    /* its path, decoded */
    const char *target; /* as it was sent */
    int fd;             /* of the client */
    struct http_client *client;
    struct MHD_Connection *connection;
} http_request;

struct http_handler {
    /* The response to a request, and its status (200, if it is not set). NULL: it is temporarily
     * unavailable, unless http_wait was called. */
    struct MHD_Response *(*respond)(void *user, http_request *request, unsigned *status);
    void (*tick)(void *user);   /* NULL, or: twice per second */
    void (*closed)(void *user); /* NULL, or: the server was freed */
    void *user;
};

/* Listens at "tcp:HOST:PORT". Addresses other than loopback require a token, which `respond`
 * checks. NULL: failed, with the reason in the message. Address, token and diagnostics must outlive
 * it. */
http_server *http_server_open(uv_loop_t *loop, const char *address, const char *token,
                              diagnostics *diagnostics, const struct http_handler *handler,
                              char *message, size_t size);

unsigned http_server_port(const http_server *s);

/* Accepts no more clients. Those that there are have some time for their requests and responses,
 * and to read a log to its end; then the server is freed. */
void http_server_close(http_server *s, unsigned ms);

/* --- In respond: --- */

const char *http_header(const http_request *r, const char *name); /* or NULL */

/* Is there one Host header, and does it name this host or `own` (host_is_local)? */
bool http_host_is_local(const http_request *r, const char *own);

/* The response follows: http_answer must be called later, unless `abandon` is, because the client
 * has disconnected or was disconnected: then the request is not to be used again. */
void http_wait(http_request *r, void (*abandon)(void *user), void *user);

/* The response to a request that waits, from the loop. It takes ownership of the response; NULL:
 * the response is temporarily unavailable. */
void http_answer(http_request *r, unsigned status, struct MHD_Response *response);

/* --- Responses; NULL: out of memory --- */

/* Takes ownership of the bytes, which may be NULL. */
struct MHD_Response *http_bytes(void *bytes, size_t length, const char *type);

struct MHD_Response *http_text(const char *text);

void http_set_header(struct MHD_Response *response, const char *name, const char *value);

/* A page of HTML, which may run only its own scripts, and connect to this server only. The page
 * must outlive the server; NULL: there is none, the status becomes 404. */
struct MHD_Response *http_page(const char *page, size_t length, unsigned *status);

/* What can be read from a socket, until its end: it takes ownership of the descriptor. */
struct MHD_Response *http_stream(http_request *r, int fd);

/* Can another stream be opened? */
bool http_has_stream(const http_request *r);

#endif
