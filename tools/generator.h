/* generator.h — generates the events of a simulated program: threads, collections, sparks and
 * messages on several caps, with a clock of its own. The same settings give the same events. */
#ifndef HECTIC_GENERATOR_H
#define HECTIC_GENERATOR_H

#include <hectic/emit.h>

enum generator_kind {
    GENERATOR_THREADS,
    GENERATOR_GC,
    GENERATOR_SPARKS,
    GENERATOR_MESSAGES,
    GENERATOR_HEAP_PROFILE,
    GENERATOR_TIME_PROFILE,
    GENERATOR_KINDS
};
extern const char *const generator_kinds[GENERATOR_KINDS + 1]; /* names; ends with NULL */

enum { GENERATOR_WEIGHT_MAX = 1000 };

struct generator_settings {
    uint32_t caps;                    /* at least 1 */
    uint32_t threads;                 /* live threads of all caps; at least one per cap */
    uint64_t weight[GENERATOR_KINDS]; /* approximate shares of the events; not all 0, at most
                                       GENERATOR_WEIGHT_MAX */
    uint32_t bands;                   /* of a heap profile; at least 1 */
    uint32_t stacks;                  /* different ones of a time profile; at least 1 */
    uint64_t seed;
    bool alternate; /* all caps log at the same time, instead of some 20 events of one in a row */
};

struct generator_progress {
    uint64_t events, bytes; /* bytes: of the events, as a log holds them */
    uint64_t time;          /* ns; no event is earlier from now on */
};

struct generator;

struct generator *generator_new(const struct generator_settings *settings); /* NULL: no memory */
void generator_free(struct generator *g);

/* The emitter's clock: hectic_emitter_options.now, with the generator as `user`. */
uint64_t generator_now(void *generator);

/* Emits the start of the program. The emitter must be started, with the same number of caps, the
 * clock above, and no process. False: no memory. */
bool generator_begin(struct generator *g, hectic_emitter *emitter);

/* Emits the next events of one cap, or one collection. */
void generator_step(struct generator *g);

/* Emits the end of the program. */
void generator_end(struct generator *g);

struct generator_progress generator_get_progress(const struct generator *g);

#endif
