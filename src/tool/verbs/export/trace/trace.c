/* trace.c — see trace.h. What tables have of a run becomes slices, instants and counters; a format
 * writes them. */
#include "tool/verbs/export/trace/trace.h"

#include "facts/spans.h"
#include "render/text.h"
#include "render/units.h"
#include "results/rows.h"
#include "tables/tables.h"
#include "tool/cli/message.h"
#include "tool/input/log_reading.h"
#include "tool/verbs/export/trace/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A text of at most 65,535 bytes. */
enum { TEXT_ROOM = 4 * UINT16_MAX + 1 };

/* Perfetto's UI ends at about 2 GB, of which it needs several times as much memory. */
#define LARGE ((uint64_t)1 << 30)

/* --- Events ---------------------------------------------------------------------------------- */

struct trace_process *trace_process_of(struct trace *trace, const struct reading *reading)
{
    const hectic_process *process = &reading->part->process;
    struct trace_process *found =
        places_process(&trace->places, reading->section, process->has_capset, process->capset);
    if (found && process->has_pid && !found->has_pid) {
        found->has_pid = true;
        found->pid = process->pid;
    }
    return found;
}

/* All tables have these cells first. */
static struct trace_process *process_of_row(struct trace *trace, const struct cell *cells)
{
    return places_process(&trace->places, cells[0].number, cells[1].known, cells[1].number);
}

void trace_event(struct trace_event *event, const struct trace_process *process, const char *name,
                 const char *category, uint64_t from, uint64_t to)
{
    event->pid = process->has_pid ? process->pid : (uint32_t)process->index;
    event->from = from;
    event->to = to;
    event->name = name;
    event->category = category;
    event->is_constant = event->is_rare = false;
    event->flow_out = event->flow_in = 0;
    event->stack = NULL;
    event->args = 0;
}

void trace_add_number(struct trace_event *event, const char *name, uint64_t number)
{
    event->arg[event->args++] = (struct trace_arg){name, NULL, number, false, 0};
}

void trace_add_text(struct trace_event *event, const char *name, const char *text)
{
    event->arg[event->args++] = (struct trace_arg){name, text, 0, false, 0};
}

static void add_cell(struct trace_event *event, const char *name, struct cell cell)
{
    if (cell.known) trace_add_number(event, name, cell.number);
}

bool trace_wants(struct trace *trace, uint64_t from, uint64_t to)
{
    const bool wants = to - from >= trace->shortest;
    trace->left_out += !wants;
    return wants;
}

bool trace_slice(struct trace *trace, uint64_t track, struct trace_event *event)
{
    event->track = track;
    return track && trace->writer->slice(trace->to, event);
}

bool trace_instant(struct trace *trace, uint64_t track, struct trace_event *event)
{
    event->track = track;
    return track && trace->writer->instant(trace->to, event);
}

/* --- Threads --------------------------------------------------------------------------------- */

/* What ran on a cap. */
static bool put_run(struct trace *trace, const struct trace_process *process,
                    const union thread_states_row *row, uint64_t to)
{
    char name[32] = "thread ";
    const uint32_t thread = (uint32_t)row->thread.number, cap = (uint32_t)row->cap.number;
    const char *label = places_label_of(&trace->places, process, thread);
    if (!label) name[7 + hectic_render_u64(thread, name + 7)] = 0;
    struct trace_event event;
    trace_event(&event, process, label ? label : name, "run", row->start_ns.number, to);
    event.is_constant = label;
    trace_add_number(&event, "thread", thread);
    return trace_slice(
        trace, places_lane(&trace->places, process, PLACE_CAP, cap, 0, row->start_ns.number, to),
        &event);
}

/* An arrow from the thread that woke it: it ends in the event. */
static bool put_waker(struct trace *trace, const struct trace_process *process, uint32_t thread,
                      struct trace_event *woken)
{
    uint32_t waker;
    if (!places_waker(&trace->places, process, thread, &waker)) return true;
    struct trace_event event;
    trace_event(&event, process, "wakes", "wakes", woken->from, woken->from);
    event.is_constant = true;
    trace_add_number(&event, "thread", thread);
    event.flow_out = woken->flow_in = ++trace->flows;
    return trace_instant(trace, places_track(&trace->places, process, PLACE_THREAD, waker, NULL),
                         &event);
}

/* Each name has seven letters or more: eight bytes are compared at once. */
static bool is_state(struct cell state, const char name[8])
{
    return memcmp(state.text, name, 8) == 0;
}

