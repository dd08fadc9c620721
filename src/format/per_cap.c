#include "format/per_cap.h"

#include "base/array.h"

#include <string.h>

bool per_cap_copy(per_cap *copy, const per_cap *t)
{
    *copy = (per_cap){0};
    for (unsigned i = 0; i < PER_CAP_PAGE; i++) {
        if (!t->page[i]) continue;
        copy->page[i] = malloc(PER_CAP_PAGE * sizeof *copy->page[i]);
        if (!copy->page[i]) {
            per_cap_clear(copy);
            return false;
        }
        memcpy(copy->page[i], t->page[i], PER_CAP_PAGE * sizeof *copy->page[i]);
    }
    return true;
}

uint64_t *cap_times_at(cap_times *t, uint16_t cap)
{
    uint32_t *place = per_cap_at(&t->place, cap);
    if (!place) return NULL;
    if (*place == 0) {
        if (!array_reserve(t->of, t->capacity, t->count + 1)) return NULL;
        t->of[t->count] = (cap_time){.cap = cap};
        *place = ++t->count;
    }
    return &t->of[*place - 1].time;
}

bool cap_times_get(const cap_times *t, uint16_t cap, uint64_t *time)
{
    const uint32_t place = per_cap_get(&t->place, cap);
    if (place > 0) *time = t->of[place - 1].time;
    return place > 0;
}

bool cap_times_raise_one(cap_times *t, uint16_t cap, uint64_t time)
{
    uint64_t *of = cap_times_at(t, cap);
    if (of && time > *of) *of = time;
    return of;
}

bool cap_times_raise(cap_times *t, const cap_times *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        if (!cap_times_raise_one(t, from->of[i].cap, from->of[i].time)) return false;
    return true;
}

uint64_t cap_times_earliest(const cap_times *t)
{
    uint64_t earliest = UINT64_MAX;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->of[i].time < earliest) earliest = t->of[i].time;
    return earliest;
}

void cap_times_empty(cap_times *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        per_cap_clear_one(&t->place, t->of[i].cap);
    t->count = 0;
}

void cap_times_clear(cap_times *t)
{
    per_cap_clear(&t->place);
    free(t->of);
    *t = (cap_times){0};
}
