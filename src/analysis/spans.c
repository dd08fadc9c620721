/* spans.c — see hectic/spans.h. */
#include <hectic/spans.h>

#include <stdlib.h>
#include <string.h>

enum {
    LABELS_MOST = 1 << 16,
    LABEL_PLACES = 2 * LABELS_MOST,
    LABEL_BYTES = 4096, /* labels are told apart by so many bytes */
    OPEN_MOST = 1 << 20,
    OPEN_PLACES = 1 << 16,
    CAPS = 65536,
};

struct label {
    hectic_histogram durations;
    char *text;
    size_t length;
    uint64_t first, last, count, total, open, no_gc, unstarted, unstopped;
    uint64_t since;       /* when `nested` became more than 0; of markers: the last one */
    uint64_t no_gc_since; /* the time without collection then */
    uint64_t nested;      /* spans that are open */
    uint64_t starts;      /* the sum of their starts, clipped, modulo 2^64 */
    bool is_marker, has_times, has_marker;
};

/* An open span. Those in the same place of the table are linked, the last started first. */
struct open {
    uint64_t start, subscript;
    uint32_t label;
    uint32_t next; /* plus 1 */
};

struct hectic_spans {
    uint64_t from, to;
    struct label *label;
    uint32_t labels, label_capacity;
    uint32_t *label_place; /* by hash: a label, plus 1 */
    struct open *open;
    uint32_t opens, open_capacity, vacant; /* vacant: linked by `next`, plus 1 */
    uint32_t *open_place;                  /* by hash: an open span, plus 1 */
    uint8_t collects[CAPS];                /* by cap */
    uint32_t collecting;                   /* caps */
    uint64_t gc, gc_since;                 /* time in which a cap collected, clipped */
    hectic_span_totals totals;
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

/* The clipped time in which no cap collected. */
static uint64_t no_gc_until(const hectic_spans *x, uint64_t now)
{
    return clip(x, now) - gc_until(x, now);
}

static void collect(hectic_spans *x, uint16_t cap, uint64_t now, bool collects)
{
    if (x->collects[cap] == collects) return;
    if (collects && x->collecting == 0) x->gc_since = now;
    if (!collects && x->collecting == 1) x->gc = gc_until(x, now);
    x->collects[cap] = collects;
    x->collecting += collects ? 1u : -1u;
}

/* --- Labels ---------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint32_t hash_of(const uint8_t *bytes, size_t length, bool is_marker)
{
    uint32_t hash = 2166136261u ^ is_marker;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* False: no memory. */
static bool add_label(hectic_spans *x, const uint8_t *bytes, size_t length, bool is_marker)
{
    if (x->labels == x->label_capacity) {
        const uint32_t capacity = x->label_capacity ? 2 * x->label_capacity : 16;
        struct label *grown = realloc(x->label, capacity * sizeof *grown);
        if (!grown) return false;
        x->label = grown;
        x->label_capacity = capacity;
    }
    struct label *label = &x->label[x->labels];
    *label = (struct label){.is_marker = is_marker, .length = length};
    label->text = malloc(length + 1);
    if (!label->text) return false;
    memcpy(label->text, bytes, length);
    label->text[length] = 0;
    x->labels++;
    return true;
}

/* Sets *index to the label of that text, a new one where there is none; UINT32_MAX: there is no
 * room for it. False: no memory. */
static bool find_label(hectic_spans *x, const uint8_t *bytes, size_t length, bool is_marker,
                       uint32_t *index)
{
    if (length > LABEL_BYTES) length = LABEL_BYTES;
    uint32_t place = hash_of(bytes, length, is_marker) % LABEL_PLACES;
    for (; x->label_place[place]; place = (place + 1) % LABEL_PLACES) {
        *index = x->label_place[place] - 1;
        const struct label *label = &x->label[*index];
        if (label->is_marker == is_marker && label->length == length &&
            memcmp(label->text, bytes, length) == 0)
            return true;
    }
    *index = UINT32_MAX;
    if (x->labels == LABELS_MOST) return true;
    if (!add_label(x, bytes, length, is_marker)) return false;
    *index = x->labels - 1;
    x->label_place[place] = x->labels;
    return true;
}

static void note_time(const hectic_spans *x, struct label *label, uint64_t now)
{
    if (!is_inside(x, now)) return;
    if (!label->has_times) label->first = now;
    label->has_times = true;
    label->last = now;
}

/* --- Open spans ------------------------------------------------------------------------------ */

static uint32_t *open_place(const hectic_spans *x, uint32_t label, uint64_t subscript)
{
    const uint64_t hash = (subscript * 65599 + label) * UINT64_C(0x9e3779b97f4a7c15);
    return &x->open_place[(hash >> 40) % OPEN_PLACES];
}

/* An unused entry, plus 1; 0: no memory, or too many (then x->opens is OPEN_MOST). */
static uint32_t new_open(hectic_spans *x)
{
    const uint32_t vacant = x->vacant;
    if (vacant) {
        x->vacant = x->open[vacant - 1].next;
        return vacant;
    }
    if (x->opens == OPEN_MOST) return 0;
    if (x->opens == x->open_capacity) {
        const uint32_t capacity = x->open_capacity ? 2 * x->open_capacity : 64;
        struct open *grown = realloc(x->open, capacity * sizeof *grown);
        if (!grown) return 0;
        x->open = grown;
        x->open_capacity = capacity;
    }
    return ++x->opens;
}

static bool start(hectic_spans *x, uint32_t index, uint64_t subscript, uint64_t now)
{
    struct label *label = &x->label[index];
    note_time(x, label, now);
    const uint32_t open = new_open(x);
    if (!open) {
        label->unstopped += is_inside(x, now);
        x->totals.unstopped += is_inside(x, now);
        return x->opens == OPEN_MOST;
    }
    uint32_t *place = open_place(x, index, subscript);
    x->open[open - 1] = (struct open){now, subscript, index, *place};
    *place = open;
    if (label->nested++ == 0) {
        label->since = now;
        label->no_gc_since = no_gc_until(x, now);
    }
    label->starts += clip(x, now);
    return true;
}

/* One span less is open: its time counts up to `now`. */
static void close_one(const hectic_spans *x, struct label *label, uint64_t start, uint64_t now)
{
    label->total += clip(x, now) - clip(x, start);
    label->starts -= clip(x, start);
    if (--label->nested > 0) return;
    label->open += clip(x, now) - clip(x, label->since);
    label->no_gc += no_gc_until(x, now) - label->no_gc_since;
}

static bool stop(hectic_spans *x, uint32_t index, uint64_t subscript, uint64_t now)
{
    struct label *label = &x->label[index];
    const bool inside = is_inside(x, now);
    note_time(x, label, now);
    uint32_t *place = open_place(x, index, subscript);
    while (*place &&
           (x->open[*place - 1].label != index || x->open[*place - 1].subscript != subscript))
        place = &x->open[*place - 1].next;
    if (!*place) {
        label->unstarted += inside;
        x->totals.unstarted += inside;
        return true;
    }
    const uint32_t found = *place;
    struct open *open = &x->open[found - 1];
    const uint64_t began = open->start;
    *place = open->next;
    open->next = x->vacant;
    x->vacant = found;
    close_one(x, label, began, now);
    label->count += inside;
    x->totals.spans += inside;
    return !inside || hectic_histogram_add(&label->durations, now - began);
}

/* --- Events ---------------------------------------------------------------------------------- */

static bool mark(hectic_spans *x, const hectic_event *event)
{
    uint32_t index;
    const bool inside = is_inside(x, event->time);
    if (!find_label(x, event->payload, event->size, true, &index)) return false;
    x->totals.markers += inside;
    if (index == UINT32_MAX) {
        x->totals.unlisted += inside;
        return true;
    }
    struct label *label = &x->label[index];
    note_time(x, label, event->time);
    label->count += inside;
    const bool follows = inside && label->has_marker;
    const uint64_t before = label->since;
    label->has_marker = true;
    label->since = event->time;
    if (!follows) return true;
    return hectic_histogram_add(&label->durations, event->time - before);
}

/* Is it a span's message? Cuts the word, and the subscript, off its front. */
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
    if (!find_label(x, bytes, length, false, &index)) return false;
    if (index == UINT32_MAX)
        x->totals.unlisted += is_inside(x, event->time);
    else
        return (starts ? start : stop)(x, index, subscript, event->time);
    return true;
}

