/* Where an emitter's bytes go: one interface, one small file for each kind of way.
 *
 * A sink is used by one thread at a time (under the emitter's io lock). No function of a sink
 * blocks for longer than a regular file, or the caller's own writer, does. */
#ifndef HECTIC_SRC_SINK_H
#define HECTIC_SRC_SINK_H

#include <hectic/emit.h>

#include <sys/types.h>
#include <sys/uio.h>

typedef struct sink sink;

struct sink_kind {
    const char *name;
    /* Opens, or goes on opening. 0: ready. EAGAIN: not yet (a FIFO without a reader, a connection
     * being made, a peer that is not there): close and call again later, or, where sink_fd is not
     * -1, when that is writable. Another errno: it cannot be. */
    int (*open)(sink *s);
    /* Writes some of it: the number of bytes taken, more than 0; or -errno: -EAGAIN: none just now
     * (poll sink_fd); -ENOSPC and -EDQUOT: none until there is room again (try later);
     * -EPIPE, -ECONNRESET …: the reader is gone; others: it failed for good. Never raises SIGPIPE
     * or SIGXFSZ, never returns -EINTR. */
    ssize_t (*write)(sink *s, const struct iovec *piece, int count);
    /* After a flush; may be NULL. */
    void (*flush)(sink *s);
    /* Lets go of all that open has taken; after it, open may be called again. `end`: the log ended
     * here. In a child after fork it is called with `end` false: it must do nothing but close. */
    void (*close)(sink *s, bool end);
    bool reopens; /* a reader that is gone may be replaced by another */
};

struct sink {
    const struct sink_kind *kind;
    hectic_destination destination; /* its strings belong to the sink */
    int fd;                         /* -1: none */
    void *more;                     /* a kind's own; freed by its close */
};

/* A sink of that destination, closed; its strings are copied. NULL: no memory, or (errno EINVAL) a
 * destination that cannot be: a kind without its path, a path longer than a socket's may be …
 * HECTIC_TO_RING has no sink. */
sink *sink_new(const hectic_destination *destination);
void sink_free(sink *s); /* must be closed */

extern const struct sink_kind sink_file, sink_fifo, sink_fd_kind, sink_unix, sink_tcp, sink_writer;

#endif
