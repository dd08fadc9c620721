/* gaps.c — see hectic/gaps.h. */

#include "facts/gaps.h"
#include "format/gap_message.h"
#include "numbers/saturating.h"

static uint64_t clip(const hectic_gaps *g, uint64_t time)
{
    return time < g->from ? g->from : time > g->to ? g->to : time;
}

static void end_off(hectic_gaps *g, uint64_t time)
{
    const uint64_t from = clip(g, g->off_since), to = clip(g, time);
    saturating_add(&g->off_ns, to > from ? to - from : 0);
    g->off = 0;
}

void hectic_gaps_event(hectic_gaps *g, const hectic_event *event)
{
    uint64_t number;
    if (!g->has_begun) g->began = event->time;
    g->has_begun = true;
    if (event->type != HECTIC_EVENT_LOG_MSG) return;
    const bool is_inside = event->time >= g->from && event->time < g->to;
    switch (gap_message(event->payload, event->size, &number)) {
    case GAP_DROPPED:
        if (is_inside) saturating_add(&g->dropped_events, number);
        g->dropped_places += is_inside;
        break;
    case GAP_LOST:
        if (is_inside) saturating_add(&g->lost_bytes, number);
        g->lost_places += is_inside;
        break;
    case GAP_OFF:
        g->switched_off += is_inside;
        if (g->off == 0) g->off_since = event->time;
        g->off |= number;
        g->switched |= number;
        break;
    case GAP_ON:
        if (g->off == 0 && number & ~g->switched) {
            g->switched_off += g->began >= g->from && g->began < g->to;
            g->off = number;
            g->off_since = g->began;
        }
        g->switched |= number;
        if (g->off && !(g->off & ~number)) end_off(g, event->time);
        g->off &= ~number;
        break;
    default: break;
    }
}

void hectic_gaps_end(hectic_gaps *g, uint64_t now)
{
    if (g->off > 0) end_off(g, now);
    g->switched = 0;
    g->has_begun = false;
}

void hectic_gaps_add(hectic_gaps *sum, const hectic_gaps *part)
{
    sum->dropped_events += part->dropped_events;
    sum->dropped_places += part->dropped_places;
    saturating_add(&sum->lost_bytes, part->lost_bytes);
    sum->lost_places += part->lost_places;
    sum->switched_off += part->switched_off;
    sum->off_ns += part->off_ns;
}
