/* profiles.c — see profiles.h. */
#include "results/profiles.h"

bool profiles_begin(struct profiles *p, const hectic_heap_profile_options *heap,
                    const hectic_time_profile_options *time)
{
    profiles_clear(p);
    p->heap = hectic_heap_profile_new(heap);
    p->time = hectic_time_profile_new(time);
    if (p->heap && p->time) return true;
    profiles_clear(p);
    return false;
}

bool profiles_event(struct profiles *p, const hectic_event *event)
{
    return hectic_heap_profile_event(p->heap, event) && hectic_time_profile_event(p->time, event);
}

void profiles_clear(struct profiles *p)
{
    hectic_heap_profile_free(p->heap);
    hectic_time_profile_free(p->time);
    *p = (struct profiles){NULL, NULL};
}

bool profiles_have_heap(const struct profiles *p)
{
    return p->heap && hectic_heap_profile_count(p->heap) > 0;
}

bool profiles_have_time(const struct profiles *p)
{
    hectic_time_totals totals;
    for (unsigned source = 0; p->time && source < HECTIC_TIME_SOURCES; source++)
        if (hectic_time_profile_totals(p->time, (hectic_time_source)source, &totals) &&
            totals.samples > 0)
            return true;
    return false;
}
