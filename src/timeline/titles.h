/* titles.h — the labels of threads, and the names of the program and of its runtime, in bounded
 * memory. */
#ifndef HECTIC_SRC_TIMELINE_TITLES_H
#define HECTIC_SRC_TIMELINE_TITLES_H

#include "base/map.h"
#include "base/texts.h"

struct titles {
    struct texts texts;
    map label;                     /* by thread: its number in `texts`, plus 1 */
    uint32_t program, runtime;     /* numbers in `texts`, plus 1; 0: unknown */
    bool has_process, has_several; /* capsets of processes */
    uint32_t process;              /* the first one's number */
};

void titles_clear(struct titles *titles);

/* Takes the payload of THREAD_LABEL, PROGRAM_ARGS, RTS_IDENTIFIER or CAPSET_CREATE; or, for the
 * first three, its fields. False: out of memory. */
bool titles_take(struct titles *titles, uint16_t type, const uint8_t *payload, size_t size);
bool titles_name(struct titles *titles, uint16_t type, uint32_t id, const uint8_t *text,
                 size_t size);

/* NULL: none. Valid until a name is taken. */
const char *titles_label(const struct titles *titles, uint32_t thread);
const char *titles_program(const struct titles *titles);
const char *titles_runtime(const struct titles *titles);

#endif
