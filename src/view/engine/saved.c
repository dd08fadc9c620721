/* saved.c — see saved.h. All numbers are LEB128, but for the bytes of texts. */
#include "view/engine/saved.h"

#include "format/fields.h"
#include "format/stop_status.h"
#include "numbers/saturating.h"

#include <hectic/catalogue.h>
#include <hectic/header.h>

#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MAX = 3 << 21, /* slots of all rows */
    LABEL_BYTES = 200,   /* of a label that is saved */
    GAUGES = HECTIC_TIMELINE_ALLOCATED,
};

/* --- Writing --------------------------------------------------------------------------------- */

static void put_number(const struct saved_output *out, uint64_t number)
{
    uint8_t bytes[10];
    size_t size = 0;
    do {
        bytes[size++] = (uint8_t)(number | (number > 127 ? 128 : 0));
        number >>= 7;
    } while (number > 0);
    out->put(out->to, bytes, size);
}

static void put_text(const struct saved_output *out, const char *text, size_t most)
{
    const size_t length = text ? strnlen(text, most) : 0;
    put_number(out, text ? length + 1 : 0);
    if (text) out->put(out->to, text, length);
}

static uint64_t sum_of(const struct bins *bins, size_t row, size_t slot, unsigned joined)
{
    uint64_t sum = 0;
    for (size_t i = slot << joined; i < (slot + 1) << joined; i++)
        saturating_add(&sum, bins_get(bins, row, i));
    return sum;
}

/* How many slots have to be joined into one: 2^result. */
static unsigned joined_of(size_t slots, size_t wanted)
{
    unsigned joined = 0;
    while (slots >> joined > wanted)
        joined++;
    return joined;
}

/* A row ends with its last sum that is not 0. */
static void put_row(const struct saved_output *out, const struct bins *bins, size_t row,
                    unsigned joined)
{
    size_t used = row < bins->rows && bins->row[row] ? bins->slots >> joined : 0;
    while (used > 0 && sum_of(bins, row, used - 1, joined) == 0)
        used--;
    put_number(out, used);
    for (size_t i = 0; i < used; i++)
        put_number(out, sum_of(bins, row, i, joined));
}

/* With what has not ended: slots up to the last event. */
static void put_unrecorded(const struct saved_output *out, const hectic_timeline *t, size_t slots)
{
    unsigned shift = t->unrecorded.shift;
    const unsigned joined = joined_of(t->unrecorded.slots, slots);
    slots = t->unrecorded.slots >> joined;
    shift += joined;
    while (shift < 63 && t->stat->last >> shift >= slots)
        shift++;
    size_t used = (size_t)(t->stat->last >> shift) + 1;
    if (timeline_unrecorded(t, 0, UINT64_MAX) == 0) used = 0;
    put_number(out, slots);
    put_number(out, shift);
    put_number(out, used);
    for (uint64_t i = 0; i < used; i++)
        put_number(out, timeline_unrecorded(t, i << shift, (i + 1) << shift));
}

static void put_gauge(const struct saved_output *out, const struct gauge *gauge, unsigned joined)
{
    const unsigned shift = gauge->shift + joined;
    size_t last = 0; /* plus 1 */
    put_number(out, shift);
    for (size_t i = 0; gauge->slot && i < gauge->slots >> joined; i++) {
        const uint64_t begin = (uint64_t)i << shift;
        const struct gauge_slot slot = gauge_get(gauge, begin, begin + (UINT64_C(1) << shift));
        if (!slot.is_set) continue;
        put_number(out, i + 1 - last);
        put_number(out, slot.min);
        put_number(out, slot.max - slot.min);
        put_number(out, slot.last - slot.min);
        put_number(out, slot.last_time - begin);
        last = i + 1;
    }
    put_number(out, 0);
}

static void put_run(const struct saved_output *out, const hectic_timeline *t,
                    const hectic_timeline_run *run)
{
    const bool is_shifted = t->header && hectic_header_shifted_stop_status(t->header);
    put_number(out, run->cap);
    put_number(out, run->thread);
    put_number(out, run->is_stopped ? usual_stop_status(is_shifted, run->stop) + 1 : 0);
    put_number(out, run->from);
    put_number(out, run->to - run->from);
}

static void put_runs(const struct saved_output *out, const hectic_timeline *t)
{
    put_number(out, t->longest.count);
    for (size_t i = 0; i < t->longest.count; i++)
        put_run(out, t, &t->longest.run[i]);
}

