/* hectic/gaps.h — gaps: places where a log reports missing events.
 *
 * Events are missing if they were dropped before they reached the log, while logging or a class of
 * events was switched off, or if bytes of the log were damaged. Hectic's emitter, server and
 * Haskell package, and the repair of a log, report this by a message (LOG_MSG) in that place, which
 * every tool shows. A log with gaps is not damaged, but counts are too low, and a state may have
 * ended earlier than recorded.
 */
#ifndef HECTIC_GAPS_H
#define HECTIC_GAPS_H

/** The messages. In the last two, a reason may follow "from here". "events are missing" is about
 * the cap of the message, up to its next event; behind it, one says how many bytes were lost.
 *    hectic: events are missing from here
 *    hectic: 123 events were dropped here
 *    hectic: 4567 damaged bytes were lost here
 *    hectic: logging of gc, nonmoving is off from here   (… is on from here)
 *    hectic: logging is off from here */
#define HECTIC_GAP_BEGINS  "hectic: "
#define HECTIC_GAP_DROPPED " events were dropped here"
#define HECTIC_GAP_LOST    " damaged bytes were lost here"
#define HECTIC_GAP_MISSING "hectic: events are missing from here"
#define HECTIC_GAP_LOGGING "hectic: logging"
#define HECTIC_GAP_OFF     " is off from here"
#define HECTIC_GAP_ON      " is on from here"

#endif
