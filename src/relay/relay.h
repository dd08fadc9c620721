/* Many programs in, many readers out. On a libuv loop, all in its thread but what the programs'
 * servers do.
 *
 *     sources ──▶ program ──▶ hectic_server ──▶ readers            (program.h, hectic/server.h)
 *     doors ────▶    ├──────▶ record                                (record.h)
 *     (programs      └──────▶ live_stats ─────────▶ metrics over HTTP   (metrics.h, http.h)
 *      that come)
 */
#ifndef HECTIC_SRC_RELAY_H
#define HECTIC_SRC_RELAY_H

#include "relay/program.h"

typedef struct relay relay;

struct relay_options {
    bool with_env, live_stats;
    size_t state_bytes;                  /* as of hectic_server_options */
    const struct record_options *record; /* NULL: nothing is recorded */
    const char *token;                   /* NULL: none. What comes over TCP must begin with it */
    bool once;                           /* sources end when their logs do; then the relay does */
    /* What the operator should know, a line each; one at a time, by any thread. */
    void (*note)(void *user, const char *text);
    void (*over)(void *user); /* `once`: all is over */
    void *user;
};

relay *relay_new(uv_loop_t *loop, const struct relay_options *options);

/* "[NAME=]SOURCE" as of source_open, or "listen:unix:PATH", "listen:tcp:HOST:PORT" for programs
 * that connect. False, and why in the message; true, and it is empty, or a warning. */
bool relay_from(relay *r, const char *text, char *message, size_t size);

/* "unix:PATH" or "tcp:HOST:PORT" for readers. With "%n" in it, each program has a place of its own,
 * by its name; without, a reader gets the program that came last, or the next one to come. */
bool relay_listen(relay *r, const char *text, char *message, size_t size);

/* What others have to note about who comes to it. */
diagnostics *relay_diagnostics(relay *r);

/* The programs that are there, the newest first: the first for NULL, then the next; NULL: no more.
 */
program *relay_next(const relay *r, const program *after);
program *relay_find(const relay *r, const char *name); /* or NULL */

/* Of all records, those of programs that are over as well; NULL: nothing is recorded. */
const record_counts *relay_recorded(const relay *r);

/* Ends all; `done` is called when everybody has got the rest. The loop may be closed then. */
void relay_end(relay *r, void (*done)(void *user), void *user);

/* When the loop has run to its end. */
void relay_free(relay *r);

#endif