bool hectic_spans_event(hectic_spans *x, const hectic_event *event)
{
    if (event->time >= x->to) return true;
    switch (event->type) {
    case HECTIC_EVENT_USER_MSG: return message(x, event);
    case HECTIC_EVENT_USER_MARKER: return mark(x, event);
    case HECTIC_EVENT_GC_START: collect(x, event->cap, event->time, true); break;
    case HECTIC_EVENT_GC_END: collect(x, event->cap, event->time, false); break;
    default: break;
    }
    return true;
}

/* --- The whole ------------------------------------------------------------------------------- */

hectic_spans *hectic_spans_new(uint64_t from, uint64_t to)
{
    hectic_spans *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->from = from;
    x->to = to;
    x->label_place = calloc(LABEL_PLACES, sizeof *x->label_place);
    x->open_place = calloc(OPEN_PLACES, sizeof *x->open_place);
    if (x->label_place && x->open_place) return x;
    hectic_spans_free(x);
    return NULL;
}

void hectic_spans_free(hectic_spans *x)
{
    if (!x) return;
    for (uint32_t i = 0; i < x->labels; i++) {
        hectic_histogram_clear(&x->label[i].durations);
        free(x->label[i].text);
    }
    free(x->label);
    free(x->label_place);
    free(x->open);
    free(x->open_place);
    free(x);
}

