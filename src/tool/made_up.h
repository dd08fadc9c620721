/* made_up.h — a program that never ran: threads, collections, sparks and messages on several caps,
 * in a time of its own, told to an emitter. The same settings tell the same. */
#ifndef HECTIC_MADE_UP_H
#define HECTIC_MADE_UP_H

#include <hectic/emit.h>

/* What happens in it. */
enum made_up_kind {
    MADE_UP_THREADS,
    MADE_UP_GC,
    MADE_UP_SPARKS,
    MADE_UP_MESSAGES,
    MADE_UP_HEAP_PROFILE,
    MADE_UP_KINDS
};
extern const char *const made_up_kinds[MADE_UP_KINDS + 1]; /* their names; NULL ends */

enum { MADE_UP_WEIGHT_MOST = 1000 };

struct made_up_settings {
    uint32_t caps;                  /* at least 1 */
    uint32_t threads;               /* alive at a time, in all; at least one per cap */
    uint64_t weight[MADE_UP_KINDS]; /* about the shares of the events; not all 0, each at most
                                       MADE_UP_WEIGHT_MOST */
    uint64_t seed;
};

/* How far it has come. */
struct made_up_progress {
    uint64_t events, bytes; /* bytes: of the events, as a log holds them */
    uint64_t time;          /* ns; no event is earlier from now on */
};

struct made_up;

struct made_up *made_up_new(const struct made_up_settings *settings); /* NULL: no memory */
void made_up_free(struct made_up *m);

/* The emitter's clock: hectic_emitter_options.now, with the made-up program as `user`. */
uint64_t made_up_now(void *made_up);

/* Tells how the program starts. The emitter has been started, has its caps and its clock from
 * here, and tells of no process. False: no memory. */
bool made_up_begin(struct made_up *m, hectic_emitter *emitter);

/* Tells what happens next on one cap, or of one collection. */
void made_up_step(struct made_up *m);

/* Tells how it ends. */
void made_up_end(struct made_up *m);

struct made_up_progress made_up_get_progress(const struct made_up *m);

#endif
