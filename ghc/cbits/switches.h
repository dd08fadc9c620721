/* Event logging as a whole, and classes of events, off and on again while the program runs.
 *
 * What happens to threads and capabilities while no events tell of it, the runtime does not report
 * later. So the threads that are alive are listed when scheduler events go off, and compared with
 * those that are when they come back: readers get the difference as events (gap.h), after a message
 * that says from when to when they were off. All is done at rest, when no thread runs and no
 * collection is open in the log. */
#ifndef HECTIC_SWITCHES_H
#define HECTIC_SWITCHES_H

#include <stdbool.h>

/* NULL: done, or why not. `outside`: as of runtime_at_rest. */
const char *switches_set_class(unsigned class_, bool on, bool outside);
/* `says`: a message tells readers that no more events come. */
const char *switches_set_logging(bool on, bool says, bool outside);
bool switches_are_logging(void);

/* Tells readers that the log was off, and that nothing can be told of what happened meanwhile. */
void switches_missed(void);

#endif
