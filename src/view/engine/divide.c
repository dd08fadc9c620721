/* divide.c — the sections of the processes of a merged log: divides the events of a section of the
 * log among them, as facts/processes.h does. */
#include "view/engine/engine.h"

#include "base/array.h"
#include "read/decode/run.h"
#include "timeline/excerpt.h"
#include "view/engine/job.h"
#include "view/engine/marks.h"

#include <hectic/catalogue.h>
#include <hectic/header.h>
#include <hectic/read_events.h>

#include <stdlib.h>

/* A CAP_CREATE precedes the assignment of the cap to a process. */
struct waiting_cap {
    uint16_t number;
    struct timeline_chunk chunk;
};

void divide_free(hectic_view *v)
{
    hectic_processes_free(v->dividing.processes);
    free(v->dividing.cap);
    cap_times_clear(&v->dividing.written);
    cap_times_clear(&v->dividing.lost_caps);
    v->dividing = (struct dividing){0};
}

/* --- Sections -------------------------------------------------------------------------------- */

static bool is_dividing(const hectic_view *v)
{
    return v->dividing.processes && !v->is_ignored;
}

/* Adds a section with the header of the decoder. False: failed. */
static bool add_section(hectic_view *v)
{
    size_t length;
    hectic_error error;
    struct section section = {.number = v->dividing.number, .timeline = hectic_timeline_new()};
    const uint8_t *bytes = hectic_header_bytes(hectic_decoder_header(v->decoder), &length);
    if (section.timeline && hectic_header_parse(&section.header, bytes, length, &error) == length) {
        section.timeline->header = section.header;
        section.timeline->spans.sums /=
            (v->sections + 1) * (v->sections + 1); /* all: not twice as many */
        v->section[v->sections++] = section;
        return true;
    }
    hectic_timeline_free(section.timeline);
    hectic_header_free(section.header);
    return view_fail(v, "out of memory");
}

static size_t caps_of(const hectic_view *v)
{
    size_t caps = 0;
    for (size_t i = 0; i < v->sections; i++)
        caps += hectic_timeline_caps(v->section[i].timeline);
    return caps;
}

struct section *divide_only(hectic_view *v)
{
    return is_dividing(v) && hectic_processes_count(v->dividing.processes) == 1
               ? &v->section[v->dividing.first]
               : NULL;
}

bool divide_was_wrong(const hectic_view *v)
{
    const struct dividing *d = &v->dividing;
    return d->was_parallel && (hectic_processes_count(d->processes) > 1 ||
                               v->section[d->first].timeline->titles.has_several);
}

void divide_complete(hectic_view *v)
{
    const bool is_only = divide_only(v);
    v->dividing.is_whole = true;
    for (size_t i = v->dividing.first; is_dividing(v) && i < v->sections; i++)
        if (is_only || v->section[i].process.has_ended)
            hectic_stat_end(v->section[i].timeline->stat);
}

/* --- What a log covers that was cut ---------------------------------------------------------- */

/* When the cap was deleted: it has no later events. UINT64_MAX: it was not. */
static uint64_t end_of_cap(const hectic_view *v, uint16_t cap)
{
    for (size_t i = v->dividing.first; i < v->sections; i++) {
        const hectic_stat *stat = v->section[i].timeline->stat;
        const uint32_t index = stat->index[cap];
        if (index > 0 && stat->cap[index - 1]->deleted < UINT64_MAX)
            return stat->cap[index - 1]->deleted;
    }
    return UINT64_MAX;
}

bool divide_note_block(hectic_view *v, uint16_t cap, uint64_t end)
{
    return cap == HECTIC_CAP_NONE || (cap_times_raise_one(&v->dividing.written, cap, end) &&
                                      cap_times_raise_one(&v->dividing.lost_caps, cap, end));
}

/* The cap has an event at that time. */
static void note_event(struct dividing *d, uint16_t cap, uint64_t time)
{
    reach_event(&d->reach, cap, time);
    if (time > d->last) d->last = time;
}