static bool put_state(struct trace *trace, const struct trace_process *process,
                      const union thread_states_row *row, uint64_t to)
{
    const uint32_t thread = (uint32_t)row->thread.number;
    const bool is_running = is_state(row->state, "running");
    struct trace_event event;
    trace_event(&event, process, row->reason.known ? row->reason.text : row->state.text, "thread",
                row->start_ns.number, to);
    event.is_constant = true;
    add_cell(&event, "cap", row->cap);
    add_cell(&event, "owner", row->owner);
    return put_waker(trace, process, thread, &event) &&
           trace_slice(trace, places_track(&trace->places, process, PLACE_THREAD, thread, NULL),
                       &event) &&
           (!is_running || !row->cap.known || put_run(trace, process, row, to));
}

static bool take_state(void *user, const struct cell *cells)
{
    struct trace *trace = user;
    const union thread_states_row *row = (const void *)cells;
    const struct trace_process *process = process_of_row(trace, cells);
    const uint64_t from = row->start_ns.number, to = from + row->duration_ns.number;
    if (!process) return places_are_full(&trace->places);
    const bool is_written = !is_state(row->state, "unknown") && trace_wants(trace, from, to);
    if (is_written && !put_state(trace, process, row, to)) return false;
    const bool passes_on = !is_written && from == to && !row->waker.known;
    return passes_on || places_wake(&trace->places, process, (uint32_t)row->thread.number,
                                    row->waker.known, (uint32_t)row->waker.number);
}

/* --- Collections ----------------------------------------------------------------------------- */

static void add_columns(struct trace_event *event, const struct table_column *columns,
                        const struct cell *cells)
{
    for (size_t i = READING_CELLS; columns[i].name && event->args < TRACE_ARGS; i++) {
        if (!cells[i].known || column_is_text_only(&columns[i])) continue;
        event->arg[event->args++] =
            (struct trace_arg){.name = columns[i].name,
                               .text = kind_is_text(columns[i].kind) ? cells[i].text : NULL,
                               .number = cells[i].number,
                               .is_real = columns[i].kind == CELL_SHARE,
                               .real = cells[i].share};
    }
}

static bool take_collection(void *user, const struct cell *cells)
{
    struct trace *trace = user;
    const union gc_row *row = (const void *)cells;
    const struct trace_process *process = process_of_row(trace, cells);
    const uint64_t from = row->start_ns.number, to = from + row->pause_ns.number;
    char name[32] = "GC";
    if (!process) return places_are_full(&trace->places);
    if (!trace_wants(trace, from, to)) return true;
    if (row->generation.known)
        snprintf(name, sizeof name, "GC of generation %" PRIu64, row->generation.number);
    struct trace_event event;
    trace_event(&event, process, name, "gc", from, to);
    add_columns(&event, gc_columns, cells);
    return trace_slice(
        trace, places_lane(&trace->places, process, PLACE_COLLECTIONS, 0, 0, from, to), &event);
}

static bool take_stop(void *user, const struct cell *cells)
{
    struct trace *trace = user;
    const union gc_caps_row *row = (const void *)cells;
    const struct trace_process *process = process_of_row(trace, cells);
    const uint64_t from = row->start_ns.number, to = from + row->duration_ns.number;
    const bool is_gc = strcmp(row->state.text, "gc") == 0;
    if (!process) return places_are_full(&trace->places);
    if (!trace_wants(trace, from, to)) return true;
    struct trace_event event;
    trace_event(&event, process, row->state.text, "gc", from, to);
    event.is_constant = true;
    return trace_slice(trace,
                       places_lane(&trace->places, process, is_gc ? PLACE_CAP_GC : PLACE_CAP_WAIT,
                                   (uint32_t)row->cap.number, 0, from, to),
                       &event);
}

/* --- Messages -------------------------------------------------------------------------------- */

