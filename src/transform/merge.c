/* Several logs in one. Each is read once in the order of its file, for what it names and when it
 * begins, and then in order of time, all together. */
#include <hectic/transform.h>

#include "format/wire.h"
#include "transform/pump.h"
#include "transform/renumber.h"
#include "transform/unite.h"
#include "transform/window.h"

#include <stdlib.h>

enum { SECOND = 1000000000 };

/* One of the logs. */
typedef struct source {
    hectic_input *input; /* NULL: the log has taken it over */
    hectic_log *log;
    hectic_header *header;
    uint64_t first_time; /* UINT64_MAX: no events */
    bool has_wall_clock;
    int64_t wall_clock; /* when the log's clock was 0, in ns since the Unix epoch */
    hectic_event event; /* the next */
} source;

typedef struct merger {
    source *sources;
    numbering *numbering;
    size_t count;
    united united;
    size_t *heap; /* of sources that have an event: the one with the earliest first */
    size_t heap_count;
    window *window;
    uint8_t *payload; /* room for one, and for zeros behind it */
    hectic_merge_failure *failure;
} merger;

static hectic_merge_result fail(merger *m, hectic_merge_result result, size_t log)
{
    m->failure->log = log;
    return result;
}

static hectic_merge_result fail_kind(merger *m, size_t log, hectic_error_kind kind)
{
    m->failure->error = (hectic_error){.kind = kind};
    return fail(m, HECTIC_MERGE_UNREADABLE, log);
}

/* --- The first reading ---------------------------------------------------------------------- */

typedef struct scan {
    source *source;
    numbering *numbering;
    hectic_error *error;
    bool restarted;
} scan;

/* Sets when the log's clock was 0, where that can be. */
static void note_wall_clock(source *s, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    hectic_value value[HECTIC_MAX_FIELDS];
    if (s->has_wall_clock || !shape ||
        hectic_shape_walk(shape, event->payload, event->size, value, NULL) < shape->field_count)
        return;
    const uint64_t seconds = value[1].number, ns = value[2].number;
    /* Up to the year 2262, and with a time of less than 292 years. */
    if (seconds >= INT64_MAX / SECOND - 4 || event->time > INT64_MAX) return;
    s->wall_clock = (int64_t)(seconds * SECOND + ns) - (int64_t)event->time;
    s->has_wall_clock = true;
}

static bool take_header(scan *c, const hectic_header *header)
{
    c->restarted = c->source->header != NULL;
    if (c->restarted) return false;
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    c->source->header = hectic_header_new(types, count);
    if (!c->source->header) c->error->kind = HECTIC_NO_MEMORY;
    c->numbering->shifted_stop_status = hectic_header_shifted_stop_status(header);
    return c->source->header != NULL;
}

static bool scan_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    scan *c = self;
    if (result == HECTIC_ERROR) *c->error = *hectic_decoder_error(decoder);
    if (result == HECTIC_HEADER) return take_header(c, hectic_decoder_header(decoder));
    if (result != HECTIC_ONE) return result == HECTIC_COMPLETE;
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && event->declared->shape) return true;
    if (event->time < c->source->first_time) c->source->first_time = event->time;
    if (event->type == HECTIC_EVENT_WALL_CLOCK_TIME) note_wall_clock(c->source, event);
    numbering_note(c->numbering, event);
    return true;
}

static hectic_merge_result scan_source(merger *m, size_t log)
{
    source *s = &m->sources[log];
    s->first_time = UINT64_MAX;
    hectic_error *error = &m->failure->error;
    scan c = {s, &m->numbering[log], error, false};
    hectic_decoder *decoder = hectic_decoder_new();
    if (!decoder) return fail_kind(m, log, HECTIC_NO_MEMORY);
    hectic_merge_result result = HECTIC_MERGED;
    if (!hectic_input_make_random(s->input, error) ||
        pump(s->input, decoder, scan_item, &c, error) != PUMP_DONE)
        result = fail(m, c.restarted ? HECTIC_MERGE_RESTARTED : HECTIC_MERGE_UNREADABLE, log);
    else if (!s->header)
        result = fail_kind(m, log, HECTIC_HEADER_CUT);
    hectic_decoder_free(decoder);
    return result;
}

