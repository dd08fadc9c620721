/* lost.c — see lost.h. */
#include "read/decode/lost.h"

#include <hectic/catalogue.h>
#include <hectic/gaps.h>

#include <inttypes.h>
#include <stdio.h>

struct lost lost_begin(uint64_t last, uint64_t position, int64_t remaining, uint64_t end_time,
                       uint16_t cap)
{
    const bool is_inside = remaining > 0 && remaining != INT64_MAX;
    return (struct lost){.last = last,
                         .end = is_inside ? position + (uint64_t)remaining : 0,
                         .end_time = end_time,
                         .cap = cap};
}

uint64_t lost_end(const struct lost *lost, uint64_t position, uint64_t next, uint16_t *cap)
{
    const bool is_of_one = lost->end > 0 && position <= lost->end;
    const uint64_t end = is_of_one ? lost->end_time : next;
    *cap = is_of_one ? lost->cap : HECTIC_CAP_NONE;
    return end > lost->last ? end : lost->last;
}

bool lost_is_told(const hectic_header *header)
{
    const hectic_event_type *type = hectic_header_type(header, HECTIC_EVENT_LOG_MSG);
    return type && type->shape;
}

uint16_t lost_text(char text[LOST_TEXT], uint64_t bytes)
{
    return (uint16_t)snprintf(text, LOST_TEXT, HECTIC_GAP_BEGINS "%" PRIu64 HECTIC_GAP_LOST, bytes);
}