/* At the end of a block. False: out of memory. */
static bool end_block(hectic_view *v, uint64_t position)
{
    struct dividing *d = &v->dividing;
    const uint16_t cap = d->reach.cap;
    return divide_note_block(v, cap, reach_end(&d->reach, position));
}

/* At a block marker. False: out of memory. */
static bool begin_block(hectic_view *v, const hectic_event *marker)
{
    hectic_event_block_marker fields = {0};
    hectic_read_block_marker(marker, &fields);
    if (!end_block(v, marker->position)) return false;
    reach_begin(&v->dividing.reach, marker->position, marker->time, &fields);
    return true;
}

static uint64_t last_of(const struct section *section)
{
    return section->timeline->stat->last;
}

/* Up to which time all caps are in the log: as hectic_section.covered_to. */
static uint64_t covered_to(hectic_view *v)
{
    const struct dividing *d = &v->dividing;
    uint64_t earliest = UINT64_MAX, first = UINT64_MAX, last = d->last;
    for (uint32_t i = 0; i < d->written.count; i++) {
        const cap_time written = d->written.of[i];
        if (written.time < earliest && written.time < end_of_cap(v, written.cap))
            earliest = written.time;
    }
    for (size_t i = d->first; i < v->sections; i++) {
        if (last_of(&v->section[i]) > last) last = last_of(&v->section[i]);
        if (v->section[i].timeline->stat->first < first)
            first = v->section[i].timeline->stat->first;
    }
    if (earliest < first) earliest = first;
    return earliest < last ? earliest : last;
}

bool divide_is_behind(const hectic_view *v, const struct section *section)
{
    const hectic_stat *stat = section->timeline->stat;
    if (!v->grows || stat->is_final) return false;
    for (size_t i = 0; i < stat->caps; i++) {
        const struct stat_cap *cap = stat->cap[i];
        const uint64_t end = cap->deleted < stat->last ? cap->deleted : stat->last;
        uint64_t known = cap->time, written;
        if (cap_times_get(&v->dividing.written, cap->number, &written) && written > known)
            known = written;
        if (cap->exists && known < end && end - known > (stat->last - stat->first) / 10)
            return true;
    }
    return false;
}

/* Caps with blocks exist, also without events that are known to be of the section's process. */
static void note_caps(const struct dividing *d, const hectic_stat *stat)
{
    for (size_t i = 0; i < stat->caps; i++)
        if (per_cap_get(&d->written.place, stat->cap[i]->number) > 0) stat->cap[i]->exists = true;
}

/* What was made of the section so far may have later events: it is made anew. */
static void cut(hectic_view *v, struct section *section, uint64_t time)
{
    hectic_timeline_cut(section->timeline, time);
    marks_free(section->marks);
    marks_free(section->next_marks);
    section->marks = section->next_marks = NULL;
    jobs_free(v);
}

static bool end_lost(hectic_view *v, uint64_t position, uint64_t next);

/* The section ends at `position`. False: failed. */
static bool end_section(hectic_view *v, uint64_t position)
{
    if (!is_dividing(v)) return true;
    if (!end_lost(v, position, 0) || !end_block(v, position)) return false;
    const bool is_whole = v->dividing.is_whole;
    const uint64_t covered = is_whole ? 0 : covered_to(v);
    for (size_t i = v->dividing.first; i < v->sections; i++) {
        struct section *section = &v->section[i];
        const uint64_t last = last_of(section);
        if (is_whole) {
            hectic_timeline_end(section->timeline);
        } else {
            note_caps(&v->dividing, section->timeline->stat);
            cut(v, section, last < covered ? last : covered);
        }
    }
    return true;
}

bool divide_end(hectic_view *v)
{
    size_t tail;
    hectic_decoder_tail(v->decoder, &tail);
    const uint64_t position = hectic_decoder_position(v->decoder);
    return end_section(v, v->dividing.is_lost ? position + tail : position);
}

