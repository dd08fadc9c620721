/* faults.h — the faults that state machines find in a log, as text or JSON, for validate and
 * check --deep. */
#ifndef HECTIC_TOOL_FAULTS_H
#define HECTIC_TOOL_FAULTS_H

#include "tool/output/json.h"
#include "tool/passes/machines.h"

struct fault_settings {
    bool json;
    uint64_t limit; /* of each machine; 0: the default */
};
extern const struct tool_option fault_options[]; /* --limit, --json */

struct faults;

struct faulted_machine {
    struct faults *faults;
    const hectic_machine *machine;
    uint64_t listed;
};

/* Set settings and pass.output; open the pass, or set its log and sink. For JSON set `json`, in
 * which an object has to be open. */
struct faults {
    const struct fault_settings *settings;
    struct machine_pass pass;
    struct json json;
    struct faulted_machine machine[MACHINES_MAX];
    hectic_renderer *renderer; /* of the section */
};

/* Adds the machine of that name, or all. False after a message. */
bool faults_add(struct faults *faults, const char *machine);

/* Runs the machines and lists the faults: a JSON member "faults". Sets *last to the result that
 * reading ended with. False after a message, or if writing failed. */
bool faults_list(struct faults *faults, hectic_result *last);

/* The verdict of each machine: JSON members "machines" and "valid". */
void faults_print_verdicts(struct faults *faults);

void faults_free(struct faults *faults);

#endif
