/* process.h — which process of a merged log is meant. */
#ifndef HECTIC_PROCESS_H
#define HECTIC_PROCESS_H

#include "tool/cli/tool.h"

/* As --process has it: "9975": the process with that pid, or, where none has it, with that capset;
 * "capset:2": that with the capset. */
struct process_choice {
    bool is_set, is_capset;
    uint32_t number;
};
bool process_parse(void *choice, const char *argument); /* a parser of options */

/* Says that the log has no such process, and which it has; or, where it has none, that. */
void process_complain(const struct process_choice *choice, const char *path,
                      const hectic_processes *processes);

/* Is the process meant, among those of the log? All are where nothing was chosen. */
bool process_is_chosen(const struct process_choice *choice, const hectic_processes *processes,
                       uint32_t number);

#endif
