/* Logs: the survey, then the order of each section. */
#include "read/ahead.h"
#include "read/survey.h"

#include <stdlib.h>

enum {
    EVENTS = 256,             /* ordered at once: they stay in the first cache */
    AHEAD_WORTHWHILE = 50000, /* with fewer events, a thread costs more than it saves */
};

struct hectic_log {
    hectic_input *input;
    survey survey;
    uint64_t from, last;
    bool may_thread;
    bool begun;            /* the first header was delivered */
    size_t section;        /* being delivered */
    hectic_header *header; /* of the current section */
    hectic_header *before; /* of the previous section, which the caller may still use */
    order *order;          /* of the current section's events */
    ahead *ahead;          /* loads them */
    type_set wanted;       /* only these types, if `is_choosy` */
    bool is_choosy;
    hectic_error error;
    size_t at, count; /* the next event, and how many there are in next[] */
    hectic_event next[EVENTS];
    /* For read_at: an event, and the header of its section. */
    uint8_t *event;
    size_t event_section;
    hectic_header *event_header;
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
    order_free(log->order);
    survey_free(&log->survey);
    hectic_input_free(log->input);
    hectic_header_free(log->header);
    hectic_header_free(log->before);
    hectic_header_free(log->event_header);
    free(log->event);
    free(log);
}

/* NULL, with *error set, if it cannot be read. */
static hectic_header *read_header(const hectic_log *log, size_t section, hectic_error *error)
{
    const hectic_section *wanted = &log->survey.found.section[section];
    const size_t length = (size_t)wanted->header_length;
    hectic_header *header = NULL;
    uint8_t *bytes = malloc(length);
    *error = (hectic_error){.kind = bytes ? HECTIC_OK : HECTIC_NO_MEMORY};
    const ptrdiff_t got =
        bytes ? hectic_input_pread(log->input, wanted->position, bytes, length, error) : -1;
    if (got == (ptrdiff_t)length) hectic_header_parse(&header, bytes, length, error);
    free(bytes);
    const bool is_other = error->kind != HECTIC_NO_MEMORY && error->kind != HECTIC_IO;
    if (!header && is_other) *error = (hectic_error){.kind = HECTIC_CHANGED};
    if (!header) error->position = wanted->position;
    return header;
}

hectic_header *hectic_log_read_header(const hectic_log *log, size_t section)
{
    hectic_error error;
    return read_header(log, section, &error);
}

static hectic_result no_memory(hectic_log *log)
{
    log->error = (hectic_error){.kind = HECTIC_NO_MEMORY,
                                .position = log->survey.found.section[log->section].position};
    return HECTIC_ERROR;
}

static ptrdiff_t read_input(const void *input, uint64_t position, void *buffer, size_t size,
                            hectic_error *error)
{
    return hectic_input_pread(input, position, buffer, size, error);
}

/* Begins to deliver the current section. */
static hectic_result begin_section(hectic_log *log)
{
    const size_t *ends = log->survey.section_chunks.items;
    const size_t begin = log->section ? ends[log->section - 1] : 0;
    const size_t count = ends[log->section] - begin;
    const bool is_long = log->survey.found.section[log->section].events > AHEAD_WORTHWHILE;
    chunk *chunks = log->survey.chunks.items; /* NULL: none */
    if (chunks) chunks += begin;
    if (!log->order)
        log->order = order_new((order_source){log->input, read_input}, log->from, log->last);
    if (!log->ahead && log->order) log->ahead = ahead_new(log->order);
    if (!log->ahead) return no_memory(log);
    ahead_end(log->ahead);
    order_want(log->order, log->is_choosy ? &log->wanted : NULL);
    hectic_header *header = read_header(log, log->section, &log->error);
    if (!header) return HECTIC_ERROR;
    hectic_header_free(log->before);
    log->before = log->header;
    log->header = header;
    const size_t wanted = order_begin(log->order, header, chunks, count);
    if (log->may_thread && is_long) ahead_begin(log->ahead, wanted);
    log->begun = true;
    return HECTIC_HEADER;
}

void log_want(hectic_log *log, const uint8_t *types)
{
    if (log->begun) return;
    log->is_choosy = types;
    log->wanted = (type_set){0};
    for (unsigned type = 0; types && type < 1u << 16; type++)
        if (types[type / 8] >> type % 8 & 1) type_set_add(&log->wanted, (uint16_t)type);
}

