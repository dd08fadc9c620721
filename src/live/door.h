/* A socket that others connect to. What comes over TCP may have to begin with a token and a
 * newline; or it is only asked to begin. Who does not do so within some seconds is hung up on.
 * Until then it costs little, and there may be thousands; when there are too many, the peer address
 * that has most of them loses its oldest. In the loop's thread. */
#ifndef HECTIC_SRC_DOOR_H
#define HECTIC_SRC_DOOR_H

#include "live/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct door door;

/* "unix:PATH", "tcp:HOST:PORT". `came` gets the socket's descriptor, which does not block. Beyond
 * this host's own addresses only with a token. NULL, and why in the message. Place, token and notes
 * must live as long. */
door *door_open(uv_loop_t *loop, const char *place, const char *token, notes *notes,
                void (*came)(void *user, int fd), void *user, char *message, size_t size);

/* Who comes has to send something before `came` gets them: a token, where one is asked for, or
 * anything. To be called before anybody comes. */
void door_expect_bytes(door *d);

/* Who comes shows the token in a way of their own, and `came` asks for it. */
void door_let_in(door *d);

unsigned door_port(const door *d); /* of TCP; else 0 */

void door_close(door *d); /* freed when the loop has run once more; a Unix socket's file goes */

#endif
