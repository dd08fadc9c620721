/* hectic/gaps.h — gaps: places where a log reports missing events.
 *
 * Events are missing if they were dropped before they reached the log, or while logging or a class
 * of events was switched off. Hectic's emitter, server and Haskell package report this by a message
 * (LOG_MSG) in that place, which every tool shows. A log with gaps is not damaged, but counts are
 * too low, and a state may have ended earlier than recorded.
 */
#ifndef HECTIC_GAPS_H
#define HECTIC_GAPS_H

#include <hectic/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The messages. In the second, a reason may follow "from here":
 *    hectic: 123 events were dropped here
 *    hectic: logging of gc, nonmoving is off from here   (… is on from here)
 *    hectic: logging is off from here */
#define HECTIC_GAP_BEGINS  "hectic: "
#define HECTIC_GAP_DROPPED " events were dropped here"
#define HECTIC_GAP_LOGGING "hectic: logging"
#define HECTIC_GAP_OFF     " is off from here"
#define HECTIC_GAP_ON      " is on from here"

/** The gaps in an interval of time. The last fields are internal. */
typedef struct hectic_gaps {
    uint64_t from, to;       /**< the interval: from <= t < to, ns */
    uint64_t dropped_events; /**< number of dropped events */
    uint64_t dropped_places; /**< number of messages that report them */
    uint64_t switched_off;   /**< how often logging or a class of events was switched off */
    uint64_t off_ns;         /**< ns during which logging or a class was switched off */
    uint64_t off, off_since, switched, began;
    bool has_begun;
} hectic_gaps;

static inline bool hectic_gaps_any(const hectic_gaps *gaps)
{
    return gaps->dropped_places > 0 || gaps->switched_off > 0 || gaps->off_ns > 0;
}

/** Takes an event, in order of time. Only messages matter; those before the interval determine what
 *  is off at its beginning. Initially `gaps` has its interval, and is zero otherwise.
 *  Logging that is switched on without having been switched off was off from the first event on. */
void hectic_gaps_event(hectic_gaps *gaps, const hectic_event *event);

/** Ends the section at `now`. */
void hectic_gaps_end(hectic_gaps *gaps, uint64_t now);

/** The gaps of a whole log, of all sections, as far as the survey has landmarks for them.
 */
hectic_gaps hectic_log_gaps(hectic_log *log);

/** Intervals of time in which the events of a log may contradict each other, because others were
 *  dropped: from the last event before a gap to the state replay (SYNC events) after it, or the
 *  section's end. In order, and disjoint. */
typedef struct hectic_gap_list {
    struct hectic_gap {
        size_t section;    /**< counted from 1 */
        uint64_t from, to; /**< ns, inclusive */
    } * gap;
    size_t count;
} hectic_gap_list;

/** Finds the intervals in a whole log, which it reads and rewinds; free the list with
 *  hectic_gap_list_clear. If nothing was dropped, it reads nothing. False: out of memory, or the
 *  log cannot be read. */
bool hectic_gap_list_find(hectic_gap_list *list, hectic_log *log);
void hectic_gap_list_clear(hectic_gap_list *list);

#ifdef __cplusplus
}
#endif
#endif
