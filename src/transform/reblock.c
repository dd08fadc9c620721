#include "transform/reblock.h"

#include <hectic/read_events.h>

static bool begin(reblock *r, uint64_t time)
{
    r->begun = true;
    return hectic_writer_begin_block(r->writer, r->declared, time, r->cap);
}

bool reblock_end(reblock *r)
{
    if (!r->declared) return true;
    if (!r->begun && r->marker_kept && !begin(r, r->time)) return false;
    const hectic_event_type *declared = r->declared;
    r->declared = NULL;
    if (!r->begun) return true;
    r->empty = r->has_event ? NULL : declared;
    if (r->remaining != 0) r->intact = false; /* truncated or unfinished */
    if (!r->intact) r->changed++;
    return hectic_writer_end_block(r->writer, r->intact ? r->end_time : 0);
}

/* Writes an event that is in no block. */
static bool write_outside(reblock *r, const hectic_event *event)
{
    const hectic_event_type *empty = r->empty;
    r->empty = NULL;
    if (!empty) return hectic_writer_event(r->writer, event);
    r->added++;
    return hectic_writer_begin_block(r->writer, empty, event->time, HECTIC_CAP_NONE) &&
           hectic_writer_event(r->writer, event) && hectic_writer_end_block(r->writer, event->time);
}

static bool marker(reblock *r, const hectic_event *event, int64_t remaining, bool keep)
{
    if (!reblock_end(r)) return false;
    r->declared = event->declared;
    r->time = event->time;
    hectic_event_block_marker fields = {0};
    hectic_read_block_marker(event, &fields);
    r->end_time = fields.end_time;
    r->remaining = remaining;
    r->cap = fields.cap_no;
    r->intact = keep;
    r->marker_kept = r->keep_empty && keep;
    r->begun = r->has_event = r->has_ended = false;
    return true;
}

bool reblock_event(reblock *r, const hectic_event *event, int64_t remaining, bool keep)
{
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && event->declared->shape)
        return marker(r, event, remaining, keep);

    if (r->has_ended && !keep) return true;
    if (r->has_ended) {
        r->declared = NULL;
        r->has_ended = false;
        r->omitted++;
    }
    r->remaining = remaining;
    if (!r->declared) return !keep || write_outside(r, event);
    if (!keep && !r->keep_times) r->intact = false;
    bool written = true;
    if (keep && !r->begun) written = begin(r, r->intact || r->marker_kept ? r->time : event->time);
    if (keep) written = hectic_writer_event(r->writer, event) && written;
    r->has_event = r->has_event || keep;
    r->has_ended = !r->begun && remaining <= 0;
    if (remaining <= 0 && !r->has_ended) written = reblock_end(r) && written;
    return written;
}
