/* A source delivers the bytes of a program's log, live. It runs on a libuv loop; all calls and
 * callbacks are in the loop's thread, and a process has at most one such thread.
 *
 *     -                 standard input
 *     PATH, file:PATH   a file, followed as it grows, is truncated or replaced. A PATH that is a
 * FIFO or a socket is treated as one fifo:PATH         a FIFO, with any number of writers in turn
 *     unix:PATH         connects to a Unix socket, and reconnects
 *     tcp:HOST:PORT     connects, and reconnects. ,token-file=FILE may follow: sends the first line
 * of FILE on each connection; the file is read on opening fd:N              an inherited descriptor
 *     run:COMMAND       starts a Haskell program: words as in a shell, without command
 * substitution. Its output goes to stderr. Closing the source interrupts it
 */
#ifndef HECTIC_SRC_SOURCE_H
#define HECTIC_SRC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <uv.h>

typedef struct source source;

enum { SOURCE_PIECE_MAX = 256 * 1024 }; /* maximum of bytes per call */
/* Why no log has begun: the time to wait is over, or, which the caller sets, a signal came. */
#define SOURCE_NO_LOG      UV_ETIMEDOUT
#define SOURCE_INTERRUPTED UV_ECANCELED

struct source_calls {
    /* A log begins: the first one; another one after a reconnection, a truncation, a new writer. */
    void (*begin)(void *user);
    void (*bytes)(void *user, const uint8_t *bytes, size_t length); /* valid during the call */
    /* The source waits, and why: "waiting for a program to write to fifo X". NULL: it continues. */
    void (*waiting)(void *user, const char *text);
    /* The input has ended (error 0), or failed permanently (a UV_E… number). No calls follow. */
    void (*end)(void *user, int error);
};

struct source_options {
    const char *name; /* its name in messages; NULL: its text */
    bool once;        /* end after the first log, instead of waiting for another one */
    uint64_t wait;    /* ns, after which it ends with SOURCE_NO_LOG if no log has begun; 0: never */
    bool heap, prof;  /* run: with a heap profile, a time profile */
};

/* Does the text begin with a scheme, such as "unix:"? */
bool source_has_scheme(const char *text);

/* Is it run:COMMAND? */
bool source_is_program(const char *text);

/* NULL: failed, with the reason and a remedy in message[0 … size-1]; errno is 0 if the text is
 * invalid, else the system's error. Otherwise the message is empty, or a warning for the operator.
 */
source *source_open(uv_loop_t *loop, const char *text, const struct source_options *options,
                    const struct source_calls *calls, void *user, char *message, size_t size);

/* Back-pressure: a paused source delivers no bytes. */
void source_pause(source *s, bool paused);

/* Sends at most some thousand bytes back, over a connected socket. False: there is none, or its
 * buffer is full. */
bool source_send(source *s, const void *bytes, size_t length);

/* Delivers available bytes and calls `end`, perhaps before it returns. A started program is
 * interrupted, and its log is read to the end; after 5 s it gets SIGTERM and is not waited for. */
void source_finish(source *s);

/* The file that it reads, the program that it starts, or the socket that it connects to. False:
 * none, or none yet. */
bool source_stat(const source *s, struct stat *status);

/* Has the current log begun, and not ended? */
bool source_is_in_log(const source *s);

/* The text of an error that `end` got. */
const char *source_error_text(int error);

/* "tcp:host:4242": its name for messages. */
const char *source_name(const source *s);

/* Closes it; it is freed when the loop has run on. No calls follow. The loop ends when a started
 * program has ended, or after 5 s. */
void source_close(source *s);

#endif
