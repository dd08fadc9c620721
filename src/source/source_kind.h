/* Internals of sources. Each file uses only files above it:
 *
 *     source_base.c      calls to the user, timer, handles
 *     source_stream.c    reading from a libuv stream, and connections
 *     source_KIND.c      one kind each
 *     source.c           the public functions
 *
 * The user may close the source in any of its calls: check `closing` after each. */
#ifndef HECTIC_SRC_SOURCE_KIND_H
#define HECTIC_SRC_SOURCE_KIND_H

#include "source/source.h"
#include "source/token_file.h"

#include <sys/stat.h>

enum {
    SOURCE_POLL_MS = 200,      /* interval to check whether a file has changed */
    SOURCE_MIN_RETRY_MS = 100, /* after a lost connection, then doubled each time */
    SOURCE_MAX_RETRY_MS = 5000,
    SOURCE_SILENCE_MS = 1000, /* without data, before it is reported */
    SOURCE_SAMPLE = 64,
};

struct source_kind {
    const char *prefix; /* "unix:" */
    /* Parses the text after the prefix, which it may modify. False: failed, with a message. */
    bool (*parse)(source *s, char *text, char *message, size_t size);
    /* Starts, or retries. */
    void (*start)(source *s);
    /* The stream has ended (UV_EOF) or failed; NULL: no stream. */
    void (*lost)(source *s, int error);
    /* Continues after a pause; NULL: a stream. */
    void (*resume)(source *s);
    /* Finishes. False, or NULL: available bytes are to be delivered. */
    bool (*finish)(source *s);
    /* The path of the file that is read or executed; NULL: see source_stat. */
    const char *(*file)(const source *s);
    /* Closes, frees what the kind owns; NULL: nothing. */
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
    char *name; /* followed by the text that path, host and port point into */
    const char *path, *host, *port;
    int fd;            /* of a file, or of the next stream; else -1 */
    bool begun;        /* bytes of this log were received */
    char waiting[512]; /* the last report why it waits; "": none */
    bool paused;
    bool finishing;
    uint64_t left; /* bytes to be delivered then */
    bool ended;
    int error; /* an errno: why a valid text cannot be opened */
    bool closing;
    unsigned open; /* handles and requests in use */
    uv_timer_t timer;
    void (*due)(source *s); /* called by the timer */
    uv_timer_t patience;    /* for options.wait */
    uint8_t *buffer;

    bool has_stream; /* from opening until closed */
    bool connected;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    };
    uv_connect_t connect;
    unsigned retry_ms;
    int flags; /* of an inherited descriptor, to be restored; -1: none */

    /* tcp: */
    uv_getaddrinfo_t resolve;
    bool resolving;
    struct addrinfo *addresses, *address; /* the next one to try */
    char token[TOKEN_LINE_SIZE];          /* sent first; "": none */
    bool was_rejected;                    /* the last connection ended without data */

    /* file: */
    uv_fs_event_t event;
    bool has_event;
    struct stat status; /* of the open file */
    uint64_t position;
    uint8_t sample[SOURCE_SAMPLE]; /* the last bytes read, to detect a rewritten file */
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
void source_release(source *s); /* frees it at once */

/* Counts down `open`; at 0 the source is freed. */
void source_leave(source *s);
void source_on_closed(uv_handle_t *handle);

/* The stream's handle was initialized; closes it. */
void source_has_stream(source *s);
void source_close_stream(source *s);
/* Reads from the open or connected stream. */
void source_read(source *s);
/* Closes the stream at the end of its log; calls `then` later. */
void source_drop(source *s, unsigned ms, void (*then)(source *s));
/* For connections. */
void source_on_connect(uv_connect_t *request, int status);
void source_reconnect(source *s, int error);
void source_retry(source *s, const char *reason);

#endif
