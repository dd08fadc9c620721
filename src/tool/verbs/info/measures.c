/* measures.c — see measures.h. */
#include "tool/verbs/info/measures.h"

#include "tool/cli/message.h"

#include <stdlib.h>

void measures_free(struct measures *measures)
{
    for (size_t i = 0; i < MEASURED_SECTIONS; i++) {
        struct measured_section *section = &measures->section[i];
        for (size_t k = 0; section->process && k < HECTIC_STAT_PARTS_MAX; k++)
            hectic_threads_free(section->process[k].threads);
        free(section->process);
        hectic_stat_parts_free(section->stat);
        profiles_clear(&section->profiles);
    }
}

/* --- Profiles -------------------------------------------------------------------------------- */

static bool has_heap_samples(const hectic_survey *survey)
{
    return survey->count[HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN] > 0 ||
           survey->count[HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN] > 0;
}

/* Messages may be call stacks: samples that belong to caps. */
static bool has_messages(const hectic_survey *survey)
{
    return survey->count[HECTIC_EVENT_USER_BINARY_MSG] > 0;
}

static bool has_samples(const hectic_survey *survey)
{
    return has_heap_samples(survey) || has_messages(survey) ||
           survey->count[HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE] > 0;
}

/* --- Reading --------------------------------------------------------------------------------- */

struct pass {
    hectic_log *log;
    const hectic_section *section; /* the current one */
    bool has_samples, has_messages;
};

/* A thread that has ended, or lived until the end, of the process `of`. */
static bool take_thread(void *of, const hectic_thread *thread)
{
    struct measured_process *process = of;
    hectic_thread_sums_add(&process->sums, thread);
    return true;
}

/* False: no memory. */
static bool take_for_threads(struct measured_section *section, uint32_t number,
                             const hectic_header *header, const hectic_event *event)
{
    if (event->type > HECTIC_EVENT_THREAD_LABEL && event->type != HECTIC_EVENT_SYNC &&
        event->type != HECTIC_EVENT_CAP_CREATE)
        return true;
    struct measured_process *process = &section->process[number];
    if (!process->threads) {
        process->threads = hectic_threads_new(0, UINT64_MAX, take_thread, process);
        if (!process->threads) return false;
        hectic_threads_begin(process->threads, header);
        process->sums.from = event->time;
    }
    return hectic_threads_event(process->threads, event);
}

/* False: no memory. */
static bool take_event(struct measured_section *section, const hectic_header *header,
                       const hectic_event *event)
{
    uint32_t number;
    if (!hectic_stat_parts_event(section->stat, event, &number)) return false;
    if (number >= HECTIC_STAT_PARTS_MAX) return true;
    const hectic_event *held = hectic_processes_held(hectic_stat_parts_processes(section->stat));
    return (!held || take_for_threads(section, number, header, held)) &&
           take_for_threads(section, number, header, event);
}

static bool begin_section(struct measured_section *section, bool has_samples)
{
    section->stat = hectic_stat_parts_new();
    section->process = calloc(HECTIC_STAT_PARTS_MAX, sizeof *section->process);
    return section->stat && section->process &&
           (!has_samples || profiles_begin(&section->profiles));
}

static bool end_section(struct measured_section *section, const hectic_section *of)
{
    bool done = true;
    if (of->complete)
        hectic_stat_parts_end(section->stat);
    else
        hectic_stat_parts_cut(section->stat, of->covered_to);
    for (size_t i = 0; i < HECTIC_STAT_PARTS_MAX; i++) {
        struct measured_process *process = &section->process[i];
        if (!process->threads) continue;
        done &= hectic_threads_end(process->threads, of->covered_to);
        hectic_threads_free(process->threads);
        process->threads = NULL;
    }
    return done;
}

/* False: no memory. */
static bool take_events(struct measured_section *section, const struct pass *pass,
                        const hectic_event *event, size_t count)
{
    const hectic_header *header = hectic_log_header(pass->log);
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        if (event[i].time <= pass->section->covered_to)
            done = take_event(section, header, &event[i]);
        if (pass->has_samples && (pass->has_messages || event[i].cap == HECTIC_CAP_NONE))
            done = done && profiles_event(&section->profiles, &event[i]);
    }
    return done;
}

hectic_error measures_take(struct measures *measures, hectic_log *log)
{
    const hectic_survey *survey = hectic_log_survey(log);
    struct pass pass = {
        .log = log, .has_samples = has_samples(survey), .has_messages = has_messages(survey)};
    struct measured_section *section = NULL;
    const hectic_event *event;
    size_t count;
    bool done = true;
    hectic_log_rewind(log);
    while (done) {
        const hectic_result result = hectic_log_next_events(log, &event, &count);
        if (result == HECTIC_GOT_EVENT) {
            done = take_events(section, &pass, event, count);
            continue;
        }
        if (section) done = end_section(section, pass.section);
        if (result == HECTIC_ERROR) return *hectic_log_error(log);
        if (result != HECTIC_HEADER || measures->sections == MEASURED_SECTIONS) break;
        pass.section = &survey->section[measures->sections];
        section = &measures->section[measures->sections++];
        done = done && begin_section(section, pass.has_samples);
    }
    return (hectic_error){.kind = done ? HECTIC_OK : HECTIC_NO_MEMORY};
}

/* --- The verdict ----------------------------------------------------------------------------- */

bool measures_verdict(const struct measures *measures, const hectic_survey *survey, size_t section,
                      uint32_t process, hectic_verdict *verdict)
{
    const struct measured_section *of = &measures->section[section];
    const hectic_stat *stat = hectic_stat_parts_get(of->stat, process);
    /* Profiles of several processes are not told apart. */
    const bool is_alone = hectic_processes_count(hectic_stat_parts_processes(of->stat)) <= 1;
    hectic_stat_result result;
    if (!stat) return false;
    if (!hectic_stat_get(stat, NULL, HECTIC_STAT_END, &result)) tool_out_of_memory();
    const hectic_verdict_input input = {
        .stat = &result,
        .threads = &of->process[process].sums,
        .heap = is_alone && profiles_have_heap(&of->profiles) ? of->profiles.heap : NULL,
        .time = is_alone ? of->profiles.time : NULL,
        .has_heap_samples = has_heap_samples(survey),
        .has_heap_profile = survey->count[HECTIC_EVENT_HEAP_PROF_BEGIN] > 0,
        .events = survey->section[section].events,
    };
    if (!hectic_verdict_get(&input, verdict)) tool_out_of_memory();
    hectic_stat_result_clear(&result);
    return true;
}
