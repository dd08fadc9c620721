/* Sinks write an emitter's bytes to a destination: one interface, one file for each kind.
 *
 *     destination.c  parses destinations
 *     token.c        reads token files
 *     sink_base.c    shared by all kinds: write calls without signals
 *     sink_connect.c connecting sockets
 *     sink_file.c    a file; or, if it is one,
 *     sink_fifo.c    a FIFO
 *     sink_fd.c      a descriptor of the caller
 *     sink_unix.c, sink_tcp.c      connections
 *     sink_writer.c  functions of the caller
 *     sink.c         creates a sink for a destination
 *
 * A sink is used by one thread at a time (under the emitter's io lock). Its functions do not block,
 * except in writes to regular files and in the caller's functions; sink_new may wait for a name
 * server. */
#ifndef HECTIC_SRC_SINK_H
#define HECTIC_SRC_SINK_H

#include <hectic/emit.h>

#include <sys/types.h>
#include <sys/uio.h>

typedef struct sink sink;

struct sink_kind {
    const char *name;
    bool reopens; /* after a disconnect, another reader may connect */
    bool
        lingers; /* close waits for readers: a redirect does that after it has begun the next log */
    /* Called once for a new sink. An errno: it can never be opened; EINVAL: invalid destination. */
    int (*prepare)(sink *s);
    /* Frees what prepare has allocated; may be NULL. */
    void (*release)(sink *s);
    /* Opens, or continues opening. 0: ready. EAGAIN: not yet (a FIFO without a reader, a pending
     * connection, no peer): call it again later or, if s->fd is not -1, when that is writable.
     * Another errno: failed. May change s->kind according to what is found there. */
    int (*open)(sink *s);
    /* Writes a part: returns the number of bytes, more than 0; or -errno: -EAGAIN: not now (poll
     * s->fd); -ENOSPC and -EDQUOT: disk full (try later); -EPIPE, -ECONNRESET …: the reader has
     * disconnected; others: a permanent failure. Never raises SIGPIPE or SIGXFSZ, never returns
     * -EINTR. */
    ssize_t (*write)(sink *s, const struct iovec *piece, int count);
    /* After a flush; may be NULL. */
    void (*flush)(sink *s);
    /* Releases what open has acquired; open may be called again. In a forked child it only closes.
     */
    void (*close)(sink *s);
    /* Called before and after a fork: its data is consistent between the two calls. May be NULL. */
    void (*freeze)(sink *s, bool frozen);
    /* Fills in its part of hectic_emitter_get_state. May be NULL. */
    void (*describe)(const sink *s, hectic_emitter_state *state);
};

struct sink {
    const struct sink_kind *kind;
    hectic_destination destination; /* the sink owns its strings and its writer */
    hectic_emit_writer writer;
    int fd;     /* -1: none. POLLERR or POLLHUP: the reader has disconnected, unless it is a file */
    void *data; /* data of the kind */
    bool truncated; /* of a file: it has been truncated */
    pid_t process;  /* of a writer: the process that opened it */
    char strings[];
};

/* A closed sink for that destination. NULL and errno: ENOMEM; EINVAL, ENAMETOOLONG: an invalid
 * destination, such as an empty path, or a socket path that is too long; another: unknown host.
 * HECTIC_TO_RING and HECTIC_TO_LISTEN have no sink here. */
sink *sink_new(const hectic_destination *destination);
/* Likewise, with a kind from another folder. */
sink *sink_new_of(const struct sink_kind *kind, const hectic_destination *destination);
void sink_free(sink *s); /* must be closed */

extern const struct sink_kind sink_to_file, sink_to_fifo, sink_to_fd, sink_to_unix, sink_to_tcp,
    sink_to_writer;

/* --- Shared by several kinds */

/* 0: the destination has a path. */
int sink_prepare_path(sink *s);
/* Closes s->fd. */
void sink_close_fd(sink *s);

/* Write to s->fd as `write` above; sink_send is for sockets and never blocks. */
ssize_t sink_write(sink *s, const struct iovec *piece, int count);
ssize_t sink_send(sink *s, const struct iovec *piece, int count);

/* Starts to connect s->fd to a peer. 0: connected. EINPROGRESS; or another errno, and s->fd is -1.
 */
struct sockaddr;
int sink_connect(sink *s, const struct sockaddr *address, size_t size);
/* EAGAIN for an error that means that the peer does not listen yet; any other error unchanged. */
int sink_retry_error(int error);

#endif
