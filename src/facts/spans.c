/* spans.c — see spans.h. */
#include "base/array.h"
#include "facts/span_pairs.h"
#include "format/gap_message.h"

#include <stdlib.h>
#include <string.h>

enum {
    LABELS_MAX = 1 << 16,
    LABEL_BYTES = 4096, /* significant length of labels */
    EDGES_MAX = 1 << 20,
    LOSSES_MAX = 1 << 10,
    CAPS = 65536,
};

/* The beginning or end of a span. A label keeps those from its first pending one on, in order of
 * time: whether a span was open is unknown until that is decided. Pending are a STOP, and the time
 * at which events are missing, if a span ends there in case that nothing stops it. */
struct edge {
    uint64_t time, no_gc; /* clipped; and the time without garbage collection up to then */
    uint32_t next;        /* plus 1; also links unused ones */
    uint32_t item;        /* the place of the pending STOP, or START; 0: decided */
    int8_t step;          /* change of the number of open spans: 1, -1 or 0 */
};

/* The time in which at least one span was open. */
struct cover {
    uint64_t open, no_gc;
    uint64_t since, no_gc_since; /* when `nested` became positive */
    uint64_t nested;             /* number of open spans according to the edges so far */
};

struct label {
    hectic_histogram *durations; /* NULL: none; most markers come once */
    char *text;
    uint64_t first, last, count, across, total, unstarted, unstopped;
    uint64_t opens;  /* number of open spans */
    uint64_t starts; /* the sum of their clipped starts, modulo 2^64 */
    struct cover cover;
    uint32_t first_edge, last_edge; /* of the kept edges, plus 1 */
    uint64_t marked;                /* for markers: the last time */
    bool is_marker, has_times, has_marker;
};

struct known {
    map_key key;
    uint32_t index; /* of a label */
};

struct hectic_spans {
    uint64_t from, to;
    hectic_span_one_callback callback;
    void *user;
    uint64_t now; /* the end of the section */
    struct label *label;
    uint32_t labels, label_capacity;
    map known;
    struct pairs pairs;
    struct edge *edge;
    uint32_t edges, edge_capacity, vacant; /* vacant: linked by `next`, plus 1 */
    uint64_t open_inside;                  /* open spans started inside the interval */
    uint64_t pending; /* from before the end of the interval: pending STOPs, STARTs that are lost */
    uint8_t collects[CAPS]; /* by cap: in a collection */
    uint32_t collecting;    /* number of caps in a collection */
    bool has_gc;            /* there has been one */
    uint64_t gc, gc_since;  /* time in which any cap collected, clipped */
    uint32_t losses;
    uint8_t loses[CAPS]; /* by cap: its events are missing up to the next one */
    uint32_t losing;     /* number of such caps */
    hectic_span_totals totals;
    bool groups;                                               /* hectic_spans_group */
    bool counts_markers;                                       /* hectic_spans_count_markers */
    bool (*started)(void *user, const hectic_span_end *start); /* NULL: none */
    void *starts_user;
    void (*stopped)(void *user, uint64_t start); /* NULL: none */
    void *stops_user;
};

static uint64_t clip(const hectic_spans *x, uint64_t time)
{
    return time < x->from ? x->from : time > x->to ? x->to : time;
}

static bool is_inside(const hectic_spans *x, uint64_t time)
{
    return time >= x->from && time < x->to;
}

/* --- Collections ----------------------------------------------------------------------------- */

static uint64_t gc_until(const hectic_spans *x, uint64_t now)
{
    return x->gc + (x->collecting ? clip(x, now) - clip(x, x->gc_since) : 0);
}

/* The clipped time without garbage collection. */
static uint64_t no_gc_until(const hectic_spans *x, uint64_t now)
{
    return clip(x, now) - gc_until(x, now);
}

static void collect(hectic_spans *x, uint16_t cap, uint64_t now, bool collects)
{
    if (x->collects[cap] == collects) return;
    x->has_gc = x->has_gc || collects;
    if (collects && x->collecting == 0) x->gc_since = now;
    if (!collects && x->collecting == 1) x->gc = gc_until(x, now);
    x->collects[cap] = collects;
    x->collecting += collects ? 1u : -1u;
}

/* --- Labels ---------------------------------------------------------------------------------- */

/* False: out of memory. */
static bool add_label(hectic_spans *x, const uint8_t *bytes, size_t length, bool is_marker)
{
    if (!array_reserve(x->label, x->label_capacity, x->labels + 1)) return false;
    struct label *label = &x->label[x->labels];
    *label = (struct label){.is_marker = is_marker};
    label->text = malloc(length + 1);
    if (!label->text) return false;
    memcpy(label->text, bytes, length);
    label->text[length] = 0;
    x->labels++;
    return true;
}

