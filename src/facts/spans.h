/* spans.h — durations of user-defined spans.
 *
 * A span lasts from the user message "START label" to "STOP label" (Debug.Trace.traceEventIO), as
 * in ghc-events-analyze. A number before the label ("START 3 label") is its subscript: the STOP
 * with the same subscript belongs to it, and the span counts with the label.
 *
 * A STOP ends the most recent open span with its label and subscript in its own thread, the one
 * that runs on the event's cap. If the log does not record which thread runs there (it has no
 * RUN_THREAD, or begins later), the events of each cap, and those without a cap, are treated as
 * events of one thread.
 *
 * Where events are missing (hectic/gaps.h), STARTs and STOPs may be among them. So a span is not
 * paired across threads there.
 *
 * A START that its thread never stops, and a STOP for which its thread has no open span, are paired
 * across threads: in order of time, each such STOP ends the most recent such START. `across` counts
 * these spans. Such STOPs are pending until the thread with the START has finished or the section
 * has ended.
 *
 * Pairs do not depend on the interval, so events after the interval are needed as well: to the end
 * of the section, or until hectic_spans_are_settled. Results of adjacent intervals then add up to
 * those of their union.
 *
 * For markers (traceMarkerIO), a duration is the time from one to the next with the same name.
 *
 * Takes events in order of time. It keeps the labels (at most 65,536, each with a histogram), and
 * at most 1,048,576 open spans and pending STOPs: a further START counts as unstopped, a further
 * STOP without a span in its thread as unstarted. While a STOP is pending, later events of its
 * label are kept, too; a STOP that would require 1,048,576 of them counts as unstarted.
 */
#ifndef HECTIC_SRC_SPANS_H
#define HECTIC_SRC_SPANS_H

#include "numbers/histogram.h"
#include <hectic/decoder.h>

/* The results of one label, or of the markers of one name. */
typedef struct hectic_span {
    const char *label;
    bool is_marker;
    uint64_t first, last; /* the times of its first and last event inside the interval, ns */
    bool has_times;       /* the interval has such an event */
    const hectic_histogram
        *durations;  /* ns; not clipped, of spans that ended inside the interval */
    uint64_t count;  /* spans that ended inside the interval, or markers in it */
    uint64_t across; /* spans of `count` that were started and stopped by different threads */
    /* The next three are 0 for markers. */
    uint64_t total; /* ns inside the interval, the sum over all spans, nested ones too; one that is
                       not stopped counts up to the end, or to where events are missing */
    uint64_t open;  /* ns in which at least one span was open */
    uint64_t no_gc; /* the part of `open` without garbage collection: the total of
                       ghc-events-analyze; unknown unless has_gc */
    bool has_gc;    /* the section has had a collection: they are logged */
    uint64_t unstarted; /* STOPs in the interval without a START */
    uint64_t unstopped; /* STARTs in the interval without a STOP, in it or later */
} hectic_span;

/* The start or stop of a span. */
typedef struct hectic_span_end {
    uint64_t time;     /* ns */
    uint64_t gc;       /* ns in which any cap collected, in the interval until then; 0 unless
                          hectic_spans_have_gc */
    uint64_t position; /* byte offset of the event */
    uint32_t thread;   /* the thread that ran on the cap; unknown unless has_thread */
    uint16_t cap;      /* or HECTIC_CAP_NONE */
    bool has_thread;
} hectic_span_end;

/* Who starts or stops a span: a thread, or a cap whose thread is not known. */
static inline uint64_t hectic_span_owner(const hectic_span_end *end)
{
    return end->has_thread ? end->thread : (uint64_t)1 << 32 | end->cap;
}

/* A single span. */
typedef struct hectic_span_one {
    const char *label;
    uint64_t subscript;          /* 0: none */
    hectic_span_end start, stop; /* if not stopped, stop.time is the section's end, or when
                                    events are missing after the start */
    bool is_stopped;
    bool across; /* started and stopped by different threads */
} hectic_span_one;

/* Totals over all labels, for the interval. */
typedef struct hectic_span_totals {
    uint64_t spans, markers;
    uint64_t across;   /* spans started and stopped by different threads */
    uint64_t messages; /* user messages that are not spans */
    uint64_t unstarted, unstopped;
    uint64_t unlisted;   /* spans and markers of labels beyond the limit */
    uint64_t unfollowed; /* STARTs while too many spans were open: their STOPs are unstarted */
} hectic_span_totals;

typedef bool (*hectic_span_callback)(void *user, const hectic_span *span);
typedef bool (*hectic_span_one_callback)(void *user, const hectic_span_one *span);
typedef struct hectic_spans hectic_spans;

/* For the interval from <= t < to (ns). Calls `callback`, unless NULL, for each span that overlaps
 *  it, as soon as its end is known: at its STOP, or later if it is across threads, or at the end of
 *  the section if it is not stopped. It returns false to stop. NULL: out of memory. */
hectic_spans *hectic_spans_new(uint64_t from, uint64_t to, hectic_span_one_callback callback,
                               void *user);
void hectic_spans_free(hectic_spans *spans);

/* Does a user message begin or end a span? */
bool hectic_spans_is_span(const uint8_t *message, size_t size);

/* From now on, a number of at most 19 digits at the end of a label, behind a character that is no
 *  letter, is a subscript, and the label has # in its place: "START request 234" is a span of
 *  "request #". So is the name of a marker. */
void hectic_spans_group(hectic_spans *spans);

/* The length of a label without such a number, which it sets; all of it: there is none. */
size_t hectic_spans_group_length(const uint8_t *label, size_t length, uint64_t *number);

/* From now on, markers are counted, and nothing else is kept of them. */
void hectic_spans_count_markers(hectic_spans *spans);

/* The log lacks caps (hectic_section.lacks_caps): a span that nothing stops has no length. */
void hectic_spans_lack_caps(hectic_spans *spans);

/* From now on, calls `started` for each START that may be stopped. It returns false to stop. */
void hectic_spans_watch(hectic_spans *spans,
                        bool (*started)(void *user, const hectic_span_end *start), void *user);

/* From now on, calls `stopped` for a START, by its position, that another thread seems to have
 * stopped: this is certain when its own thread has finished, or the section has ended. */
void hectic_spans_watch_stops(hectic_spans *spans, void (*stopped)(void *user, uint64_t start),
                              void *user);

/* Has the section had a collection? Otherwise they may not be logged. */
bool hectic_spans_have_gc(const hectic_spans *spans);

/* Where an event is, as the start or stop of a span would be: after those that were taken. */
hectic_span_end hectic_spans_at(const hectic_spans *spans, const hectic_event *event);

/* Takes the next event. False: out of memory, or a callback returned false. */
bool hectic_spans_event(hectic_spans *spans, const hectic_event *event);

/* After the interval: true if no further event of the section can change the result. */
bool hectic_spans_are_settled(const hectic_spans *spans);

/* Ends the section at `now`, which is the earlier of its end and the interval's end. False as
 *  above. */
bool hectic_spans_end(hectic_spans *spans, uint64_t now);

/* Calls `callback` for each label with results at `now`, in order of their first events. False:
 *  the callback returned false. */
bool hectic_spans_each(const hectic_spans *spans, uint64_t now, hectic_span_callback callback,
                       void *user);

hectic_span_totals hectic_spans_totals(const hectic_spans *spans);

#endif
