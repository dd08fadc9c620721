/* Merges several logs into one. Each is read once in the order of its file, to collect its
 * identifiers and its beginning, and then all are read together in order of time. The sections of a
 * log are treated as logs. */
#include <hectic/read_events.h>
#include <hectic/transform.h>

#include "base/array.h"
#include "format/fields.h"
#include "read/decode/pass.h"
#include "read/input.h"
#include "transform/merge_headers.h"
#include "transform/renumber.h"
#include "transform/window.h"

#include <stdlib.h>

enum { SECOND = 1000000000 };

/* One run of a program: a section, and following ones that continue its clock and its identifiers.
 * GHC begins such a section if a program ends its log and starts logging again. */
typedef struct run {
    size_t log, section;            /* its first section */
    uint64_t first_time, last_time; /* UINT64_MAX and 0: no events */
    bool has_wall_clock, has_pid;
    bool has_process,
        has_start;      /* its process is known, perhaps also when the process's clock was 0 */
    bool is_nameless;   /* without a process: it gets a capset */
    bool has_end;       /* the process's capset is deleted */
    uint32_t process;   /* capset */
    int64_t wall_clock; /* when the run's clock was 0, in ns since the Unix epoch */
    uint64_t pid;
} run;

/* One section of a log. */
typedef struct source {
    hectic_log *log; /* open from its first to its last event */
    size_t of_log, run, header;
    uint64_t begin, end;            /* byte offsets in that log */
    uint64_t first_time, last_time; /* UINT64_MAX and 0: no events */
    bool is_first, is_last;         /* first or last of its run: write_start, write_end */
    bool has_end;                   /* it has an end marker */
    hectic_event event;             /* the next event; before the first: its time */
} source;

typedef struct merger {
    hectic_input *const *inputs;
    size_t logs;
    source *sources;
    run *runs;
    numbering *numbering; /* of each run */
    size_t count, run_count, capacity;
    hectic_header **headers; /* the different headers */
    size_t header_count, header_capacity;
    merged_headers merged_headers;
    size_t *heap; /* a heap of sources with an event, the earliest at the top */
    size_t heap_count;
    window *window;
    uint8_t *payload; /* for one payload, and zeros after it */
    hectic_merge_failure *failure;
} merger;

/* `section` counts from 1 if the log has several; 0: the log as a whole. */
static hectic_merge_result fail(merger *m, hectic_merge_result result, size_t log, size_t section)
{
    m->failure->log = log;
    m->failure->section = section;
    return result;
}

static hectic_merge_result fail_kind(merger *m, size_t log, hectic_error_kind kind)
{
    m->failure->error = (hectic_error){.kind = kind};
    return fail(m, HECTIC_MERGE_READ_FAILED, log, 0);
}

/* A failure in a run's first section. */
static hectic_merge_result fail_run(merger *m, hectic_merge_result result, size_t index)
{
    const run *r = &m->runs[index];
    bool lone = r->section == 0;
    for (size_t i = 0; i < m->count && lone; i++)
        lone = m->sources[i].of_log != r->log || m->sources[i].begin == 0;
    return fail(m, result, r->log, lone ? 0 : r->section + 1);
}

/* --- The first pass ------------------------------------------------------------------------- */

typedef struct scan {
    merger *m;
    size_t log, sections;
    source *source; /* NULL: before the first header */
    run *run;
    numbering *numbering;
} scan;

/* Sets when the run's clock was 0, if that is valid. */
static void note_wall_clock(run *r, const hectic_event *event)
{
    hectic_event_wall_clock_time fields;
    if (r->has_wall_clock || !hectic_read_wall_clock_time(event, &fields)) return;
    const uint64_t seconds = fields.seconds, ns = fields.nanoseconds;
    /* Up to the year 2262, and times of less than 292 years. */
    if (seconds >= INT64_MAX / SECOND - 4 || event->time > INT64_MAX) return;
    r->wall_clock = (int64_t)(seconds * SECOND + ns) - (int64_t)event->time;
    r->has_wall_clock = true;
}

static void note_pid(run *r, const hectic_event *event)
{
    hectic_event_osprocess_pid fields;
    if (r->has_pid || !hectic_read_osprocess_pid(event, &fields)) return;
    r->pid = fields.pid;
    r->has_pid = true;
}

/* The first process of the run; an earlier merge has logged its start as well. */
static void note_process(run *r, const hectic_event *event)
{
    enum { OS_PROCESS = 2 };
    hectic_event_capset_create created;
    if (r->has_start || !hectic_read_capset_create(event, &created) ||
        created.capset_type != OS_PROCESS)
        return;
    r->has_start = r->has_process && created.capset == r->process;
    if (r->has_process) return;
    r->has_process = true;
    r->process = created.capset;
}

