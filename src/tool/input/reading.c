/* reading.c — see reading.h. */
#include "tool/input/reading.h"

#include "analysis/amount.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, enum reading_extent extent,
                 const struct output_settings *output)
{
    *reading = (struct reading){.path = path, .output = output, .last = HECTIC_GOT_EVENT};
    reading->progress = progress_start(output);
    progress_survey(&reading->progress);
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    const int code = interval_resolve(interval, input, path, &reading->interval);
    if (code != TOOL_OK) {
        hectic_input_free(input);
        return code;
    }
    const uint64_t from = reading->interval.from, to = reading->interval.to;
    const bool is_skipping = extent == READING_STATES && !interval->process.is_set;
    reading->log = is_skipping ? tool_log_open_interval(input, path, from, to, &reading->progress)
                               : tool_log_open(input, path, 0, extent == READING_TO_END ? 0 : to,
                                               &reading->progress);
    return reading->log ? TOOL_OK : TOOL_UNUSABLE;
}

/* The survey's entry for the section that is read. */
static const hectic_section *reading_section(const struct reading *reading)
{
    return &hectic_log_survey(reading->log)->section[reading->section - 1];
}

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

/* The end of what is read of the section: not beyond the time that the log covers. */
static uint64_t end_of_reading(const struct reading *reading)
{
    const uint64_t covered_to = reading_section(reading)->covered_to, to = reading->interval.to;
    return covered_to < to ? covered_to + 1 : to;
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
        parts->part[parts->count++] = (struct reading_part){.first = UINT64_MAX};
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
    if (choice->is_set && chosen == 0 && reading->unmatched && reading->section == 1)
        process_complain(choice, reading->path, processes);
}

static bool find_in_section(struct reading *reading, const struct process_choice *choice)
{
    hectic_processes *processes = hectic_processes_new();
    struct reading_parts parts = {0};
    struct reading_parts *grown =
        realloc(reading->parts, (reading->sections + 1) * sizeof *reading->parts);
    if (grown) reading->parts = grown;
    bool done = processes && grown;
    hectic_event event;
    while ((reading->last = hectic_log_next(reading->log, &event)) == HECTIC_GOT_EVENT)
        done = done && note_event(&parts, processes, &event);
    if (done) choose(reading, &parts, processes, choice);
    if (done)
        reading->parts[reading->sections++] = parts;
    else
        free(parts.part);
    hectic_processes_free(processes);
    return done;
}

bool reading_find_processes(struct reading *reading, const struct process_choice *choice)
{
    hectic_event none;
    bool done = true;
    if (!choice->is_set && !process_log_has_several(reading->log)) return true;
    reading->several = !choice->is_set;
    reading->unmatched = choice->is_set;
    hectic_log_rewind(reading->log);
    reading->section = 0;
    reading->last = hectic_log_next(reading->log, &none);
    while (done && reading->last == HECTIC_HEADER) {
        reading->section++;
        done = find_in_section(reading, choice);
    }
    return done;
}

static struct reading_parts *parts_of(const struct reading *reading)
{
    return reading->sections > 0 ? &reading->parts[reading->section - 1] : NULL;
}

size_t reading_cells(const struct reading *reading, struct cell *cells)
{
    static const hectic_process none;
    const hectic_process *process = reading->part ? &reading->part->process : &none;
    cells[0] = cell_number(reading->section);
    cells[1] = cell_if(process->has_capset, process->capset);
    cells[2] = cell_if(process->has_pid, process->pid);
    return READING_CELLS;
}

static bool has_type(const struct reading_part *part, uint16_t type)
{
    return type < 256 && part->types[type / 64] >> type % 64 & 1;
}

bool reading_has_type(const struct reading *reading, uint16_t type)
{
    return reading->part ? has_type(reading->part, type)
                         : hectic_log_survey(reading->log)->count[type] > 0;
}

/* --- Sections -------------------------------------------------------------------------------- */

/* Skips to the end of the section, if another one follows. */
static void skip_rest(struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    hectic_event event;
    reading->last = reading_section(reading)->complete ? HECTIC_COMPLETE : HECTIC_PARTIAL;
    while (reading->section < survey->sections &&
           (reading->last = hectic_log_next(reading->log, &event)) == HECTIC_GOT_EVENT)
        ;
}

/* A reader, for all processes of the current section. */
struct readers {
    struct reading *reading;
    const struct reader *reader;
    void *user;
    struct reading_parts *parts; /* NULL: processes are not separated */
};

static void turn_to(struct reading *reading, const struct reading_part *part)
{
    reading->part = part;
    reading->slot = part ? part->slot : 0;
}

static bool are_settled(const struct readers *r)
{
    if (!r->reader->is_settled) return true;
    if (!r->parts) return r->reader->is_settled(r->user);
    bool settled = true;
    for (uint32_t i = 0; i < r->parts->count && settled; i++) {
        turn_to(r->reading, &r->parts->part[i]);
        settled = !r->parts->part[i].begun || r->reader->is_settled(r->user);
    }
    return settled;
}

/* Passes an event to the reader of its process. */
static bool give(const struct readers *r, uint32_t number, const hectic_event *event)
{
    struct reading *reading = r->reading;
    struct reading_part *part = number < r->parts->count ? &r->parts->part[number] : NULL;
    if (!part || part->slot == READING_PROCESSES) {
        reading->left_out += reading->several &&
                             (event->cap != HECTIC_CAP_NONE || event->type == HECTIC_EVENT_LOG_MSG);
        return true;
    }
    if (!is_between(&reading->interval, part->first, part->last)) return true;
    turn_to(reading, part);
    if (!part->begun && !r->reader->begin(r->user, hectic_log_header(reading->log))) return false;
    part->begun = true;
    return r->reader->event(r->user, event);
}

