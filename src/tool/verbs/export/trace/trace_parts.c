/* trace_parts.c — what a trace has that no table has: names of threads, spans that nest, counters
 * of sparks, bands of heap profiles, call stacks. */
#include "profiles/heap_samples.h"
#include "profiles/time_samples.h"
#include "render/text.h"
#include "results/reading.h"
#include "tool/verbs/export/trace/trace.h"

#include "base/array.h"
#include "facts/spans.h"

#include <hectic/read_events.h>
#include <stdio.h>
#include <stdlib.h>

static bool end_nothing(const struct reading *reading, uint64_t now)
{
    (void)reading;
    (void)now;
    return true;
}

static bool is_inside(const struct reading *reading, uint64_t time)
{
    return time >= reading->interval.from && time < reading->interval.to;
}

/* --- Definitions, and counters --------------------------------------------------------------- */

/* Counters of a cap that only grow. */
enum growing { GROWING_ALLOCATED, GROWING_CREATED, GROWING_CONVERTED, GROWINGS };

/* What is kept for a process. */
struct definitions {
    struct about about;
    struct grown { /* the previous value */
        bool is_set;
        uint64_t time, value;
    } (*grown)[GROWINGS]; /* of each cap */
    size_t caps;
};

static bool begin_definitions(const struct reading *reading)
{
    struct definitions *kept = reading->kept;
    about_clear(&kept->about);
    if (kept->grown) memset(kept->grown, 0, kept->caps * sizeof *kept->grown);
    return true;
}

static void finish_definitions(const struct reading *reading)
{
    struct definitions *kept = reading->kept;
    about_clear(&kept->about);
    free(kept->grown);
}

/* Writes how fast a counter grew from its previous value on. */
static bool put_growth(const struct reading *reading, const struct trace_process *process,
                       const hectic_event *event, enum growing growing, uint64_t value)
{
    static const enum trace_place places[GROWINGS] = {PLACE_ALLOCATION, PLACE_CREATED,
                                                      PLACE_CONVERTED};
    struct trace *trace = reading->user;
    struct definitions *kept = reading->kept;
    const size_t before = kept->caps;
    if (!array_reserve(kept->grown, kept->caps, (size_t)event->cap + 1)) return false;
    memset(kept->grown + before, 0, (kept->caps - before) * sizeof *kept->grown);
    struct grown *last = &kept->grown[event->cap][growing];
    const struct grown previous = *last;
    *last = (struct grown){true, event->time, value};
    if (!previous.is_set || !is_inside(reading, previous.time) || previous.time == event->time)
        return true;
    const uint64_t growth = value < previous.value ? 0 : value - previous.value;
    return places_count(&trace->places, process, places[growing], event->cap, NULL, previous.time,
                        (uint64_t)((double)growth * 1e9 / (double)(event->time - previous.time)));
}

static bool put_sparks(const struct reading *reading, const struct trace_process *process,
                       const hectic_event *event)
{
    struct trace *trace = reading->user;
    hectic_event_spark_counters now;
    if (event->cap == HECTIC_CAP_NONE || !hectic_read_spark_counters(event, &now)) return true;
    return put_growth(reading, process, event, GROWING_CREATED, now.created) &&
           put_growth(reading, process, event, GROWING_CONVERTED, now.converted) &&
           (!is_inside(reading, event->time) ||
            places_count(&trace->places, process, PLACE_POOL, event->cap, NULL, event->time,
                         now.remaining));
}

static bool put_size(const struct reading *reading, const struct trace_process *process,
                     const hectic_event *event, enum trace_place place)
{
    struct trace *trace = reading->user;
    hectic_event_heap_size size;
    if (!hectic_read_heap_size(event, &size)) return true;
    if (place == PLACE_ALLOCATION)
        return event->cap == HECTIC_CAP_NONE ||
               put_growth(reading, process, event, GROWING_ALLOCATED, size.bytes);
    return !is_inside(reading, event->time) ||
           places_count(&trace->places, process, place, 0, NULL, event->time, size.bytes);
}