static bool grow(merger *m)
{
    if (m->count < m->capacity) return true;
    const size_t capacity = m->capacity ? 2 * m->capacity : 4;
    source *sources = realloc(m->sources, capacity * sizeof *sources);
    if (sources) m->sources = sources;
    run *runs = realloc(m->runs, capacity * sizeof *runs);
    if (runs) m->runs = runs;
    numbering *numberings = realloc(m->numbering, capacity * sizeof *numberings);
    if (numberings) m->numbering = numberings;
    if (!sources || !runs || !numberings) return false;
    m->capacity = capacity;
    return true;
}

/* True if the run continues the previous one in the same log. A restarted program begins with its
 * pid and wall clock, and has its own clock. */
static bool continues(const run *r, const run *before)
{
    if (r->first_time == UINT64_MAX || r->first_time < before->last_time) return false;
    if (r->has_pid && before->has_pid && r->pid != before->pid) return false;
    if (!r->has_wall_clock || !before->has_wall_clock) return true;
    const int64_t a = r->wall_clock, b = before->wall_clock;
    return (a > b ? a - b : b - a) < SECOND; /* either clock may have been set since */
}

/* Ends the section: it is a part of the previous run, or a separate run. */
static void end_section(scan *c)
{
    merger *m = c->m;
    c->run->first_time = c->source->first_time;
    c->run->last_time = c->source->last_time;
    if (c->sections < 2 || !continues(c->run, c->run - 1)) return;
    run *before = c->run - 1;
    before->last_time = c->run->last_time;
    if (!before->has_wall_clock && c->run->has_wall_clock) {
        before->has_wall_clock = true;
        before->wall_clock = c->run->wall_clock;
    }
    numbering_merge(&m->numbering[m->run_count - 2], c->numbering);
    m->run_count--;
    c->source->run--;
}

static bool is_same(const hectic_header *a, const hectic_header *b)
{
    size_t length, other_length;
    const uint8_t *bytes = hectic_header_bytes(a, &length);
    const uint8_t *other = hectic_header_bytes(b, &other_length);
    return length == other_length && memcmp(bytes, other, length) == 0;
}

/* Keeps a copy if it differs from the last one. False: out of memory. */
static bool keep_header(merger *m, const hectic_header *header)
{
    if (m->header_count > 0 && is_same(header, m->headers[m->header_count - 1])) return true;
    if (!array_reserve(m->headers, m->header_capacity, m->header_count + 1)) return false;
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    m->headers[m->header_count] = hectic_header_new(types, count);
    return m->headers[m->header_count++];
}

static bool take_header(scan *c, const hectic_decoder *decoder)
{
    merger *m = c->m;
    const hectic_header *header = hectic_decoder_header(decoder);
    size_t length;
    hectic_header_bytes(header, &length);
    const uint64_t begin = hectic_decoder_position(decoder) - length;
    if (c->source) {
        c->source->end = begin;
        end_section(c);
    }
    if (!grow(m) || !keep_header(m, header)) {
        m->failure->error.kind = HECTIC_NO_MEMORY;
        return false;
    }
    c->source = &m->sources[m->count++];
    c->run = &m->runs[m->run_count];
    c->numbering = &m->numbering[m->run_count];
    *c->source = (source){.of_log = c->log,
                          .run = m->run_count++,
                          .header = m->header_count - 1,
                          .begin = begin,
                          .end = UINT64_MAX,
                          .first_time = UINT64_MAX};
    *c->run = (run){.log = c->log, .section = c->sections++, .first_time = UINT64_MAX};
    *c->numbering = (numbering){.shifted_stop_status = hectic_header_shifted_stop_status(header)};
    return true;
}

static bool scan_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    scan *c = self;
    if (result == HECTIC_ERROR) c->m->failure->error = *hectic_decoder_error(decoder);
    if (result == HECTIC_HEADER) return take_header(c, decoder);
    if (result == HECTIC_COMPLETE) return c->source->has_end = true;
    if (result != HECTIC_GOT_EVENT) return false;
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && event->declared->shape) return true;
    if (event->time < c->source->first_time) c->source->first_time = event->time;
    if (event->time > c->source->last_time) c->source->last_time = event->time;
    if (event->type == HECTIC_EVENT_WALL_CLOCK_TIME) note_wall_clock(c->run, event);
    if (event->type == HECTIC_EVENT_OSPROCESS_PID) note_pid(c->run, event);
    if (event->type == HECTIC_EVENT_CAPSET_CREATE) note_process(c->run, event);
    uint32_t deleted;
    if (event->type == HECTIC_EVENT_CAPSET_DELETE && hectic_read_capset(event, &deleted))
        c->run->has_end |= deleted == c->run->process;
    numbering_note(c->numbering, event);
    return true;
}

