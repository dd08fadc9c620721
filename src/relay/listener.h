/* A socket that others connect to. What comes over TCP may have to begin with a token and a
 * newline; or it is only asked to begin. Who does not do so within some seconds is hung up on.
 * Until then it costs little, and there may be thousands; when there are too many, the peer address
 * that has most of them loses its oldest. In the loop's thread. */
#ifndef HECTIC_SRC_RELAY_LISTENER_H
#define HECTIC_SRC_RELAY_LISTENER_H

#include "relay/diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct relay_listener relay_listener;

/* "unix:PATH", "tcp:HOST:PORT". `came` gets the socket's descriptor, which does not block. Beyond
 * this host's own addresses only with a token. NULL, and why in the message. Place, token and notes
 * must live as long. */
relay_listener *relay_listener_open(uv_loop_t *loop, const char *place, const char *token,
                                    diagnostics *diagnostics, void (*came)(void *user, int fd),
                                    void *user, char *message, size_t size);

/* Who comes has to send something before `came` gets them: a token, where one is asked for, or
 * anything. To be called before anybody comes. */
void relay_listener_require_bytes(relay_listener *d);

/* Who comes shows the token in a way of their own, and `came` asks for it. */
void relay_listener_skip_token(relay_listener *d);

unsigned relay_listener_port(const relay_listener *d); /* of TCP; else 0 */

void relay_listener_close(
    relay_listener *d); /* freed when the loop has run once more; a Unix socket's file goes */

#endif
