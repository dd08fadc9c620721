/* Sources from inside. A kind is a small file; what reads from a stream of libuv's shares
 * source_stream.c.
 *
 * Any of the user's calls may close the source: what follows one looks at `closing` first. */
#ifndef HECTIC_SRC_SOURCE_KIND_H
#define HECTIC_SRC_SOURCE_KIND_H

#include "source/source.h"
#include "source/token_file.h"

#include <sys/stat.h>

enum {
    SOURCE_POLL_MS = 200,        /* how often it is looked whether a file has changed */
    SOURCE_RETRY_LEAST_MS = 100, /* after a lost connection, doubled each time */
    SOURCE_RETRY_MOST_MS = 5000,
    SOURCE_SILENCE_MS = 1000, /* that long it is not worth telling */
    SOURCE_SAMPLE = 64,
};

struct source_kind {
    const char *prefix; /* "unix:" */
    /* Takes what is behind the prefix, which may be written to. False after a message. */
    bool (*parse)(source *s, char *text, char *message, size_t size);
    /* Begins, or tries again. */
    void (*start)(source *s);
    /* The stream has ended (UV_EOF) or failed; NULL where no stream is read. */
    void (*lost)(source *s, int error);
    /* Bytes are wanted again; NULL where a stream is read. */
    void (*resume)(source *s);
    /* It is to finish. False: it delivers what is there to be read; NULL: likewise. */
    bool (*finish)(source *s);
    /* The file that is read or executed, by path; NULL: see source_stat. */
    const char *(*file)(const source *s);
    /* It is being closed, is to be freed; NULL where there is nothing of its own. */
    void (*close)(source *s);
    void (*release)(source *s);
};
extern const struct source_kind source_file, source_fifo, source_unix, source_tcp, source_fd,
    source_run;

struct source {
    const struct source_kind *kind;
    uv_loop_t *loop;
    struct source_options options;
    struct source_calls calls;
    void *user;
    char *name; /* and behind it the room that path, host and port point into */
    const char *path, *host, *port;
    int fd;            /* of a file, or the stream to be read next; else -1 */
    bool begun;        /* bytes of this log have come */
    char waiting[512]; /* what was told last of why nothing comes; "": nothing */
    bool paused;
    bool finishing;
    uint64_t left; /* bytes that are still to be delivered then */
    bool ended;
    int error; /* an errno: why it cannot be opened, where the text is right */
    bool closing;
    unsigned open; /* handles and requests that have not been closed or called back */
    uv_timer_t timer;
    void (*due)(source *s); /* what the timer does */
    uint8_t *buffer;

    bool has_stream; /* from opening to the end of closing */
    bool connected;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    };
    uv_connect_t connect;
    unsigned retry_ms;
    int flags; /* of an inherited descriptor, as they were; -1: they stay */

    /* tcp: */
    uv_getaddrinfo_t resolve;
    bool resolving;
    struct addrinfo *addresses, *address; /* the next to try */
    char token[TOKEN_LINE_SIZE];          /* said first; "": none */
    bool in_vain;                         /* nothing came over the last connection */

    /* file: */
    uv_fs_event_t event;
    bool has_event;
    struct stat status; /* which file it is */
    uint64_t position;
    uint8_t sample[SOURCE_SAMPLE]; /* the last bytes that were read, to know it by */
    size_t sampled;

    struct source_run *run; /* run: */
};

/* Writes a message, and returns false. */
bool source_refuse(char *message, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void source_deliver(source *s, size_t length); /* of the buffer */
void source_wait(source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void source_end(source *s, int error);
void source_later(source *s, unsigned ms, void (*due)(source *s));

void source_start(source *s);

/* For what was counted in `open`; the last frees the source. */
void source_leave(source *s);
void source_on_closed(uv_handle_t *handle);

/* The stream's handle was made, closed again. */
void source_has_stream(source *s);
void source_close_stream(source *s);
/* Reads from the stream, which is open or connected. */
void source_read(source *s);
/* Closes the stream, its log is over; `then` is done later. */
void source_drop(source *s, unsigned ms, void (*then)(source *s));
/* For what connects. */
void source_on_connect(uv_connect_t *request, int status);
void source_reconnect(source *s, int error);
void source_retry(source *s, const char *reason);

#endif