static hectic_merge_result scan_log(merger *m, size_t log)
{
    hectic_error *error = &m->failure->error;
    scan c = {.m = m, .log = log};
    static const struct pass_consumer consumer = {.item = scan_item};
    hectic_decoder *decoder = hectic_decoder_new();
    if (!decoder) return fail_kind(m, log, HECTIC_NO_MEMORY);
    hectic_merge_result result = HECTIC_MERGED;
    if (!hectic_input_make_random(m->inputs[log], error) ||
        pass_input(m->inputs[log], decoder, &consumer, &c, error) != PASS_DONE)
        result = fail(m, HECTIC_MERGE_READ_FAILED, log, 0);
    else if (!c.source) {
        size_t length;
        hectic_decoder_tail(decoder, &length);
        result = fail_kind(m, log, HECTIC_HEADER_TRUNCATED);
        error->number = length;
    } else
        end_section(&c);
    hectic_decoder_free(decoder);
    return result;
}

/* --- Times ---------------------------------------------------------------------------------- */

/* If times are changed, each run begins with its process: see write_start. */
static void name_processes(merger *m)
{
    for (size_t i = 0; i < m->count; i++) {
        source *s = &m->sources[i];
        run *r = &m->runs[s->run];
        range *capsets = &m->numbering[s->run].used[HECTIC_UNIT_CAPSET];
        s->is_last = (i + 1 == m->count || m->sources[i + 1].run != s->run) && !r->has_end;
        if (i > 0 && m->sources[i - 1].run == s->run) continue;
        r->is_nameless = !r->has_process;
        if (!capsets->any) *capsets = (range){.any = true};
        if (r->is_nameless) r->process = (uint32_t)capsets->least; /* as the runtime does */
        s->is_first = !r->has_start;
    }
}

/* Runs are only moved to later times, so that none becomes negative. */
static hectic_merge_result align(merger *m, hectic_alignment alignment)
{
    int64_t earliest = INT64_MAX;
    uint64_t latest_start = 0;
    for (size_t i = 0; i < m->run_count; i++) {
        const run *r = &m->runs[i];
        if (alignment == HECTIC_ALIGN_WALL_CLOCK && !r->has_wall_clock)
            return fail_run(m, HECTIC_MERGE_NO_WALL_CLOCK, i);
        if (r->wall_clock < earliest) earliest = r->wall_clock;
        if (r->first_time != UINT64_MAX && r->first_time > latest_start)
            latest_start = r->first_time;
    }
    for (size_t i = 0; i < m->run_count; i++) {
        const run *r = &m->runs[i];
        uint64_t *shift = &m->numbering[i].time_shift;
        if (alignment == HECTIC_ALIGN_WALL_CLOCK)
            *shift = (uint64_t)r->wall_clock - (uint64_t)earliest;
        if (alignment == HECTIC_ALIGN_START && r->first_time != UINT64_MAX)
            *shift = latest_start - r->first_time;
    }
    return HECTIC_MERGED;
}

/* --- The second pass ------------------------------------------------------------------------ */

/* Reads the source's next event, with its new time. False: the end, or a failure. */
static bool advance(merger *m, source *s, hectic_merge_result *result)
{
    hectic_result got;
    do
        got = hectic_log_next(s->log, &s->event);
    while (got == HECTIC_GOT_EVENT && s->event.type == HECTIC_EVENT_BLOCK_MARKER &&
           s->event.declared->shape);
    s->event.position += s->begin;
    if (got == HECTIC_ERROR) {
        m->failure->error = *hectic_log_error(s->log);
        m->failure->error.position += s->begin;
        *result = fail(m, HECTIC_MERGE_READ_FAILED, s->of_log, 0);
    }
    s->is_last = s->is_last && (got == HECTIC_GOT_EVENT || got == HECTIC_COMPLETE);
    return got == HECTIC_GOT_EVENT;
}

static bool before(const merger *m, size_t a, size_t b)
{
    const source *s = &m->sources[a], *t = &m->sources[b];
    const uint64_t x = numbering_time(&m->numbering[s->run], s->event.time);
    const uint64_t y = numbering_time(&m->numbering[t->run], t->event.time);
    return x != y ? x < y : a < b;
}

/* Sifts down entry i of the heap. */
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

