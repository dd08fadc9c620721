/* server.h — a server that takes requests of OTLP over HTTP. Not for several threads at a time. */
#ifndef HECTIC_SRC_OTLP_SERVER_H
#define HECTIC_SRC_OTLP_SERVER_H

#include "delivery/sender.h"
#include "otlp/batch.h"

/* Headers, compression and the time for a request are as the environment has them
 * (OTEL_EXPORTER_OTLP_…). */
struct otlp_access {
    const char *url;   /* without the path of a signal; not copied */
    uint64_t patience; /* ms: for so long requests that fail are repeated */
    void (*waits)(void *user, const char *url, const char *why); /* may be NULL */
    bool (*is_cancelled)(void *user);                            /* true ends a request; likewise */
    void *user;
};

typedef struct otlp_server otlp_server;

/* Call it before there are threads. NULL: out of memory. Without libcurl, all requests fail. */
otlp_server *otlp_server_new(const struct otlp_access *access);
void otlp_server_free(otlp_server *server);

/* Sends a request to a path. False: it failed. */
bool otlp_server_send(otlp_server *server, const char *path, const struct buffer *request,
                      struct delivery *delivery);

/* Why the last request failed, or a part of it was refused: one line. */
const char *otlp_server_error(const otlp_server *server);

/* A sender of requests: its settings are a struct otlp_access. */
extern const struct delivery_target otlp_delivery;

#endif
