/* profiles.h — the heap profiles and the time profile of a section. */
#ifndef HECTIC_SRC_PROFILES_H
#define HECTIC_SRC_PROFILES_H

#include "profiles/heap_profile.h"
#include "profiles/time_profile.h"

/* Memory does not depend on the length of the section. */
struct profiles {
    hectic_heap_profile *heap; /* NULL, both: none has begun */
    hectic_time_profile *time;
};

/* A section begins. Options may be NULL. False: no memory. */
bool profiles_begin(struct profiles *profiles, const hectic_heap_profile_options *heap,
                    const hectic_time_profile_options *time);

/* The next event of the section. False: no memory. */
bool profiles_event(struct profiles *profiles, const hectic_event *event);

void profiles_clear(struct profiles *profiles);

/* Are there samples? */
bool profiles_have_heap(const struct profiles *profiles);
bool profiles_have_time(const struct profiles *profiles);

#endif
