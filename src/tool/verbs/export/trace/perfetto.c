/* perfetto.c — a trace in the native format of Perfetto: a Trace of protocol buffers.
 *
 * The numbers of fields are those of Perfetto's public .proto files (protos/perfetto/trace);
 * tests/support/perfetto.proto has the messages that are used. */
#include "base/map.h"
#include "tool/verbs/export/trace/trace_writer.h"
#include "tool/verbs/export/trace/wire.h"

#include <stdlib.h>

/* --- Fields ---------------------------------------------------------------------------------- */

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER_OF = 8,
    TRACK_CHILD_ORDER = 11,
    TRACK_RANK = 12,
};
enum { CHILDREN_BY_RANK = 3 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum { UNIT_COUNT = 2, UNIT_BYTES = 3 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ARG = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48,
    EVENT_CALLSTACK = 56,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ARG_NAME_IID = 1, ARG_UINT = 3, ARG_DOUBLE = 5, ARG_TEXT = 6 };

/* Fields of InternedData, which are also kinds of texts. */
enum interned {
    INTERNED_CATEGORY = 1,
    INTERNED_EVENT_NAME = 2,
    INTERNED_ARG_NAME = 3,
    INTERNED_FUNCTION = 5,
    INTERNED_FRAME = 6,
    INTERNED_CALLSTACK = 7,
};
enum { INTERNED_IID = 1, INTERNED_TEXT = 2, FRAME_FUNCTION = 2, CALLSTACK_FRAME = 2 };

/* --- Packets --------------------------------------------------------------------------------- */

/* More names are forgotten, and written again. */
enum { INTERNED_MAX = 1 << 16 };

/* For what a packet refers to: two long texts at most, others that are short, and a stack; and for
 * its other fields, without their texts. */
enum { STRINGS_ROOM = 1 << 21, PACKET_ROOM = (16 + 3 * TRACE_ARGS) * WIRE_FIELD_MAX };

struct interned_entry {
    map_key key;
    uint64_t iid;
};

/* The latest constant texts, at places that their addresses determine. */
enum { RECENT_BITS = 9, RECENT = 1 << RECENT_BITS };

struct recent {
    const char *text;
    enum interned kind;
    uint64_t iid;
};

struct perfetto {
    struct sink *sink;
    map interned;
    struct recent recent[RECENT];
    uint64_t iids, bytes;
    bool is_cleared;  /* the next packet says so */
    uint8_t *strings; /* the end of what it defines */
    uint8_t strings_room[STRINGS_ROOM];
};

/* The fields of a packet, and the message in one of them, from their first bytes on. */
struct packet {
    uint8_t *fields, *message;
};

static void forget(struct perfetto *perfetto)
{
    map_clear(&perfetto->interned);
    memset(perfetto->recent, 0, sizeof perfetto->recent);
    perfetto->is_cleared = true;
}

static void *begin_trace(struct sink *sink)
{
    struct perfetto *perfetto = malloc(sizeof *perfetto);
    if (!perfetto) return NULL;
    perfetto->sink = sink;
    perfetto->interned = (map){.entry_size = sizeof(struct interned_entry), .unsorted = true};
    perfetto->iids = perfetto->bytes = 0;
    perfetto->strings = perfetto->strings_room;
    forget(perfetto);
    return perfetto;
}

/* For two packets, of which the first one has texts of that many bytes. */
static uint8_t *room_for(struct perfetto *perfetto, size_t texts)
{
    const size_t strings = (size_t)(perfetto->strings - perfetto->strings_room);
    return (uint8_t *)sink_room(perfetto->sink, 2 * PACKET_ROOM + strings + texts);
}

static void fill(struct perfetto *perfetto, const uint8_t *room, const uint8_t *end)
{
    const size_t size = (size_t)(end - room);
    sink_fill(perfetto->sink, size);
    perfetto->bytes += size;
}

/* Begins a packet at `out`, with a message in a field. */
static uint8_t *open_packet(const struct perfetto *perfetto, struct packet *packet, uint8_t *out,
                            uint32_t field, const uint64_t *time)
{
    const size_t strings = (size_t)(perfetto->strings - perfetto->strings_room);
    out = packet->fields = wire_open(out, TRACE_PACKET);
    if (time) out = wire_number(out, PACKET_TIMESTAMP, *time);
    out = wire_number(out, PACKET_SEQUENCE, 1);
    out = wire_number(out, PACKET_FLAGS,
                      (perfetto->is_cleared ? FLAG_CLEARED : 0) | FLAG_NEEDS_STATE);
    if (strings > 0) out = wire_bytes(out, PACKET_INTERNED, perfetto->strings_room, strings);
    return packet->message = wire_open(out, field);
}

static uint8_t *close_packet(struct perfetto *perfetto, const struct packet *packet, uint8_t *out)
{
    perfetto->is_cleared = false;
    perfetto->strings = perfetto->strings_room;
    if (perfetto->interned.count >= INTERNED_MAX) forget(perfetto);
    return wire_close(packet->fields, wire_close(packet->message, out));
}

/* --- Interned data --------------------------------------------------------------------------- */

/* The number of something; *is_new: it has to be defined. 0: out of memory. */
static uint64_t number_of(struct perfetto *perfetto, enum interned kind, const void *bytes,
                          size_t size, bool *is_new)
{
    struct interned_entry *entry = map_find_bytes(&perfetto->interned, kind, bytes, size);
    *is_new = !entry;
    if (!entry) entry = map_add_bytes(&perfetto->interned, kind, bytes, size);
    if (*is_new && entry) entry->iid = ++perfetto->iids;
    return entry ? entry->iid : 0;
}

static uint64_t intern(struct perfetto *perfetto, enum interned kind, const char *text)
{
    const size_t length = strlen(text);
    bool is_new;
    const uint64_t iid = number_of(perfetto, kind, text, length, &is_new);
    if (!iid || !is_new) return iid;
    uint8_t *const entry = wire_open(perfetto->strings, kind);
    uint8_t *const out = wire_number(entry, INTERNED_IID, iid);
    perfetto->strings = wire_close(entry, wire_bytes(out, INTERNED_TEXT, text, length));
    return iid;
}

/* The same of a text that is always there. */
static uint64_t intern_constant(struct perfetto *perfetto, enum interned kind, const char *text)
{
    const uint64_t mixed = ((uintptr_t)text ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
    struct recent *recent = &perfetto->recent[mixed >> (64 - RECENT_BITS)];
    if (recent->text != text || recent->kind != kind)
        *recent = (struct recent){text, kind, intern(perfetto, kind, text)};
    return recent->iid;
}

static uint64_t intern_frame(struct perfetto *perfetto, const struct trace_stack *stack,
                             uint32_t node)
{
    const uint64_t key[] = {stack->id, hectic_stacks_nodes(stack->stacks)[node].symbol,
                            node <= HECTIC_STACKS_OTHERS ? node : UINT32_MAX};
    char text[TRACE_FRAME_TEXT];
    bool is_new;
    const uint64_t iid = number_of(perfetto, INTERNED_FRAME, key, sizeof key, &is_new);
    if (!iid || !is_new) return iid;
    const uint64_t name = intern(perfetto, INTERNED_FUNCTION, trace_frame(stack, node, text));
    uint8_t *const entry = wire_open(perfetto->strings, INTERNED_FRAME);
    uint8_t *const out = wire_number(entry, INTERNED_IID, iid);
    perfetto->strings = wire_close(entry, wire_number(out, FRAME_FUNCTION, name));
    return name ? iid : 0;
}

static uint64_t intern_stack(struct perfetto *perfetto, const struct trace_stack *stack)
{
    const uint64_t key[] = {stack->id, stack->node};
    uint64_t frame[TRACE_FRAMES];
    uint32_t node[TRACE_FRAMES];
    bool is_new;
    const uint64_t iid = number_of(perfetto, INTERNED_CALLSTACK, key, sizeof key, &is_new);
    if (!iid || !is_new) return iid;
    const size_t frames = trace_frames(stack, node);
    for (size_t i = 0; i < frames; i++)
        if (!(frame[i] = intern_frame(perfetto, stack, node[i]))) return 0;
    uint8_t *const entry = wire_open(perfetto->strings, INTERNED_CALLSTACK);
    uint8_t *out = wire_number(entry, INTERNED_IID, iid);
    for (size_t i = 0; i < frames; i++)
        out = wire_number(out, CALLSTACK_FRAME, frame[i]);
    perfetto->strings = wire_close(entry, out);
    return iid;
}

/* --- Tracks and events ----------------------------------------------------------------------- */

static uint8_t *put_unit(uint8_t *out, const char *unit)
{
    const bool is_bytes = strcmp(unit, "bytes") == 0;
    uint8_t *const counter = wire_open(out, TRACK_COUNTER_OF);
    out = is_bytes || !*unit
              ? wire_number(counter, COUNTER_UNIT, is_bytes ? UNIT_BYTES : UNIT_COUNT)
              : wire_text(counter, COUNTER_UNIT_NAME, unit);
    return wire_close(counter, out);
}

static uint8_t *put_process(uint8_t *out, const struct trace_track *track)
{
    uint8_t *const process = wire_open(out, TRACK_PROCESS);
    out = wire_number(process, PROCESS_PID, track->pid);
    if (track->name) out = wire_text(out, PROCESS_NAME, track->name);
    return wire_close(process, out);
}

static bool put_track(void *self, const struct trace_track *track)
{
    struct packet packet;
    uint8_t *const room = room_for(self, track->name ? strlen(track->name) : 0);
    uint8_t *out = open_packet(self, &packet, room, PACKET_TRACK, NULL);
    out = wire_number(out, TRACK_UUID, track->id);
    if (track->parent) {
        out = wire_number(out, TRACK_PARENT, track->parent);
        out = wire_number(out, TRACK_RANK, track->rank);
    }
    out = wire_number(out, TRACK_CHILD_ORDER, CHILDREN_BY_RANK);
    if (track->kind != TRACE_PROCESS && track->name) out = wire_text(out, TRACK_NAME, track->name);
    if (track->kind == TRACE_PROCESS) out = put_process(out, track);
    if (track->kind == TRACE_COUNTER) out = put_unit(out, track->unit);
    fill(self, room, close_packet(self, &packet, out));
    return true;
}

/* What an event refers to. */
struct names {
    uint64_t category, name, stack, arg[TRACE_ARGS];
};

/* False: out of memory. */
static bool find_names(struct perfetto *perfetto, const struct trace_event *event,
                       struct names *names)
{
    names->category = intern_constant(perfetto, INTERNED_CATEGORY, event->category);
    names->name = event->is_rare       ? 1
                  : event->is_constant ? intern_constant(perfetto, INTERNED_EVENT_NAME, event->name)
                                       : intern(perfetto, INTERNED_EVENT_NAME, event->name);
    bool done = names->category && names->name;
    for (size_t i = 0; i < event->args; i++) {
        names->arg[i] = intern_constant(perfetto, INTERNED_ARG_NAME, event->arg[i].name);
        done = done && names->arg[i];
    }
    names->stack = event->stack ? intern_stack(perfetto, event->stack) : 1;
    return done && names->stack;
}

static uint8_t *put_arg(uint8_t *out, const struct trace_arg *arg, uint64_t name)
{
    uint8_t *const entry = wire_open(out, EVENT_ARG);
    out = wire_number(entry, ARG_NAME_IID, name);
    out = arg->text      ? wire_text(out, ARG_TEXT, arg->text)
          : arg->is_real ? wire_double(out, ARG_DOUBLE, arg->real)
                         : wire_number(out, ARG_UINT, arg->number);
    return wire_close(entry, out);
}

/* Writes it at `out`. */
static uint8_t *put_event(struct perfetto *perfetto, const struct trace_event *event,
                          const struct names *names, unsigned type, uint8_t *out)
{
    struct packet packet;
    out = open_packet(perfetto, &packet, out, PACKET_TRACK_EVENT, &event->from);
    out = wire_number(out, EVENT_TYPE, type);
    out = wire_number(out, EVENT_TRACK, event->track);
    out = wire_number(out, EVENT_CATEGORY, names->category);
    out = event->is_rare ? wire_text(out, EVENT_NAME, event->name)
                         : wire_number(out, EVENT_NAME_IID, names->name);
    for (size_t i = 0; i < event->args; i++)
        out = put_arg(out, &event->arg[i], names->arg[i]);
    if (event->flow_out) out = wire_fixed64(out, EVENT_FLOW, event->flow_out);
    if (event->flow_in) out = wire_fixed64(out, EVENT_LAST_FLOW, event->flow_in);
    if (event->stack) out = wire_number(out, EVENT_CALLSTACK, names->stack);
    return close_packet(perfetto, &packet, out);
}

static uint8_t *put_end(struct perfetto *perfetto, const struct trace_event *event, uint8_t *out)
{
    struct packet packet;
    out = open_packet(perfetto, &packet, out, PACKET_TRACK_EVENT, &event->to);
    out = wire_number(out, EVENT_TYPE, TYPE_END);
    return close_packet(perfetto, &packet, wire_number(out, EVENT_TRACK, event->track));
}

static bool put_slice(void *self, const struct trace_event *event)
{
    struct names names;
    if (!find_names(self, event, &names)) return false;
    uint8_t *const room = room_for(self, trace_texts(event));
    fill(self, room, put_end(self, event, put_event(self, event, &names, TYPE_BEGIN, room)));
    return true;
}

static bool put_instant(void *self, const struct trace_event *event)
{
    struct names names;
    if (!find_names(self, event, &names)) return false;
    uint8_t *const room = room_for(self, trace_texts(event));
    fill(self, room, put_event(self, event, &names, TYPE_INSTANT, room));
    return true;
}

static bool put_counter(void *self, const struct trace_track *track, uint64_t time, uint64_t value)
{
    struct packet packet;
    uint8_t *const room = room_for(self, 0);
    uint8_t *out = open_packet(self, &packet, room, PACKET_TRACK_EVENT, &time);
    out = wire_number(out, EVENT_TYPE, TYPE_COUNTER);
    out = wire_number(out, EVENT_TRACK, track->id);
    out = wire_number(out, EVENT_COUNTER, value);
    fill(self, room, close_packet(self, &packet, out));
    return true;
}

static uint64_t end_trace(void *self)
{
    struct perfetto *perfetto = self;
    const uint64_t bytes = perfetto->bytes;
    map_clear(&perfetto->interned);
    free(perfetto);
    return bytes;
}

const struct trace_writer perfetto_writer = {begin_trace, put_track,   put_slice,
                                             put_instant, put_counter, end_trace};