/* Writes the next event of a section, converted for the merged log. */
static bool write_event(merger *m, const source *s)
{
    hectic_event event = s->event;
    size_t count;
    const hectic_event_type *types = hectic_header_types(hectic_log_header(s->log), &count);
    if (event.size > 0) memcpy(m->payload, event.payload, event.size);
    numbering_apply(m->numbering, m->run_count, s->run, &event, m->payload);
    event.declared = m->merged_headers.type[s->header][event.declared - types];
    event.type = event.declared->number;
    event.payload = m->payload;
    if (event.declared->size != HECTIC_VARIABLE && event.declared->size > event.size) {
        memset(m->payload + event.size, 0, (size_t)event.declared->size - event.size);
        event.size = event.declared->size;
    }
    uint16_t cap;
    if (!window_event(m->window, s->run, &event)) return false;
    /* Without an end marker, events of the cap may be missing. */
    if (s->has_end && event.type == HECTIC_EVENT_CAP_DELETE && hectic_read_cap(&event, &cap))
        window_end_cap(m->window, cap, event.time);
    return true;
}

/* Writes an assignment to the capset of the run's process. */
static bool write_capset(merger *m, const source *s, uint64_t time, uint16_t type, uint16_t number)
{
    const hectic_event_type *declared = hectic_header_type(m->merged_headers.header, type);
    if (!declared || !declared->shape) return true;
    hectic_event event = {.time = time,
                          .payload = m->payload,
                          .declared = declared,
                          .type = type,
                          .size = (uint16_t)declared->shape->size,
                          .cap = HECTIC_CAP_NONE,
                          .position = s->begin};
    hectic_value value[HECTIC_MAX_FIELDS]; /* the capset, and its type or cap, if it has one */
    const size_t fields = hectic_shape_walk(declared->shape, m->payload, event.size, value, NULL);
    if (fields > 0) field_set(m->payload, &value[0], m->runs[s->run].process);
    if (fields > 1) field_set(m->payload, &value[1], number);
    numbering_apply(m->numbering, m->run_count, s->run, &event, m->payload);
    return window_event(m->window, s->run, &event);
}

/* Creates the run's process at the time when its clock was 0, which nothing else records. The log's
 * own CAPSET_CREATE follows later. A log without a process (of an old runtime, or of a killed
 * program) gets a capset for its caps. */
static bool write_start(merger *m, const source *s)
{
    enum { OS_PROCESS = 2 };
    const range *caps = &m->numbering[s->run].used[HECTIC_UNIT_CAP];
    if (!write_capset(m, s, 0, HECTIC_EVENT_CAPSET_CREATE, OS_PROCESS)) return false;
    if (!m->runs[s->run].is_nameless) return true;
    bool written = write_capset(m, s, 0, HECTIC_EVENT_CAPSET_CREATE, OS_PROCESS);
    for (uint64_t cap = caps->least; caps->any && cap <= caps->most && written; cap++)
        written = write_capset(m, s, 0, HECTIC_EVENT_CAPSET_ASSIGN_CAP, (uint16_t)cap);
    return written;
}

/* The end marker of a log implies the end of its process. The runtime sometimes does not log the
 * latter. */
static bool write_end(merger *m, const source *s)
{
    return write_capset(m, s, s->last_time, HECTIC_EVENT_CAPSET_DELETE, 0);
}

/* Opens the section, which begins now. */
static hectic_merge_result open_source(merger *m, source *s)
{
    enum { FEW = 4 };
    /* For many logs, threads that read ahead have no benefit. */
    const hectic_log_options options = {.threads = m->count > FEW ? 1 : 0, .has_no_counts = true};
    hectic_error *error = &m->failure->error;
    hectic_input *part = input_part(m->inputs[s->of_log], s->begin, s->end, error);
    if (part) s->log = hectic_log_open(part, &options, error);
    if (!s->log) return fail(m, HECTIC_MERGE_READ_FAILED, s->of_log, 0);
    hectic_event header;
    hectic_log_next(s->log, &header);
    if (s->is_first && !write_start(m, s)) return HECTIC_MERGE_WRITE_FAILED;
    return HECTIC_MERGED;
}

