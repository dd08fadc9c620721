/* parts.c — the statistics of each process of a merged log: reads the section from its beginning,
 * since the process of an event follows from earlier ones. */
#include "view/engine.h"

#include "report/stat_report.h"

#include <hectic/processes.h>

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = HECTIC_STAT_PARTS_MAX, TYPES = 256 };

struct part {
    hectic_process process;
    uint64_t first, last; /* ns: of its events */
    uint64_t types[TYPES / 64];
    /* While an answer is made: */
    hectic_stat *stat;
    hectic_stat_interval *interval;
};

/* The processes of the events before the end of an interval. */
struct parts {
    uint32_t count;
    struct part part[PARTS_MAX]; /* further ones are ignored */
};

/* --- Which processes there are --------------------------------------------------------------- */

struct survey {
    struct parts *parts;
    hectic_processes *processes;
};

static bool note(void *user, const hectic_event *event)
{
    const struct survey *s = user;
    uint32_t number;
    if (!hectic_processes_event(s->processes, event, &number)) return false;
    if (number >= PARTS_MAX) return true;
    for (; s->parts->count <= number; s->parts->count++)
        s->parts->part[s->parts->count] = (struct part){.first = UINT64_MAX};
    struct part *part = &s->parts->part[number];
    if (event->time < part->first) part->first = event->time;
    if (event->time > part->last) part->last = event->time;
    if (event->type < TYPES) part->types[event->type / 64] |= UINT64_C(1) << event->type % 64;
    return true;
}

static bool find_parts(hectic_view *v, const struct section *section, uint64_t to,
                       struct parts *parts)
{
    struct survey survey = {parts, hectic_processes_new()};
    const bool done = survey.processes &&
                      timeline_read(section->timeline, &v->timeline_source, 0, to, note, &survey);
    for (uint32_t i = 0; done && i < parts->count; i++)
        parts->part[i].process = hectic_processes_get(survey.processes, i);
    hectic_processes_free(survey.processes);
    return done;
}

/* --- Their statistics ------------------------------------------------------------------------ */

struct pass {
    struct parts *parts;
    hectic_processes *processes;
    uint64_t from, to;
};

static bool begin(struct part *part)
{
    part->stat = hectic_stat_new();
    if (!part->stat || !hectic_stat_set_ordered(part->stat)) return false;
    for (uint16_t type = 0; type < TYPES; type++)
        if (part->types[type / 64] >> type % 64 & 1) hectic_stat_expect(part->stat, type);
    if (part->process.has_start) hectic_stat_set_start(part->stat, part->process.start);
    return true;
}

static bool enter(struct part *part, uint64_t from)
{
    if (!part->interval) part->interval = hectic_stat_open(part->stat, from);
    return part->interval;
}

static bool give(const struct pass *pass, uint32_t number, const hectic_event *event)
{
    struct part *part = number < pass->parts->count ? &pass->parts->part[number] : NULL;
    if (!part || part->first >= pass->to || part->last < pass->from) return true;
    if (!part->stat && !begin(part)) return false;
    if (event->time >= pass->from && !enter(part, pass->from)) return false;
    return hectic_stat_event(part->stat, event);
}

static bool take(void *user, const hectic_event *event)
{
    const struct pass *pass = user;
    uint32_t number;
    if (!hectic_processes_event(pass->processes, event, &number)) return false;
    const hectic_event *held = hectic_processes_held(pass->processes);
    return (!held || give(pass, number, held)) && give(pass, number, event);
}

static bool put(struct part *part, size_t number, const struct pass *pass, struct json *json)
{
    hectic_stat_result result;
    const uint64_t to = part->last < pass->to ? part->last : pass->to;
    if (!enter(part, pass->from)) return false;
    if (!hectic_stat_get(part->stat, part->interval, to, &result)) return false;
    const struct report report = {
        .result = &result, .process = &part->process, .section = number, .sections = true};
    report_put_json(json, &report);
    hectic_stat_result_clear(&result);
    return true;
}

bool answer_parts(hectic_view *v, const struct section *section, uint64_t from, uint64_t to,
                  struct json *json)
{
    struct pass pass = {calloc(1, sizeof *pass.parts), hectic_processes_new(), from, to};
    bool is_empty = true;
    bool done = pass.parts && pass.processes && find_parts(v, section, to, pass.parts) &&
                timeline_read(section->timeline, &v->timeline_source, 0, to, take, &pass);
    json_open(json, NULL, '[');
    for (uint32_t i = 0; pass.parts && i < pass.parts->count; i++) {
        struct part *part = &pass.parts->part[i];
        is_empty = is_empty && !part->stat;
        if (part->stat) done = done && put(part, (size_t)(section - v->section) + 1, &pass, json);
        hectic_stat_free(part->stat);
    }
    json_close(json, ']');
    hectic_processes_free(pass.processes);
    free(pass.parts);
    if (!done) return view_fail(v, "out of memory, or the log cannot be read");
    return !is_empty || view_fail(v, "the section has no events in the interval");
}
