/* The relay's HTTP server: metrics for Prometheus, and logs. In the loop's thread.
 *
 *     GET /metrics     metrics.h
 *     GET /healthz     "ok"
 *     GET /log/NAME    a program's log from now on, until it ends
 *     GET /view/NAME/  the page of hectic view, for a program's log from now on
 *     GET /view/NAME/api/REQUEST   what it asks (view/engine/view.h)
 *     GET /            list of these paths
 */
#ifndef HECTIC_SRC_HTTP_H
#define HECTIC_SRC_HTTP_H

#include "relay/relay.h"

typedef struct http http;

/* "HOST:PORT". Addresses other than loopback require a token, which every request except /healthz
 * must send ("Authorization: Bearer TOKEN"). Without a token, the Host header must name this host,
 * which stops requests from foreign web pages. NULL: failed, with the reason in the message. The
 * relay and the token must outlive it. */
http *http_new(uv_loop_t *loop, relay *r, const char *address, const char *token, char *message,
               size_t size);

/* The page that is served, and must outlive it; NULL: none. It has nothing of a log, so that it is
 * served without the token, which it asks for. */
void http_set_page(http *h, const char *page, size_t length);

unsigned http_port(const http *h);

/* Accepts no more clients and does not use the relay again. Clients that read a log have some
 * seconds to read it to its end; then it is freed. */
void http_close(http *h);

#endif