static bool take_message(void *user, const struct cell *cells)
{
    struct trace *trace = user;
    const union messages_row *row = (const void *)cells;
    const struct trace_process *process = process_of_row(trace, cells);
    const char *text = row->text.text;
    const size_t length = strlen(text);
    const bool is_marker = strcmp(row->kind.text, "marker") == 0;
    const bool is_message = strcmp(row->kind.text, "message") == 0;
    if (!process) return places_are_full(&trace->places);
    if (is_message && hectic_spans_is_span((const uint8_t *)text, length)) return true;
    struct trace_event event;
    trace_event(&event, process, text_as_utf8(text, length, trace->text), row->kind.text,
                row->time_ns.number, 0);
    event.is_rare = !is_marker;
    add_cell(&event, "cap", row->cap);
    add_cell(&event, "thread", row->thread);
    const enum trace_place place = is_marker                         ? PLACE_MARKERS
                                   : is_message && row->thread.known ? PLACE_THREAD
                                                                     : PLACE_MESSAGES;
    const uint32_t number = place == PLACE_THREAD ? (uint32_t)row->thread.number : 0;
    return trace_instant(trace, places_track(&trace->places, process, place, number, NULL), &event);
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool has(const hectic_survey *survey, uint16_t first, uint16_t last)
{
    uint64_t count = 0;
    for (unsigned type = first; type <= last; type++)
        count += survey->count[type];
    return count > 0;
}

/* What the log has no events for is not looked for. */
static bool add_parts(struct parts *parts, struct trace *trace, const hectic_survey *survey)
{
    const bool has_messages = has(survey, HECTIC_EVENT_LOG_MSG, HECTIC_EVENT_USER_MSG) ||
                              has(survey, HECTIC_EVENT_USER_MARKER, HECTIC_EVENT_USER_MARKER);
    parts_add(parts, &trace_definitions, trace);
    if (has_messages) parts_add(parts, &trace_spans, trace);
    if (has(survey, HECTIC_EVENT_HEAP_PROF_BEGIN, HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING))
        parts_add(parts, &trace_bands, trace);
    if (has(survey, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE) ||
        has(survey, HECTIC_EVENT_USER_BINARY_MSG, HECTIC_EVENT_USER_BINARY_MSG))
        parts_add(parts, &trace_samples, trace);
    return parts_add_rows(parts, &thread_maker, THREADS_STATES,
                          &(struct row_taker){take_state, trace}) &&
           parts_add_rows(parts, &gc_maker, GC_ITSELF,
                          &(struct row_taker){take_collection, trace}) &&
           parts_add_rows(parts, &stat_maker, STAT_OF_GC_CAPS,
                          &(struct row_taker){take_stop, trace}) &&
           (!has_messages ||
            parts_add_rows(parts, &message_maker, 0, &(struct row_taker){take_message, trace}));
}

/* False: out of memory, or the output has failed. */
static bool read_log(struct trace *trace, struct log_reading *log)
{
    struct parts parts = {0};
    const bool done = add_parts(&parts, trace, hectic_log_survey(log->reading.log)) &&
                      log_reading_all(log, &parts.reader, &parts);
    parts_free(&parts);
    return done;
}

static void note(const struct export_run *export, const struct trace *trace, uint64_t bytes)
{
    char shortest[UNITS_ROOM];
    units_put(shortest, (double)trace->shortest, UNITS_NS, UNITS_WHOLE, false);
    if (trace->left_out > 0)
        export_note(export, "slices shorter than %s, left out: %" PRIu64, shortest,
                    trace->left_out);
    if (bytes > LARGE)
        export_note(export,
                    "the trace has %.1f GB, and programs that show traces may not open it: use "
                    "--from and --to, or --min-duration",
                    (double)bytes / 1e9);
}

int trace_export(struct export_run *export, bool *done)
{
    struct log_reading log;
    struct trace trace = {.writer = export->settings->to->trace,
                          .sink = export->sink,
                          .shortest = export->settings->shortest,
                          .text = malloc(TEXT_ROOM)};
    int code = log_reading_open(&log, export->path, &export->settings->interval,
                                READING_TO_INTERVAL, &export->settings->output);
    trace.to = code == TOOL_OK && trace.text ? trace.writer->begin(export->sink) : NULL;
    places_init(&trace.places, trace.writer, trace.to);
    if (code == TOOL_OK) {
        const bool is_read = trace.to && read_log(&trace, &log);
        const uint64_t bytes = trace.to ? trace.writer->end(trace.to) : 0;
        code = is_read ? log_reading_report(&log) : TOOL_UNUSABLE;
        if (!is_read && !sink_failed(export->sink)) tool_message("out of memory");
        if (is_read) note(export, &trace, bytes);
        *done = is_read && code != TOOL_UNUSABLE;
    }
    places_clear(&trace.places);
    free(trace.text);
    reading_close(&log.reading);
    return code;
}
