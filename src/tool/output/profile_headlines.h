/* profile_headlines.h — what the profiles of a log show, in a few lines. */
#ifndef HECTIC_PROFILE_HEADLINES_H
#define HECTIC_PROFILE_HEADLINES_H

#include "tool/files/sink.h"

#include "results/profiles.h"

/* Prints two lines of at most 80 columns for the last heap profile, and for each source of time
 * samples: the largest bands, and the one that grows most; the hottest cost centres. Prints nothing
 * without samples. The first line has a title of 11 columns. False: no memory. */
bool profiles_print(struct sink *sink, const struct profiles *profiles);

#endif
