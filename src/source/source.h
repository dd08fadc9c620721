/* Where the bytes of a living program come from. On a libuv loop; all calls, and all callbacks, in
 * the loop's thread, of which a process has one with sources.
 *
 *     -                 standard input
 *     PATH, file:PATH   a file that grows: followed through truncation and replacement. A PATH that
 *                       is a FIFO or a socket is treated as one
 *     fifo:PATH         a FIFO: writers may come and go
 *     unix:PATH         connects to a Unix socket, again and again
 *     tcp:HOST:PORT     connects, again and again. With ,token-file=FILE behind it, says the first
 *                       line of FILE first, each time; the file is read on opening
 *     fd:N              an inherited descriptor
 *     run:COMMAND       starts a Haskell program: words as in a shell, without substitution of
 *                       commands. What it prints goes to stderr. Closing interrupts it
 */
#ifndef HECTIC_SRC_SOURCE_H
#define HECTIC_SRC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <uv.h>

typedef struct source source;

enum { SOURCE_PIECE_MAX = 256 * 1024 }; /* bytes that are delivered at a time */

struct source_calls {
    /* A log begins: the first one; another one after a reconnection, a truncation, a new writer. */
    void (*begin)(void *user);
    void (*bytes)(void *user, const uint8_t *bytes, size_t length); /* valid during the call */
    /* Nothing comes just now, and why: "waiting for a program to write to fifo X". NULL: it does
     * come again. */
    void (*waiting)(void *user, const char *text);
    /* Nothing will come any more: the input has ended (error 0), or failed (a UV_E… number) in a
     * way that trying again does not mend; the source does nothing more. */
    void (*end)(void *user, int error);
};

struct source_options {
    const char *name; /* what messages call it; NULL: by its text */
    bool once; /* end at the end of the first log's input, do not wait for another or reconnect */
};

/* Does the text begin with "unix:" or the like? */
bool source_has_scheme(const char *text);

/* Is it run:COMMAND? */
bool source_is_program(const char *text);

/* NULL: it cannot be, and why is in message[0 … size-1], with the remedy. Then errno is 0 where the
 * text is wrong, or tells why the system refused. Else the message is empty, or a warning for the
 * operator. */
source *source_open(uv_loop_t *loop, const char *text, const struct source_options *options,
                    const struct source_calls *calls, void *user, char *message, size_t size);

/* Back-pressure: no bytes are asked for while it is paused. */
void source_pause(source *s, bool paused);

/* Sends bytes back, some thousands at most, over a socket that is connected. False: there is none,
 * or it takes none now. */
bool source_send(source *s, const void *bytes, size_t length);

/* No more is waited for: what has arrived by now is delivered, and then `end` is called, perhaps
 * before this returns. A program that was started is interrupted, and its log is read to its end;
 * one that does not end within 5 s is told to terminate, and not waited for. */
void source_finish(source *s);

/* What file it reads, or which program it starts, or the file of the socket that it connects to.
 * False: none, or none yet. */
bool source_stat(const source *s, struct stat *status);

/* Has the present log's input begun, and not ended? */
bool source_is_in_log(const source *s);

/* "tcp:host:4242": as messages should call it. */
const char *source_name(const source *s);

/* Closes it; it is freed when the loop has run on. No calls after this. The loop ends when a
 * program that was started has ended, or has not cared for being interrupted for 5 s. */
void source_close(source *s);

#endif
