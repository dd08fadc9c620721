/* program.h — the program of a log, and the command that profiles it again. */
#ifndef HECTIC_HEAP_PROGRAM_H
#define HECTIC_HEAP_PROGRAM_H

#include "tool/files/sink.h"

#include "profiles/heap_samples.h"

enum { HEAP_ARGUMENTS = 2048 };

struct heap_program {
    char arguments[HEAP_ARGUMENTS]; /* each with a NUL; incomplete if they are longer */
    size_t length;
    bool is_complete;
    bool has_profile;      /* it was started with a heap profile */
    bool is_profiled;      /* ghc -prof */
    unsigned major, minor; /* of GHC; 0: unknown */
};

/* Takes the next event of a section. */
void heap_program_event(struct heap_program *program, const hectic_event *event);

/* Of a runtime that often crashes while it profiles by biography (-hb): of GHC before 9.2. */
bool heap_program_is_fragile(const struct heap_program *program);

/* Prints which profile would show more than this one, and the command that makes it. `breakdown`
 * UNKNOWN: there is none yet. `period`: in seconds; 0: that of the program. */
void heap_program_advise(const struct heap_program *program, hectic_breakdown breakdown,
                         double period, struct sink *sink);

/* Prints the command that makes a profile with another period, in seconds. `flag`: T of -hT; 0:
 * unknown. */
void heap_program_print_again(const struct heap_program *program, char flag, double period,
                              struct sink *sink);

#endif