bool divide_begin(hectic_view *v)
{
    const size_t number = v->dividing.number + 1;
    size_t length;
    hectic_header_bytes(hectic_decoder_header(v->decoder), &length);
    /* The header may be in a block. */
    if (!end_section(v, hectic_decoder_position(v->decoder) - length)) return false;
    divide_free(v);
    v->dividing = (struct dividing){.processes = hectic_processes_new(),
                                    .number = number,
                                    .first = v->sections,
                                    .reach.cap = HECTIC_CAP_NONE};
    v->is_ignored = v->sections == SECTIONS_MAX || caps_of(v) >= CAPS_MAX;
    if (!v->dividing.processes) return view_fail(v, "out of memory");
    return v->is_ignored || add_section(v);
}

/* NULL: it has none. */
static struct section *section_of(hectic_view *v, uint32_t process)
{
    return process < v->sections - v->dividing.first ? &v->section[v->dividing.first + process]
                                                     : NULL;
}

/* Makes sections for new processes, as far as there is room. False: failed. */
static bool add_sections(hectic_view *v)
{
    const size_t count = hectic_processes_count(v->dividing.processes);
    while (v->sections - v->dividing.first < count && v->sections < SECTIONS_MAX)
        if (!add_section(v)) return false;
    return true;
}

/* What has become known about a process. */
static void update(hectic_view *v, struct section *section, uint32_t process)
{
    section->process = hectic_processes_get(v->dividing.processes, process);
    if (section->process.has_start)
        hectic_stat_set_start(section->timeline->stat, section->process.start);
    if (hectic_processes_count(v->dividing.processes) == 1) return;
    section->is_process = v->section[v->dividing.first].is_process = true;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* The section of all events of a run; NULL: it must be found for each event. */
static struct section *section_of_run(hectic_view *v, uint16_t cap)
{
    if (hectic_processes_count(v->dividing.processes) == 1) return section_of(v, 0);
    if (cap == HECTIC_CAP_NONE) return NULL;
    return section_of(v, hectic_processes_of_cap(v->dividing.processes, cap));
}

static bool is_cap_creation(const hectic_event *event, uint16_t *number)
{
    return event->type == HECTIC_EVENT_CAP_CREATE && hectic_read_cap(event, number);
}

static bool wait_for_assignment(struct dividing *d, uint16_t number,
                                const struct timeline_chunk *chunk)
{
    size_t at = 0;
    while (at < d->waiting && d->cap[at].number != number)
        at++;
    if (!array_reserve(d->cap, d->capacity, at + 1)) return false;
    d->cap[at] = (struct waiting_cap){number, *chunk};
    if (at == d->waiting) d->waiting++;
    return true;
}

/* The CAP_CREATE of a cap that was assigned to the section's process. */
static bool take_held(struct dividing *d, hectic_timeline *t, const hectic_event *held)
{
    if (!hectic_stat_event(t->stat, held) || !excerpt_take_event(t->excerpt, held)) return false;
    uint16_t number;
    if (!hectic_read_cap(held, &number)) return true;
    for (size_t i = 0; i < d->waiting; i++) {
        if (d->cap[i].number != number) continue;
        d->cap[i].chunk.last = held->time;
        const bool done = chunks_insert(&t->chunks, &d->cap[i].chunk);
        d->cap[i] = d->cap[--d->waiting];
        return done;
    }
    return true;
}

/* Profiles name no process: unless only one runs, their events are shown with each (some are logged
 * after its end). They count nothing. */
static bool is_of_profile(const hectic_event *event)
{
    if (event->cap != HECTIC_CAP_NONE || !event->declared->shape) return false;
    switch (event->declared->shape->class_) {
    case HECTIC_CLASS_TICKY:
    case HECTIC_CLASS_HEAP_PROFILE:
    case HECTIC_CLASS_TIME_PROFILE:
    case HECTIC_CLASS_INFO_TABLE: return true;
    default: return false;
    }
}

static bool show_with_all(hectic_view *v, const hectic_event *event,
                          const struct timeline_chunk *chunk)
{
    for (size_t i = v->dividing.first; i < v->sections; i++)
        if (!timeline_show_event(v->section[i].timeline, event, chunk)) return false;
    return true;
}

static bool take(hectic_view *v, const hectic_event *event, const struct timeline_chunk *chunk)
{
    struct dividing *d = &v->dividing;
    uint32_t process;
    uint16_t number;
    if (!hectic_processes_event(d->processes, event, &process) || !add_sections(v)) return false;
    if (process == HECTIC_NO_PROCESS) {
        if (is_cap_creation(event, &number)) return wait_for_assignment(d, number, chunk);
        return !is_of_profile(event) || show_with_all(v, event, chunk);
    }
    struct section *section = section_of(v, process);
    if (!section) return true;
    update(v, section, process);
    const hectic_event *held = hectic_processes_held(d->processes);
    return (!held || take_held(d, section->timeline, held)) &&
           timeline_take_event(section->timeline, event, chunk);
}

/* --- Lost bytes ------------------------------------------------------------------------------ */

void divide_lose(hectic_view *v)
{
    const uint64_t position = hectic_decoder_position(v->decoder);
    struct dividing *d = &v->dividing;
    if (!is_dividing(v)) return;
    d->lost = lost_begin(position, hectic_decoder_block_remaining(v->decoder), &d->reach);
    d->is_lost = lost_is_told(hectic_decoder_header(v->decoder));
    end_block(v, position);
}

/* Takes a message as if it were in the log. */
static bool take_message(void *view, const struct lost_message *message)
{
    hectic_view *v = view;
    char text[LOST_TEXT];
    const uint16_t type = HECTIC_EVENT_LOG_MSG;
    const hectic_event event = {.time = message->time,
                                .position = v->dividing.lost.position,
                                .payload = (const uint8_t *)text,
                                .declared =
                                    hectic_header_type(hectic_decoder_header(v->decoder), type),
                                .type = type,
                                .size = lost_text(text, message->bytes),
                                .cap = message->cap};
    const struct timeline_chunk chunk = {.position = event.position,
                                         .first = event.time,
                                         .types = type_folded(type),
                                         .remaining = (int64_t)message->bytes,
                                         .cap = event.cap};
    if (event.time > v->dividing.last) v->dividing.last = event.time;
    return (event.cap == HECTIC_CAP_NONE ||
            cap_times_raise_one(&v->dividing.written, event.cap, event.time)) &&
           take(v, &event, &chunk);
}

/* The bytes that were lost last end at `position`. `next`: the time of a block that begins there,
 * or 0. False: failed. */
static bool end_lost(hectic_view *v, uint64_t position, uint64_t next)
{
    struct dividing *d = &v->dividing;
    if (!d->is_lost) return true;
    d->is_lost = false;
    return lost_messages(&d->lost, position, next, &d->lost_caps, take_message, v);
}

static bool is_block(const hectic_event *event)
{
    return event->type == HECTIC_EVENT_BLOCK_MARKER && event->declared->shape;
}

hectic_result divide_pull(hectic_view *v)
{
    hectic_event event;
    struct timeline_chunk chunk;
    hectic_result result = HECTIC_GOT_EVENT;
    while (!is_dividing(v) && result == HECTIC_GOT_EVENT)
        result = hectic_decoder_pull(v->decoder, &event);
    while (result == HECTIC_GOT_EVENT) {
        size_t length;
        const stepper *at;
        decoder_run(v->decoder, &length, &at);
        const uint16_t cap = at->cap;
        const struct section *section = length > 0 ? section_of_run(v, cap) : NULL;
        if (section && !timeline_take_run(section->timeline, v->decoder)) break;
        if (section) reach_event(&v->dividing.reach, cap, stat_time(section->timeline->stat, cap));
        result = timeline_next(v->decoder, &event, &chunk);
        if (result != HECTIC_GOT_EVENT) break;
        if (!end_lost(v, event.position, is_block(&event) ? event.time : 0)) break;
        if (is_block(&event) && !begin_block(v, &event)) break;
        note_event(&v->dividing, event.cap, event.time);
        if (!take(v, &event, &chunk)) break;
    }
    return result;
}
