/* gauges.c — see gauges.h. */
#include "timeline/gauges.h"

#include <stdlib.h>
#include <string.h>

void gauge_free(struct gauge *g)
{
    free(g->slot);
    g->slot = NULL;
}

static void join(struct gauge_slot *to, const struct gauge_slot *from)
{
    if (!from->is_set) return;
    if (!to->is_set) {
        *to = *from;
        return;
    }
    if (from->min < to->min) to->min = from->min;
    if (from->max > to->max) to->max = from->max;
    if (from->last_time < to->last_time) return;
    to->last = from->last;
    to->last_time = from->last_time;
}

static void fold(struct gauge *g)
{
    for (size_t k = 0; g->slot && k < g->slots / 2; k++) {
        struct gauge_slot slot = g->slot[2 * k];
        join(&slot, &g->slot[2 * k + 1]);
        g->slot[k] = slot;
    }
    if (g->slot) memset(g->slot + g->slots / 2, 0, g->slots / 2 * sizeof *g->slot);
    g->shift++;
}

bool gauge_add(struct gauge *g, uint64_t time, uint64_t value)
{
    if (!g->slot) g->slot = calloc(g->slots, sizeof *g->slot);
    if (!g->slot) return false;
    while (time >> g->shift >= g->slots)
        fold(g);
    join(&g->slot[time >> g->shift], &(struct gauge_slot){true, value, value, value, time});
    return true;
}

bool gauge_join(struct gauge *to, struct gauge *from)
{
    if (!from->slot) return true;
    if (!to->slot) to->slot = calloc(to->slots, sizeof *to->slot);
    if (!to->slot) return false;
    while (from->shift < to->shift)
        fold(from);
    while (to->shift < from->shift)
        fold(to);
    for (size_t i = 0; i < to->slots; i++)
        join(&to->slot[i], &from->slot[i]);
    return true;
}

struct gauge_slot gauge_get(const struct gauge *g, uint64_t from, uint64_t to)
{
    struct gauge_slot sum = {0};
    if (from >= to) return sum;
    const uint64_t last = (to - 1) >> g->shift;
    for (uint64_t i = from >> g->shift; g->slot && i <= last && i < g->slots; i++)
        join(&sum, &g->slot[i]);
    return sum;
}

struct gauge_slot gauge_before(const struct gauge *g, uint64_t time)
{
    uint64_t i = time >> g->shift;
    if (i > g->slots) i = g->slots;
    while (g->slot && i-- > 0)
        if (g->slot[i].is_set) return g->slot[i];
    return (struct gauge_slot){0};
}
