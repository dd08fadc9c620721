/* measures.c — see measures.h. */
#include "tool/verbs/info/measures.h"

#include "read/time_pass.h"
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
    struct measures *measures;
    const struct log_section *section; /* the current one */
    struct measured_section *measured; /* its results */
    bool has_samples, has_messages;
    bool failed; /* no memory */
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

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct pass *pass = self;
    struct measures *measures = pass->measures;
    if (measures->sections == MEASURED_SECTIONS) return PASS_STOP;
    struct measured_section *measured = &measures->section[measures->sections++];
    pass->section = section;
    pass->measured = measured;
    measured->stat = hectic_stat_parts_new();
    measured->process = calloc(HECTIC_STAT_PARTS_MAX, sizeof *measured->process);
    pass->failed = !measured->stat || !measured->process ||
                   (pass->has_samples && !profiles_begin(&measured->profiles));
    return pass->failed ? PASS_STOP : PASS_ON;
}

static bool end_section(void *self, const struct log_section *of)
{
    struct pass *pass = self;
    if (of->found->complete)
        hectic_stat_parts_end(pass->measured->stat);
    else
        hectic_stat_parts_cut(pass->measured->stat, of->found->covered_to);
    for (size_t i = 0; i < HECTIC_STAT_PARTS_MAX; i++) {
        struct measured_process *process = &pass->measured->process[i];
        if (!process->threads) continue;
        pass->failed |= !hectic_threads_end(process->threads, of->found->covered_to);
        hectic_threads_free(process->threads);
        process->threads = NULL;
    }
    return !pass->failed;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct pass *pass = self;
    struct measured_section *measured = pass->measured;
    const size_t covered = events_until(event, count, pass->section->found->covered_to);
    for (size_t i = 0; i < count && !pass->failed; i++) {
        if (i < covered) pass->failed = !take_event(measured, pass->section->header, &event[i]);
        if (pass->has_samples && (pass->has_messages || event[i].cap == HECTIC_CAP_NONE))
            pass->failed = pass->failed || !profiles_event(&measured->profiles, &event[i]);
    }
    return pass->failed ? PASS_STOP : PASS_ON;
}

hectic_error measures_take(struct measures *measures, hectic_log *log)
{
    static const struct time_consumer consumer = {
        .begin = begin_section, .events = take_events, .end = end_section};
    const hectic_survey *survey = hectic_log_survey(log);
    struct pass pass = {.measures = measures,
                        .has_samples = has_samples(survey),
                        .has_messages = has_messages(survey)};
    if (time_pass(log, &consumer, &pass) == HECTIC_ERROR) return *hectic_log_error(log);
    return (hectic_error){.kind = pass.failed ? HECTIC_NO_MEMORY : HECTIC_OK};
}

/* --- The verdict ----------------------------------------------------------------------------- */

bool measures_verdict(const struct measures *measures, const hectic_survey *survey, size_t section,
                      uint32_t process, hectic_verdict *verdict)
{
    const struct measured_section *of = &measures->section[section];
    const hectic_stat *stat = hectic_stat_parts_get(of->stat, process);
    /* Profiles of several processes are not separated. */
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