/* What has not ended yet. */
static void put_present(const struct saved_output *out, const hectic_timeline *t)
{
    uint64_t from, to;
    for (size_t i = 0; i < t->stat->caps; i++) {
        for (enum stat_span span = 0; span < STAT_SPANS; span++) {
            if (!stat_get_span(t->stat, i, span, &from, &to) || from >= to) continue;
            put_number(out, (uint64_t)span + 1);
            put_number(out, i);
            put_number(out, t->stat->cap[i]->thread);
            put_number(out, from);
            put_number(out, to - from);
        }
    }
    put_number(out, 0);
}

static int by_thread(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Of the threads of the longest runs and of those that run now. */
static void put_labels(const struct saved_output *out, const hectic_timeline *t)
{
    uint32_t *thread = malloc((t->longest.count + t->stat->caps + 1) * sizeof *thread);
    size_t count = 0;
    for (size_t i = 0; thread && i < t->longest.count; i++)
        thread[count++] = t->longest.run[i].thread;
    for (size_t i = 0; thread && i < t->stat->caps; i++)
        thread[count++] = t->stat->cap[i]->thread;
    if (count > 0) qsort(thread, count, sizeof *thread, by_thread);
    for (size_t i = 0; i < count; i++) {
        const char *label = titles_label(&t->titles, thread[i]);
        if (!label || (i > 0 && thread[i] == thread[i - 1])) continue;
        put_text(out, label, LABEL_BYTES);
        put_number(out, thread[i]);
    }
    put_number(out, 0);
    free(thread);
}

void timeline_save(const hectic_timeline *t, size_t slots, const struct saved_output *out)
{
    const bool is_lone = stat_is_lone(t->stat);
    unsigned joined = joined_of(t->spans.slots, slots);
    put_number(out, t->stat->has_first);
    put_number(out, t->stat->first);
    put_number(out, t->stat->last);
    put_number(out, t->left_out_to);
    put_number(out, t->stat->seen);
    put_number(out, t->stat->recorded);
    put_number(out, t->stat->started);
    put_text(out, titles_program(&t->titles), LABEL_BYTES);
    put_text(out, titles_runtime(&t->titles), LABEL_BYTES);
    put_number(out, t->titles.has_several);
    put_number(out, t->stat->caps);
    for (size_t i = 0; i < t->stat->caps; i++)
        put_number(out, t->stat->cap[i]->number);
    put_number(out, t->spans.slots >> joined);
    put_number(out, t->spans.shift + joined);
    for (size_t i = 0; i < t->stat->caps * STAT_SPANS; i++)
        if (is_lone && (i % STAT_SPANS == SPAN_WAITED_BEGIN || i % STAT_SPANS == SPAN_WAITED_END))
            put_number(out, 0);
        else
            put_row(out, &t->spans, i, joined);
    put_unrecorded(out, t, slots);
    joined = joined_of(t->allocated.slots, slots);
    put_number(out, t->allocated.slots >> joined);
    put_number(out, t->allocated.shift + joined);
    for (size_t i = 0; i < ALLOCATED_ROWS; i++)
        put_row(out, &t->allocated, i, joined);
    for (size_t i = 0; i < GAUGES; i++) {
        joined = joined_of(t->gauge[i].slots, slots);
        put_number(out, t->gauge[i].slots >> joined);
        put_gauge(out, &t->gauge[i], joined);
    }
    put_runs(out, t);
    put_present(out, t);
    put_labels(out, t);
}

/* --- Reading --------------------------------------------------------------------------------- */

struct reading {
    const uint8_t *at, *end;
    bool has_failed;
};

static uint64_t fail(struct reading *r)
{
    r->has_failed = true;
    r->at = r->end;
    return 0;
}

/* 0 once reading has failed. */
static uint64_t get_number(struct reading *r)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        const uint8_t byte = *r->at++;
        if (shift == 63 && byte > 1) return fail(r);
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return number;
    }
    return fail(r);
}

static uint64_t get_most(struct reading *r, uint64_t most)
{
    const uint64_t number = get_number(r);
    return number <= most ? number : fail(r);
}

static uint64_t get_below(struct reading *r, uint64_t limit)
{
    return limit > 0 ? get_most(r, limit - 1) : fail(r);
}

