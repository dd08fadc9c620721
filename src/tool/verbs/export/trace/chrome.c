/* chrome.c — a trace as JSON, in the Trace Event Format of chrome://tracing. */
#include "render/put.h"
#include "render/text.h"
#include "tool/verbs/export/trace/trace_writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { STACK_TEXT = 4096 };

/* The latest tracks and constant names as text, at places that their numbers or addresses
 * determine. */
enum { PLACES_BITS = 8, PLACE_TEXT = 64, TITLE_TEXT = 64 };

struct place {
    uint64_t track; /* with `length` > 0 */
    uint32_t pid;
    size_t length;
    char text[PLACE_TEXT];
};

struct title {
    const char *name, *category;
    size_t length;
    char text[TITLE_TEXT];
};

struct chrome {
    struct sink *sink;
    uint64_t bytes;
    char *room;   /* of the line that is written */
    bool follows; /* the next line is not the first */
    struct place place[1 << PLACES_BITS];
    struct title title[1 << PLACES_BITS];
};

/* --- Lines ----------------------------------------------------------------------------------- */

/* A function writes at `out`, and returns the end of what it wrote. */

static char *put_text(char *out, const char *text)
{
    return put_json_utf8(out, (const uint8_t *)text, strlen(text));
}

/* Of a text that needs no escapes: most are so short that a call would take longer. */
static char *put_word(char *out, const char *text)
{
    *out++ = '"';
    while (*text)
        *out++ = *text++;
    *out++ = '"';
    return out;
}

/* Times are in µs. */
static char *put_time(char *out, uint64_t ns)
{
    out = put_decimal(out, ns / 1000);
    const unsigned part = (unsigned)(ns % 1000);
    *out++ = '.';
    *out++ = (char)('0' + part / 100);
    *out++ = (char)('0' + part / 10 % 10);
    *out++ = (char)('0' + part % 10);
    return out;
}

/* A thread of the trace is a track: readers convert numbers to double. */
static uint64_t thread_of(uint64_t track)
{
    return track & (((uint64_t)1 << 48) - 1);
}

/* Begins a line with texts of that many bytes. */
static char *open_line(struct chrome *chrome, size_t texts)
{
    enum { ESCAPED = 6, REST = 8192 + ESCAPED * TRACE_NAME_MAX };
    char *out = chrome->room = sink_room(chrome->sink, ESCAPED * texts + REST);
    if (chrome->follows) out = put_literal(out, ",\n");
    chrome->follows = true;
    return out;
}

static void close_line(struct chrome *chrome, const char *out)
{
    const size_t size = (size_t)(out - chrome->room);
    sink_fill(chrome->sink, size);
    chrome->bytes += size;
}

static char *put_phase(char *out, char phase)
{
    out = put_literal(out, "{\"ph\":\"");
    *out++ = phase;
    return out;
}

static size_t place_of(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACES_BITS);
}

static char *put_place(struct chrome *chrome, char *out, uint32_t pid, uint64_t track)
{
    struct place *place = &chrome->place[place_of(track)];
    if (place->length == 0 || place->track != track || place->pid != pid) {
        char *end = put_decimal(put_literal(place->text, "\",\"pid\":"), pid);
        end = put_decimal(put_literal(end, ",\"tid\":"), thread_of(track));
        place->track = track;
        place->pid = pid;
        place->length = (size_t)(end - place->text);
    }
    memcpy(out, place->text, PLACE_TEXT);
    return out + place->length;
}

/* --- Tracks ---------------------------------------------------------------------------------- */

static void *begin_trace(struct sink *sink)
{
    struct chrome *chrome = calloc(1, sizeof *chrome);
    if (!chrome) return NULL;
    chrome->sink = sink;
    char *out = open_line(chrome, 0);
    out = put_literal(out, "{\"displayTimeUnit\":\"ns\",");
    close_line(chrome, put_literal(out, "\"traceEvents\":[\n"));
    chrome->follows = false;
    return chrome;
}

static void put_name(struct chrome *chrome, const struct trace_track *track, const char *kind)
{
    char *out = open_line(chrome, strlen(track->name));
    out = put_phase(out, 'M');
    out = put_place(chrome, out, track->pid, track->kind == TRACE_PROCESS ? 0 : track->id);
    out = put_word(put_literal(out, ",\"name\":"), kind);
    out = put_text(put_literal(out, ",\"args\":{\"name\":"), track->name);
    close_line(chrome, put_literal(out, "}}"));
}

