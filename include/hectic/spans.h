/* hectic/spans.h — how long what the program itself has named took.
 *
 * A span lasts from the user message "START label" to "STOP label" (Debug.Trace.traceEventIO), as
 * ghc-events-analyze has it. A number before the label ("START 3 label") is its subscript: the STOP
 * with the same subscript belongs to it, and the span counts with the label.
 *
 * A STOP ends the most recent open span of its label and subscript in its own thread, which is the
 * one that runs on the event's cap. Where the log does not record which thread runs there (it has
 * no RUN_THREAD, or begins later), the events of a cap, or those of no cap, are treated as those of
 * one thread.
 *
 * A START that its thread never stops, and a STOP for which its thread has no open span, are paired
 * across threads: in order of time, each such STOP ends the most recent such START. These spans are
 * counted in `across`. That a thread does not stop a span is known once it has finished or the
 * section has ended; until then such STOPs are pending.
 *
 * Pairs do not depend on the interval, so events behind it have to be fed as well: to the end of
 * the section, or until hectic_spans_are_settled. Results of adjacent intervals then add up to
 * those of their union.
 *
 * Of markers (traceMarkerIO), the durations are the times from each to the next of its name.
 *
 * A consumer of ordered events. It keeps the labels (at most 65,536, each with a histogram), and at
 * most 1,048,576 open spans and pending STOPs: a further START counts as unstopped, a further STOP
 * without a span in its thread as unstarted. While a STOP is pending, the later events of its label
 * are kept, too; a STOP for which 1,048,576 of them would have to be kept counts as unstarted.
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
    uint64_t count;  /**< spans that ended inside the interval, or markers in it */
    uint64_t across; /**< of these spans, those started and stopped by different threads */
    /* The next three are 0 for markers. */
    uint64_t total;     /**< ns inside the interval, nested ones added; those that have not been
                             stopped are counted up to the end */
    uint64_t open;      /**< ns in which at least one was open */
    uint64_t no_gc;     /**< the part of it in which no cap collected: what ghc-events-analyze
                             calls the total */
    uint64_t unstarted; /**< STOPs in the interval without a START */
    uint64_t unstopped; /**< STARTs in the interval without a STOP, inside or behind it */
} hectic_span;

/** Where a span was started or stopped. */
typedef struct hectic_span_end {
    uint64_t time;     /**< ns */
    uint64_t position; /**< of the event, in bytes */
    uint32_t thread;   /**< that ran on the cap; where has_thread is false, it is not known */
    uint16_t cap;      /**< or HECTIC_CAP_NONE */
    bool has_thread;
} hectic_span_end;

/** A single span. */
typedef struct hectic_span_one {
    const char *label;
    uint64_t subscript;          /**< 0: none */
    hectic_span_end start, stop; /**< of one that is not stopped: stop.time is the section's end */
    bool is_stopped;
    bool across; /**< started and stopped by different threads */
} hectic_span_one;

/** Sums over all labels, of the interval. */
typedef struct hectic_span_totals {
    uint64_t spans, markers;
    uint64_t across;   /**< of the spans, those that were not started and stopped by one thread */
    uint64_t messages; /**< user messages that are no spans */
    uint64_t unstarted, unstopped;
    uint64_t unlisted; /**< spans and markers of labels for which there was no room */
} hectic_span_totals;

typedef bool (*hectic_span_callback)(void *user, const hectic_span *span);
typedef bool (*hectic_span_one_callback)(void *user, const hectic_span_one *span);
typedef struct hectic_spans hectic_spans;

/** For from <= t < to (ns). `take` (or NULL) gets each span of which something lies inside, as soon
 *  as its end is known: by its STOP, or later, if it is across threads; if it is not stopped, at
 * the end of the section. It returns false to stop. NULL: no memory. */
hectic_spans *hectic_spans_new(uint64_t from, uint64_t to, hectic_span_one_callback take,
                               void *user);
void hectic_spans_free(hectic_spans *spans);

/** The next event. False: no memory, or `take` has said stop. */
bool hectic_spans_event(hectic_spans *spans, const hectic_event *event);

/** Of an event behind the interval: does no further event of the section matter? */
bool hectic_spans_are_settled(const hectic_spans *spans);

/** The section has ended; `now`: then, or at the end of the interval where that is earlier. False
 * as above. */
bool hectic_spans_end(hectic_spans *spans, uint64_t now);

/** Gives `take` the labels that have something to tell at `now`, as they first came. False where
 *  `take` has said stop. */
bool hectic_spans_each(const hectic_spans *spans, uint64_t now, hectic_span_callback take,
                       void *user);

hectic_span_totals hectic_spans_totals(const hectic_spans *spans);

#ifdef __cplusplus
}
#endif
#endif