static bool take_label(struct trace *trace, const struct trace_process *process,
                       const hectic_event *event)
{
    enum { LABEL_MAX = 255 };
    hectic_event_thread_label label;
    char room[4 * LABEL_MAX + 1];
    if (!hectic_read_thread_label(event, &label)) return true;
    return places_label(&trace->places, process, label.thread,
                        text_cut_as_utf8(label.label.bytes, label.label.length, LABEL_MAX, room));
}

static void take_pid(struct trace_process *process, const hectic_event *event)
{
    hectic_event_osprocess_pid pid;
    if (process->has_pid || !hectic_read_osprocess_pid(event, &pid)) return;
    process->has_pid = true;
    process->pid = pid.pid;
}

static bool define(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct trace *trace = reading->user;
    struct definitions *kept = reading->kept;
    struct trace_process *process = trace_process_of(trace, reading);
    bool done = true;
    trace->places.about = &kept->about;
    for (size_t i = 0; i < count && done && process; i++) {
        switch (event[i].type) {
        case HECTIC_EVENT_THREAD_LABEL: done = take_label(trace, process, &event[i]); break;
        case HECTIC_EVENT_SPARK_COUNTERS: done = put_sparks(reading, process, &event[i]); break;
        case HECTIC_EVENT_HEAP_ALLOCATED:
            done = put_size(reading, process, &event[i], PLACE_ALLOCATION);
            break;
        case HECTIC_EVENT_HEAP_SIZE:
            done = put_size(reading, process, &event[i], PLACE_HEAP);
            break;
        case HECTIC_EVENT_BLOCKS_SIZE:
            done = put_size(reading, process, &event[i], PLACE_BLOCKS);
            break;
        case HECTIC_EVENT_HEAP_LIVE:
            done = put_size(reading, process, &event[i], PLACE_LIVE);
            break;
        case HECTIC_EVENT_WALL_CLOCK_TIME:
        case HECTIC_EVENT_PROGRAM_ARGS: done = about_event(&kept->about, &event[i]); break;
        case HECTIC_EVENT_OSPROCESS_PID: take_pid(process, &event[i]); break;
        default: break;
        }
    }
    return done && (process || places_are_full(&trace->places)) &&
           (!trace->sink || !sink_failed(trace->sink));
}

const struct reader trace_definitions = {.size = sizeof(struct definitions),
                                         .begin = begin_definitions,
                                         .events = define,
                                         .end = end_nothing,
                                         .finish = finish_definitions};

/* --- Spans ----------------------------------------------------------------------------------- */

/* What is kept for a process. */
struct spans {
    hectic_spans *analysis; /* the first member: see READER_EVENTS */
    struct open_spans open;
    const struct reading *reading;
};

static bool note_start(void *user, const hectic_span_end *start)
{
    struct spans *kept = user;
    const uint64_t from = kept->reading->interval.from;
    return open_spans_start(&kept->open, hectic_span_owner(start), start->position,
                            start->time > from ? start->time : from);
}

