/* program.c — see program.h. */
#include "otlp/program.h"

#include "base/map.h"
#include "facts/open_spans.h"
#include "facts/spans.h"
#include "format/stop_status.h"
#include "metrics/metrics_output.h"
#include "numbers/exponential.h"
#include "otlp/environment.h"
#include "render/text.h"
#include "results/identity.h"
#include "results/summary.h"

#include <hectic/read_events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_ROOM = 4 * UINT16_MAX + 1,
    TRACE_ID = 16,
    SPAN_ID = 8,
    SPAN_LABELS_MAX = 1000,
    NAMES_MAX = 1 << 20, /* of threads */
    HELD_MAX = 1 << 20,  /* bytes */
};

struct otlp_program {
    struct otlp_program_options options;
    struct buffer resource;
    bool has_resource; /* with all that is known now */
    struct otlp_batch batch[OTLP_SIGNALS];
    struct otlp_counts counts;
    uint8_t log[TRACE_ID]; /* ids of spans are made from it */
    struct log_identifier identifier;
    bool has_log;
    struct buffer held; /* events before the log's id is known, with their payloads */
    map starts;         /* of spans, by cap: see make_ids */
    hectic_summary summary;
    uint64_t started; /* see summary_add */
    hectic_spans *spans;
    map names; /* of threads that have not finished */
    struct open_spans open;
    map contexts;  /* of open spans */
    map durations; /* of ended ones, by label */
    char *text;    /* room for a text of the log in its exact form */
};

static const char service_name[] = "service.name";

/* The part of a trace that an open span is. */
struct context {
    map_key key; /* the position of its start, 1 */
    uint8_t trace[TRACE_ID], parent[SPAN_ID], span[SPAN_ID];
    bool has_parent;
};

/* The latest start of spans of a cap. */
struct starts {
    map_key key; /* the cap, 1 */
    uint64_t time, ties;
};

enum { DURATION_LABEL_MAX = 255 }; /* bytes */

struct duration {
    map_key key;
    char label[DURATION_LABEL_MAX + 1];
    hectic_histogram all;
    hectic_exponential exponential;
};

struct name {
    map_key key; /* the thread, 1 */
    char *text;
};

/* --- The program ----------------------------------------------------------------------------- */

static uint64_t clock_zero(const otlp_program *p)
{
    uint64_t said = 0;
    if (p->options.clock_zero) return p->options.clock_zero;
    return summary_clock_zero(&p->summary, &said) ? said : p->options.clock_received;
}

static uint64_t wall_clock(otlp_program *p, uint64_t time)
{
    const uint64_t zero = clock_zero(p);
    p->counts.lacks_clock = p->counts.lacks_clock || zero == 0;
    return zero + time;
}

/* The program's name without its folder, valid. */
static const char *name_of(const otlp_program *p, char *name, size_t size)
{
    const char *path = p->summary.args ? p->summary.args : "";
    const char *slash = strrchr(path, '/'), *last = slash && slash[1] ? slash + 1 : path;
    if (!*path) return "unknown_service";
    return text_cut_as_utf8(last, strlen(last), size / 4 - 1, name);
}

/* Adds them to the message: parts of a repeated field may be one after the other. */
static void add_to_resource(otlp_program *p, struct otlp_attributes *attributes)
{
    Otlp__Resource part = OTLP__RESOURCE__INIT;
    part.attributes = attributes->pairs;
    part.n_attributes = attributes->count;
    uint8_t *room = buffer_room(&p->resource, protobuf_c_message_get_packed_size(&part.base));
    if (room) p->resource.size += protobuf_c_message_pack(&part.base, room);
}

static bool has_key(const struct otlp_attributes *attributes, const char *key)
{
    for (size_t i = 0; i < attributes->count; i++)
        if (strcmp(attributes->pair[i].key, key) == 0) return true;
    return false;
}

