/* reading.c — see reading.h. */
#include "results/reading.h"

#include "numbers/saturating.h"
#include "read/joint_pass.h"
#include "read/survey.h"

#include <stdlib.h>
#include <string.h>

static bool is_between(const struct interval *interval, uint64_t first, uint64_t last)
{
    return interval->from < interval->to && first < interval->to && last >= interval->from;
}

static bool is_in_interval(const struct reading *reading)
{
    const hectic_section *section = reading_section(reading);
    return section->events > 0 &&
           is_between(&reading->interval, section->first_time, section->covered_to);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- Processes ------------------------------------------------------------------------------- */

/* The part with that number, created if it is new. NULL: no memory. */
static struct reading_part *part_at(struct reading_parts *parts, uint32_t number)
{
    while (parts->count <= number) {
        if ((parts->count & (parts->count - 1)) == 0) {
            struct reading_part *grown =
                realloc(parts->part, (2 * (size_t)parts->count + 1) * sizeof *grown);
            if (!grown) return NULL;
            parts->part = grown;
        }
        parts->part[parts->count++] =
            (struct reading_part){.first = UINT64_MAX, .created = UINT64_MAX};
    }
    return &parts->part[number];
}

static bool note_event(struct reading_parts *parts, hectic_processes *processes,
                       const hectic_event *event)
{
    uint32_t number;
    if (!hectic_processes_event(processes, event, &number)) return false;
    if (number == HECTIC_NO_PROCESS) return true;
    struct reading_part *part = part_at(parts, number);
    if (!part) return false;
    if (event->time < part->first) part->first = event->time;
    if (event->time > part->last) part->last = event->time;
    const hectic_event *held = hectic_processes_held(processes);
    if (!held && (event->type == HECTIC_EVENT_CAP_CREATE || event->type == HECTIC_EVENT_STARTUP))
        held = event;
    if (held && held->time < part->created) part->created = held->time;
    if (event->type < 256) part->types[event->type / 64] |= UINT64_C(1) << event->type % 64;
    return true;
}

/* Chooses which processes of the section are analyzed. */
static void choose(struct reading *reading, struct reading_parts *parts,
                   const hectic_processes *processes, const struct process_choice *choice)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        struct reading_part *part = &parts->part[i];
        part->process = hectic_processes_get(processes, i);
        part->slot = READING_PROCESSES;
        if (chosen < READING_PROCESSES && process_is_chosen(choice, processes, i))
            part->slot = chosen++;
    }
    reading->several = reading->several || chosen > 1;
    if (chosen > 0) reading->unmatched = false;
}

/* Of the last section it is known which caps it lacks, of others only whether it lacks any. */
static void find_lacking(const struct reading *reading, const struct log_section *section,
                         struct reading_parts *parts, const hectic_processes *processes)
{
    const bool is_last = section->number == reading->sections;
    for (uint32_t i = 0; i < parts->count; i++)
        parts->part[i].lacks_caps =
            is_last && parts->count > 1
                ? !section->found->complete && parts->part[i].created > section->found->covered_to
                : section->found->lacks_caps;
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE && is_last && parts->count > 1; cap++) {
        const uint32_t number = hectic_processes_of_cap(processes, (uint16_t)cap);
        if (number < parts->count && log_lacks_cap(reading->log, (uint16_t)cap))
            parts->part[number].lacks_caps = true;
    }
}

/* A pass that finds processes. */
struct search {
    struct reading *reading;
    const struct process_choice *choice;
    hectic_processes *processes; /* of the section */
};

static pass_next begin_search(void *self, const struct log_section *section)
{
    struct search *search = self;
    search->reading->section = section->number;
    search->processes = hectic_processes_new();
    return search->processes ? PASS_ON : PASS_STOP;
}

static pass_next search_events(void *self, const hectic_event *event, size_t count)
{
    const struct search *search = self;
    struct reading_parts *parts = &search->reading->parts[search->reading->section - 1];
    for (size_t i = 0; i < count; i++)
        if (!note_event(parts, search->processes, &event[i])) return PASS_STOP;
    return PASS_ON;
}

static bool end_search(void *self, const struct log_section *section)
{
    struct search *search = self;
    struct reading *reading = search->reading;
    struct reading_parts *parts = &reading->parts[reading->section - 1];
    choose(reading, parts, search->processes, search->choice);
    find_lacking(reading, section, parts, search->processes);
    if (reading->unmatched && !reading->unchosen)
        reading->unchosen = search->processes;
    else
        hectic_processes_free(search->processes);
    search->processes = NULL;
    return true;
}

static bool find_processes(struct reading *reading, const struct process_choice *choice)
{
    static const struct time_consumer consumer = {
        .begin = begin_search, .events = search_events, .end = end_search};
    struct search search = {.reading = reading, .choice = choice};
    hectic_processes *several;
    if (!log_several_processes(reading->log, &several)) return false;
    const bool is_alone = !several;
    hectic_processes_free(several);
    if (!choice->is_set && is_alone) return true;
    reading->several = !choice->is_set;
    reading->unmatched = choice->is_set;
    reading->sections = hectic_log_survey(reading->log)->sections;
    reading->parts = calloc(reading->sections, sizeof *reading->parts);
    if (!reading->parts) return reading->sections = 0, false;
    /* A process lives to its last event, also of one after the interval. */
    log_read_on(reading->log);
    reading->last = time_pass(reading->log, &consumer, &search);
    hectic_processes_free(search.processes);
    return reading->last != HECTIC_GOT_EVENT;
}

