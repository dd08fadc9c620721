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

bool processes_note(hectic_processes **found, const hectic_event *event)
{
    uint32_t number;
    if (event->type != HECTIC_EVENT_CAPSET_CREATE && event->type != HECTIC_EVENT_OSPROCESS_PID &&
        event->type != HECTIC_EVENT_SYNC)
        return true;
    if (!*found) *found = hectic_processes_new();
    return *found && hectic_processes_event(*found, event, &number);
}

static bool are_several(const hectic_processes *found)
{
    return found && hectic_processes_count(found) > 1;
}

bool process_refuse_several(const hectic_processes *found, const char *path)
{
    char text[LIST_ROOM];
    if (!are_several(found)) return false;
    tool_message(
        "%s: the log has %" PRIu32 " processes, and this verb needs a log of one: %s; use "
        "the logs that it was merged from, or hectic cut --from --to a time of one process",
        tool_log_name(path), hectic_processes_count(found), list_processes(found, text));
    return true;
}

/* The processes of the first section that has several, or NULL. */
static hectic_processes *several_of(hectic_log *log)
{
    const hectic_survey *survey = hectic_log_survey(log);
    hectic_processes *found = NULL;
    size_t section = 0;
    for (size_t i = 0; i < survey->landmarks; i++) {
        const uint64_t position = survey->landmark[i];
        hectic_event event;
        while (section + 1 < survey->sections &&
               position >= survey->section[section + 1].position) {
            if (are_several(found)) return found;
            hectic_processes_free(found);
            found = NULL;
            section++;
        }
        if (hectic_log_read_at(log, position, &event) && !processes_note(&found, &event))
            tool_out_of_memory();
    }
    if (are_several(found)) return found;
    hectic_processes_free(found);
    return NULL;
}

bool process_log_has_several(hectic_log *log)
{
    hectic_processes *found = several_of(log);
    hectic_processes_free(found);
    return found != NULL;
}

bool process_refuse_log_of_several(hectic_log *log, const char *path)
{
    hectic_processes *found = several_of(log);
    const bool is_refused = process_refuse_several(found, path);
    hectic_processes_free(found);
    return is_refused;
}
