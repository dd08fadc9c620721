/* Logs: the survey, then the order of each section. */
#include "read/ahead.h"

#include <stdlib.h>

struct hectic_log {
    hectic_input *input;
    survey survey;
    uint64_t from, last;
    bool may_thread;
    size_t section; /* being delivered */
    ahead *ahead;   /* its events; NULL: before its header */
    hectic_error error;
    uint8_t *event; /* for read_at */
};

hectic_log *hectic_log_open(hectic_input *input, const hectic_log_options *options,
                            hectic_error *error)
{
    static const hectic_log_options none = {0};
    *error = (hectic_error){0};
    if (!options) options = &none;
    hectic_log *log = calloc(1, sizeof *log);
    if (!log) {
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        hectic_input_free(input);
        return NULL;
    }
    log->input = input;
    log->from = options->from;
    log->last = options->to ? options->to - 1 : UINT64_MAX;
    log->may_thread = options->threads != 1;
    if (!hectic_input_make_random(input, error) ||
        !survey_run(&log->survey, input, options, error)) {
        hectic_log_free(log);
        return NULL;
    }
    const hectic_error *damaged = hectic_input_damage(input);
    if (damaged->kind != HECTIC_OK) {
        hectic_damage *damage = list_add(&log->survey.damage, sizeof *damage);
        if (damage) *damage = (hectic_damage){.error = *damaged};
        log->survey.damage_count++;
    }
    log->survey.found.cut_off = hectic_input_is_cut_off(input);
    return log;
}

void hectic_log_free(hectic_log *log)
{
    if (!log) return;
    ahead_free(log->ahead);
    survey_free(&log->survey);
    hectic_input_free(log->input);
    free(log->event);
    free(log);
}

/* Begins to deliver the current section. */
static hectic_result begin_section(hectic_log *log)
{
    const size_t *ends = log->survey.section_chunks.items;
    size_t begin = log->section ? ends[log->section - 1] : 0;
    chunk *chunks = log->survey.chunks.items; /* NULL: there are none */
    if (chunks) chunks += begin;
    order *order = order_new(log->input, chunks, ends[log->section] - begin, log->from, log->last);
    if (order)
        log->ahead =
            ahead_new(order, log->may_thread &&
                                 log->survey.found.section[log->section].events > AHEAD_WORTHWHILE);
    if (log->ahead) return HECTIC_HEADER;
    log->error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    return HECTIC_ERROR;
}

hectic_result hectic_log_next(hectic_log *log, hectic_event *event)
{
    if (log->error.kind != HECTIC_OK) return HECTIC_ERROR;
    if (!log->ahead) return begin_section(log);
    hectic_result result = ahead_next(log->ahead, event, &log->error);
    if (result != HECTIC_PARTIAL) return result;
    const hectic_survey *found = &log->survey.found;
    if (log->section + 1 == found->sections)
        return found->section[log->section].complete ? HECTIC_COMPLETE : HECTIC_PARTIAL;
    ahead_free(log->ahead);
    log->ahead = NULL;
    log->section++;
    return begin_section(log);
}

void hectic_log_rewind(hectic_log *log)
{
    ahead_free(log->ahead);
    log->ahead = NULL;
    log->section = 0;
    log->error = (hectic_error){0};
}

const hectic_header *hectic_log_header(const hectic_log *log)
{
    return log->survey.found.section[log->section].header;
}

const hectic_error *hectic_log_error(const hectic_log *log)
{
    return &log->error;
}

const hectic_damage *hectic_log_damage(const hectic_log *log, size_t *kept, uint64_t *count)
{
    *kept = log->survey.damage.count;
    *count = log->survey.damage_count;
    return log->survey.damage.items;
}

const hectic_survey *hectic_log_survey(const hectic_log *log)
{
    return &log->survey.found;
}

bool hectic_log_read_at(hectic_log *log, uint64_t position, hectic_event *event)
{
    if (!log->event) log->event = malloc(HECTIC_EVENT_MAX);
    hectic_error error;
    ptrdiff_t n =
        log->event ? hectic_input_pread(log->input, position, log->event, HECTIC_EVENT_MAX, &error)
                   : -1;
    if (n < 0) return false;
    const hectic_survey *found = &log->survey.found;
    size_t section = 0;
    while (section + 1 < found->sections && found->section[section + 1].position <= position)
        section++;
    const hectic_header *header = found->section[section].header;
    size_t length = step_length(header->step, log->event, (size_t)n);
    if (length <= STEP_UNKNOWN) return false;
    step_view(header, log->event, length, position, HECTIC_CAP_NONE, event);
    return true;
}
