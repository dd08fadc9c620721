/* measures.c — see measures.h. */
#include "results/measures.h"

#include "read/joint_pass.h"

#include <stdlib.h>

void measured_clear(struct measured_section *measured)
{
    for (size_t i = 0; measured->process && i < HECTIC_STAT_PARTS_MAX; i++)
        hectic_threads_free(measured->process[i].threads);
    free(measured->process);
    hectic_stat_parts_free(measured->stat);
    profiles_clear(&measured->profiles);
    *measured = (struct measured_section){0};
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
    struct reading *reading;
    size_t sections; /* at most */
    const struct measured_taker *taker;
    const struct log_section *section; /* the current one */
    struct measured_section measured;  /* its results */
    bool has_samples, has_messages, has_replays;
    bool failed; /* no memory, or stopped */
};

/* A thread that has ended, or lived until the end, of the process `of`. */
static bool take_thread(void *of, const hectic_thread *thread)
{
    struct measured_process *process = of;
    hectic_thread_sums_add(&process->sums, thread);
    return true;
}

/* False: no memory. */
static bool take_for_process(const struct pass *pass, uint32_t number, const hectic_event *event)
{
    struct measured_process *process = &pass->measured.process[number];
    if (process->events++ == 0) process->sums.from = event->time;
    if (event->type > HECTIC_EVENT_THREAD_LABEL && event->type != HECTIC_EVENT_SYNC &&
        event->type != HECTIC_EVENT_CAP_CREATE)
        return true;
    if (!process->threads) {
        process->threads = hectic_threads_new(0, UINT64_MAX, take_thread, process);
        if (!process->threads) return false;
        hectic_threads_begin(process->threads, pass->section->header);
        if (!pass->has_replays) threads_expect_no_replay(process->threads);
    }
    return hectic_threads_event(process->threads, event);
}

static void note_last(const struct pass *pass, uint32_t number, uint64_t time)
{
    if (number < HECTIC_STAT_PARTS_MAX) pass->measured.process[number].last = time;
}

/* An event that does not count. False: no memory. */
static bool note_event(const struct pass *pass, const hectic_event *event)
{
    uint32_t number;
    if (!hectic_stat_parts_note(pass->measured.stat, event, &number)) return false;
    note_last(pass, number, event->time);
    return true;
}

/* False: no memory. */
static bool take_event(const struct pass *pass, const hectic_event *event)
{
    uint32_t number;
    hectic_stat_parts *stat = pass->measured.stat;
    if (!hectic_stat_parts_event(stat, event, &number)) return false;
    note_last(pass, number, event->time);
    if (number >= HECTIC_STAT_PARTS_MAX) return true;
    const hectic_event *held = hectic_processes_held(hectic_stat_parts_processes(stat));
    return (!held || take_for_process(pass, number, held)) && take_for_process(pass, number, event);
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct pass *pass = self;
    struct measured_section *measured = &pass->measured;
    if (section->number > pass->sections) return PASS_STOP;
    pass->section = section;
    measured->number = section->number;
    measured->stat = hectic_stat_parts_new();
    measured->process = calloc(HECTIC_STAT_PARTS_MAX, sizeof *measured->process);
    pass->failed = !measured->stat || !measured->process ||
                   (pass->has_samples && !profiles_begin(&measured->profiles, NULL, NULL));
    return pass->failed ? PASS_STOP : PASS_ON;
}

static bool end_section(void *self, const struct log_section *of)
{
    struct pass *pass = self;
    struct measured_section *measured = &pass->measured;
    if (of->found->complete) hectic_stat_parts_end(measured->stat);
    for (uint32_t i = 0; i < HECTIC_STAT_PARTS_MAX; i++) {
        struct measured_process *process = &measured->process[i];
        hectic_stat *stat = hectic_stat_parts_get(measured->stat, i);
        const uint64_t covered = of->found->covered_to;
        const uint64_t end = process->last < covered ? process->last : covered;
        if (stat && !of->found->complete) hectic_stat_cut(stat, end);
        if (!process->threads) continue;
        pass->failed |= !hectic_threads_end(process->threads, end);
        hectic_threads_free(process->threads);
        process->threads = NULL;
    }
    pass->failed = pass->failed || !pass->taker->take(pass->taker->user, measured);
    measured_clear(measured);
    return !pass->failed;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct pass *pass = self;
    const struct reading *reading = pass->reading;
    struct measured_section *measured = &pass->measured;
    const size_t covered = events_until(event, count, pass->section->found->covered_to);
    pass->failed = reading->is_cancelled && reading->is_cancelled(reading->cancel_user);
    for (size_t i = 0; i < count && !pass->failed; i++) {
        pass->failed = i < covered ? !take_event(pass, &event[i]) : !note_event(pass, &event[i]);
        if (pass->has_samples && (pass->has_messages || event[i].cap == HECTIC_CAP_NONE))
            pass->failed = pass->failed || !profiles_event(&measured->profiles, &event[i]);
    }
    return pass->failed ? PASS_STOP : PASS_ON;
}

bool measures_take(struct reading *reading, size_t sections, const struct measured_taker *taker)
{
    static const struct time_consumer consumer = {
        .begin = begin_section, .events = take_events, .end = end_section};
    const hectic_survey *survey = hectic_log_survey(reading->log);
    struct pass pass = {.reading = reading,
                        .sections = sections,
                        .taker = taker,
                        .has_samples = has_samples(survey),
                        .has_messages = has_messages(survey),
                        .has_replays = survey->count[HECTIC_EVENT_SYNC] > 0};
    reading->last = reading->joint ? joint_pass_wait(reading->joint, &consumer, &pass)
                                   : time_pass(reading->log, &consumer, &pass);
    measured_clear(&pass.measured);
    return !pass.failed;
}

/* --- The verdict ----------------------------------------------------------------------------- */

uint32_t measured_processes(const struct measured_section *measured)
{
    const uint32_t count = hectic_processes_count(hectic_stat_parts_processes(measured->stat));
    return count > 1 ? count : 1;
}

bool measured_verdict(const struct measured_section *measured, const hectic_survey *survey,
                      uint32_t process, hectic_verdict *verdict)
{
    const struct profiles *profiles = &measured->profiles;
    /* Profiles of several processes are not separated. */
    const bool is_alone = measured_processes(measured) == 1;
    hectic_stat_result result;
    if (!hectic_stat_get(hectic_stat_parts_get(measured->stat, process), NULL, HECTIC_STAT_END,
                         &result))
        return false;
    const hectic_verdict_input input = {
        .stat = &result,
        .threads = &measured->process[process].sums,
        .heap = is_alone && profiles_have_heap(profiles) ? profiles->heap : NULL,
        .time = is_alone ? profiles->time : NULL,
        .has_heap_samples = has_heap_samples(survey),
        .has_heap_profile = survey->count[HECTIC_EVENT_HEAP_PROF_BEGIN] > 0,
        .events = measured->process[process].events,
    };
    const bool done = hectic_verdict_get(&input, verdict);
    hectic_stat_result_clear(&result);
    return done;
}