void log_read_on(hectic_log *log)
{
    log->last = UINT64_MAX;
    ahead_free(log->ahead);
    order_free(log->order);
    log->ahead = NULL;
    log->order = NULL;
    hectic_log_rewind(log);
}

/* Orders the next events. Returns what follows those that there were. */
static hectic_result fill(hectic_log *log)
{
    if (log->error.kind != HECTIC_OK) return HECTIC_ERROR;
    if (!log->begun) return begin_section(log);
    log->at = 0;
    log->count = order_fill(log->order, log->next, EVENTS, &log->error);
    if (log->count > 0) return HECTIC_GOT_EVENT;
    if (log->error.kind != HECTIC_OK) return HECTIC_ERROR;
    const hectic_survey *found = &log->survey.found;
    if (log->section + 1 == found->sections)
        return found->section[log->section].complete ? HECTIC_COMPLETE : HECTIC_PARTIAL;
    log->section++;
    return begin_section(log);
}

hectic_result hectic_log_next_events(hectic_log *log, const hectic_event **event, size_t *count)
{
    const hectic_result result = log->at < log->count ? HECTIC_GOT_EVENT : fill(log);
    *event = log->next + log->at;
    *count = log->count - log->at;
    log->at = log->count;
    return result;
}

hectic_result hectic_log_next(hectic_log *log, hectic_event *event)
{
    if (log->at == log->count) {
        const hectic_result result = fill(log);
        if (result != HECTIC_GOT_EVENT) return result;
    }
    *event = log->next[log->at++];
    return HECTIC_GOT_EVENT;
}

void hectic_log_rewind(hectic_log *log)
{
    log->section = 0;
    log->begun = false;
    log->at = log->count = 0;
    log->error = (hectic_error){0};
}

const hectic_header *hectic_log_header(const hectic_log *log)
{
    return log->header;
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

uint64_t log_lost_messages(const hectic_log *log)
{
    return log->survey.messages;
}

uint64_t log_lost_places(const hectic_log *log)
{
    return log->survey.lost_places;
}

bool hectic_log_covers_cap(const hectic_log *log, uint16_t cap, uint64_t *to)
{
    const survey *s = &log->survey;
    const hectic_section *last = &s->found.section[s->found.sections - 1];
    if (!coverage_of_cap(&s->coverage, cap, to)) return false;
    if (last->complete || *to > last->last_time) *to = last->last_time;
    return true;
}

bool log_lacks_cap(const hectic_log *log, uint16_t cap)
{
    const survey *s = &log->survey;
    const hectic_section *last = &s->found.section[s->found.sections - 1];
    return !last->complete && coverage_lacks_cap(&s->coverage, cap, last->covered_to);
}

/* The section of a position. */
static size_t section_at(const hectic_survey *found, uint64_t position)
{
    size_t low = 0, high = found->sections;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (found->section[middle].position <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Reads `size` bytes of the event at a position. Returns the result of step_length. */
static size_t read_event(hectic_log *log, uint64_t position, size_t size)
{
    const ptrdiff_t n = hectic_input_pread(log->input, position, log->event, size, &log->error);
    return n < 0 ? STEP_UNKNOWN : step_size(log->event_header, log->event, (size_t)n);
}

bool hectic_log_read_at(hectic_log *log, uint64_t position, hectic_event *event)
{
    enum { FEW = 512 };
    const size_t section = section_at(&log->survey.found, position);
    if (!log->event) log->event = malloc(HECTIC_EVENT_MAX);
    if (!log->event_header || log->event_section != section) {
        hectic_header_free(log->event_header);
        log->event_header = read_header(log, section, &log->error);
        log->event_section = section;
    }
    if (!log->event) log->error = (hectic_error){.kind = HECTIC_NO_MEMORY, .position = position};
    if (!log->event || !log->event_header) return false;
    size_t length = read_event(log, position, FEW);
    if (length == STEP_NEED_MORE) length = read_event(log, position, HECTIC_EVENT_MAX);
    if (length <= STEP_UNKNOWN) return false;
    step_view(log->event_header, log->event, length, position, HECTIC_CAP_NONE, event);
    return true;
}
