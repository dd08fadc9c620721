/* time_samples.h — time profiles as the log has them: sample by sample.
 *
 * Two sources: the ticks of GHC's profiler (PROF_SAMPLE_COST_CENTRE: one sample for each cap at
 * each tick), and the messages of ghc-stack-profiler (USER_BINARY_MSG: call stacks of threads,
 * without -prof). Each has its own tree of stacks.
 *
 * Takes the events of a section in the order of the file or of time. Memory depends on the number
 * of different stacks, within the limits of symbols and stacks; unfinished chunks of messages are
 * bounded.
 */
#ifndef HECTIC_SRC_TIME_SAMPLES_H
#define HECTIC_SRC_TIME_SAMPLES_H

#include "profiles/stacks.h"

typedef enum hectic_time_source {
    HECTIC_TIME_COST_CENTRES, /* -prof, +RTS -p */
    HECTIC_TIME_CALL_STACKS,  /* ghc-stack-profiler */
    HECTIC_TIME_SOURCES,
} hectic_time_source;

/* Caps with smaller numbers are counted separately. */
#define HECTIC_TIME_CAPS 65536u

/* What a cap did at a tick. The program's own time is what GHC counts in a .prof file. */
typedef enum hectic_time_kind {
    HECTIC_TIME_OWN, /* the program, or MAIN */
    HECTIC_TIME_GC,
    HECTIC_TIME_IDLE,
    HECTIC_TIME_SYSTEM,   /* the runtime */
    HECTIC_TIME_OVERHEAD, /* of profiling: OVERHEAD_of */
    HECTIC_TIME_DONT_CARE,
    HECTIC_TIME_KINDS,
} hectic_time_kind;

/* The kind of a cost centre: by its label, if its location is "<built-in>". HECTIC_TIME_OWN until
 *  it is defined. */
hectic_time_kind hectic_time_kind_of(const hectic_symbol *symbol);

typedef struct hectic_time_sample {
    hectic_time_source source;
    uint64_t time; /* ns */
    uint64_t tick; /* the number of the tick; 0 for call stacks */
    uint32_t cap;
    uint64_t thread;   /* of call stacks; 0 otherwise */
    uint32_t node;     /* the stack, in the source's tree */
    uint64_t interval; /* ns: of ticks, as the profile began; 0: unknown */
    uint64_t since;    /* ns: the time since the previous sample of this cap and source; the
                          interval for the first, and after more than 4 intervals: profiling was
                          off, or the timer of an idle program */
} hectic_time_sample;

/* Return false to stop. */
typedef bool (*hectic_time_sample_callback)(void *user, const hectic_time_sample *sample);

typedef struct hectic_time_samples hectic_time_samples;

/* Limits as for hectic_symbols_new and hectic_stacks_new (0: their defaults). The trees have
 *  `columns` weights, for the caller. NULL: out of memory. */
hectic_time_samples *hectic_time_samples_new(uint32_t columns, size_t symbol_limit,
                                             uint32_t node_limit,
                                             hectic_time_sample_callback callback, void *user);
void hectic_time_samples_free(hectic_time_samples *samples);

/* Takes the next event of a section. False: out of memory, or the callback returned false. */
bool hectic_time_samples_event(hectic_time_samples *samples, const hectic_event *event);

typedef struct hectic_time_warnings {
    uint64_t malformed; /* events that are too short: left out */
    uint64_t messages;  /* of ghc-stack-profiler: malformed ones, and stacks whose last part is
                           missing: left out */
    uint64_t omitted;   /* samples counted as HECTIC_STACKS_OTHERS because of a limit */
} hectic_time_warnings;

hectic_time_warnings hectic_time_samples_warnings(const hectic_time_samples *samples);

/* Call it again after further events: it also names the symbols that were defined late. */
const hectic_symbols *hectic_time_samples_symbols(const hectic_time_samples *samples);
hectic_stacks *hectic_time_samples_stacks(const hectic_time_samples *samples,
                                          hectic_time_source source);

#endif