static bool has_type(const struct reading_part *part, uint16_t type)
{
    return type < 256 && part->types[type / 64] >> type % 64 & 1;
}

bool reading_has_type(const struct reading *reading, uint16_t type)
{
    return reading->sections > 0 ? has_type(reading->part, type)
                                 : hectic_log_survey(reading->log)->count[type] > 0;
}

/* --- Slices ---------------------------------------------------------------------------------- */

/* A pass over the log, for a reader. */
struct pass {
    struct reading *reading;
    const struct reader *reader;
    size_t size;               /* of what the reader keeps for a process */
    char *kept;                /* for each process */
    struct reading_part *part; /* of the section */
    uint32_t parts;
    hectic_processes *processes; /* NULL: they are not separated */
};

/* The reading, for the callbacks about a process. */
static const struct reading *at(const struct pass *pass, const struct reading_part *part)
{
    pass->reading->part = part;
    pass->reading->kept = pass->kept + part->slot * pass->size;
    return pass->reading;
}

static bool begin_slice(const struct pass *pass, struct reading_part *part, uint64_t from)
{
    const struct reader *reader = pass->reader;
    part->in_slice = true;
    part->slice = from;
    part->slice_end = slice_end(from, reader->every, pass->reading->interval.to);
    return !reader->begin_slice || reader->begin_slice(at(pass, part), from);
}

/* Turns to the slice of a time in the interval, or at its end. */
static bool turn_to_slice(const struct pass *pass, struct reading_part *part, uint64_t time)
{
    const struct interval *interval = &pass->reading->interval;
    const uint64_t first = slice_of(interval->from, pass->reader->every, part->first);
    bool done = part->in_slice || begin_slice(pass, part, first);
    while (done && part->slice_end <= time && part->slice_end < interval->to)
        done = pass->reader->end_slice(at(pass, part), part->slice, part->slice_end) &&
               begin_slice(pass, part, part->slice_end);
    return done;
}

/* Passes events of a process to the reader, and ends the slices between them. */
static bool give_in_slices(const struct pass *pass, struct reading_part *part,
                           const hectic_event *event, size_t count)
{
    const uint64_t from = pass->reading->interval.from;
    bool done = true;
    for (size_t n; count > 0 && done; event += n, count -= n) {
        if (event->time >= from) done = turn_to_slice(pass, part, event->time);
        n = events_until(event, count, (event->time >= from ? part->slice_end : from) - 1);
        done = done && pass->reader->events(at(pass, part), event, n);
    }
    return done;
}

/* --- Sections -------------------------------------------------------------------------------- */

static bool are_settled(const struct pass *pass)
{
    const struct reader *reader = pass->reader;
    bool settled = true;
    for (uint32_t i = 0; i < pass->parts && settled && reader->is_settled; i++)
        settled = !pass->part[i].begun || reader->is_settled(at(pass, &pass->part[i]));
    return settled;
}

static bool begin_part(const struct pass *pass, struct reading_part *part)
{
    part->begun = true;
    part->in_slice = false;
    return pass->reader->begin(at(pass, part));
}

/* Passes events to the reader of their process. */
static bool give(const struct pass *pass, uint32_t number, const hectic_event *event, size_t count)
{
    struct reading *reading = pass->reading;
    struct reading_part *part = number < pass->parts ? &pass->part[number] : NULL;
    if (!part || part->slot == READING_PROCESSES) {
        for (size_t i = 0; i < count && reading->several; i++)
            reading->left_out +=
                event[i].cap != HECTIC_CAP_NONE || event[i].type == HECTIC_EVENT_LOG_MSG;
        return true;
    }
    if (!is_between(&reading->interval, part->first, part->last)) return true;
    if (!part->begun && !begin_part(pass, part)) return false;
    return pass->reader->end_slice ? give_in_slices(pass, part, event, count)
                                   : pass->reader->events(at(pass, part), event, count);
}

/* Divides events into runs of one process. */
static bool take_events(const struct pass *pass, const hectic_event *event, size_t count)
{
    uint32_t number = 0, process = 0; /* of the next event, of the run */
    size_t begin = 0;
    for (size_t i = 0; i < count && pass->processes; i++, process = number) {
        if (!hectic_processes_event(pass->processes, &event[i], &number)) return false;
        const hectic_event *held = hectic_processes_held(pass->processes);
        if (number == process && !held) continue;
        if (i > begin && !give(pass, process, event + begin, i - begin)) return false;
        if (held && !give(pass, number, held, 1)) return false;
        begin = i;
    }
    return give(pass, process, event + begin, count - begin);
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct pass *pass = self;
    struct reading *reading = pass->reading;
    reading->section = section->number;
    reading->found = section->found;
    reading->header = section->header;
    if (!is_in_interval(reading)) return PASS_SKIP;
    reading->whole = (struct reading_part){.first = section->found->first_time,
                                           .last = section->found->last_time};
    pass->part = &reading->whole;
    pass->parts = 1;
    if (reading->sections == 0) return begin_part(pass, pass->part) ? PASS_ON : PASS_STOP;
    pass->part = reading->parts[section->number - 1].part;
    pass->parts = reading->parts[section->number - 1].count;
    for (uint32_t i = 0; i < pass->parts; i++)
        pass->part[i].begun = false;
    pass->processes = hectic_processes_new();
    return pass->processes ? PASS_ON : PASS_STOP;
}