/* Sets *index to the label with this text, which is added if necessary; UINT32_MAX: too many
 * labels. False: out of memory. */
static bool find_label(hectic_spans *x, const uint8_t *bytes, size_t length, bool is_marker,
                       uint32_t *index)
{
    if (length > LABEL_BYTES) length = LABEL_BYTES;
    const struct known *known = map_find_bytes(&x->known, is_marker, bytes, length);
    *index = known ? known->index : UINT32_MAX;
    if (known || x->labels == LABELS_MAX) return true;
    *index = x->labels;
    struct known *added = map_add_bytes(&x->known, is_marker, bytes, length);
    if (added) added->index = *index;
    return added && add_label(x, bytes, length, is_marker);
}

static void record_time(const hectic_spans *x, struct label *label, uint64_t now)
{
    if (!is_inside(x, now)) return;
    if (!label->has_times) label->first = now;
    label->has_times = true;
    label->last = now;
}

static bool add_duration(struct label *label, uint64_t duration)
{
    if (!label->durations) label->durations = calloc(1, sizeof *label->durations);
    return label->durations && hectic_histogram_add(label->durations, duration);
}

/* --- Edges ----------------------------------------------------------------------------------- */

static void take_edge(struct cover *cover, const struct edge *edge)
{
    if (edge->step > 0 && cover->nested++ == 0) {
        cover->since = edge->time;
        cover->no_gc_since = edge->no_gc;
    }
    if (edge->step < 0 && --cover->nested == 0) {
        cover->open += edge->time - cover->since;
        cover->no_gc += edge->no_gc - cover->no_gc_since;
    }
}

/* Adds the time of the open spans up to now. */
static void close_cover(const hectic_spans *x, struct cover *cover, uint64_t now)
{
    if (cover->nested == 0) return;
    cover->open += clip(x, now) - cover->since;
    cover->no_gc += no_gc_until(x, now) - cover->no_gc_since;
    cover->nested = 0;
}

/* Processes the edges up to the next pending one. */
static void take_decided(hectic_spans *x, struct label *label)
{
    uint32_t at;
    while ((at = label->first_edge) && x->edge[at - 1].item == 0) {
        struct edge *edge = &x->edge[at - 1];
        take_edge(&label->cover, edge);
        label->first_edge = edge->next;
        edge->next = x->vacant;
        x->vacant = at;
    }
}

static bool decide(hectic_spans *x, struct label *label, uint32_t tag, int8_t step)
{
    x->edge[tag - 1].item = 0;
    x->edge[tag - 1].step = step;
    take_decided(x, label);
    return true;
}

/* Keeps an edge; 0: out of memory, or too many. */
static uint32_t add_edge(hectic_spans *x, struct label *label, struct edge edge)
{
    uint32_t place = x->vacant;
    if (place) {
        x->vacant = x->edge[place - 1].next;
    } else {
        if (x->edges == EDGES_MAX) return 0;
        if (!array_reserve(x->edge, x->edge_capacity, x->edges + 1)) return 0;
        place = ++x->edges;
    }
    x->edge[place - 1] = edge;
    if (label->first_edge)
        x->edge[label->last_edge - 1].next = place;
    else
        label->first_edge = place;
    label->last_edge = place;
    return place;
}