/* --- Times ---------------------------------------------------------------------------------- */

/* Logs are only ever moved to later times, so that none becomes less than 0. */
static hectic_merge_result align(merger *m, hectic_alignment alignment)
{
    int64_t earliest = INT64_MAX;
    uint64_t latest_start = 0;
    for (size_t i = 0; i < m->count; i++) {
        const source *s = &m->sources[i];
        if (alignment == HECTIC_ALIGN_WALL_CLOCK && !s->has_wall_clock)
            return fail(m, HECTIC_MERGE_NO_WALL_CLOCK, i);
        if (s->wall_clock < earliest) earliest = s->wall_clock;
        if (s->first_time != UINT64_MAX && s->first_time > latest_start)
            latest_start = s->first_time;
    }
    for (size_t i = 0; i < m->count; i++) {
        const source *s = &m->sources[i];
        uint64_t *shift = &m->numbering[i].time_shift;
        if (alignment == HECTIC_ALIGN_WALL_CLOCK)
            *shift = (uint64_t)s->wall_clock - (uint64_t)earliest;
        if (alignment == HECTIC_ALIGN_START && s->first_time != UINT64_MAX)
            *shift = latest_start - s->first_time;
    }
    return HECTIC_MERGED;
}

/* --- The second reading --------------------------------------------------------------------- */

/* Reads the source's next event, with its new time: false at its end, or where it failed. */
static bool advance(merger *m, size_t log, hectic_merge_result *result)
{
    source *s = &m->sources[log];
    hectic_result got;
    do
        got = hectic_log_next(s->log, &s->event);
    while (got == HECTIC_ONE && s->event.type == HECTIC_EVENT_BLOCK_MARKER &&
           s->event.declared->shape);
    if (got == HECTIC_ERROR) {
        m->failure->error = *hectic_log_error(s->log);
        *result = fail(m, HECTIC_MERGE_UNREADABLE, log);
    }
    return got == HECTIC_ONE;
}

static bool before(const merger *m, size_t a, size_t b)
{
    const uint64_t x = numbering_time(&m->numbering[a], m->sources[a].event.time);
    const uint64_t y = numbering_time(&m->numbering[b], m->sources[b].event.time);
    return x != y ? x < y : a < b;
}

/* Lets the heap's entry i sink to its place. */
static void sink(merger *m, size_t i)
{
    size_t *heap = m->heap;
    for (size_t child; (child = 2 * i + 1) < m->heap_count; i = child) {
        if (child + 1 < m->heap_count && before(m, heap[child + 1], heap[child])) child++;
        if (!before(m, heap[child], heap[i])) return;
        const size_t swapped = heap[i];
        heap[i] = heap[child];
        heap[child] = swapped;
    }
}

/* Writes the next event of a log, as the merged log has it. */
static bool write_event(merger *m, size_t log)
{
    hectic_event event = m->sources[log].event;
    size_t count;
    const hectic_event_type *types =
        hectic_header_types(hectic_log_header(m->sources[log].log), &count);
    if (event.size > 0) memcpy(m->payload, event.payload, event.size);
    numbering_apply(m->numbering, m->count, log, &event, m->payload);
    event.declared = m->united.type[log][event.declared - types];
    event.type = event.declared->number;
    event.payload = m->payload;
    if (event.declared->size != HECTIC_VARIABLE && event.declared->size > event.size) {
        memset(m->payload + event.size, 0, (size_t)event.declared->size - event.size);
        event.size = event.declared->size;
    }
    return window_event(m->window, log, &event);
}

static hectic_merge_result merge_events(merger *m)
{
    hectic_merge_result result = HECTIC_MERGED;
    for (size_t i = 0; i < m->count; i++) {
        hectic_event header;
        hectic_log_next(m->sources[i].log, &header);
        if (advance(m, i, &result)) m->heap[m->heap_count++] = i;
    }
    for (size_t i = m->heap_count; i-- > 0;)
        sink(m, i);
    while (m->heap_count > 0 && result == HECTIC_MERGED) {
        const size_t log = m->heap[0];
        if (!write_event(m, log)) return HECTIC_MERGE_UNWRITTEN;
        if (!advance(m, log, &result)) m->heap[0] = m->heap[--m->heap_count];
        sink(m, 0);
    }
    return result;
}