static bool take_span(void *user, const hectic_span_one *span)
{
    struct spans *kept = user;
    const struct reading *reading = kept->reading;
    struct trace *trace = reading->user;
    const struct interval *interval = &reading->interval;
    const bool nests = open_spans_stop(&kept->open, span->start.position) && !span->across;
    const uint64_t from = span->start.time > interval->from ? span->start.time : interval->from;
    const uint64_t to = span->stop.time < interval->to ? span->stop.time : interval->to;
    const struct trace_process *process = trace_process_of(trace, reading);
    const bool has_thread = span->start.has_thread, has_cap = span->start.cap != HECTIC_CAP_NONE;
    const enum trace_place place = has_thread ? PLACE_THREAD_SPANS
                                   : has_cap  ? PLACE_CAP_SPANS
                                              : PLACE_SPANS;
    const uint32_t number = has_thread ? span->start.thread : has_cap ? span->start.cap : 0;
    if (!process) return places_are_full(&trace->places);
    if (to < from || !trace_wants(trace, from, to)) return true;
    struct trace_event event;
    trace_event(&event, process, text_as_utf8(span->label, strlen(span->label), trace->text),
                "span", from, to);
    if (span->subscript > 0) trace_add_number(&event, "subscript", span->subscript);
    if (has_cap) trace_add_number(&event, "cap", span->start.cap);
    if (span->is_stopped && span->stop.cap != HECTIC_CAP_NONE)
        trace_add_number(&event, "end_cap", span->stop.cap);
    if (span->across && span->stop.has_thread)
        trace_add_number(&event, "end_thread", span->stop.thread);
    if (!span->is_stopped) trace_add_text(&event, "end", "not in this part of the log");
    const uint64_t track = nests ? places_track(&trace->places, process, place, number, NULL)
                                 : places_lane(&trace->places, process, place, number, 1, from, to);
    return trace_slice(trace, track, &event);
}

static bool begin_spans(const struct reading *reading)
{
    struct spans *kept = reading->kept;
    kept->reading = reading;
    kept->analysis =
        hectic_spans_new(reading->interval.from, reading->interval.to, take_span, kept);
    open_spans_init(&kept->open);
    if (!kept->analysis) return false;
    hectic_spans_group(kept->analysis);
    hectic_spans_count_markers(kept->analysis);
    hectic_spans_watch(kept->analysis, note_start, kept);
    return true;
}

READER_EVENTS_AS(span_events, hectic_spans)

static void finish_spans(const struct reading *reading)
{
    struct spans *kept = reading->kept;
    hectic_spans_free(kept->analysis);
    open_spans_clear(&kept->open);
    *kept = (struct spans){0};
}

static bool end_spans(const struct reading *reading, uint64_t now)
{
    struct spans *kept = reading->kept;
    const bool done = hectic_spans_end(kept->analysis, now);
    finish_spans(reading);
    return done;
}

const struct reader trace_spans = {.size = sizeof(struct spans),
                                   .begin = begin_spans,
                                   .events = span_events,
                                   .end = end_spans,
                                   .finish = finish_spans};

/* --- Heap profiles --------------------------------------------------------------------------- */

/* What is kept for a process. */
struct bands {
    hectic_heap_samples *analysis; /* the first member: see READER_EVENTS */
    const struct reading *reading;
    map sizes; /* of the bands, in the sample before: plus 1 */
};

static bool put_band(struct bands *kept, const struct trace_process *process, uint64_t profile,
                     uint32_t node, uint64_t time, uint64_t bytes)
{
    struct trace *trace = kept->reading->user;
    const uint64_t key = profile << 32 | node, before = map_value_of(&kept->sizes, key);
    enum { NAME_MAX_BYTES = 255 };
    char name[NAME_MAX_BYTES + 1], room[4 * NAME_MAX_BYTES + 1];
    if (bytes + 1 == before || (bytes == 0 && before == 0)) return true;
    hectic_band_text(hectic_heap_samples_stacks(kept->analysis),
                     hectic_heap_samples_symbols(kept->analysis), node, name, sizeof name);
    text_cut_as_utf8(name, strlen(name), NAME_MAX_BYTES, room);
    return map_set_value(&kept->sizes, key, bytes + 1) &&
           places_count(&trace->places, process, PLACE_BAND, node + (uint32_t)(profile << 24), room,
                        time, bytes);
}

/* Bands of the sample before are zero if this one lacks them. */
static bool end_bands(struct bands *kept, const struct trace_process *process,
                      const hectic_heap_sample *sample)
{
    map present = {0};
    bool done = true;
    for (size_t i = 0; i < sample->bands && done; i++)
        done = map_add_member(&present, sample->band[i].node);
    struct map_value *all = done ? map_sorted_values(&kept->sizes) : NULL;
    const size_t count = kept->sizes.count;
    for (size_t i = 0; all && i < count && done; i++)
        if (all[i].number >> 32 == sample->profile && all[i].value > 1 &&
            !map_has_member(&present, all[i].number & UINT32_MAX))
            done =
                put_band(kept, process, sample->profile, (uint32_t)all[i].number, sample->time, 0);
    done = done && (all || count == 0);
    free(all);
    map_clear(&present);
    return done;
}

