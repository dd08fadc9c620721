/* lost.c — see lost.h. */
#include "read/decode/lost.h"

#include "base/array.h"

#include <hectic/catalogue.h>
#include <hectic/gaps.h>

#include <inttypes.h>
#include <stdio.h>

bool lost_caps_raise(struct lost_caps *caps, uint16_t cap, uint64_t time)
{
    uint32_t *place = per_cap_at(&caps->place, cap);
    if (!place) return false;
    if (*place == 0) {
        if (!array_reserve(caps->cap, caps->capacity, caps->count + 1)) return false;
        caps->cap[caps->count] = (struct lost_cap){time, cap};
        *place = (uint32_t)++caps->count;
    }
    struct lost_cap *raised = &caps->cap[*place - 1];
    if (time > raised->from) raised->from = time;
    return true;
}

bool lost_caps_join(struct lost_caps *caps, const struct lost_caps *others)
{
    for (size_t i = 0; i < others->count; i++)
        if (!lost_caps_raise(caps, others->cap[i].cap, others->cap[i].from)) return false;
    return true;
}

void lost_caps_empty(struct lost_caps *caps)
{
    for (size_t i = 0; i < caps->count; i++)
        per_cap_clear_one(&caps->place, caps->cap[i].cap);
    caps->count = 0;
}

void lost_caps_free(struct lost_caps *caps)
{
    per_cap_clear(&caps->place);
    free(caps->cap);
    *caps = (struct lost_caps){0};
}

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

bool lost_caps_tell(struct lost_caps *caps, lost_tell tell, void *user)
{
    bool done = true;
    for (size_t i = 0; i < caps->count && done; i++)
        done =
            tell(user, &(struct lost_message){.time = caps->cap[i].from, .cap = caps->cap[i].cap});
    lost_caps_empty(caps);
    return done;
}

bool lost_messages(const struct lost *lost, uint64_t position, uint64_t next,
                   struct lost_caps *caps, lost_tell tell, void *user)
{
    const bool is_of_one = lost_is_of_one(lost, position);
    const bool has_cap = is_of_one && lost->cap != HECTIC_CAP_NONE;
    const uint64_t end = is_of_one ? lost->end_time : next;
    const struct lost_message last = {
        .time = end > lost->last ? end : lost->last,
        .bytes = position - lost->position,
        .cap = is_of_one ? lost->cap : HECTIC_CAP_NONE,
    };
    if (!is_of_one && !lost_caps_tell(caps, tell, user)) return false;
    if (has_cap && !tell(user, &(struct lost_message){.time = lost->last, .cap = lost->cap}))
        return false;
    /* The last message is an event of the cap. */
    if (has_cap && !lost_caps_raise(caps, lost->cap, last.time)) return false;
    return last.bytes == 0 || tell(user, &last);
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
