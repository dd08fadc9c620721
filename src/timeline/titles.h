/* titles.h — the labels of threads, and the names of the program and of its runtime, in bounded
 * memory. */
#ifndef HECTIC_SRC_TIMELINE_TITLES_H
#define HECTIC_SRC_TIMELINE_TITLES_H

#include "analysis/ids.h"
#include "analysis/texts.h"

struct titles {
    struct texts texts;
    map label;                     /* by thread: its number in `texts` */
    uint32_t program, runtime;     /* numbers in `texts`, plus 1; 0: unknown */
    bool has_process, has_several; /* capsets of processes */
    uint32_t process;              /* the first one's number */
};

void titles_clear(struct titles *titles);

/* Takes the payload of THREAD_LABEL, PROGRAM_ARGS or RTS_IDENTIFIER, at least 4 bytes; or of
 * CAPSET_CREATE, at least 6. False: out of memory. */
bool titles_take(struct titles *titles, uint16_t type, const uint8_t *payload, size_t size);

/* NULL: none. Valid until a name is taken. */
const char *titles_label(const struct titles *titles, uint32_t thread);
const char *titles_program(const struct titles *titles);
const char *titles_runtime(const struct titles *titles);

#endif