static pass_next section_events(void *self, const hectic_event *event, size_t count)
{
    const struct pass *pass = self;
    const struct reading *reading = pass->reading;
    const size_t covered = events_until(event, count, reading_section(reading)->covered_to);
    size_t n = events_until(event, covered, reading->interval.to - 1);
    if (reading->is_cancelled && reading->is_cancelled(reading->cancel_user)) return PASS_STOP;
    if (n > 0 && !take_events(pass, event, n)) return PASS_STOP;
    for (; n < covered && !are_settled(pass); n++)
        if (!take_events(pass, event + n, 1)) return PASS_STOP;
    return n < count ? PASS_SKIP : PASS_ON;
}

/* The section ends at its last event, or with the interval. */
static bool end_section(void *self, const struct log_section *section)
{
    struct pass *pass = self;
    const struct reader *reader = pass->reader;
    const uint64_t end = earlier(section->found->covered_to, pass->reading->interval.to);
    bool done = true;
    for (uint32_t i = 0; i < pass->parts && done; i++) {
        struct reading_part *part = &pass->part[i];
        const uint64_t now = earlier(part->last, end);
        if (!part->begun) continue;
        if (reader->end_slice)
            done = turn_to_slice(pass, part, now) &&
                   reader->end_slice(at(pass, part), part->slice, earlier(part->slice_end, now));
        done = done && reader->end(at(pass, part), now);
    }
    hectic_processes_free(pass->processes);
    pass->processes = NULL;
    return done;
}

static void show_progress(void *self, double done)
{
    const struct reading *reading = ((struct pass *)self)->reading;
    if (reading->progress) reading->progress(reading->progress_user, done);
}

static bool read_all(struct reading *reading, const struct reader *reader, void *user)
{
    static const struct time_consumer consumer = {begin_section, section_events, end_section,
                                                  show_progress};
    const uint32_t slots = reading->sections > 0 ? READING_PROCESSES : 1;
    struct pass pass = {
        .reading = reading, .reader = reader, .size = reader->size ? reader->size : sizeof(void *)};
    pass.kept = calloc(slots, pass.size);
    if (!pass.kept) return false;
    reading->user = user;
    reading->last = reading->joint ? joint_pass_wait(reading->joint, &consumer, &pass)
                                   : time_pass(reading->log, &consumer, &pass);
    for (uint32_t i = 0; i < slots && reader->finish; i++)
        reader->finish(at(&pass, &(struct reading_part){.slot = i}));
    reading->part = &reading->whole;
    hectic_processes_free(pass.processes);
    free(pass.kept);
    return reading->last != HECTIC_GOT_EVENT;
}

bool reading_has_chosen_type(const struct reading *reading, uint16_t type)
{
    if (reading->sections == 0 || reading->several)
        return hectic_log_survey(reading->log)->count[type] > 0;
    for (size_t i = 0; i < reading->sections; i++)
        for (uint32_t j = 0; j < reading->parts[i].count; j++)
            if (reading->parts[i].part[j].slot < READING_PROCESSES &&
                has_type(&reading->parts[i].part[j], type))
                return true;
    return false;
}

void reading_close(struct reading *reading)
{
    for (size_t i = 0; i < reading->sections; i++)
        free(reading->parts[i].part);
    free(reading->parts);
    hectic_processes_free(reading->unchosen);
    hectic_log_free(reading->log);
}

static uint64_t duration_of(const struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    const bool is_one = reading->sections > 0 && !reading->several;
    uint64_t duration = 0;
    for (size_t i = 0; i < survey->sections && !is_one; i++)
        saturating_add(&duration,
                       interval_overlap(&reading->interval, survey->section[i].first_time,
                                        survey->section[i].covered_to));
    for (size_t i = 0; i < reading->sections && is_one; i++)
        for (uint32_t j = 0; j < reading->parts[i].count; j++) {
            const struct reading_part *part = &reading->parts[i].part[j];
            if (part->slot != READING_PROCESSES)
                saturating_add(&duration,
                               interval_overlap(&reading->interval, part->first, part->last));
        }
    return duration;
}

void reading_prepare(struct reading *reading)
{
    reading->all = read_all;
    reading->duration = duration_of(reading);
    reading->has_no_replay = hectic_log_survey(reading->log)->count[HECTIC_EVENT_SYNC] == 0;
}

bool reading_find_processes(struct reading *reading, const struct process_choice *choice)
{
    const bool done = find_processes(reading, choice);
    reading_prepare(reading);
    return done;
}
