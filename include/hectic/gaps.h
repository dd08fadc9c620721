/* hectic/gaps.h — where a log says that events are missing.
 *
 * Events are missing where they were dropped on their way into the log, and while logging, or a
 * class of events, was switched off. Hectic's emitter, server and Haskell package say so by a
 * message (LOG_MSG) in that place, which every tool shows. A log with gaps is not damaged, but what
 * is counted in it is too little, and a state may have lasted less long than it seems.
 */
#ifndef HECTIC_GAPS_H
#define HECTIC_GAPS_H

#include <hectic/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The messages, of which the second may go on with a reason behind "from here":
 *    hectic: 123 events were dropped here
 *    hectic: logging of gc, nonmoving is off from here   (… is on from here)
 *    hectic: logging is off from here */
#define HECTIC_GAP_BEGINS  "hectic: "
#define HECTIC_GAP_DROPPED " events were dropped here"
#define HECTIC_GAP_LOGGING "hectic: logging"
#define HECTIC_GAP_OFF     " is off from here"
#define HECTIC_GAP_ON      " is on from here"

/** The gaps in an interval of time. `off` and `off_since` are for the functions below only. */
typedef struct hectic_gaps {
    uint64_t from, to;       /**< the interval, ns: from … to-1 */
    uint64_t dropped_events; /**< that were dropped */
    uint64_t dropped_places; /**< how often the log says so */
    uint64_t switched_off;   /**< how often logging, or some classes of events, were switched off */
    uint64_t off_ns;         /**< for how long something was off, that was switched off */
    uint64_t off, off_since;
} hectic_gaps;

static inline bool hectic_gaps_any(const hectic_gaps *gaps)
{
    return gaps->dropped_places > 0 || gaps->switched_off > 0 || gaps->off_ns > 0;
}

/** Takes an event, of which only messages matter, in order of time: what was before the interval
 *  tells what is off when it begins. `gaps` has its interval, and zeros, at first. */
void hectic_gaps_event(hectic_gaps *gaps, const hectic_event *event);

/** The section ends at that time. */
void hectic_gaps_end(hectic_gaps *gaps, uint64_t now);

/** The gaps in the whole of a log, all sections together: as many as the survey has landmarks of.
 */
hectic_gaps hectic_log_gaps(hectic_log *log);

/** Intervals of time in which the events that a log has may not fit each other, since others were
 *  dropped: from the last event before a gap up to the replay (SYNC events) that tells what holds
 *  behind it, or the section's end. In order, and apart from each other. */
typedef struct hectic_gap_list {
    struct hectic_gap {
        size_t section;    /**< counted from 1 */
        uint64_t from, to; /**< ns, both included */
    } * gap;
    size_t count;
} hectic_gap_list;

/** Finds them in a whole log, which it reads and rewinds; free the list with hectic_gap_list_clear.
 *  Where nothing was dropped, it reads nothing. False: no memory, or the log could not be read. */
bool hectic_gap_list_find(hectic_gap_list *list, hectic_log *log);
void hectic_gap_list_clear(hectic_gap_list *list);

#ifdef __cplusplus
}
#endif
#endif