/* Groups and counters need none. */
static bool put_track(void *self, const struct trace_track *track)
{
    struct chrome *chrome = self;
    if (track->kind == TRACE_PROCESS && track->name) put_name(chrome, track, "process_name");
    if (track->kind != TRACE_SLICES) return true;
    put_name(chrome, track, "thread_name");
    char *out = put_phase(open_line(chrome, 0), 'M');
    out = put_place(chrome, out, track->pid, track->id);
    out = put_literal(out, ",\"name\":\"thread_sort_index\"");
    out = put_literal(out, ",\"args\":{\"sort_index\":");
    close_line(chrome, put_literal(put_decimal(out, thread_of(track->id)), "}}"));
    return true;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* Each sample repeats its frames: of long ones only the innermost. */
static char *put_stack(char *out, const struct trace_stack *stack)
{
    uint32_t node[TRACE_FRAMES];
    char text[TRACE_FRAME_TEXT];
    const size_t frames = trace_frames(stack, node);
    size_t first = frames, length = 0;
    while (first > 0 && length < STACK_TEXT)
        length += strlen(trace_frame(stack, node[--first], text)) + 1;
    out = put_literal(out, "\"stack\":[");
    for (size_t i = first; i < frames; i++) {
        if (i > first) *out++ = ',';
        out = put_text(out, trace_frame(stack, node[i], text));
    }
    *out++ = ']';
    return out;
}

static char *put_args(char *out, const struct trace_event *event)
{
    if (event->args == 0 && !event->stack) return out;
    out = put_literal(out, ",\"args\":{");
    for (size_t i = 0; i < event->args; i++) {
        const struct trace_arg *arg = &event->arg[i];
        if (i > 0) *out++ = ',';
        out = put_word(out, arg->name);
        *out++ = ':';
        out = arg->text      ? put_text(out, arg->text)
              : arg->is_real ? out + sprintf(out, "%.17g", arg->real)
                             : put_decimal(out, arg->number);
    }
    if (event->stack && event->args > 0) *out++ = ',';
    if (event->stack) out = put_stack(out, event->stack);
    *out++ = '}';
    return out;
}

/* An arrow begins in the slice that is open there, or ends in the one that begins: `where` is the
 * event's place and time. */
static char *put_flow(char *out, char phase, const char *where, size_t length, uint64_t flow)
{
    if (flow == 0) return out;
    out = put_phase(put_literal(out, ",\n"), phase);
    out = put_bytes(out, where, length);
    out = put_literal(out, ",\"name\":\"wakes\",\"cat\":\"wakes\",\"id\":");
    out = put_decimal(out, flow);
    if (phase == 'f') out = put_literal(out, ",\"bp\":\"e\"");
    return put_literal(out, "}");
}

static char *put_title(struct chrome *chrome, char *out, const struct trace_event *event)
{
    struct title *title = &chrome->title[place_of((uintptr_t)event->name)];
    if (event->is_constant && title->name == event->name && title->category == event->category) {
        memcpy(out, title->text, TITLE_TEXT);
        return out + title->length;
    }
    char *end = put_text(put_literal(out, ",\"name\":"), event->name);
    end = put_word(put_literal(end, ",\"cat\":"), event->category);
    const size_t length = (size_t)(end - out);
    if (!event->is_constant || length > TITLE_TEXT) return end;
    *title = (struct title){event->name, event->category, length, {0}};
    memcpy(title->text, out, length);
    return end;
}

static bool put_event(struct chrome *chrome, const struct trace_event *event, char phase)
{
    const size_t stack = event->stack ? STACK_TEXT + TRACE_FRAME_TEXT : 0;
    char *out = put_phase(open_line(chrome, trace_texts(event) + stack), phase);
    const char *const where = out;
    out = put_place(chrome, out, event->pid, event->track);
    out = put_time(put_literal(out, ",\"ts\":"), event->from);
    const size_t length = (size_t)(out - where);
    out = phase == 'X' ? put_time(put_literal(out, ",\"dur\":"), event->to - event->from)
                       : put_literal(out, ",\"s\":\"t\"");
    out = put_title(chrome, out, event);
    out = put_literal(put_args(out, event), "}");
    out = put_flow(out, 's', where, length, event->flow_out);
    close_line(chrome, put_flow(out, 'f', where, length, event->flow_in));
    return true;
}

static bool put_slice(void *self, const struct trace_event *event)
{
    return put_event(self, event, 'X');
}

static bool put_instant(void *self, const struct trace_event *event)
{
    return put_event(self, event, 'i');
}

static bool put_counter(void *self, const struct trace_track *track, uint64_t time, uint64_t value)
{
    struct chrome *chrome = self;
    char *out = put_phase(open_line(chrome, strlen(track->name)), 'C');
    out = put_place(chrome, out, track->pid, 0);
    out = put_time(put_literal(out, ",\"ts\":"), time);
    out = put_text(put_literal(out, ",\"name\":"), track->name);
    out = put_word(put_literal(out, ",\"args\":{"), *track->unit ? track->unit : "count");
    *out++ = ':';
    close_line(chrome, put_literal(put_decimal(out, value), "}}"));
    return true;
}

static uint64_t end_trace(void *self)
{
    struct chrome *chrome = self;
    chrome->follows = false;
    close_line(chrome, put_literal(open_line(chrome, 0), "\n]}\n"));
    const uint64_t bytes = chrome->bytes;
    free(chrome);
    return bytes;
}

const struct trace_writer chrome_writer = {begin_trace, put_track,   put_slice,
                                           put_instant, put_counter, end_trace};
