/* machines.h — what the verbs that run machines share: choosing them, and taking a log through. */
#ifndef HECTIC_TOOL_MACHINES_H
#define HECTIC_TOOL_MACHINES_H

#include "tool/output/table.h"

enum { MACHINES_MAX = 8 };

/* The machine of that name; NULL after a message that names those of `names`, a list with spaces
 * between. */
const hectic_machine *machine_find(const char *verb, const char *name, const char *names);

/* Engines, and what is to be done besides. */
struct machine_pass {
    const struct output_settings *output;
    hectic_engine *engine[MACHINES_MAX];
    size_t engines;
    hectic_log *log;
    struct sink *sink;
    hectic_gap_list gaps; /* where nothing is a fault */
    size_t gap;           /* the first that is not over */
    size_t section;       /* counted from 1 */
    /* A section begins; false after a message. Or NULL. */
    bool (*begin)(void *user, const hectic_header *header);
    /* Its last event has been; false after a message. Or NULL. */
    bool (*end)(void *user);
    void *user;
};

/* Adds an engine. False after a message. */
bool machine_pass_add(struct machine_pass *pass, const hectic_machine *machine,
                      const hectic_observer *observer);

/* Opens log and sink. False after a message. */
bool machine_pass_open(struct machine_pass *pass, const char *path);

/* Takes all events through the engines. Returns the exit code that the log's state asks for. */
int machine_pass_run(struct machine_pass *pass, const char *path);

/* Frees log and engines. */
void machine_pass_free(struct machine_pass *pass);

/* Faults so far, of all engines. */
uint64_t machine_pass_faults(const struct machine_pass *pass);

/* A column for what a machine's keys or places are. */
struct table_column machine_column(hectic_unit unit);

/* Its cell. Tasks are addresses, known to people in hexadecimal, which `room` is for. */
struct cell machine_cell(hectic_unit unit, bool known, uint64_t number, char room[24]);

#endif
