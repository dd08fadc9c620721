/* process_choice.c — see process_choice.h. */
#include "results/process_choice.h"

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

bool processes_note(hectic_processes **found, const hectic_event *event)
{
    uint32_t number;
    if (event->type != HECTIC_EVENT_CAPSET_CREATE && event->type != HECTIC_EVENT_OSPROCESS_PID &&
        event->type != HECTIC_EVENT_SYNC)
        return true;
    if (!*found) *found = hectic_processes_new();
    return *found && hectic_processes_event(*found, event, &number);
}

bool log_several_processes(hectic_log *log, hectic_processes **several)
{
    const hectic_survey *survey = hectic_log_survey(log);
    hectic_processes *found = NULL;
    size_t section = 0;
    bool done = true;
    for (size_t i = 0; i < survey->landmarks && done; i++) {
        const uint64_t position = survey->landmark[i];
        const size_t before = section;
        hectic_event event;
        while (section + 1 < survey->sections && position >= survey->section[section + 1].position)
            section++;
        if (section > before && processes_are_several(found)) break;
        if (section > before) {
            hectic_processes_free(found);
            found = NULL;
        }
        done = !hectic_log_read_at(log, position, &event) || processes_note(&found, &event);
    }
    *several = done && processes_are_several(found) ? found : NULL;
    if (!*several) hectic_processes_free(found);
    return done;
}
