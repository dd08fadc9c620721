/* running.h — which thread runs on which cap, by the rules of ghc-events' `show threads`. */
#ifndef HECTIC_RUNNING_H
#define HECTIC_RUNNING_H

#include "tool.h"

struct running;

struct running *running_new(void); /* NULL: no memory */
void running_free(struct running *running);

/* Nothing runs any more: a new section begins. */
void running_clear(struct running *running);

/* 1 + the thread that the event is about, or that ran on its cap before it; 0: none. */
uint64_t running_index(const struct running *running, const hectic_event *event);

/* Follows the event. False where it contradicts what is known: a thread that runs already is run,
 * or one that does not run is stopped. */
bool running_step(struct running *running, const hectic_event *event);

#endif
