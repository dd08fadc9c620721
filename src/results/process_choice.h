/* process_choice.h — which processes of a log are read. */
#ifndef HECTIC_SRC_PROCESS_CHOICE_H
#define HECTIC_SRC_PROCESS_CHOICE_H

#include "facts/processes.h"

#include <hectic/log.h>

/* All, or the process with a pid, or, if there is none, with that capset; or the one with a capset.
 */
struct process_choice {
    bool is_set, is_capset;
    uint32_t number;
};

/* Is the process chosen? Without a choice, all are. */
bool process_is_chosen(const struct process_choice *choice, const hectic_processes *processes,
                       uint32_t number);

/* Notes the process that an event of a section names, if it does. *found is NULL before the first
 * one; the caller frees it. False: no memory. */
bool processes_note(hectic_processes **found, const hectic_event *event);

static inline bool processes_are_several(const hectic_processes *found)
{
    return found && hectic_processes_count(found) > 1;
}

/* Sets *several to the processes of the first section that has several, which the caller frees, or
 * to NULL. False: no memory. */
bool log_several_processes(hectic_log *log, hectic_processes **several);

#endif