static hectic_merge_result merge_events(merger *m)
{
    hectic_merge_result result = HECTIC_MERGED;
    for (size_t i = 0; i < m->count; i++) {
        source *s = &m->sources[i];
        s->event.time = s->is_first ? 0 : s->first_time;
        if (s->first_time <= s->last_time) m->heap[m->heap_count++] = i;
    }
    for (size_t i = m->heap_count; i-- > 0;)
        sink(m, i);
    while (m->heap_count > 0 && result == HECTIC_MERGED) {
        source *first = &m->sources[m->heap[0]];
        if (!first->log)
            result = open_source(m, first);
        else if (!write_event(m, first))
            return HECTIC_MERGE_WRITE_FAILED;
        if (result == HECTIC_MERGED && !advance(m, first, &result)) {
            if (first->is_last && !write_end(m, first)) return HECTIC_MERGE_WRITE_FAILED;
            hectic_log_free(first->log);
            first->log = NULL;
            m->heap[0] = m->heap[--m->heap_count];
        }
        sink(m, 0);
    }
    return result;
}

static hectic_merge_result write_log(merger *m, hectic_writer *writer)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(m->merged_headers.header, &count);
    m->window =
        window_new(writer, hectic_header_type(m->merged_headers.header, HECTIC_EVENT_BLOCK_MARKER),
                   m->run_count);
    m->payload = malloc(UINT16_MAX);
    m->heap = calloc(m->count + 1, sizeof *m->heap);
    if (!m->window || !m->payload || !m->heap) return fail_kind(m, 0, HECTIC_NO_MEMORY);
    if (!hectic_writer_header(writer, types, count)) return HECTIC_MERGE_WRITE_FAILED;
    const hectic_merge_result result = merge_events(m);
    if (result != HECTIC_MERGED) return result;
    bool has_end = true; /* all events are known only if those of all sections are */
    for (size_t i = 0; i < m->count; i++)
        has_end = has_end && m->sources[i].has_end;
    const bool written = window_flush(m->window) && (!has_end || hectic_writer_data_end(writer)) &&
                         hectic_writer_flush(writer);
    return written ? HECTIC_MERGED : HECTIC_MERGE_WRITE_FAILED;
}

/* Reports damaged compressed data, which end a log early; logs with other damage are not merged. */
static void report_damage(const merger *m)
{
    for (size_t i = m->logs; i-- > 0;) {
        const hectic_error *damage = hectic_input_damage(m->inputs[i]);
        if (damage->kind != HECTIC_OK)
            *m->failure = (hectic_merge_failure){.log = i, .error = *damage};
    }
}

/* --- The whole merge ------------------------------------------------------------------------ */

static hectic_merge_result merge_headers(merger *m)
{
    const hectic_header **headers = calloc(m->header_count + 1, sizeof *headers);
    for (size_t i = 0; headers && i < m->header_count; i++)
        headers[i] = m->headers[i];
    const bool done = headers && merge_header_types(&m->merged_headers, headers, m->header_count);
    free(headers);
    return done ? HECTIC_MERGED : fail_kind(m, 0, HECTIC_NO_MEMORY);
}

static hectic_merge_result prepare(merger *m, hectic_alignment alignment)
{
    for (size_t i = 0; i < m->logs; i++) {
        const hectic_merge_result result = scan_log(m, i);
        if (result != HECTIC_MERGED) return result;
    }
    const hectic_merge_result aligned = align(m, alignment);
    if (aligned != HECTIC_MERGED) return aligned;
    if (alignment != HECTIC_ALIGN_NONE) name_processes(m);
    size_t run;
    if (!numbering_plan(m->numbering, m->run_count, &run, &m->failure->unit))
        return fail_run(m, HECTIC_MERGE_NO_NUMBERS, run);
    return merge_headers(m);
}

static void clear(merger *m)
{
    for (size_t i = 0; i < m->count; i++)
        hectic_log_free(m->sources[i].log);
    for (size_t i = 0; i < m->header_count; i++)
        hectic_header_free(m->headers[i]);
    free(m->headers);
    merged_headers_clear(&m->merged_headers);
    window_free(m->window);
    free(m->payload);
    free(m->heap);
    free(m->numbering);
    free(m->runs);
    free(m->sources);
}

hectic_merge_result hectic_merge(hectic_input *const *inputs, size_t count,
                                 hectic_alignment alignment, hectic_write write, void *write_user,
                                 hectic_merge_failure *failure)
{
    *failure = (hectic_merge_failure){0};
    merger m = {.inputs = inputs, .logs = count, .failure = failure};
    hectic_writer *writer = hectic_writer_new(0, write, write_user);
    hectic_merge_result result =
        writer ? prepare(&m, alignment) : fail_kind(&m, 0, HECTIC_NO_MEMORY);
    if (result == HECTIC_MERGED) result = write_log(&m, writer);
    if (result == HECTIC_MERGED) report_damage(&m);
    hectic_writer_free(writer);
    clear(&m);
    for (size_t i = 0; i < count; i++)
        hectic_input_free(inputs[i]);
    return result;
}
