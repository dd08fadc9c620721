/* running.h — the thread that runs on each cap, by the rules of ghc-events' `show threads`. */
#ifndef HECTIC_RUNNING_H
#define HECTIC_RUNNING_H

#include "tool/cli/tool.h"

/* An engine of the machine threadrun. NULL: no memory. */
hectic_engine *running_new(void);

/* 1 + the thread that the event is about, or else that ran on its cap before it; 0: none. Sets
 * *is_implied in the second case. */
uint64_t running_index(const hectic_engine *running, const hectic_event *event, bool *is_implied);

/* Applies the event. False if it contradicts the state, or if there is no memory. */
bool running_step(hectic_engine *running, const hectic_event *event);

#endif
