/* generator.h — a program that never ran: threads, collections, sparks and messages on several
 * caps, in a time of its own, told to an emitter. The same settings tell the same. */
#ifndef HECTIC_GENERATOR_H
#define HECTIC_GENERATOR_H

#include <hectic/emit.h>

/* What happens in it. */
enum generator_kind {
    GENERATOR_THREADS,
    GENERATOR_GC,
    GENERATOR_SPARKS,
    GENERATOR_MESSAGES,
    GENERATOR_HEAP_PROFILE,
    GENERATOR_KINDS
};
extern const char *const generator_kinds[GENERATOR_KINDS + 1]; /* their names; NULL ends */

enum { GENERATOR_WEIGHT_MAX = 1000 };

struct generator_settings {
    uint32_t caps;                    /* at least 1 */
    uint32_t threads;                 /* alive at a time, in all; at least one per cap */
    uint64_t weight[GENERATOR_KINDS]; /* about the shares of the events; not all 0, each at most
                                       GENERATOR_WEIGHT_MAX */
    uint64_t seed;
};

/* How far it has come. */
struct generator_progress {
    uint64_t events, bytes; /* bytes: of the events, as a log holds them */
    uint64_t time;          /* ns; no event is earlier from now on */
};

struct generator;

struct generator *generator_new(const struct generator_settings *settings); /* NULL: no memory */
void generator_free(struct generator *m);

/* The emitter's clock: hectic_emitter_options.now, with the made-up program as `user`. */
uint64_t generator_now(void *generator);

/* Tells how the program starts. The emitter has been started, has its caps and its clock from
 * here, and tells of no process. False: no memory. */
bool generator_begin(struct generator *m, hectic_emitter *emitter);

/* Tells what happens next on one cap, or of one collection. */
void generator_step(struct generator *m);

/* Tells how it ends. */
void generator_end(struct generator *m);

struct generator_progress generator_get_progress(const struct generator *m);

#endif
