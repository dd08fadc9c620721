/* A relayed program: takes the bytes of its log, and passes whole blocks to its readers, its
 * recording and its live statistics. In the loop's thread. */
#ifndef HECTIC_SRC_PROGRAM_H
#define HECTIC_SRC_PROGRAM_H

#include "clients/diagnostics.h"
#include "recording/record.h"
#include "relay/names.h"
#include "relay/program_otlp.h"
#include "relay/row_store.h"
#include "stat/live_stats.h"
#include "state/state_replay.h"

#include <hectic/hectic.h>
#include <uv.h>

typedef struct program program;

struct program_options {
    bool with_env;                       /* relay PROGRAM_ENV, too */
    bool live_stats;                     /* compute live statistics */
    bool header_first;                   /* nothing may precede the log's header */
    size_t state_bytes;                  /* as in hectic_server_options */
    const struct record_options *record; /* NULL: no recording */
    const hectic_redaction *redaction;   /* but of streams; NULL: none */
    bool redacts_streams;                /* of readers, too */
    row_store *store;                    /* of rows; NULL: none */
    const struct otlp_sending *otlp;     /* NULL: no items of OTLP are sent */
    const char *service;                 /* see program_otlp_new */
    bytes *out;                          /* buffer for output, shared by all programs */
    diagnostics *diagnostics;
    /* Sends bytes to the program, in the loop's thread. NULL: not possible. */
    bool (*send)(void *user, const void *bytes, size_t length);
    void *user;
};

enum { PROGRAM_NAME_SIZE = NAMES_SIZE };
enum { PROGRAM_MAX_GAP = 1 << 20 }; /* bytes without an event that it may send */

/* NULL: no memory or threads. The options are copied, but not what they point to. */
program *program_new(uv_loop_t *loop, const struct program_options *options);

void program_bytes(program *p, const uint8_t *bytes, size_t length);

/* The program has ended: another thread sends the rest to its readers, and the end marker if it was
 * received. Then it is freed and `done` is called, unless it is NULL. */
void program_end(program *p, void (*done)(void *user), void *user);

/* From the log: "Main"; NULL until it is known. */
const char *program_reported_name(const program *p);
bool program_is_over(const program *p);       /* its log has ended */
bool program_is_complete(const program *p);   /* its log has ended with an end marker */
bytes program_take_rest(program *p);          /* of one that is over: bytes after its log */
bool program_is_identified(const program *p); /* name and pid are known, or not expected */
bool program_has_header(const program *p);    /* it sends an eventlog */
bool program_is_rejected(const program *p);   /* it sends no eventlog: its bytes are ignored */
uint64_t program_skipped(const program *p);   /* bytes skipped before the header */

const char *program_name(const program *p); /* usable in file names */
void program_set_name(program *p, const char *name);

/* Call it after program_set_name: passes what was received so far to readers and recording. False:
 * it cannot be recorded, with the reason in the message. */
bool program_open(program *p, char *message, size_t size);

void program_tick(program *p); /* call it periodically */

void *program_user(const program *p); /* from its options */
hectic_server *program_server(const program *p);

/* What its metrics are made of, until now. */
struct metrics_program program_metrics(program *p);

#endif
