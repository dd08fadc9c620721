/* One program that the relay carries: the bytes of its log in, whole blocks out to its readers, its
 * record, and the numbers about it. In the loop's thread. */
#ifndef HECTIC_SRC_PROGRAM_H
#define HECTIC_SRC_PROGRAM_H

#include "relay/diagnostics.h"
#include "relay/names.h"
#include "relay/record.h"
#include "state/state_replay.h"

#include <hectic/hectic.h>
#include <uv.h>

typedef struct program program;

struct program_options {
    bool with_env;                       /* PROGRAM_ENV is carried as well */
    bool live_stats;                     /* the numbers are wanted */
    bool header_first;                   /* nothing may stand before the log's header */
    size_t state_bytes;                  /* as of hectic_server_options */
    const struct record_options *record; /* NULL: nothing is recorded */
    bytes *out;                          /* to put together what is passed on: one for all */
    diagnostics *diagnostics;
    /* Sends bytes back to the program; by the loop's thread. NULL: that cannot be. */
    bool (*send)(void *user, const void *bytes, size_t length);
    void *user;
};

enum { PROGRAM_NAME_SIZE = NAMES_SIZE };
enum { PROGRAM_GAP_MAX = 1 << 20 }; /* how much that holds no event it may send */

/* NULL: no memory or threads. The options are copied, but for what they point to. */
program *program_new(uv_loop_t *loop, const struct program_options *options);

void program_bytes(program *p, const uint8_t *bytes, size_t length);

/* The program is over: its readers get what is left and the end marker, in another thread. `done`
 * is called when it is freed, unless it is NULL. */
void program_end(program *p, void (*done)(void *user), void *user);

/* What the log says: "Main", pid; NULL and 0 until then. */
const char *program_reported_name(const program *p);
uint32_t program_pid(const program *p);
bool program_is_over(const program *p);       /* its log has ended by itself */
bytes program_take_rest(program *p);          /* then: what came behind it is the next program's */
bool program_is_identified(const program *p); /* it has said both, or begun without */
bool program_has_header(const program *p);    /* what it sends is an eventlog */
bool program_is_rejected(const program *p);   /* or not: what else it sends is not looked at */
uint64_t program_skipped(const program *p);   /* bytes before the header, which are passed over */

const char *program_name(const program *p); /* what it goes by: letters that files may have */
void program_set_name(program *p, const char *name);

/* It has its name: what has come so far goes to its readers, and to its record where one is wanted.
 * False, and why in the message: there is none. */
bool program_open(program *p, char *message, size_t size);

void program_tick(program *p); /* now and then: what is due by time */

void *program_user(const program *p); /* of its options */
hectic_server *program_server(const program *p);
const hectic_live_stats *
program_live_stats(program *p); /* as of now; NULL: not wanted, or no log yet */
const record_counts *program_recorded(const program *p);    /* NULL: it is not to be recorded */
uint64_t program_damaged(const program *p);                 /* places in its log */
hectic_stream_state program_stream_state(const program *p); /* zeros: no numbers are wanted */

#endif
