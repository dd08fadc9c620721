/* process.c — see process.h. */
#include "tool/input/process.h"

#include "tool/cli/message.h"
#include "tool/cli/options.h"

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

/* "9975 (capset:0), 9976 (capset:2)", into `text`. */
enum { SHOWN = 8, LIST_ROOM = 64 * SHOWN };
static const char *list_processes(const hectic_processes *processes, char text[LIST_ROOM])
{
    const uint32_t count = hectic_processes_count(processes);
    size_t length = 0;
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        const hectic_process process = hectic_processes_get(processes, i);
        char pid[24] = "?";
        if (process.has_pid) snprintf(pid, sizeof pid, "%" PRIu32, process.pid);
        if (process.has_capset)
            length +=
                (size_t)snprintf(text + length, LIST_ROOM - length, "%s%s (capset:%" PRIu32 ")",
                                 length ? ", " : "", pid, process.capset);
    }
    snprintf(text + length, LIST_ROOM - length, "%s",
             length == 0     ? "no identified process"
             : count > SHOWN ? ", …"
                             : "");
    return text;
}

void process_complain(const struct process_choice *choice, const char *path,
                      const hectic_processes *processes)
{
    char text[LIST_ROOM];
    tool_message("%s: no process %s%" PRIu32 "; the log has %s", tool_log_name(path),
                 choice->is_capset ? "capset:" : "", choice->number,
                 list_processes(processes, text));
}

bool process_refuse_several(const hectic_processes *found, const char *path)
{
    char text[LIST_ROOM];
    if (!processes_are_several(found)) return false;
    tool_message(
        "%s: the log has %" PRIu32 " processes, and this verb needs a log of one: %s; use "
        "the logs that it was merged from, or hectic cut --from --to a time of one process",
        tool_log_name(path), hectic_processes_count(found), list_processes(found, text));
    return true;
}

bool process_refuse_log_of_several(hectic_log *log, const char *path)
{
    hectic_processes *found;
    if (!log_several_processes(log, &found)) tool_out_of_memory();
    const bool is_refused = process_refuse_several(found, path);
    hectic_processes_free(found);
    return is_refused;
}
