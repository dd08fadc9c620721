/* running.h — the thread that runs on each cap, by the rules of ghc-events' `show threads`. */
#ifndef HECTIC_RUNNING_H
#define HECTIC_RUNNING_H

#include <hectic/hectic.h>

#include "read/decode/running.h"

/* An engine of the machine threadrun. NULL: no memory. */
hectic_engine *running_engine(void);

/* 1 + the thread that the event is about, or else that ran on its cap before it; 0: none. Sets
 * *is_implied in the second case. */
uint64_t running_index(const hectic_engine *running, const hectic_event *event, bool *is_implied);

/* Applies the event. False if it contradicts the state, or if there is no memory. */
bool running_advance(hectic_engine *running, const hectic_event *event);

#endif