/* Those of the environment; what is known otherwise is not replaced. */
static bool add_environment(otlp_program *p, const struct otlp_attributes *known)
{
    struct otlp_list list = otlp_list_begin("OTEL_RESOURCE_ATTRIBUTES");
    bool has_service = has_key(known, service_name);
    while (otlp_list_next(&list)) {
        struct otlp_attributes one = {0};
        if (has_key(known, list.name)) continue;
        otlp_add_text(&one, list.name, list.value);
        has_service = has_service || has_key(&one, service_name);
        add_to_resource(p, &one);
    }
    p->resource.failed = p->resource.failed || list.failed;
    otlp_list_end(&list);
    return has_service;
}

/* --- Ids ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* The same in each export of the log, and of a part of it, if a and b are; never zero. */
static void make_id(const otlp_program *p, uint64_t a, uint64_t b, uint8_t *id, size_t size)
{
    const uint64_t golden_ratio = 0x9e3779b97f4a7c15u;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t part;
        memcpy(&part, p->log + at, sizeof part);
        part = mix(part + golden_ratio * (p->options.process + 1));
        part = mix(mix(part + golden_ratio * (a + 1)) ^ (b << 16 | (size + at))) | 1;
        memcpy(id + at, &part, sizeof part);
    }
}

/* Each process of a log is a service instance of its own, so that metrics of several differ. */
static void put_instance(const otlp_program *p, char instance[2 * TRACE_ID + 1])
{
    uint8_t id[TRACE_ID];
    memcpy(id, p->log, TRACE_ID);
    if (p->options.process > 0) make_id(p, UINT64_MAX, 0, id, TRACE_ID);
    *put_hex_bytes(instance, id, TRACE_ID) = 0;
}

/* Made again when more of the program is known. False: out of memory. */
static bool set_resource(otlp_program *p)
{
    struct otlp_attributes attributes = {0}, service = {0};
    char room[1024], instance[2 * TRACE_ID + 1];
    if (p->has_resource) return true;
    put_instance(p, instance);
    const char *program = name_of(p, room, sizeof room);
    const char *given = p->options.name ? p->options.name : otlp_environment_service();
    if (given) otlp_add_text(&attributes, service_name, given);
    otlp_add_text(&attributes, "service.instance.id", instance);
    otlp_add_text(&attributes, "process.executable.name", program);
    if (p->summary.has_pid) otlp_add_number(&attributes, "process.pid", p->summary.pid);
    if (p->options.host) otlp_add_text(&attributes, "host.name", p->options.host);
    p->resource.size = 0;
    add_to_resource(p, &attributes);
    otlp_add_text(&service, service_name, program);
    if (!add_environment(p, &attributes)) add_to_resource(p, &service);
    p->has_resource = !p->resource.failed;
    return p->has_resource;
}

static bool add_item(otlp_program *p, enum otlp_signal signal, const ProtobufCMessage *item)
{
    return set_resource(p) && otlp_add(&p->batch[signal], item);
}

static struct name *find_name(const otlp_program *p, uint32_t thread)
{
    return map_find_number(&p->names, thread, sizeof(struct name));
}

/* False: out of memory. */
static bool take_label(otlp_program *p, const hectic_event *event)
{
    enum { LABEL_MAX = 255 };
    hectic_event_thread_label label;
    char room[4 * LABEL_MAX + 1];
    if (!hectic_read_thread_label(event, &label)) return true;
    struct name *name = find_name(p, label.thread);
    if (!name && p->names.count >= NAMES_MAX) return true;
    if (!name) name = map_add(&p->names, (map_key){label.thread, 1});
    if (!name) return false;
    free(name->text);
    name->text = strdup(text_cut_as_utf8(label.label.bytes, label.label.length, LABEL_MAX, room));
    return name->text;
}

static void forget_finished(otlp_program *p, const hectic_event *event)
{
    hectic_event_stop_thread stop;
    if (p->names.count == 0 || !hectic_read_stop_thread(event, &stop)) return;
    struct name *name = stop.status == STOP_FINISHED ? find_name(p, stop.thread) : NULL;
    if (!name) return;
    free(name->text);
    map_remove(&p->names, name);
}

