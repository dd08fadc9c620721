/* trace.h — a run as a trace, for programs that show traces. */
#ifndef HECTIC_EXPORT_TRACE_H
#define HECTIC_EXPORT_TRACE_H

#include "facts/open_spans.h"
#include "tool/verbs/export/export.h"
#include "tool/verbs/export/trace/places.h"

struct trace {
    struct places places;
    const struct trace_writer *writer;
    void *to;
    struct sink *sink;
    uint64_t shortest; /* ns: --min-duration */
    uint64_t left_out; /* slices that are shorter */
    uint64_t flows;
    char *text; /* room for a text of the log in its exact form */
};

/* The readers of what no table has, with the trace as their user. */
extern const struct reader trace_definitions; /* comes first: names */
extern const struct reader trace_spans, trace_bands, trace_samples;

/* The process that is read. NULL: none. */
struct trace_process *trace_process_of(struct trace *trace, const struct reading *reading);

/* Sets an event of a process without arguments. */
void trace_event(struct trace_event *event, const struct trace_process *process, const char *name,
                 const char *category, uint64_t from, uint64_t to);
void trace_add_number(struct trace_event *event, const char *name, uint64_t number);
void trace_add_text(struct trace_event *event, const char *name, const char *text);

/* Is it long enough? Counts what is not. */
bool trace_wants(struct trace *trace, uint64_t from, uint64_t to);

/* Writes a slice, or an instant, in a track; 0 as the track: out of memory. */
bool trace_slice(struct trace *trace, uint64_t track, struct trace_event *event);
bool trace_instant(struct trace *trace, uint64_t track, struct trace_event *event);

#endif
