/* coverage.c — see coverage.h. */
#include "read/decode/coverage.h"

#include <hectic/read_events.h>

static bool note_created(struct coverage *coverage, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    uint16_t number; /* of the cap, or of caps */
    const uint64_t before_end = UINT64_MAX - event->time;
    bool done = true;
    if (!hectic_read_cap(event, &number)) return true;
    if (event->type == HECTIC_EVENT_CAP_CREATE)
        return cap_times_raise_one(&coverage->created, number, before_end);
    for (; event->type == HECTIC_EVENT_STARTUP && coverage->first_caps < number && done;
         coverage->first_caps++)
        done = cap_times_raise_one(&coverage->created, (uint16_t)coverage->first_caps, before_end);
    return done;
}

bool coverage_event(struct coverage *coverage, const hectic_event *event)
{
    uint16_t cap;
    if (!note_created(coverage, event)) return false;
    if (event->type == HECTIC_EVENT_SHUTDOWN)
        return cap_times_raise_one(&coverage->ended, event->cap, event->time);
    if (event->type == HECTIC_EVENT_CAP_DELETE && hectic_read_cap(event, &cap))
        return cap_times_raise_one(&coverage->ended, cap, event->time);
    return true;
}

bool coverage_block(struct coverage *coverage, uint16_t cap, uint64_t time)
{
    return cap == HECTIC_CAP_NONE || cap_times_raise_one(&coverage->written, cap, time);
}

bool coverage_join(struct coverage *coverage, const struct coverage *part)
{
    return cap_times_raise(&coverage->created, &part->created) &&
           cap_times_raise(&coverage->written, &part->written) &&
           cap_times_raise(&coverage->ended, &part->ended);
}

bool coverage_of_cap(const struct coverage *coverage, uint16_t cap, uint64_t *to)
{
    uint64_t ended;
    if (!cap_times_get(&coverage->written, cap, to)) return false;
    if (cap_times_get(&coverage->ended, cap, &ended) && ended <= *to) *to = UINT64_MAX;
    return true;
}

bool coverage_lacks_cap(const struct coverage *coverage, uint16_t cap, uint64_t time)
{
    uint64_t before_end, written;
    return cap != HECTIC_CAP_NONE && cap_times_get(&coverage->created, cap, &before_end) &&
           UINT64_MAX - before_end <= time && !cap_times_get(&coverage->written, cap, &written);
}

void coverage_set(const struct coverage *coverage, hectic_section *section)
{
    const cap_times *written = &coverage->written, *created = &coverage->created;
    uint64_t earliest = UINT64_MAX, to;
    for (uint32_t i = 0; i < written->count; i++)
        if (coverage_of_cap(coverage, written->of[i].cap, &to) && to < earliest) earliest = to;
    if (earliest < section->first_time) earliest = section->first_time;
    section->covered_to =
        section->complete || earliest > section->last_time ? section->last_time : earliest;
    section->lacks_caps = !section->complete && created->count == 0;
    for (uint32_t i = 0; i < created->count && !section->complete && !section->lacks_caps; i++)
        section->lacks_caps = coverage_lacks_cap(coverage, created->of[i].cap, section->covered_to);
}

void coverage_clear(struct coverage *coverage)
{
    cap_times_clear(&coverage->written);
    cap_times_clear(&coverage->ended);
    cap_times_clear(&coverage->created);
    coverage->first_caps = 0;
}
