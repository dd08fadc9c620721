/* What an emitter needs of a server besides hectic/server.h. */
#ifndef HECTIC_SRC_FEED_H
#define HECTIC_SRC_FEED_H

#include <hectic/emit.h>
#include <hectic/server.h>

#include <sys/uio.h>

/* Another place to serve: where a HECTIC_TO_LISTEN says. False: it cannot be; why is in errno, and
 * in message[0 … size-1] with what to do. */
bool server_listen(hectic_server *s, const hectic_destination *at, char *message, size_t size);

/* A block, in pieces; as hectic_server_write. */
void server_write_block(hectic_server *s, const struct iovec *piece, int count);

/* Around a fork: in between, nothing of the server changes, so that the child may abandon it. */
void server_freeze(hectic_server *s);
void server_thaw(hectic_server *s);

#endif
