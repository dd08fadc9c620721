/* A listening socket. TCP clients may have to send a token and a newline first, or at least one
 * byte; a client that does not do so within some seconds is disconnected. Thousands of such clients
 * may be pending. When there are too many, the oldest client of the peer address that has most is
 * disconnected. In the loop's thread. */
#ifndef HECTIC_SRC_RELAY_LISTENER_H
#define HECTIC_SRC_RELAY_LISTENER_H

#include "clients/diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct relay_listener relay_listener;

/* "unix:PATH", "tcp:HOST:PORT". `on_client` gets a client's descriptor, which does not block.
 * Addresses other than loopback require a token. NULL: failed, with the reason in the message.
 * Address, token and diagnostics must outlive the listener. */
relay_listener *relay_listener_open(uv_loop_t *loop, const char *address, const char *token,
                                    diagnostics *diagnostics, void (*on_client)(void *user, int fd),
                                    void *user, char *message, size_t size);

/* Clients must send data before `on_client` gets them: the token if there is one, else any byte.
 * Call it before the first client connects. */
void relay_listener_require_bytes(relay_listener *l);

/* Clients present the token in another way, and `on_client` checks it. */
void relay_listener_skip_token(relay_listener *l);

unsigned relay_listener_port(const relay_listener *l); /* of TCP; else 0 */

/* Removes a Unix socket's file. The listener is freed when the loop has run once more. */
void relay_listener_close(relay_listener *l);

#endif