/* What it says about the program. False: out of memory. */
static bool take_fact(otlp_program *p, const hectic_event *event)
{
    hectic_event replayed;
    if (event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed))
        event = &replayed;
    switch (event->type) {
    case HECTIC_EVENT_THREAD_LABEL: return take_label(p, event);
    case HECTIC_EVENT_PROGRAM_ARGS:
    case HECTIC_EVENT_OSPROCESS_PID:
    case HECTIC_EVENT_WALL_CLOCK_TIME:
        p->has_resource = false;
        return summary_add(&p->summary, event, &p->started);
    default: return true;
    }
}

/* --- Traces ---------------------------------------------------------------------------------- */

/* The ids of a span that starts: by its cap, its time, and how many started there at that time.
 * (The events of a cap come in order, even if those of others come late.) False: out of memory. */
static bool make_ids(otlp_program *p, uint64_t time, uint16_t cap, struct context *made)
{
    struct starts *starts = map_add(&p->starts, (map_key){cap, 1});
    if (!starts) return false;
    starts->ties = time == starts->time ? starts->ties + 1 : 0;
    starts->time = time;
    make_id(p, time, starts->ties << 16 | cap, made->span, SPAN_ID);
    make_id(p, time, starts->ties << 16 | cap, made->trace, TRACE_ID);
    return true;
}

/* Of the innermost open span there; NULL: none. */
static struct context *context_at(const otlp_program *p, const hectic_span_end *at)
{
    const uint64_t position = open_spans_last(&p->open, hectic_span_owner(at));
    return position == UINT64_MAX ? NULL
                                  : map_find_number(&p->contexts, position, sizeof(struct context));
}

static bool note_start(void *user, const hectic_span_end *start)
{
    otlp_program *p = user;
    struct context made = {.key = {start->position, 1}};
    const struct context *parent = context_at(p, start);
    if (!make_ids(p, start->time, start->cap, &made)) return false;
    if (parent) {
        memcpy(made.trace, parent->trace, TRACE_ID);
        memcpy(made.parent, parent->span, SPAN_ID);
        made.has_parent = true;
    }
    if (!open_spans_start(&p->open, hectic_span_owner(start), start->position, start->time))
        return false;
    struct context *added = map_add(&p->contexts, made.key);
    if (added) *added = made;
    return added;
}

/* It does not contain what its thread does from now on. */
static void note_stop(void *user, uint64_t start)
{
    otlp_program *p = user;
    open_spans_stop(&p->open, start);
}

static bool read_hex(const char *text, uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    bool is_zero = true;
    for (size_t i = 0; i < size; i++) {
        const char *high = text[2 * i] ? strchr(digits, text[2 * i]) : NULL;
        const char *low = high && text[2 * i + 1] ? strchr(digits, text[2 * i + 1]) : NULL;
        if (!low) return false;
        bytes[i] = (uint8_t)((high - digits) * 16 + (low - digits));
        is_zero = is_zero && bytes[i] == 0;
    }
    return !is_zero;
}

/* "traceparent 00-TRACE-SPAN-FLAGS", as in the header of W3C Trace Context: the innermost open span
 * belongs to that trace, with that span as its parent. */
static bool take_parent(otlp_program *p, const hectic_event *event, const char *text)
{
    static const char word[] = "traceparent 00-";
    enum {
        TRACE_AT = sizeof word - 1,
        SPAN_AT = TRACE_AT + 2 * TRACE_ID + 1,
        LENGTH = SPAN_AT + 19
    };
    struct context parent;
    if (strncmp(text, word, TRACE_AT) != 0 || strlen(text) != LENGTH || text[SPAN_AT - 1] != '-' ||
        text[SPAN_AT + 2 * SPAN_ID] != '-' || !read_hex(text + TRACE_AT, parent.trace, TRACE_ID) ||
        !read_hex(text + SPAN_AT, parent.span, SPAN_ID))
        return false;
    const hectic_span_end at = hectic_spans_at(p->spans, event);
    struct context *context = context_at(p, &at);
    if (!context) return false;
    memcpy(context->trace, parent.trace, TRACE_ID);
    memcpy(context->parent, parent.span, SPAN_ID);
    return context->has_parent = true;
}

