/* Where an emitter's bytes go: one interface, one small file for each kind of way.
 *
 *     sink.c         a sink from a destination
 *     sink_file.c    a file; what turns out to be a FIFO is given to
 *     sink_fifo.c    a FIFO
 *     sink_fd.c      a descriptor of the caller's, whatever it may be
 *     sink_unix.c, sink_tcp.c      connections, made by sink_connect.c
 *     sink_writer.c  the caller's own way
 *     sink_write.c   the system's calls that take bytes, without their signals
 *
 * A sink is used by one thread at a time (under the emitter's io lock). No function of a sink
 * blocks for longer than a regular file, or the caller's own writer, does; but sink_new may wait
 * for the answer of a name server. */
#ifndef HECTIC_SRC_SINK_H
#define HECTIC_SRC_SINK_H

#include <hectic/emit.h>

#include <sys/types.h>
#include <sys/uio.h>

typedef struct sink sink;

struct sink_kind {
    const char *name;
    bool reopens; /* a reader that is gone may be replaced by another */
    /* Once, for a new sink. An errno: it can never be opened; EINVAL: it is no such destination. */
    int (*prepare)(sink *s);
    /* What prepare has made, away with it; may be NULL. */
    void (*forget)(sink *s);
    /* Opens, or goes on opening. 0: ready. EAGAIN: not yet (a FIFO without a reader, a connection
     * being made, a peer that is not there): call it again later, or, where s->fd is not -1, when
     * that is writable. Another errno: it cannot be. What has been found there may change s->kind.
     */
    int (*open)(sink *s);
    /* Writes some of it: the number of bytes taken, more than 0; or -errno: -EAGAIN: none just now
     * (poll s->fd); -ENOSPC and -EDQUOT: none until there is room again (try later);
     * -EPIPE, -ECONNRESET …: the reader is gone; others: it failed for good. Never raises SIGPIPE
     * or SIGXFSZ, never returns -EINTR. */
    ssize_t (*write)(sink *s, const struct iovec *piece, int count);
    /* After a flush; may be NULL. */
    void (*flush)(sink *s);
    /* Lets go of all that open has taken; after it, open may be called again. In a child after fork
     * it does nothing but close. */
    void (*close)(sink *s);
    /* Around a fork: between the two calls, nothing that it has is in the midst of a change. May be
     * NULL. */
    void (*freeze)(sink *s, bool frozen);
    /* What hectic_emitter_get_state tells of it. May be NULL. */
    void (*describe)(const sink *s, hectic_emitter_state *state);
};

struct sink {
    const struct sink_kind *kind;
    hectic_destination destination; /* its strings and its writer belong to the sink */
    hectic_emit_writer writer;
    int fd;     /* -1: none. POLLERR or POLLHUP tell that the reader is gone, unless it is a file */
    void *more; /* a kind's own */
    bool begun; /* of a file: it has been emptied */
    pid_t process; /* of a writer that is to be stopped: where it was begun */
    char strings[];
};

/* A sink of that destination, closed. NULL and errno: ENOMEM; EINVAL, ENAMETOOLONG: a destination
 * that cannot be: a kind without its path, a path longer than a socket's may be …; another: the
 * host is not known. HECTIC_TO_RING and HECTIC_TO_LISTEN have no sink here. */
sink *sink_new(const hectic_destination *destination);
/* Likewise, of a kind that is not of this room. */
sink *sink_new_of(const struct sink_kind *kind, const hectic_destination *destination);
void sink_free(sink *s); /* must be closed */

extern const struct sink_kind sink_to_file, sink_to_fifo, sink_to_fd, sink_to_unix, sink_to_tcp,
    sink_to_writer;

/* --- What several kinds do alike */

/* 0 where the destination has a path. */
int sink_prepare_path(sink *s);
/* Closes s->fd. */
void sink_close_fd(sink *s);

/* Writes to s->fd as `write` above; the second one to a socket, and never blocks. */
ssize_t sink_write(sink *s, const struct iovec *piece, int count);
ssize_t sink_send(sink *s, const struct iovec *piece, int count);

/* Begins to connect s->fd to a peer. 0: done. EINPROGRESS; or another errno, and s->fd is -1. */
struct sockaddr;
int sink_connect(sink *s, const struct sockaddr *address, size_t size);
/* EAGAIN for an error that means that the peer is not there yet; any other error as it is. */
int sink_not_there(int error);

#endif
