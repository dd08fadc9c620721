/* machines.h — the operand MACHINE, and running state machines over a log. */
#ifndef HECTIC_TOOL_MACHINES_H
#define HECTIC_TOOL_MACHINES_H

#include "results/gap_list.h"
#include "tool/cli/progress.h"
#include "tool/output/table.h"

enum { MACHINES_MAX = 8 };

/* The machine of the operands [MACHINE] LOG: argv[0], or `preset` if it is not named. NULL after a
 * message if it is not one of `names`, which are separated by spaces. */
const char *machine_operand(const char *names, const char *preset, int argc, char **argv);

/* Engines that run over a log, and callbacks. */
struct machine_pass {
    const struct output_settings *output;
    bool of_one_process; /* machine_pass_open refuses a log of several */
    hectic_engine *engine[MACHINES_MAX];
    size_t engines;
    /* By type of event, up to the last of the catalogue: the engines that use it, a bit each. */
    uint8_t wanted[HECTIC_EVENT_SYNC + 1];
    hectic_log *log;
    struct sink *sink;
    struct progress progress;
    hectic_gap_list gaps; /* in which nothing is a fault */
    size_t gap;           /* the first that has not ended */
    bool is_in_gap;       /* or after covered_to: nothing is a fault */
    size_t section;       /* counted from 1 */
    uint64_t covered_to;  /* of the section */
    /* At the beginning of a section; may be NULL. False after a message. */
    bool (*begin)(void *user, const hectic_header *header);
    /* After its last event; may be NULL. False after a message. */
    bool (*end)(void *user);
    void *user;
};

/* Adds an engine. False after a message. */
bool machine_pass_add(struct machine_pass *pass, const hectic_machine *machine,
                      const hectic_observer *observer);

/* Opens log and sink. False after a message. */
bool machine_pass_open(struct machine_pass *pass, const char *path);

/* Passes all events to the engines. Sets *last to the result that reading ended with. False after a
 * message, or if writing failed. */
bool machine_pass_events(struct machine_pass *pass, hectic_result *last);

/* The same; then reports damage on stderr. Returns the exit code. */
int machine_pass_run(struct machine_pass *pass, const char *path);

/* Frees log and engines. */
void machine_pass_free(struct machine_pass *pass);

/* Faults so far, of all engines. */
uint64_t machine_pass_faults(const struct machine_pass *pass);

/* The column for a machine's keys or places. */
struct table_column machine_column(hectic_unit unit);

/* Its cell. Tasks are addresses, shown in hexadecimal; `room` holds that text. */
struct cell machine_cell(hectic_unit unit, bool known, uint64_t number, char room[24]);

#endif