void hectic_spans_end(hectic_spans *x, uint64_t now)
{
    for (uint32_t place = 0; place < OPEN_PLACES; place++) {
        for (uint32_t at = x->open_place[place]; at; at = x->open[at - 1].next) {
            struct label *label = &x->label[x->open[at - 1].label];
            close_one(x, label, x->open[at - 1].start, now);
            /* Behind the interval it may have been stopped. */
            label->unstopped += now < x->to;
            x->totals.unstopped += now < x->to;
        }
    }
    memset(x->open_place, 0, OPEN_PLACES * sizeof *x->open_place);
    x->opens = x->vacant = 0;
    x->gc = gc_until(x, now);
    x->collecting = 0;
    memset(x->collects, 0, sizeof x->collects);
    for (uint32_t i = 0; i < x->labels; i++)
        x->label[i].has_marker = false;
}

bool hectic_spans_each(const hectic_spans *x, uint64_t now, hectic_span_take take, void *user)
{
    bool go_on = true;
    for (uint32_t i = 0; i < x->labels && go_on; i++) {
        const struct label *label = &x->label[i];
        const uint64_t end = clip(x, now);
        const bool is_open = label->nested > 0;
        const hectic_span span = {
            .label = label->text,
            .is_marker = label->is_marker,
            .first = label->first,
            .last = label->last,
            .has_times = label->has_times,
            .durations = &label->durations,
            .count = label->count,
            .total = label->total + (is_open ? label->nested * end - label->starts : 0),
            .open = label->open + (is_open ? end - clip(x, label->since) : 0),
            .no_gc = label->no_gc + (is_open ? no_gc_until(x, now) - label->no_gc_since : 0),
            .unstarted = label->unstarted,
            .unstopped = label->unstopped,
        };
        if (span.has_times || span.total > 0) go_on = take(user, &span);
    }
    return go_on;
}

hectic_span_totals hectic_spans_totals(const hectic_spans *x)
{
    return x->totals;
}
