/* process.h — the choice of a process in a merged log. */
#ifndef HECTIC_PROCESS_H
#define HECTIC_PROCESS_H

#include "tool/cli/tool.h"

/* The argument of --process. "9975": the process with that pid, or, if there is none, with that
 * capset. "capset:2": the process with that capset. */
struct process_choice {
    bool is_set, is_capset;
    uint32_t number;
};
bool process_parse(void *choice, const char *argument); /* for struct tool_option */

/* Prints that the log does not have the process, and which processes it has. */
void process_complain(const struct process_choice *choice, const char *path,
                      const hectic_processes *processes);

/* Is the process chosen? Without a choice, all are. */
bool process_is_chosen(const struct process_choice *choice, const hectic_processes *processes,
                       uint32_t number);

#endif
