/* hectic/spans.h — how long what the program itself has named took.
 *
 * A span lasts from the user message "START label" to "STOP label" (Debug.Trace.traceEventIO), as
 * ghc-events-analyze has it. A number before the label ("START 3 label") is its subscript: the STOP
 * with the same subscript belongs to it, and what is told is told for the label. Where a span is
 * started again while it is open, a STOP ends the one that was started last.
 *
 * Of markers (traceMarkerIO), what is told of durations is told of the time from each to the next
 * of its name.
 *
 * A consumer of ordered events. It keeps the labels (at most 65,536, each with a histogram) and the
 * open spans (at most 1,048,576).
 */
#ifndef HECTIC_SPANS_H
#define HECTIC_SPANS_H

#include <hectic/decoder.h>
#include <hectic/histogram.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of one label, or of the markers of one name. */
typedef struct hectic_span {
    const char *label;
    bool is_marker;
    uint64_t first, last; /**< the times of its first and last event inside the interval, ns */
    bool has_times;       /**< there is such an event */
    const hectic_histogram *durations; /**< ns; whole, of those that ended inside the interval */
    uint64_t count; /**< spans that ended inside the interval, or markers in it */
    /* The next three are 0 for markers. */
    uint64_t total;     /**< ns inside the interval, nested ones added; those that have not been
                             stopped are counted up to the end */
    uint64_t open;      /**< ns in which at least one was open */
    uint64_t no_gc;     /**< the part of it in which no cap collected: what ghc-events-analyze
                             calls the total */
    uint64_t unstarted; /**< STOPs without a START */
    uint64_t unstopped; /**< STARTs without a STOP, where the interval does not end before the
                             log */
} hectic_span;

/** Sums over all labels, of the interval. */
typedef struct hectic_span_totals {
    uint64_t spans, markers;
    uint64_t messages; /**< user messages that are no spans */
    uint64_t unstarted, unstopped;
    uint64_t unlisted; /**< spans and markers of labels for which there was no room */
} hectic_span_totals;

typedef bool (*hectic_span_take)(void *user, const hectic_span *span);
typedef struct hectic_spans hectic_spans;

/** For from <= t < to (ns). NULL: no memory. */
hectic_spans *hectic_spans_new(uint64_t from, uint64_t to);
void hectic_spans_free(hectic_spans *spans);

/** The next event. False: no memory. */
bool hectic_spans_event(hectic_spans *spans, const hectic_event *event);

/** The section, or the interval in it, has ended at `now`. */
void hectic_spans_end(hectic_spans *spans, uint64_t now);

/** Gives `take` the labels that have something to tell at `now`, as they first came. False where
 *  `take` has said stop. */
bool hectic_spans_each(const hectic_spans *spans, uint64_t now, hectic_span_take take, void *user);

hectic_span_totals hectic_spans_totals(const hectic_spans *spans);

#ifdef __cplusplus
}
#endif
#endif
