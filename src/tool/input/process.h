/* process.h — logs of several processes: which ones, and the choice of one. */
#ifndef HECTIC_PROCESS_H
#define HECTIC_PROCESS_H

#include "facts/processes.h"

#include "results/process_choice.h"

/* The argument of --process. "9975": the process with that pid, or, if there is none, with that
 * capset. "capset:2": the process with that capset. */
bool process_parse(void *choice, const char *argument); /* for struct tool_option */

/* Prints that the log does not have the process, and which processes it has. */
void process_complain(const struct process_choice *choice, const char *path,
                      const hectic_processes *processes);

/* --- Verbs that take a log of one process ---------------------------------------------------- */

/* Have several processes been noted? Then prints what they are, and what to do. */
bool process_refuse_several(const hectic_processes *found, const char *path);

/* The same for all sections of a log. */
bool process_refuse_log_of_several(hectic_log *log, const char *path);

#endif
