/* The relay: receives the logs of many programs and serves them to many readers. Runs in the
 * thread of a libuv loop; only the programs' servers have threads of their own.
 *
 *     sources ──▶ program ──▶ hectic_server ──▶ readers            (program.h, hectic/server.h)
 *     listeners ▶    ├──────▶ record                                (record.h)
 *                    ├──────▶ rows, items of OTLP ─▶ servers  (program_rows.h, program_otlp.h)
 *     (programs      └──────▶ live_stats ─────────▶ metrics over HTTP   (metrics.h, http.h)
 *      that connect)
 */
#ifndef HECTIC_SRC_RELAY_H
#define HECTIC_SRC_RELAY_H

#include "relay/program.h"

typedef struct relay relay;

struct relay_options {
    bool with_env, live_stats;
    size_t state_bytes;                  /* as in hectic_server_options */
    const struct record_options *record; /* NULL: no recording */
    const hectic_redaction *redaction;   /* but of streams; NULL: none */
    bool redacts_streams;                /* of readers, too */
    row_store *store;                    /* of rows; NULL: none */
    const struct otlp_sending *otlp;     /* NULL: no items of OTLP are sent */
    const char *token;                   /* TCP clients must send it first; or NULL */
    bool once;                           /* the relay ends when all sources have ended */
    /* Diagnostics for the operator, one line each. Called by any thread, one call at a time. */
    void (*note)(void *user, const char *text);
    void (*over)(void *user); /* with `once`: all sources have ended */
    void *user;
};

relay *relay_new(uv_loop_t *loop, const struct relay_options *options);

/* "[NAME=]SOURCE" as in source_open, or "listen:unix:PATH", "listen:tcp:HOST:PORT" for programs
 * that connect. False: failed, with the reason in the message. True: the message is empty or holds
 * a warning. */
bool relay_from(relay *r, const char *text, char *message, size_t size);

/* "unix:PATH" or "tcp:HOST:PORT" for readers. "%n" stands for the program's name: each program has
 * its own socket. Without it a reader gets the newest program, or waits for the first one. */
bool relay_listen(relay *r, const char *text, char *message, size_t size);

/* For diagnostics of other parts of the relay. */
diagnostics *relay_diagnostics(relay *r);

/* Iterates over the programs, newest first: the first one for NULL; returns NULL at the end. */
program *relay_next(const relay *r, const program *after);
program *relay_find(const relay *r, const char *name); /* or NULL */

/* The store of rows; NULL: none. */
const row_store *relay_store(const relay *r);

/* Where items of OTLP go; NULL: none are sent. */
const struct otlp_sending *relay_otlp(const relay *r);

/* Counts of all recordings, including those of ended programs; NULL: no recording. */
const record_counts *relay_recorded(const relay *r);

/* Ends all programs. Calls `done` when all readers have the rest; the loop may be closed then. */
void relay_end(relay *r, void (*done)(void *user), void *user);

/* Call it after the loop has ended. */
void relay_free(relay *r);

#endif
