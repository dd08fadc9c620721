/* measures.c — see measures.h. */
#include "tool/verbs/info/measures.h"

#include "tool/cli/message.h"

#include <stdlib.h>

void measures_free(struct measures *measures)
{
    for (size_t i = 0; i < MEASURED_SECTIONS; i++) {
        hectic_stat_parts_free(measures->section[i].stat);
        profiles_clear(&measures->section[i].profiles);
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

static bool take_event(void *user, const hectic_event *event)
{
    return profiles_event(user, event);
}

/* --- Reading --------------------------------------------------------------------------------- */

struct pass {
    struct measures *measures;
    const hectic_survey *survey;
    hectic_decoder *decoder;
    size_t headers;
};

static struct measured_section *section_of(const struct pass *pass)
{
    const bool is_measured = pass->headers > 0 && pass->headers <= MEASURED_SECTIONS;
    return is_measured ? &pass->measures->section[pass->headers - 1] : NULL;
}

static bool begin_section(struct pass *pass)
{
    struct measures *measures = pass->measures;
    pass->headers++;
    struct measured_section *section = section_of(pass);
    if (!section) return true;
    section->stat = hectic_stat_parts_new();
    if (!section->stat) return false;
    measures->sections++;
    hectic_stat_parts_measure_waits(section->stat, hectic_decoder_header(pass->decoder));
    if (!has_samples(pass->survey)) return true;
    hectic_stat_parts_watch(section->stat, has_messages(pass->survey), take_event,
                            &section->profiles);
    return profiles_begin(&section->profiles);
}

/* False: out of memory. */
static bool take_pushed(struct pass *pass)
{
    hectic_event event;
    for (;;) {
        const struct measured_section *section = section_of(pass);
        switch (section ? hectic_stat_parts_pull(section->stat, pass->decoder)
                        : hectic_decoder_pull(pass->decoder, &event)) {
        case HECTIC_PARTIAL: return true;
        case HECTIC_GOT_EVENT:
            if (section) return false;
            break;
        case HECTIC_HEADER:
            if (!begin_section(pass)) return false;
            break;
        case HECTIC_COMPLETE:
            if (section) hectic_stat_parts_end(section->stat);
            break;
        case HECTIC_ERROR:
            if (hectic_decoder_error(pass->decoder)->kind == HECTIC_NO_MEMORY) return false;
            hectic_decoder_resync(pass->decoder);
            break;
        }
    }
}

hectic_error measures_take(struct measures *measures, const hectic_survey *survey,
                           const hectic_input *input, struct progress *progress)
{
    enum { READ_SIZE = 256 * 1024 };
    struct pass pass = {.measures = measures, .survey = survey, .decoder = hectic_decoder_new()};
    hectic_error error = {.kind = HECTIC_NO_MEMORY};
    char *buffer = aligned_alloc(HECTIC_INPUT_ALIGNMENT, READ_SIZE);
    uint64_t position = 0;
    while (pass.decoder && buffer) {
        const ptrdiff_t size = hectic_input_pread(input, position, buffer, READ_SIZE, &error);
        if (size < 0) break;
        if (size == 0 || pass.headers > MEASURED_SECTIONS) {
            error.kind = HECTIC_OK;
            break;
        }
        hectic_decoder_push(pass.decoder, buffer, (size_t)size);
        error.kind = HECTIC_NO_MEMORY;
        if (!take_pushed(&pass)) break;
        position += (uint64_t)size;
        progress_update(progress, (double)position / (double)survey->bytes);
    }
    free(buffer);
    hectic_decoder_free(pass.decoder);
    return error;
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