/* Labels that are the same once they are cut are one metric. */
static bool count_duration(otlp_program *p, const char *label, uint64_t ns)
{
    const size_t length = text_cut(label, strlen(label), DURATION_LABEL_MAX);
    struct duration *duration = map_find_bytes(&p->durations, 0, label, length);
    if (!duration && p->durations.count >= SPAN_LABELS_MAX) return true;
    if (!duration) duration = map_add_bytes(&p->durations, 0, label, length);
    if (!duration) return false;
    if (duration->all.count == 0) memcpy(duration->label, label, length);
    hectic_exponential_add(&duration->exponential, ns);
    return hectic_histogram_add(&duration->all, ns);
}

static bool put_span(otlp_program *p, const hectic_span_one *span, struct context *context)
{
    Otlp__Span item = OTLP__SPAN__INIT;
    struct otlp_attributes attributes = {0};
    char *label = text_as_utf8(span->label, strlen(span->label), p->text);
    item.trace_id = (ProtobufCBinaryData){TRACE_ID, context->trace};
    item.span_id = (ProtobufCBinaryData){SPAN_ID, context->span};
    if (context->has_parent) item.parent_span_id = (ProtobufCBinaryData){SPAN_ID, context->parent};
    item.name = label;
    item.kind = 1;
    item.start_time_unix_nano = wall_clock(p, span->start.time);
    item.end_time_unix_nano = wall_clock(p, span->stop.time);
    if (span->start.has_thread) {
        const struct name *name = find_name(p, span->start.thread);
        otlp_add_number(&attributes, "thread.id", span->start.thread);
        if (name) otlp_add_text(&attributes, "thread.name", name->text);
    }
    if (span->start.cap != HECTIC_CAP_NONE)
        otlp_add_number(&attributes, "hectic.cap", span->start.cap);
    if (span->stop.cap != HECTIC_CAP_NONE)
        otlp_add_number(&attributes, "hectic.end_cap", span->stop.cap);
    if (span->across && span->stop.has_thread)
        otlp_add_number(&attributes, "hectic.end_thread", span->stop.thread);
    if (span->subscript > 0) otlp_add_number(&attributes, "hectic.subscript", span->subscript);
    if (hectic_spans_have_gc(p->spans))
        otlp_add_number(&attributes, "hectic.gc_ns", span->stop.gc - span->start.gc);
    item.attributes = attributes.pairs;
    item.n_attributes = attributes.count;
    p->counts.spans++;
    return count_duration(p, label, span->stop.time - span->start.time) &&
           add_item(p, OTLP_TRACES, &item.base);
}

static bool is_inside(const otlp_program *p, uint64_t time)
{
    return time >= p->options.from && time < p->options.to;
}

/* Only spans that ended inside the interval, as in spans_each. */
static bool take_span(void *user, const hectic_span_one *span)
{
    otlp_program *p = user;
    struct context *context =
        map_find_number(&p->contexts, span->start.position, sizeof(struct context));
    struct context own = {.key = {span->start.position, 1}};
    if (context)
        own = *context;
    else if (!make_ids(p, span->start.time, span->start.cap, &own)) /* too many were open */
        return false;
    open_spans_stop(&p->open, span->start.position);
    if (context) map_remove(&p->contexts, context);
    return !span->is_stopped || !is_inside(p, span->stop.time) || put_span(p, span, &own);
}

/* --- Logs ------------------------------------------------------------------------------------ */