/* Processes the beginning or end of a span of the label. */
static bool pass_edge(hectic_spans *x, uint32_t index, uint64_t now, int8_t step)
{
    struct label *label = &x->label[index];
    if (now >= x->to) return true; /* open spans stay open up to the interval's end */
    const struct edge edge = {.time = clip(x, now), .no_gc = no_gc_until(x, now), .step = step};
    if (label->first_edge && add_edge(x, label, edge)) return true;
    /* Too many edges: none of the label stays pending. */
    bool go_on = true;
    while (go_on && label->first_edge) {
        const uint32_t place = x->edge[label->first_edge - 1].item;
        struct pairs_item *item = &x->pairs.item[place - 1];
        const uint32_t tag = item->tag;
        if (!item->is_stop) item->tag = 0;
        go_on = item->is_stop ? pairs_give_up(&x->pairs, place) : decide(x, label, tag, 0);
    }
    take_edge(&label->cover, &edge);
    return go_on;
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* Until when the span of a START is certainly open if nothing stops it. */
static uint64_t last_of(const hectic_spans *x, const struct pairs_item *start)
{
    return start->lost < x->now ? start->lost : x->now;
}

/* Events are missing after the START. */
static bool lost(void *user, struct pairs_item *start, uint32_t place)
{
    hectic_spans *x = user;
    const struct edge edge = {
        .time = clip(x, start->lost), .no_gc = no_gc_until(x, start->lost), .item = place};
    if (start->lost >= x->to) return true;
    start->tag = add_edge(x, &x->label[start->label], edge);
    x->pending++;
    return true;
}

static void set_losing(hectic_spans *x, uint16_t cap, bool loses)
{
    if (x->loses[cap] == loses) return;
    x->loses[cap] = loses;
    x->losing += loses ? 1u : -1u;
}

static bool lose(hectic_spans *x, const hectic_event *event)
{
    uint64_t number;
    const enum gap_kind kind = gap_message(event->payload, event->size, &number);
    if (kind == GAP_NONE || kind == GAP_ON || x->losses == LOSSES_MAX) return true;
    if (kind == GAP_MISSING) set_losing(x, event->cap, true);
    x->losses++;
    return pairs_lose(&x->pairs, event->time);
}

static bool report(hectic_spans *x, const struct pairs_item *start, const struct pairs_item *stop,
                   bool across)
{
    const hectic_span_one span = {.label = x->label[start->label].text,
                                  .subscript = start->subscript,
                                  .start = start->at,
                                  .stop = stop ? stop->at
                                               : (hectic_span_end){.time = last_of(x, start)},
                                  .is_stopped = stop,
                                  .across = across};
    const bool overlaps = span.start.time < x->to && span.stop.time >= x->from;
    return !x->callback || !overlaps || x->callback(x->user, &span);
}

/* Closes a span: its time counts up to `then`. */
static void close_one(hectic_spans *x, const struct pairs_item *start, uint64_t then)
{
    struct label *label = &x->label[start->label];
    const uint64_t from = clip(x, start->at.time);
    label->total += clip(x, then) - from;
    label->starts -= from;
    label->opens--;
    x->open_inside -= is_inside(x, start->at.time);
}

static bool paired(void *user, const struct pairs_item *start, const struct pairs_item *stop,
                   bool across)
{
    hectic_spans *x = user;
    struct label *label = &x->label[start->label];
    const uint64_t then = stop->at.time;
    close_one(x, start, then);
    if (start->tag) decide(x, label, start->tag, 0);
    x->pending -= start->lost < x->to;
    if (across) {
        x->pending -= then < x->to;
        if (stop->tag) decide(x, label, stop->tag, -1);
    } else if (!pass_edge(x, start->label, then, -1)) {
        return false;
    }
    const bool inside = is_inside(x, then);
    label->count += inside;
    label->across += inside && across;
    x->totals.spans += inside;
    x->totals.across += inside && across;
    if (inside && !add_duration(label, then - start->at.time)) return false;
    return report(x, start, stop, across);
}

static bool pending(void *user, struct pairs_item *stop, uint32_t place,
                    const struct pairs_item *start)
{
    hectic_spans *x = user;
    const uint64_t now = stop->at.time;
    if (start && x->stopped) x->stopped(x->stops_user, start->at.position);
    if (now >= x->to) return true;
    const struct edge edge = {.time = clip(x, now), .no_gc = no_gc_until(x, now), .item = place};
    stop->tag = add_edge(x, &x->label[stop->label], edge);
    x->pending += stop->tag > 0;
    return stop->tag > 0;
}

static bool unstarted(void *user, const struct pairs_item *stop, bool was_pending)
{
    hectic_spans *x = user;
    struct label *label = &x->label[stop->label];
    const bool inside = is_inside(x, stop->at.time);
    label->unstarted += inside;
    x->totals.unstarted += inside;
    x->pending -= was_pending && stop->at.time < x->to;
    return !stop->tag || decide(x, label, stop->tag, 0);
}

static void count_unstopped(hectic_spans *x, uint32_t index, uint64_t start)
{
    const bool inside = is_inside(x, start);
    x->label[index].unstopped += inside;
    x->totals.unstopped += inside;
}

static bool unstopped(void *user, const struct pairs_item *start)
{
    hectic_spans *x = user;
    close_one(x, start, last_of(x, start));
    if (start->tag) decide(x, &x->label[start->label], start->tag, -1);
    count_unstopped(x, start->label, start->at.time);
    return report(x, start, NULL, false);
}

static const struct pairs_calls calls = {paired, pending, unstarted, unstopped, lost};

static bool start(hectic_spans *x, const hectic_event *event, uint32_t index, uint64_t subscript)
{
    struct label *label = &x->label[index];
    record_time(x, label, event->time);
    const enum pairs_result result = pairs_start(&x->pairs, event, index, subscript);
    if (result == PAIRS_FULL) x->totals.unfollowed += is_inside(x, event->time);
    if (result != PAIRS_TAKEN) return result == PAIRS_FULL;
    label->opens++;
    label->starts += clip(x, event->time);
    x->open_inside += is_inside(x, event->time);
    if (x->started) {
        const hectic_span_end at = pairs_at(&x->pairs, event);
        if (!x->started(x->starts_user, &at)) return false;
    }
    return pass_edge(x, index, event->time, 1) &&
           (x->losing == 0 || pairs_lose_last(&x->pairs, event->time));
}

static bool stop(hectic_spans *x, const hectic_event *event, uint32_t index, uint64_t subscript)
{
    record_time(x, &x->label[index], event->time);
    return pairs_stop(&x->pairs, event, index, subscript);
}

/* --- Events ---------------------------------------------------------------------------------- */

/* True if it is the message of a span. Removes the word and the subscript from its beginning. */
static bool cut_word(const char *word, const uint8_t **bytes, size_t *length, uint64_t *subscript)
{
    const size_t size = strlen(word);
    if (*length < size || memcmp(*bytes, word, size) != 0) return false;
    const uint8_t *at = *bytes + size, *end = *bytes + *length;
    const uint8_t *digits = at;
    for (*subscript = 0; at < end && *at >= '0' && *at <= '9'; at++)
        *subscript = *subscript * 10 + (uint64_t)(*at - '0');
    while (at > digits && at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    *bytes = at;
    *length = (size_t)(end - at);
    return true;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte)
{
    return byte >= 0x80 || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

size_t hectic_spans_group_length(const uint8_t *bytes, size_t length, uint64_t *number)
{
    enum { DIGITS = 19 };
    size_t rest = length;
    while (rest > 0 && is_digit(bytes[rest - 1]))
        rest--;
    const size_t digits = length - rest;
    if (digits == 0 || digits > DIGITS || rest == 0 || is_letter(bytes[rest - 1])) return length;
    *number = 0;
    for (size_t i = rest; i < length; i++)
        *number = *number * 10 + (uint64_t)(bytes[i] - '0');
    return rest;
}

bool hectic_spans_is_span(const uint8_t *message, size_t size)
{
    uint64_t subscript;
    return cut_word("START ", &message, &size, &subscript) ||
           cut_word("STOP ", &message, &size, &subscript);
}

/* The label with this text, or that of its group; then *subscript is its number. As find_label. */
static bool find_grouped(hectic_spans *x, const uint8_t *bytes, size_t length, bool is_marker,
                         uint32_t *index, uint64_t *subscript)
{
    uint8_t grouped[UINT16_MAX];
    const size_t rest =
        x->groups && *subscript == 0 ? hectic_spans_group_length(bytes, length, subscript) : length;
    if (rest == length) return find_label(x, bytes, length, is_marker, index);
    memcpy(grouped, bytes, rest);
    grouped[rest] = '#';
    return find_label(x, grouped, rest + 1, is_marker, index);
}

static bool mark(hectic_spans *x, const hectic_event *event)
{
    uint32_t index;
    const bool inside = is_inside(x, event->time);
    x->totals.markers += inside;
    if (x->counts_markers) return true;
    uint64_t number = 0;
    if (!find_grouped(x, event->payload, event->size, true, &index, &number)) return false;
    if (index == UINT32_MAX) {
        x->totals.unlisted += inside;
        return true;
    }
    struct label *label = &x->label[index];
    record_time(x, label, event->time);
    label->count += inside;
    const bool follows = inside && label->has_marker;
    const uint64_t before = label->marked;
    label->has_marker = true;
    label->marked = event->time;
    return !follows || add_duration(label, event->time - before);
}

static bool message(hectic_spans *x, const hectic_event *event)
{
    const uint8_t *bytes = event->payload;
    size_t length = event->size;
    uint64_t subscript;
    uint32_t index;
    const bool starts = cut_word("START ", &bytes, &length, &subscript);
    if (!starts && !cut_word("STOP ", &bytes, &length, &subscript)) {
        x->totals.messages += is_inside(x, event->time);
        return true;
    }
    if (!find_grouped(x, bytes, length, false, &index, &subscript)) return false;
    x->pairs.gc = gc_until(x, event->time);
    if (index == UINT32_MAX)
        x->totals.unlisted += is_inside(x, event->time);
    else
        return (starts ? start : stop)(x, event, index, subscript);
    return true;
}

bool hectic_spans_event(hectic_spans *x, const hectic_event *event)
{
    if (x->losing > 0) set_losing(x, event->cap, false);
    switch (event->type) {
    case HECTIC_EVENT_USER_MSG: return message(x, event);
    case HECTIC_EVENT_USER_MARKER: return event->time >= x->to || mark(x, event);
    case HECTIC_EVENT_LOG_MSG: return lose(x, event);
    case HECTIC_EVENT_GC_START: collect(x, event->cap, event->time, true); return true;
    case HECTIC_EVENT_GC_END: collect(x, event->cap, event->time, false); return true;
    default: return pairs_follow(&x->pairs, event);
    }
}

bool hectic_spans_have_gc(const hectic_spans *x)
{
    return x->has_gc;
}

hectic_span_end hectic_spans_at(const hectic_spans *x, const hectic_event *event)
{
    return pairs_at(&x->pairs, event);
}

bool hectic_spans_are_settled(const hectic_spans *x)
{
    return x->open_inside == 0 && x->pending == 0;
}

/* --- The whole ------------------------------------------------------------------------------- */

hectic_spans *hectic_spans_new(uint64_t from, uint64_t to, hectic_span_one_callback callback,
                               void *user)
{
    hectic_spans *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->from = from;
    x->to = to;
    x->callback = callback;
    x->user = user;
    x->known = (map){.entry_size = sizeof(struct known), .unsorted = true};
    if (pairs_init(&x->pairs, &calls, x)) return x;
    hectic_spans_free(x);
    return NULL;
}

void hectic_spans_group(hectic_spans *x)
{
    x->groups = true;
}

void hectic_spans_count_markers(hectic_spans *x)
{
    x->counts_markers = true;
}

void hectic_spans_lack_caps(hectic_spans *x)
{
    x->losing++;
}

void hectic_spans_watch(hectic_spans *x, bool (*started)(void *user, const hectic_span_end *start),
                        void *user)
{
    x->started = started;
    x->starts_user = user;
}

void hectic_spans_watch_stops(hectic_spans *x, void (*stopped)(void *user, uint64_t start),
                              void *user)
{
    x->stopped = stopped;
    x->stops_user = user;
}

void hectic_spans_free(hectic_spans *x)
{
    if (!x) return;
    for (uint32_t i = 0; i < x->labels; i++) {
        if (x->label[i].durations) hectic_histogram_clear(x->label[i].durations);
        free(x->label[i].durations);
        free(x->label[i].text);
    }
    free(x->label);
    map_clear(&x->known);
    free(x->edge);
    pairs_free(&x->pairs);
    free(x);
}

bool hectic_spans_end(hectic_spans *x, uint64_t now)
{
    x->now = now;
    x->losses = x->losing = 0;
    memset(x->loses, 0, sizeof x->loses);
    const bool go_on = pairs_end(&x->pairs);
    for (uint32_t i = 0; i < x->labels; i++) {
        close_cover(x, &x->label[i].cover, now);
        x->label[i].has_marker = false;
    }
    x->gc = gc_until(x, now);
    x->collecting = 0;
    memset(x->collects, 0, sizeof x->collects);
    return go_on;
}

/* The cover at `now`, as far as known. */
static struct cover cover_of(const hectic_spans *x, const struct label *label, uint64_t now)
{
    struct cover cover = label->cover;
    for (uint32_t at = label->first_edge; at; at = x->edge[at - 1].next)
        take_edge(&cover, &x->edge[at - 1]);
    close_cover(x, &cover, now);
    return cover;
}

bool hectic_spans_each(const hectic_spans *x, uint64_t now, hectic_span_callback callback,
                       void *user)
{
    static const hectic_histogram none;
    bool go_on = true;
    for (uint32_t i = 0; i < x->labels && go_on; i++) {
        const struct label *label = &x->label[i];
        const struct cover cover = cover_of(x, label, now);
        const hectic_span span = {
            .label = label->text,
            .is_marker = label->is_marker,
            .first = label->first,
            .last = label->last,
            .has_times = label->has_times,
            .durations = label->durations ? label->durations : &none,
            .count = label->count,
            .across = label->across,
            .total =
                label->total + (label->opens ? label->opens * clip(x, now) - label->starts : 0),
            .open = cover.open,
            .no_gc = cover.no_gc,
            .has_gc = x->has_gc,
            .unstarted = label->unstarted,
            .unstopped = label->unstopped,
        };
        if (span.has_times || span.open > 0) go_on = callback(user, &span);
    }
    return go_on;
}

hectic_span_totals hectic_spans_totals(const hectic_spans *x)
{
    return x->totals;
}
