/* open_spans.h — which spans nest: those that, when they end, are the last open ones of their
 * owner. Of spans that overlap without one containing the other, the one that ends first does not.
 */
#ifndef HECTIC_SRC_OPEN_SPANS_H
#define HECTIC_SRC_OPEN_SPANS_H

#include "base/map.h"

struct open_spans {
    map open; /* by the positions of their starts */
    map last; /* of each owner */
};

void open_spans_init(struct open_spans *spans);
void open_spans_clear(struct open_spans *spans);

/* A span starts; one of too many does not nest. False: out of memory. */
bool open_spans_start(struct open_spans *spans, uint64_t owner, uint64_t position, uint64_t time);

/* The position of the innermost open span of an owner; UINT64_MAX: none. */
uint64_t open_spans_last(const struct open_spans *spans, uint64_t owner);

/* The one that started there ends. True: it nests in the spans of its owner that are open, and all
 * that nest and started after it have ended; none of them started at the same time. */
bool open_spans_stop(struct open_spans *spans, uint64_t position);

#endif
