/* lost.c — see lost.h. */
#include "read/decode/lost.h"

#include <hectic/catalogue.h>
#include <hectic/gaps.h>

#include <inttypes.h>
#include <stdio.h>

struct lost lost_begin(uint64_t position, int64_t remaining, const struct block_reach *reach)
{
    const bool is_inside = remaining > 0 && remaining != INT64_MAX;
    return (struct lost){.position = position,
                         .last = reach->last,
                         .end = is_inside ? position + (uint64_t)remaining : 0,
                         .end_time = reach->end,
                         .cap = reach->cap};
}

bool lost_is_of_one(const struct lost *lost, uint64_t position)
{
    return lost->end > 0 && position <= lost->end;
}

bool lost_caps_messages(cap_times *caps, lost_take take, void *user)
{
    bool done = true;
    for (uint32_t i = 0; i < caps->count && done; i++)
        done = take(user, &(struct lost_message){.time = caps->of[i].time, .cap = caps->of[i].cap});
    cap_times_empty(caps);
    return done;
}

bool lost_messages(const struct lost *lost, uint64_t position, uint64_t next, cap_times *caps,
                   lost_take take, void *user)
{
    const bool is_of_one = lost_is_of_one(lost, position);
    const bool has_cap = is_of_one && lost->cap != HECTIC_CAP_NONE;
    const uint64_t end = is_of_one ? lost->end_time : next;
    const struct lost_message last = {
        .time = end > lost->last ? end : lost->last,
        .bytes = position - lost->position,
        .cap = is_of_one ? lost->cap : HECTIC_CAP_NONE,
    };
    if (!is_of_one && !lost_caps_messages(caps, take, user)) return false;
    if (has_cap && !take(user, &(struct lost_message){.time = lost->last, .cap = lost->cap}))
        return false;
    /* The last message is an event of the cap. */
    if (has_cap && !cap_times_raise_one(caps, lost->cap, last.time)) return false;
    return last.bytes == 0 || take(user, &last);
}

bool lost_is_told(const hectic_header *header)
{
    const hectic_event_type *type = hectic_header_type(header, HECTIC_EVENT_LOG_MSG);
    return type && type->shape;
}

uint16_t lost_text(char text[LOST_TEXT], uint64_t bytes)
{
    const int size =
        bytes == 0 ? snprintf(text, LOST_TEXT, HECTIC_GAP_MISSING)
                   : snprintf(text, LOST_TEXT, HECTIC_GAP_BEGINS "%" PRIu64 HECTIC_GAP_LOST, bytes);
    return (uint16_t)size;
}
