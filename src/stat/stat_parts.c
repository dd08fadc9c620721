/* A hectic_stat for each process of a merged log. */
#include "facts/processes.h"

#include "read/decode/run.h"
#include "stat/stat_sums.h"

#include <stdlib.h>

struct hectic_stat_parts {
    hectic_processes *processes;
    hectic_stat *stat[HECTIC_STAT_PARTS_MAX];
    uint64_t without;
};

hectic_stat_parts *hectic_stat_parts_new(void)
{
    hectic_stat_parts *parts = calloc(1, sizeof *parts);
    if (!parts) return NULL;
    parts->processes = hectic_processes_new();
    parts->stat[0] = hectic_stat_new();
    if (parts->processes && parts->stat[0]) return parts;
    hectic_stat_parts_free(parts);
    return NULL;
}

void hectic_stat_parts_free(hectic_stat_parts *parts)
{
    if (!parts) return;
    for (size_t i = 0; i < HECTIC_STAT_PARTS_MAX; i++)
        hectic_stat_free(parts->stat[i]);
    hectic_processes_free(parts->processes);
    free(parts);
}

const hectic_processes *hectic_stat_parts_processes(const hectic_stat_parts *parts)
{
    return parts->processes;
}

hectic_stat *hectic_stat_parts_get(const hectic_stat_parts *parts, uint32_t process)
{
    return process < HECTIC_STAT_PARTS_MAX ? parts->stat[process] : NULL;
}

uint64_t hectic_stat_parts_skipped(const hectic_stat_parts *parts)
{
    return parts->without;
}

static hectic_stat *part_of(hectic_stat_parts *parts, uint32_t process)
{
    const bool is_ordered = parts->stat[0]->is_ordered;
    hectic_stat *stat = parts->stat[process];
    if (stat) return stat;
    stat = hectic_stat_new();
    if (stat && is_ordered && !hectic_stat_set_ordered(stat)) {
        hectic_stat_free(stat);
        return NULL;
    }
    return parts->stat[process] = stat;
}

bool hectic_stat_parts_event(hectic_stat_parts *parts, const hectic_event *event, uint32_t *process)
{
    if (!hectic_processes_event(parts->processes, event, process)) return false;
    if (*process == HECTIC_NO_PROCESS || *process >= HECTIC_STAT_PARTS_MAX) {
        parts->without += event->cap != HECTIC_CAP_NONE;
        return true;
    }
    hectic_stat *stat = part_of(parts, *process);
    if (!stat) return false;
    if (event->type == HECTIC_EVENT_CAPSET_CREATE) {
        const hectic_process info = hectic_processes_get(parts->processes, *process);
        if (info.has_start) hectic_stat_set_start(stat, info.start);
    }
    const hectic_event *held = hectic_processes_held(parts->processes);
    return (!held || hectic_stat_event(stat, held)) && hectic_stat_event(stat, event);
}

bool hectic_stat_parts_note(hectic_stat_parts *parts, const hectic_event *event, uint32_t *process)
{
    return hectic_processes_event(parts->processes, event, process);
}

/* The stat of all events of a run. For events without a cap it must be found for each event. */
static hectic_stat *stat_of_run(const hectic_stat_parts *parts, uint16_t cap)
{
    if (hectic_processes_count(parts->processes) == 1) return parts->stat[0];
    if (cap == HECTIC_CAP_NONE) return NULL;
    return hectic_stat_parts_get(parts, hectic_processes_of_cap(parts->processes, cap));
}

hectic_result hectic_stat_parts_pull(hectic_stat_parts *parts, hectic_decoder *decoder)
{
    for (;;) {
        size_t length;
        const stepper *at;
        const uint8_t *run = decoder_run(decoder, &length, &at);
        hectic_stat *stat = length > 0 ? stat_of_run(parts, at->cap) : NULL;
        if (stat) {
            length = stat_take_run(stat, at, run, length);
            if (length == SIZE_MAX) return HECTIC_GOT_EVENT;
            decoder_advance(decoder, length);
        }
        hectic_event event;
        uint32_t process;
        const hectic_result result = hectic_decoder_pull(decoder, &event);
        if (result != HECTIC_GOT_EVENT || !hectic_stat_parts_event(parts, &event, &process))
            return result;
    }
}

void hectic_stat_parts_end(hectic_stat_parts *parts)
{
    const uint32_t count = hectic_processes_count(parts->processes);
    for (uint32_t i = 0; i < count && i < HECTIC_STAT_PARTS_MAX; i++)
        if (parts->stat[i] && (count == 1 || hectic_processes_get(parts->processes, i).has_ended))
            hectic_stat_end(parts->stat[i]);
}
