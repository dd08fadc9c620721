/* profile_headlines.h — what the profiles of a log show, in a few lines. */
#ifndef HECTIC_PROFILE_HEADLINES_H
#define HECTIC_PROFILE_HEADLINES_H

#include "tool/files/sink.h"

#include "profiles/heap_profile.h"
#include "profiles/time_profile.h"

/* The profiles of a section. Memory does not depend on its length. */
struct profiles {
    hectic_heap_profile *heap; /* NULL, both: none has begun */
    hectic_time_profile *time;
};

/* A section begins. False: no memory. */
bool profiles_begin(struct profiles *profiles);

/* The next event of the section. False: no memory. */
bool profiles_event(struct profiles *profiles, const hectic_event *event);

void profiles_clear(struct profiles *profiles);

/* Are there samples? */
bool profiles_have_heap(const struct profiles *profiles);
bool profiles_have_time(const struct profiles *profiles);

/* Prints two lines of at most 80 columns for the last heap profile, and for each source of time
 * samples: the largest bands, and the one that grows most; the hottest cost centres. Prints nothing
 * without samples. The first line has a title of 11 columns. False: no memory. */
bool profiles_print(struct sink *sink, const struct profiles *profiles);

#endif
