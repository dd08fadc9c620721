/* Intervals in which events may contradict each other: see hectic/gaps.h. */
#include "results/gap_list.h"
#include "base/array.h"
#include "facts/gaps.h"
#include "facts/replay.h"
#include "numbers/saturating.h"
#include "read/survey.h"
#include "read/time_pass.h"

#include <stdlib.h>

enum { CAPS = HECTIC_CAP_NONE + 1 };

struct finder {
    hectic_gap_list *list;
    hectic_gaps gaps;
    struct replay replay;
    size_t section;
    size_t capacity;
    bool is_open;        /* the last interval is open */
    uint64_t last[CAPS]; /* the cap's last event, plus 1; 0: none */
};

/* A gap message without a cap is about all caps. */
static uint64_t begin_of_gap(const struct finder *f, uint16_t cap)
{
    uint64_t begin = UINT64_MAX;
    if (cap != HECTIC_CAP_NONE) return f->last[cap] ? f->last[cap] - 1 : 0;
    for (uint32_t i = 0; i < HECTIC_CAP_NONE; i++)
        if (f->last[i] && f->last[i] - 1 < begin) begin = f->last[i] - 1;
    return begin;
}

static bool add(struct finder *f, uint64_t from, uint64_t now)
{
    hectic_gap_list *list = f->list;
    if (from > now) from = now;
    while (list->count > 0) { /* it may begin before previous ones */
        const struct hectic_gap *before = &list->gap[list->count - 1];
        if (before->section != f->section || before->to < from) break;
        if (before->from < from) from = before->from;
        list->count--;
    }
    if (!array_reserve(list->gap, f->capacity, list->count + 1)) return false;
    list->gap[list->count++] = (struct hectic_gap){f->section, from, UINT64_MAX};
    f->is_open = true;
    return true;
}

/* Where events are missing. */
static uint64_t places_of(const hectic_gaps *gaps)
{
    return gaps->dropped_places + gaps->lost_places;
}

static bool take(struct finder *f, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_BLOCK_MARKER) return true; /* it precedes the lost events */
    const uint64_t places = places_of(&f->gaps);
    if (replay_ends_at(&f->replay, event)) {
        if (f->is_open) f->list->gap[f->list->count - 1].to = f->replay.time;
        f->is_open = f->replay.is_open = false;
    }
    if (event->type == HECTIC_EVENT_SYNC) replay_take(&f->replay, event, &replayed);
    hectic_gaps_event(&f->gaps, event);
    if (places_of(&f->gaps) > places && !add(f, begin_of_gap(f, event->cap), event->time))
        return false;
    f->last[event->cap] = event->time + (event->time < UINT64_MAX);
    return true;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!take(self, &event[i])) return PASS_STOP;
    return PASS_ON;
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct finder *f = self;
    f->section = section->number;
    f->is_open = f->replay.is_open = false;
    for (uint32_t i = 0; i < CAPS; i++)
        f->last[i] = 0;
    return PASS_ON;
}

bool hectic_gap_list_find(hectic_gap_list *list, hectic_log *log)
{
    static const struct time_consumer consumer = {.begin = begin_section, .events = take_events};
    *list = (hectic_gap_list){0};
    const hectic_gaps gaps = hectic_log_gaps(log);
    if (places_of(&gaps) == 0) return true;
    struct finder *f = calloc(1, sizeof *f);
    if (!f) return false;
    f->list = list;
    f->gaps.to = UINT64_MAX;
    const bool good = time_pass(log, &consumer, f) != HECTIC_GOT_EVENT;
    free(f);
    hectic_log_rewind(log);
    return good;
}

void hectic_gap_list_clear(hectic_gap_list *list)
{
    free(list->gap);
    *list = (hectic_gap_list){0};
}

hectic_gaps hectic_log_gaps(hectic_log *log)
{
    hectic_gaps gaps = {.to = UINT64_MAX};
    const hectic_survey *survey = hectic_log_survey(log);
    size_t section = 0;
    for (size_t i = 0; i < survey->landmarks; i++) {
        hectic_event event;
        for (; section + 1 < survey->sections &&
               survey->section[section + 1].position <= survey->landmark[i];
             section++)
            hectic_gaps_end(&gaps, survey->section[section].last_time);
        gaps.began = survey->section[section].first_time;
        gaps.has_begun = true;
        if (hectic_log_read_at(log, survey->landmark[i], &event)) hectic_gaps_event(&gaps, &event);
    }
    gaps.lost_places += log_lost_places(log);
    if (log_lost_places(log) > 0) saturating_add(&gaps.lost_bytes, survey->lost);
    if (survey->sections > 0) hectic_gaps_end(&gaps, survey->section[section].last_time);
    return gaps;
}
