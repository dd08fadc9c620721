/* coverage.c — see coverage.h. */
#include "read/decode/coverage.h"

#include <hectic/read_events.h>

#include <string.h>

static void add_created(struct coverage *coverage, uint32_t cap)
{
    coverage->created[cap / 8] |= (uint8_t)(1u << cap % 8);
}

static void note_created(struct coverage *coverage, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    uint16_t number; /* of the cap, or of caps */
    if (!hectic_read_cap(event, &number)) return;
    if (event->type == HECTIC_EVENT_CAP_CREATE) add_created(coverage, number);
    for (; event->type == HECTIC_EVENT_STARTUP && coverage->first_caps < number;
         coverage->first_caps++)
        add_created(coverage, coverage->first_caps);
}

bool coverage_event(struct coverage *coverage, const hectic_event *event)
{
    uint16_t cap;
    note_created(coverage, event);
    /* A cap that ends has no later events. */
    if (event->type == HECTIC_EVENT_SHUTDOWN)
        return coverage_block(coverage, event->cap, UINT64_MAX);
    if (event->type == HECTIC_EVENT_CAP_DELETE && hectic_read_cap(event, &cap))
        return coverage_block(coverage, cap, UINT64_MAX);
    return true;
}

bool coverage_block(struct coverage *coverage, uint16_t cap, uint64_t time)
{
    return cap == HECTIC_CAP_NONE || cap_times_raise_one(&coverage->written, cap, time);
}

bool coverage_join(struct coverage *coverage, const struct coverage *part)
{
    for (size_t i = 0; i < sizeof coverage->created; i++)
        coverage->created[i] |= part->created[i];
    return cap_times_raise(&coverage->written, &part->written);
}

/* Was a cap created that has no block, or does the log lack the creation of caps? */
static bool lacks_caps(const struct coverage *coverage)
{
    bool any = false, lacks = false;
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE; cap++) {
        if (!(coverage->created[cap / 8] >> cap % 8 & 1)) continue;
        any = true;
        lacks = lacks || per_cap_get(&coverage->written.place, (uint16_t)cap) == 0;
    }
    return lacks || !any;
}

void coverage_set(const struct coverage *coverage, hectic_section *section)
{
    uint64_t written = cap_times_earliest(&coverage->written);
    if (written < section->first_time) written = section->first_time;
    section->covered_to =
        section->complete || written > section->last_time ? section->last_time : written;
    section->lacks_caps = !section->complete && lacks_caps(coverage);
}

void coverage_clear(struct coverage *coverage)
{
    cap_times_clear(&coverage->written);
    memset(coverage->created, 0, sizeof coverage->created);
    coverage->first_caps = 0;
}