/* The bytes of a text; false: there is none. */
static bool get_text(struct reading *r, const uint8_t **text, size_t *length)
{
    const uint64_t size = get_number(r);
    if (size == 0) return false;
    *text = r->at;
    *length = (size_t)(size - 1);
    if (size - 1 > LABEL_BYTES || size - 1 > (uint64_t)(r->end - r->at)) return fail(r);
    r->at += *length;
    return true;
}

static void get_title(struct reading *r, hectic_timeline *t, uint16_t type)
{
    const uint8_t *text;
    size_t length;
    if (get_text(r, &text, &length) && !titles_name(&t->titles, type, 0, text, length)) fail(r);
}

static bool is_power(uint64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

/* Slots that hold any time. */
static size_t get_slots(struct reading *r)
{
    const uint64_t slots = get_below(r, SAVED_SLOTS_MAX + 1);
    return (size_t)(is_power(slots) && slots >= SAVED_SLOTS_MIN ? slots : fail(r));
}

/* Such that the end of the last slot is a time, or just beyond all times. */
static unsigned get_shift(struct reading *r, size_t slots)
{
    const unsigned shift = (unsigned)get_below(r, 64);
    return !r->has_failed && shift > 0 && (slots - 1) <= UINT64_MAX >> shift ? shift
                                                                             : (unsigned)fail(r);
}

static void get_row(struct reading *r, struct bins *bins, size_t row)
{
    const uint64_t used = get_below(r, bins->slots + 1);
    for (uint64_t i = 0; i < used && !r->has_failed; i++) {
        const uint64_t time = i << bins->shift;
        if (!bins_spread(bins, row, time, time, get_number(r))) fail(r);
    }
}

static void get_lone_row(struct reading *r, struct bins *bins)
{
    bins->slots = get_slots(r);
    bins->shift = get_shift(r, bins->slots);
    if (!r->has_failed) get_row(r, bins, 0);
}

static void get_gauge(struct reading *r, struct gauge *gauge)
{
    gauge->slots = get_slots(r);
    gauge->shift = get_shift(r, gauge->slots);
    uint64_t next = 0;
    for (uint64_t gap; (gap = get_number(r)) > 0;) {
        if (gap > gauge->slots - next) {
            fail(r);
            return;
        }
        next += gap;
        if (!gauge->slot) gauge->slot = calloc(gauge->slots, sizeof *gauge->slot);
        if (!gauge->slot) {
            fail(r);
            return;
        }
        const uint64_t begin = (next - 1) << gauge->shift;
        struct gauge_slot *slot = &gauge->slot[next - 1];
        slot->min = get_number(r);
        slot->max = slot->min + get_most(r, UINT64_MAX - slot->min);
        slot->last = slot->min + get_most(r, slot->max - slot->min);
        slot->last_time = begin + get_below(r, UINT64_C(1) << gauge->shift);
        slot->is_set = true;
    }
}

static void get_run(struct reading *r, hectic_timeline *t)
{
    hectic_timeline_run run = {.cap = (uint16_t)get_below(r, HECTIC_CAP_NONE)};
    run.thread = (uint32_t)get_below(r, (uint64_t)UINT32_MAX + 1);
    const uint64_t stop = get_below(r, UINT16_MAX);
    run.is_stopped = stop > 0;
    run.stop = run.is_stopped ? (uint16_t)(stop - 1) : STOP_NONE;
    run.from = get_number(r);
    const uint64_t length = get_number(r);
    run.to = length <= UINT64_MAX - run.from ? run.from + length : fail(r);
    if (!r->has_failed && !longest_add(&t->longest, &run)) fail(r);
}

static void get_present(struct reading *r, hectic_timeline *t)
{
    size_t left = t->stat->caps * STAT_SPANS; /* each takes up to all slots */
    for (uint64_t span; (span = get_below(r, STAT_SPANS + 1)) > 0;) {
        if (left-- == 0) {
            fail(r);
            return;
        }
        const size_t cap = (size_t)get_below(r, t->stat->caps);
        const uint32_t thread = (uint32_t)get_below(r, (uint64_t)UINT32_MAX + 1);
        const uint64_t from = get_number(r), length = get_number(r);
        if (r->has_failed || length > UINT64_MAX - from) {
            fail(r);
            return;
        }
        if (!bins_add_time(&t->spans, cap * STAT_SPANS + (size_t)span - 1, from, from + length))
            fail(r);
        const hectic_timeline_run run = {
            t->stat->cap[cap]->number, STOP_NONE, false, thread, from, from + length};
        if (span - 1 == SPAN_RUNNING && !longest_add(&t->longest, &run)) fail(r);
    }
}

static void get_labels(struct reading *r, hectic_timeline *t)
{
    const uint8_t *text;
    size_t length;
    while (get_text(r, &text, &length)) {
        const uint32_t thread = (uint32_t)get_below(r, (uint64_t)UINT32_MAX + 1);
        if (!r->has_failed &&
            !titles_name(&t->titles, HECTIC_EVENT_THREAD_LABEL, thread, text, length))
            fail(r);
    }
}

static void get_caps(struct reading *r, hectic_timeline *t, uint64_t time)
{
    const uint64_t caps = get_below(r, CELLS_MAX);
    for (uint64_t i = 0; i < caps && !r->has_failed; i++) {
        const uint16_t number = (uint16_t)get_below(r, HECTIC_CAP_NONE);
        uint8_t payload[sizeof number];
        field_store(payload, sizeof payload, number);
        const hectic_event created = {.time = time,
                                      .payload = payload,
                                      .type = HECTIC_EVENT_CAP_CREATE,
                                      .size = sizeof payload,
                                      .cap = HECTIC_CAP_NONE};
        if (r->has_failed || t->stat->index[number] || !hectic_stat_event(t->stat, &created))
            fail(r);
    }
}

/* Whether there was an event, the times of the first and the last, what was seen, and the caps. */
static void get_facts(struct reading *r, hectic_timeline *t)
{
    const bool has_first = get_below(r, 2);
    const uint64_t first = get_number(r), last = get_number(r), left_out_to = get_number(r);
    const uint32_t seen = (uint32_t)get_below(r, (uint64_t)UINT32_MAX + 1);
    const uint32_t recorded = (uint32_t)get_below(r, (uint64_t)UINT32_MAX + 1);
    const uint16_t started = (uint16_t)get_below(r, (uint64_t)UINT16_MAX + 1);
    if (last < first) fail(r);
    get_title(r, t, HECTIC_EVENT_PROGRAM_ARGS);
    get_title(r, t, HECTIC_EVENT_RTS_IDENTIFIER);
    t->titles.has_several = get_below(r, 2);
    get_caps(r, t, first);
    t->stat->has_first = has_first;
    t->stat->first = first;
    t->stat->last = last;
    t->left_out_to = left_out_to;
    t->stat->seen = seen;
    t->stat->recorded = recorded;
    t->stat->started = started;
}

static void get_pictures(struct reading *r, hectic_timeline *t)
{
    const size_t slots = get_slots(r);
    t->spans = bins_new(slots, get_shift(r, slots), CELLS_MAX);
    if (t->stat->caps > CELLS_MAX / STAT_SPANS / SAVED_SLOTS_MIN ||
        t->stat->caps * STAT_SPANS * slots > CELLS_MAX)
        fail(r);
    for (size_t i = 0; i < t->stat->caps * STAT_SPANS && !r->has_failed; i++)
        get_row(r, &t->spans, i);
    get_lone_row(r, &t->unrecorded);
    t->allocated.slots = get_slots(r);
    t->allocated.shift = get_shift(r, t->allocated.slots);
    for (size_t i = 0; i < ALLOCATED_ROWS && !r->has_failed; i++)
        get_row(r, &t->allocated, i);
    for (size_t i = 0; i < GAUGES && !r->has_failed; i++)
        get_gauge(r, &t->gauge[i]);
}

hectic_timeline *timeline_load(const uint8_t *bytes, size_t size)
{
    struct reading r = {bytes, bytes + size, false};
    hectic_timeline *t = hectic_timeline_new();
    if (!t) return NULL;
    stat_set_watch(t->stat, &(struct stat_watch){0});
    t->is_saved = true;
    get_facts(&r, t);
    if (!r.has_failed) get_pictures(&r, t);
    const uint64_t runs = get_below(&r, LONGEST_MAX + 1);
    for (uint64_t i = 0; i < runs && !r.has_failed; i++)
        get_run(&r, t);
    if (!r.has_failed) get_present(&r, t);
    get_labels(&r, t);
    hectic_timeline_end(t);
    if (!r.has_failed && r.at == r.end) return t;
    hectic_timeline_free(t);
    return NULL;
}
