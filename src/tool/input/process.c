/* process.c — see process.h. */
#include "tool/input/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool process_parse(void *field, const char *argument)
{
    static const char prefix[] = "capset:";
    struct process_choice *choice = field;
    const char *digits = argument;
    choice->is_capset = strncmp(argument, prefix, sizeof prefix - 1) == 0;
    if (choice->is_capset) digits += sizeof prefix - 1;
    char *end;
    const unsigned long number = strtoul(digits, &end, 10);
    choice->is_set = *digits >= '0' && *digits <= '9' && *end == 0 && number <= UINT32_MAX;
    choice->number = (uint32_t)number;
    return choice->is_set ||
           tool_invalid("process", argument, NULL, "a pid or capset:N; examples: 9975, capset:2");
}

static bool has_pid(const hectic_process *process, uint32_t pid)
{
    return process->has_pid && process->pid == pid;
}

bool process_is_chosen(const struct process_choice *choice, const hectic_processes *processes,
                       uint32_t number)
{
    const hectic_process process = hectic_processes_get(processes, number);
    bool is_capset = choice->is_capset;
    if (!choice->is_set) return true;
    for (uint32_t i = 0; i < hectic_processes_count(processes) && !is_capset; i++) {
        const hectic_process other = hectic_processes_get(processes, i);
        if (has_pid(&other, choice->number)) return has_pid(&process, choice->number);
    }
    return process.has_capset && process.capset == choice->number;
}

void process_complain(const struct process_choice *choice, const char *path,
                      const hectic_processes *processes)
{
    enum { SHOWN = 8 };
    const uint32_t count = hectic_processes_count(processes);
    char text[64 * SHOWN] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        const hectic_process process = hectic_processes_get(processes, i);
        char pid[24] = "?";
        if (process.has_pid) snprintf(pid, sizeof pid, "%" PRIu32, process.pid);
        if (process.has_capset)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s%s (capset:%" PRIu32 ")",
                                 length ? ", " : "", pid, process.capset);
    }
    tool_message("%s: no process %s%" PRIu32 "; the log has %s%s", tool_log_name(path),
                 choice->is_capset ? "capset:" : "", choice->number,
                 length ? text : "no identified process", count > SHOWN ? ", …" : "");
}
