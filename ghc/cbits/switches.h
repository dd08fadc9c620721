/* Switches event logging and classes of events off and on in a running program.
 *
 * The runtime does not report later what happened to threads and capabilities while their events
 * were off. So the live threads are listed when scheduler events are switched off, and again when
 * they are switched on: readers get the difference as events (gap.h), after a message about when
 * they were off. This is done at rest, when no thread runs and no collection is open in the log. */
#ifndef HECTIC_SWITCHES_H
#define HECTIC_SWITCHES_H

#include <stdbool.h>

/* NULL: done; else why not. `outside` as in runtime_at_rest. */
const char *switches_set_class(unsigned class_, bool on, bool outside);
/* `says`: log a message that logging is off. */
const char *switches_set_logging(bool on, bool says, bool outside);
bool switches_are_logging(void);

/* Logs a message that logging was off, and that the changes meanwhile are unknown. */
void switches_missed(void);

#endif
