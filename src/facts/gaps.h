/* gaps.h — the gaps in a log, of which hectic/gaps.h has the messages. */
#ifndef HECTIC_SRC_GAPS_H
#define HECTIC_SRC_GAPS_H

#include <hectic/decoder.h>

/* The gaps in an interval of time. The last fields are internal. */
typedef struct hectic_gaps {
    uint64_t from, to;       /* the interval: from <= t < to, ns */
    uint64_t dropped_events; /* number of dropped events */
    uint64_t dropped_places; /* number of messages that report them */
    uint64_t lost_bytes;     /* number of damaged bytes that were lost */
    uint64_t lost_places;    /* number of messages that report them */
    uint64_t switched_off;   /* how often logging or a class of events was switched off */
    uint64_t off_ns;         /* ns during which logging or a class was switched off */
    uint64_t off, off_since, switched, began;
    bool has_begun;
} hectic_gaps;

static inline bool hectic_gaps_any(const hectic_gaps *gaps)
{
    return gaps->dropped_places > 0 || gaps->lost_places > 0 || gaps->switched_off > 0 ||
           gaps->off_ns > 0;
}

/* Takes an event, in order of time. Only messages matter; those before the interval determine what
 *  is off at its beginning. Initially `gaps` has its interval, and is zero otherwise.
 *  Logging that is switched on without having been switched off was off from the first event on. */
void hectic_gaps_event(hectic_gaps *gaps, const hectic_event *event);

/* Adds the gaps of another part of the log. */
void hectic_gaps_add(hectic_gaps *sum, const hectic_gaps *part);

/* Ends the section at `now`. */
void hectic_gaps_end(hectic_gaps *gaps, uint64_t now);

#endif