static bool put_record(otlp_program *p, const hectic_event *event)
{
    enum { INFO = 9 };
    Otlp__LogRecord item = OTLP__LOG_RECORD__INIT;
    Otlp__AnyValue body = OTLP__ANY_VALUE__INIT;
    struct otlp_attributes attributes = {0};
    const hectic_span_end at = hectic_spans_at(p->spans, event);
    struct context *context = context_at(p, &at);
    body.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
    body.string_value = p->text;
    item.time_unix_nano = item.observed_time_unix_nano = wall_clock(p, event->time);
    item.severity_number = INFO;
    item.body = &body;
    if (event->type == HECTIC_EVENT_USER_MARKER) item.event_name = (char *)(uintptr_t) "marker";
    if (event->type == HECTIC_EVENT_LOG_MSG) item.event_name = (char *)(uintptr_t) "runtime";
    if (at.has_thread) otlp_add_number(&attributes, "thread.id", at.thread);
    if (event->cap != HECTIC_CAP_NONE) otlp_add_number(&attributes, "hectic.cap", event->cap);
    item.attributes = attributes.pairs;
    item.n_attributes = attributes.count;
    if (context) {
        item.trace_id = (ProtobufCBinaryData){TRACE_ID, context->trace};
        item.span_id = (ProtobufCBinaryData){SPAN_ID, context->span};
    }
    p->counts.records++;
    return add_item(p, OTLP_LOGS, &item.base);
}

static bool take_message(otlp_program *p, const hectic_event *event)
{
    const char *bytes = (const char *)event->payload;
    const bool is_message = event->type == HECTIC_EVENT_USER_MSG;
    if (is_message && hectic_spans_is_span(event->payload, event->size)) return true;
    text_as_utf8(bytes, strnlen(bytes, event->size), p->text);
    if (is_message && take_parent(p, event, p->text)) return true;
    return !is_inside(p, event->time) || put_record(p, event);
}

/* --- Metrics --------------------------------------------------------------------------------- */

static bool add_metrics(otlp_program *p, const char *bytes, size_t length)
{
    return bytes && set_resource(p) &&
           otlp_add_encoded(&p->batch[OTLP_METRICS], bytes, length, length > 0);
}

static int by_label(const void *a, const void *b)
{
    return strcmp(((const struct duration *)a)->label, ((const struct duration *)b)->label);
}

static bool put_durations(otlp_program *p, uint64_t now)
{
    static const struct metrics_family family = {
        "hectic_span_seconds", "seconds", "Durations of spans, by label.", METRICS_HISTOGRAM};
    const uint64_t zero = clock_zero(p);
    char *bytes = NULL;
    size_t length = 0;
    struct metrics_output output = {.out = open_memstream(&bytes, &length)};
    if (!output.out) return false;
    if (p->durations.count > 0) metrics_otlp.begin(&output, &family);
    void *const *sorted = map_sorted(&p->durations, by_label);
    for (size_t i = 0; i < p->durations.count; i++) {
        const struct duration *d = sorted[i];
        const struct metrics_sample sample = {.label = {{"label", d->label}},
                                              .labels = 1,
                                              .has_created = zero > 0,
                                              .created = zero,
                                              .time = zero > 0 ? zero + now : 0};
        metrics_otlp.histogram(&output, &family, &sample,
                               &(struct metrics_histogram){&d->all, &d->exponential});
    }
    if (p->durations.count > 0) metrics_otlp.end(&output);
    const bool done = fclose(output.out) == 0 && !output.failed && add_metrics(p, bytes, length);
    free(bytes);
    return done;
}

bool otlp_program_metrics(otlp_program *p, const struct metrics_program *metrics, uint64_t now)
{
    size_t length = 0;
    char *bytes = metrics_page(METRICS_OTLP, NULL, metrics, 1, &length);
    const bool done = add_metrics(p, bytes, length);
    free(bytes);
    return done && put_durations(p, now);
}

/* --- Events ---------------------------------------------------------------------------------- */