static bool take_bands(void *user, const hectic_heap_sample *sample)
{
    struct bands *kept = user;
    struct trace *trace = kept->reading->user;
    const struct trace_process *process = trace_process_of(trace, kept->reading);
    bool done = true;
    if (!process) return places_are_full(&trace->places);
    if (!sample->kind->has_times || !is_inside(kept->reading, sample->time)) return true;
    for (size_t i = 0; i < sample->bands && done; i++)
        done = put_band(kept, process, sample->profile, sample->band[i].node, sample->time,
                        sample->band[i].bytes);
    return done && end_bands(kept, process, sample);
}

static bool begin_bands(const struct reading *reading)
{
    struct bands *kept = reading->kept;
    kept->reading = reading;
    kept->analysis = hectic_heap_samples_new(NULL, take_bands, kept);
    return kept->analysis;
}

READER_EVENTS_AS(band_events, hectic_heap_samples)

static void finish_bands(const struct reading *reading)
{
    struct bands *kept = reading->kept;
    hectic_heap_samples_free(kept->analysis);
    map_clear(&kept->sizes);
    *kept = (struct bands){0};
}

static bool end_profile(const struct reading *reading, uint64_t now)
{
    (void)now;
    finish_bands(reading);
    return true;
}

const struct reader trace_bands = {.size = sizeof(struct bands),
                                   .begin = begin_bands,
                                   .events = band_events,
                                   .end = end_profile,
                                   .finish = finish_bands};

/* --- Time profiles --------------------------------------------------------------------------- */

/* What is kept for a process. */
struct samples {
    hectic_time_samples *analysis; /* the first member: see READER_EVENTS */
    const struct reading *reading;
};

static bool take_sample(void *user, const hectic_time_sample *sample)
{
    const struct samples *kept = user;
    struct trace *trace = kept->reading->user;
    const struct trace_process *process = trace_process_of(trace, kept->reading);
    char name[TRACE_FRAME_TEXT];
    if (!process) return places_are_full(&trace->places);
    if (!is_inside(kept->reading, sample->time)) return true;
    const struct trace_stack stack = {
        .id = process->index * HECTIC_TIME_SOURCES + sample->source,
        .stacks = hectic_time_samples_stacks(kept->analysis, sample->source),
        .symbols = hectic_time_samples_symbols(kept->analysis),
        .node = sample->node};
    struct trace_event event;
    trace_event(&event, process, trace_frame(&stack, sample->node, name), "sample", sample->time,
                sample->time);
    event.stack = &stack;
    const bool has_thread = sample->source == HECTIC_TIME_CALL_STACKS;
    if (has_thread) trace_add_number(&event, "thread", sample->thread);
    return trace_instant(
        trace, places_track(&trace->places, process, PLACE_CAP_SAMPLES, sample->cap, NULL), &event);
}

static bool begin_samples(const struct reading *reading)
{
    struct samples *kept = reading->kept;
    kept->reading = reading;
    kept->analysis = hectic_time_samples_new(1, 0, 0, take_sample, kept);
    return kept->analysis;
}

READER_EVENTS_AS(sample_events, hectic_time_samples)
READER_FINISH_AS(finish_samples, hectic_time_samples)

static bool end_samples(const struct reading *reading, uint64_t now)
{
    (void)now;
    finish_samples(reading);
    return true;
}

const struct reader trace_samples = {.size = sizeof(struct samples),
                                     .begin = begin_samples,
                                     .events = sample_events,
                                     .end = end_samples,
                                     .finish = finish_samples};