static bool take_event(const struct readers *r, hectic_processes *processes,
                       const hectic_event *event)
{
    uint32_t number;
    if (!r->parts) return r->reader->event(r->user, event);
    if (!hectic_processes_event(processes, event, &number)) return false;
    const hectic_event *held = hectic_processes_held(processes);
    return (!held || give(r, number, held)) && give(r, number, event);
}

static bool read_events(const struct readers *r, hectic_processes *processes)
{
    struct reading *reading = r->reading;
    const uint64_t to = end_of_reading(reading);
    const uint64_t steps = hectic_log_survey(reading->log)->events;
    const hectic_event *event;
    size_t count;
    while ((reading->last = hectic_log_next_events(reading->log, &event, &count)) ==
           HECTIC_GOT_EVENT)
        for (size_t i = 0; i < count; i++) {
            if (event[i].time >= to && are_settled(r)) return skip_rest(reading), true;
            progress_step(&reading->progress, steps);
            if (!take_event(r, processes, &event[i])) return false;
        }
    return true;
}

static bool end_part(const struct readers *r, const struct reading_part *part, uint64_t last)
{
    const uint64_t covered_to = reading_section(r->reading)->covered_to;
    turn_to(r->reading, part);
    return r->reader->end(r->user, earlier(earlier(last, covered_to), r->reading->interval.to));
}

/* Reads the events of a section, which ends at its last event or with the interval. */
static bool read_section(struct reading *reading, const struct reader *reader, void *user)
{
    if (!is_in_interval(reading)) return skip_rest(reading), true;
    struct readers r = {reading, reader, user, parts_of(reading)};
    if (!r.parts) {
        turn_to(reading, NULL);
        return reader->begin(user, hectic_log_header(reading->log)) && read_events(&r, NULL) &&
               end_part(&r, NULL, reading_section(reading)->last_time);
    }
    hectic_processes *processes = hectic_processes_new();
    bool done = processes;
    for (uint32_t i = 0; i < r.parts->count; i++)
        r.parts->part[i].begun = false;
    done = done && read_events(&r, processes);
    for (uint32_t i = 0; i < r.parts->count && done; i++) {
        const struct reading_part *part = &r.parts->part[i];
        if (part->begun) done = end_part(&r, part, part->last);
    }
    hectic_processes_free(processes);
    return done;
}

bool reading_all(struct reading *reading, const struct reader *reader, void *user)
{
    hectic_event none; /* not set: the first result is a header */
    bool go_on = true;
    hectic_log_rewind(reading->log);
    progress_pass(&reading->progress);
    reading->section = 0;
    reading->last = hectic_log_next(reading->log, &none);
    while (go_on && reading->last == HECTIC_HEADER) {
        reading->section++;
        go_on = read_section(reading, reader, user);
    }
    progress_end(&reading->progress);
    return go_on;
}

int reading_report(const struct reading *reading)
{
    int code = tool_log_report(reading->log, reading->path, reading->last, reading->output);
    if (reading->left_out > 0)
        tool_message("%s: %" PRIu64 " events were ignored: their cap belongs to no process, or "
                     "to a process after the first %d",
                     tool_log_name(reading->path), reading->left_out, READING_PROCESSES);
    if (code != TOOL_UNUSABLE)
        tool_note_coverage(reading->log, reading->path, reading->interval.to, reading->output);
    if (code != TOOL_UNUSABLE && reading->unmatched) code = TOOL_DAMAGED;
    if (code != TOOL_UNUSABLE &&
        interval_check(&reading->interval, reading->log, reading->path) != TOOL_OK)
        code = TOOL_DAMAGED;
    return code;
}

/* In any of the chosen processes. */
static bool has_chosen_type(const struct reading *reading, uint16_t type)
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

bool reading_has(const struct reading *reading, const uint16_t *numbers, size_t count,
                 const char *what, const char *flag)
{
    for (size_t i = 0; i < count; i++)
        if (has_chosen_type(reading, numbers[i])) return true;
    const hectic_survey *survey = hectic_log_survey(reading->log);
    if (survey->section[survey->sections - 1].complete)
        tool_message("%s: the log has no events of %s (they need %s)", tool_log_name(reading->path),
                     what, flag);
    else
        tool_message("%s: the log has no events of %s; it was cut, and may have lost them",
                     tool_log_name(reading->path), what);
    return false;
}

void reading_close(struct reading *reading)
{
    for (size_t i = 0; i < reading->sections; i++)
        free(reading->parts[i].part);
    free(reading->parts);
    hectic_log_free(reading->log);
}

uint64_t reading_first_slice(const struct reading *reading, uint64_t every)
{
    const uint64_t from = reading->interval.from;
    const uint64_t first =
        reading->part ? reading->part->first : reading_section(reading)->first_time;
    return first > from ? from + (first - from) / every * every : from;
}

uint64_t reading_duration(const struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    const bool is_one = reading->sections > 0 && !reading->several;
    uint64_t duration = 0;
    for (size_t i = 0; i < survey->sections && !is_one; i++)
        amount_add(&duration, interval_overlap(&reading->interval, survey->section[i].first_time,
                                               survey->section[i].covered_to));
    for (size_t i = 0; i < reading->sections && is_one; i++)
        for (uint32_t j = 0; j < reading->parts[i].count; j++) {
            const struct reading_part *part = &reading->parts[i].part[j];
            if (part->slot != READING_PROCESSES)
                amount_add(&duration,
                           interval_overlap(&reading->interval, part->first, part->last));
        }
    return duration;
}
