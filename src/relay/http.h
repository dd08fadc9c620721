/* What the relay tells over HTTP: numbers for Prometheus, and logs. In the loop's thread.
 *
 *     GET /metrics     metrics.h
 *     GET /healthz     "ok"
 *     GET /log/NAME    a program's log from now on, for as long as it lives
 *     GET /            which there are
 */
#ifndef HECTIC_SRC_HTTP_H
#define HECTIC_SRC_HTTP_H

#include "relay/relay.h"

typedef struct http http;

/* "HOST:PORT". Beyond this host's own addresses only with a token, which every request but that for
 * /healthz then has to bring ("Authorization: Bearer TOKEN"). Without one, requests have to name
 * this host, as those of a web page from elsewhere do not. NULL, and why in the message. The relay
 * and the token must live as long. */
http *http_new(uv_loop_t *loop, relay *r, const char *place, const char *token, char *message,
               size_t size);

unsigned http_port(const http *h);

/* Nobody gets in any more; the relay is not asked again. Who reads a log may read it to its end,
 * for some seconds; then it is freed. */
void http_close(http *h);

#endif