static bool take_event(otlp_program *p, const hectic_event *event)
{
    const uint16_t type = event->type;
    if (!hectic_spans_event(p->spans, event) || !take_fact(p, event)) return false;
    forget_finished(p, event);
    return (type != HECTIC_EVENT_USER_MSG && type != HECTIC_EVENT_USER_MARKER &&
            type != HECTIC_EVENT_LOG_MSG) ||
           take_message(p, event);
}

/* Keeps an event until the log's id is known. */
static bool hold(otlp_program *p, const hectic_event *event)
{
    buffer_add(&p->held, event, sizeof *event);
    if (event->size > 0) buffer_add(&p->held, event->payload, event->size);
    return !p->held.failed;
}

bool otlp_program_identify(otlp_program *p)
{
    bool done = true;
    if (!p->has_log) {
        log_identifier_get(&p->identifier, p->log);
        p->has_log = true;
        p->has_resource = false;
    }
    for (size_t at = 0; at < p->held.size && done;) {
        hectic_event event;
        memcpy(&event, p->held.bytes + at, sizeof event);
        event.payload = p->held.bytes + at + sizeof event;
        at += sizeof event + event.size;
        done = take_event(p, &event);
    }
    buffer_free(&p->held);
    return done;
}

bool otlp_program_event(otlp_program *p, const hectic_event *event)
{
    if (p->has_log) return take_event(p, event);
    const bool is_known = !log_identifier_take(&p->identifier, event);
    return hold(p, event) && ((!is_known && p->held.size < HELD_MAX) || otlp_program_identify(p));
}

bool otlp_program_end(otlp_program *p, uint64_t now)
{
    return otlp_program_identify(p) && hectic_spans_end(p->spans, now);
}

bool otlp_program_flush(otlp_program *p)
{
    bool done = true;
    for (size_t i = 0; i < OTLP_SIGNALS && done; i++)
        done = otlp_flush(&p->batch[i]);
    return done;
}

struct otlp_counts otlp_program_counts(const otlp_program *p)
{
    return p->counts;
}

/* --- Lifetime -------------------------------------------------------------------------------- */

otlp_program *otlp_program_new(const struct otlp_program_options *options)
{
    otlp_program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->options = *options;
    p->contexts = (map){.entry_size = sizeof(struct context), .unsorted = true, .by_number = true};
    p->starts = (map){.entry_size = sizeof(struct starts), .unsorted = true, .by_number = true};
    p->names = (map){.entry_size = sizeof(struct name), .unsorted = true, .by_number = true};
    p->durations = (map){.entry_size = sizeof(struct duration)};
    open_spans_init(&p->open);
    for (unsigned i = 0; i < OTLP_SIGNALS; i++)
        p->batch[i] = (struct otlp_batch){
            .signal = (enum otlp_signal)i, .target = options->target, .resource = &p->resource};
    p->has_log = options->log;
    if (p->has_log) memcpy(p->log, options->log, sizeof p->log);
    p->spans = hectic_spans_new(options->from, options->to, take_span, p);
    p->text = malloc(TEXT_ROOM);
    if (!p->spans || !p->text) return otlp_program_free(p), NULL;
    hectic_spans_group(p->spans);
    hectic_spans_count_markers(p->spans);
    hectic_spans_watch(p->spans, note_start, p);
    hectic_spans_watch_stops(p->spans, note_stop, p);
    return p;
}

void otlp_program_free(otlp_program *p)
{
    if (!p) return;
    hectic_spans_free(p->spans);
    open_spans_clear(&p->open);
    map_clear(&p->contexts);
    map_clear(&p->starts);
    for (struct name *name = NULL; (name = map_next(&p->names, name));)
        free(name->text);
    map_clear(&p->names);
    for (struct duration *d = NULL; (d = map_next(&p->durations, d));)
        hectic_histogram_clear(&d->all);
    map_clear(&p->durations);
    for (size_t i = 0; i < OTLP_SIGNALS; i++)
        buffer_free(&p->batch[i].items);
    buffer_free(&p->resource);
    buffer_free(&p->held);
    hectic_summary_clear(&p->summary);
    free(p->text);
    free(p);
}
