/* names.h — the labels of threads, and the names of the program and of its runtime, in bounded
 * memory. */
#ifndef HECTIC_SRC_TIMELINE_NAMES_H
#define HECTIC_SRC_TIMELINE_NAMES_H

#include "analysis/ids.h"
#include "analysis/texts.h"

struct names {
    struct texts texts;
    struct ids label;          /* by thread: its number in `texts` */
    uint32_t program, runtime; /* numbers in `texts`, plus 1; 0: unknown */
};

void names_clear(struct names *names);

/* Takes the payload of THREAD_LABEL, PROGRAM_ARGS or RTS_IDENTIFIER, at least 4 bytes. False: out
 * of memory. */
bool names_take(struct names *names, uint16_t type, const uint8_t *payload, size_t size);

/* NULL: none. Valid until a name is taken. */
const char *names_label(const struct names *names, uint32_t thread);
const char *names_program(const struct names *names);
const char *names_runtime(const struct names *names);

#endif
