/* Functions of a server for an emitter, besides hectic/server.h. */
#ifndef HECTIC_SRC_FEED_H
#define HECTIC_SRC_FEED_H

#include <hectic/emit.h>
#include <hectic/server.h>

#include <sys/uio.h>

/* Adds a listener for a destination HECTIC_TO_LISTEN. False: failed, with the reason in errno and,
 * with a remedy, in message[0 … size-1]. */
bool server_listen(hectic_server *s, const hectic_destination *at, char *message, size_t size);

/* As hectic_server_write, for a block in pieces. */
void server_write_block(hectic_server *s, const struct iovec *piece, int count);

/* Call these around a fork: the server does not change in between, so that the child may abandon
 * it. */
void server_freeze(hectic_server *s);
void server_thaw(hectic_server *s);

#endif