static hectic_merge_result open_logs(merger *m)
{
    enum { FEW = 4 };
    /* Threads that read ahead are of no use for many logs. */
    const hectic_log_options options = {.threads = m->count > FEW ? 1 : 0};
    for (size_t i = 0; i < m->count; i++) {
        source *s = &m->sources[i];
        s->log = hectic_log_open(s->input, &options, &m->failure->error);
        s->input = NULL;
        if (!s->log) return fail(m, HECTIC_MERGE_UNREADABLE, i);
    }
    return HECTIC_MERGED;
}

static hectic_merge_result write_log(merger *m, hectic_writer *writer)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(m->united.header, &count);
    m->window = window_new(writer, hectic_header_type(m->united.header, HECTIC_EVENT_BLOCK_MARKER),
                           m->count);
    m->payload = malloc(UINT16_MAX);
    m->heap = calloc(m->count + 1, sizeof *m->heap);
    if (!m->window || !m->payload || !m->heap) return fail_kind(m, 0, HECTIC_NO_MEMORY);
    hectic_merge_result result = open_logs(m);
    if (result != HECTIC_MERGED) return result;
    if (!hectic_writer_header(writer, types, count)) return HECTIC_MERGE_UNWRITTEN;
    result = merge_events(m);
    if (result != HECTIC_MERGED) return result;
    return window_flush(m->window) && hectic_writer_data_end(writer) && hectic_writer_flush(writer)
               ? HECTIC_MERGED
               : HECTIC_MERGE_UNWRITTEN;
}

/* --- All of it ------------------------------------------------------------------------------ */

static hectic_merge_result unite_headers(merger *m)
{
    const hectic_header **headers = calloc(m->count + 1, sizeof *headers);
    for (size_t i = 0; headers && i < m->count; i++)
        headers[i] = m->sources[i].header;
    const bool done = headers && unite(&m->united, headers, m->count);
    free(headers);
    for (size_t i = 0; i < m->count; i++) {
        hectic_header_free(m->sources[i].header);
        m->sources[i].header = NULL;
    }
    return done ? HECTIC_MERGED : fail_kind(m, 0, HECTIC_NO_MEMORY);
}

static hectic_merge_result prepare(merger *m, hectic_alignment alignment)
{
    for (size_t i = 0; i < m->count; i++) {
        const hectic_merge_result result = scan_source(m, i);
        if (result != HECTIC_MERGED) return result;
    }
    const hectic_merge_result aligned = align(m, alignment);
    if (aligned != HECTIC_MERGED) return aligned;
    size_t log;
    if (!numbering_plan(m->numbering, m->count, &log, &m->failure->unit))
        return fail(m, HECTIC_MERGE_NO_NUMBERS, log);
    return unite_headers(m);
}

static void clear(merger *m)
{
    for (size_t i = 0; m->sources && i < m->count; i++) {
        hectic_input_free(m->sources[i].input);
        hectic_log_free(m->sources[i].log);
        hectic_header_free(m->sources[i].header);
    }
    united_clear(&m->united);
    window_free(m->window);
    free(m->payload);
    free(m->heap);
    free(m->numbering);
    free(m->sources);
}

hectic_merge_result hectic_merge(hectic_input *const *inputs, size_t count,
                                 hectic_alignment alignment, hectic_write write, void *write_user,
                                 hectic_merge_failure *failure)
{
    *failure = (hectic_merge_failure){0};
    merger m = {.sources = calloc(count + 1, sizeof *m.sources),
                .numbering = calloc(count + 1, sizeof *m.numbering),
                .count = count,
                .failure = failure};
    for (size_t i = 0; i < count; i++) {
        if (m.sources)
            m.sources[i].input = inputs[i];
        else
            hectic_input_free(inputs[i]);
    }
    hectic_writer *writer = hectic_writer_new(0, write, write_user);
    hectic_merge_result result = HECTIC_MERGED;
    if (!m.sources || !m.numbering || !writer) result = fail_kind(&m, 0, HECTIC_NO_MEMORY);
    if (result == HECTIC_MERGED) result = prepare(&m, alignment);
    if (result == HECTIC_MERGED) result = write_log(&m, writer);
    hectic_writer_free(writer);
    clear(&m);
    return result;
}
