/* timeline.c — see hectic/timeline.h. */
#include <hectic/timeline.h>

#include "analysis/amount.h"
#include "analysis/stat_marks.h"
#include "format/header.h"
#include "read/run.h"
#include "read/step.h"
#include "timeline/bins.h"
#include "timeline/chunks.h"
#include "timeline/range.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 15, SHIFT_FIRST = 10 };

struct hectic_timeline {
    const hectic_header *header;
    hectic_stat *stat;
    struct chunks chunks;
    struct bins spans; /* a row for each enum stat_span of each cap */
    bool is_full;      /* out of memory */
};

static void take_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    hectic_timeline *t = user;
    if (!bins_add_time(&t->spans, cap * STAT_SPANS + span, from, to)) t->is_full = true;
}

hectic_timeline *hectic_timeline_new(void)
{
    hectic_timeline *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->spans = bins_new(SLOTS, SHIFT_FIRST);
    t->stat = hectic_stat_new();
    if (t->stat && stat_keep_marks(t->stat)) {
        stat_set_watch(t->stat, &(struct stat_watch){t, take_span});
        return t;
    }
    hectic_timeline_free(t);
    return NULL;
}

void hectic_timeline_free(hectic_timeline *t)
{
    if (!t) return;
    hectic_stat_free(t->stat);
    chunks_free(&t->chunks);
    bins_free(&t->spans);
    free(t);
}

/* --- The pass -------------------------------------------------------------------------------- */

static bool add_chunk(hectic_timeline *t, struct timeline_chunk *events, uint64_t last)
{
    if (t->stat->earliest < events->first) events->first = t->stat->earliest;
    t->stat->earliest = UINT64_MAX;
    events->last = last;
    return chunks_add(&t->chunks, events) && !t->is_full;
}

/* Takes many events at once. False: out of memory. */
static bool take_run(hectic_timeline *t, hectic_decoder *decoder)
{
    size_t length;
    struct timeline_chunk events = {.position = hectic_decoder_position(decoder),
                                    .remaining = hectic_decoder_block_remaining(decoder)};
    const uint8_t *run = decoder_run(decoder, &length, &events.cap);
    if (length > CHUNK_BYTES) length = CHUNK_BYTES;
    if (length < EVENT_HEAD) return true;
    events.first = load64(run + 2);
    length = stat_take_run(t->stat, t->header, events.cap, run, length);
    if (length == SIZE_MAX) return false;
    if (length == 0) return true;
    decoder_advance(decoder, length);
    events.length = length;
    return add_chunk(t, &events, stat_time(t->stat, events.cap));
}

hectic_result hectic_timeline_pull(hectic_timeline *t, hectic_decoder *decoder)
{
    for (;;) {
        t->header = hectic_decoder_header(decoder);
        if (t->header && !take_run(t, decoder)) return HECTIC_GOT_EVENT;
        struct timeline_chunk events = {.remaining = hectic_decoder_block_remaining(decoder)};
        size_t length;
        decoder_run(decoder, &length, &events.cap);
        hectic_event event;
        const hectic_result result = hectic_decoder_pull(decoder, &event);
        if (result != HECTIC_GOT_EVENT) return result;
        if (!hectic_stat_event(t->stat, &event)) return result;
        events.position = event.position;
        events.length = hectic_decoder_position(decoder) - event.position;
        events.first = event.time;
        if (!add_chunk(t, &events, event.time)) return result;
    }
}

/* --- Answers --------------------------------------------------------------------------------- */

struct stat_range {
    const hectic_timeline *timeline;
    const hectic_timeline_source *source;
};

static bool take_event(void *user, const hectic_event *event)
{
    return hectic_stat_event(user, event);
}

static bool read_stat(void *user, uint64_t from, uint64_t to, hectic_stat *stat)
{
    const struct stat_range *range = user;
    const hectic_timeline *t = range->timeline;
    return range_read(&t->chunks, t->header, range->source, from, to, take_event, stat);
}

bool hectic_timeline_stat(hectic_timeline *t, const hectic_timeline_source *source, uint64_t from,
                          uint64_t to, hectic_stat_result *result)
{
    struct stat_range range = {t, source};
    return stat_marks_get(t->stat, &(struct stat_reader){&range, read_stat}, from, to, result);
}

/* The part of a cap's present activity that lies in a slot. */
static uint64_t in_progress(const hectic_timeline *t, size_t cap, enum stat_span span, size_t slot)
{
    uint64_t from, to;
    if (!stat_get_span(t->stat, cap, span, &from, &to)) return 0;
    const unsigned shift = t->spans.shift;
    const uint64_t begin = (uint64_t)slot << shift, end = begin + (UINT64_C(1) << shift);
    if (from < begin) from = begin;
    if (end > begin && to > end) to = end;
    return amount_less(to, from);
}

static uint64_t sum_of(const hectic_timeline *t, size_t cap, enum stat_span span, size_t slot)
{
    return bins_get(&t->spans, cap * STAT_SPANS + span, slot) + in_progress(t, cap, span, slot);
}

uint64_t hectic_timeline_cap_time(const hectic_timeline *t, size_t cap, hectic_timeline_time what,
                                  size_t slot)
{
    const uint64_t stopped = sum_of(t, cap, SPAN_STOPPED, slot);
    const uint64_t waited = stat_is_lone(t->stat) ? 0 : sum_of(t, cap, SPAN_WAITED, slot);
    switch (what) {
    case HECTIC_TIMELINE_RUNNING: return sum_of(t, cap, SPAN_RUNNING, slot);
    case HECTIC_TIMELINE_COLLECTING: return amount_less(stopped, waited);
    default: return sum_of(t, cap, SPAN_REQUESTED, slot) + waited;
    }
}

/* --- Columns --------------------------------------------------------------------------------- */

/* A picture: the sums of spans are not divided into collections and waits before the end. */
struct picture {
    hectic_timeline_column *column;
    uint64_t from, to;
    size_t width, caps;
};

/* The beginning of column i. */
static uint64_t edge_of(const struct picture *p, size_t i)
{
    return p->from + (uint64_t)((unsigned __int128)(p->to - p->from) * i / p->width);
}

/* The column in which a time lies. */
static size_t column_at(const struct picture *p, uint64_t time)
{
    size_t i = (size_t)((unsigned __int128)(time - p->from) * p->width / (p->to - p->from));
    while (i + 1 < p->width && edge_of(p, i + 1) <= time)
        i++;
    return i;
}

static void add(hectic_timeline_column *column, enum stat_span span, uint64_t ns)
{
    if (span == SPAN_RUNNING) column->time[HECTIC_TIMELINE_RUNNING] += ns;
    if (span == SPAN_STOPPED) column->time[HECTIC_TIMELINE_COLLECTING] += ns;
    if (span == SPAN_REQUESTED || span == SPAN_WAITED) column->time[HECTIC_TIMELINE_WAITING] += ns;
    if (span == SPAN_WAITED) column->time[HECTIC_TIMELINE_COLLECTING] -= ns; /* modulo 2^64 */
}

static void paint_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    const struct picture *p = user;
    if (from < p->from) from = p->from;
    if (to > p->to) to = p->to;
    if (from >= to || cap >= p->caps) return;
    for (size_t i = column_at(p, from); i < p->width && from < to; i++) {
        const uint64_t edge = edge_of(p, i + 1), until = edge < to ? edge : to;
        if (until > from) add(&p->column[cap * p->width + i], span, until - from);
        from = until > from ? until : from;
    }
}

/* The part of a slot's sum that lies in a column. */
static uint64_t part_of(uint64_t sum, uint64_t overlap, unsigned shift)
{
    return (uint64_t)((unsigned __int128)sum * overlap >> shift);
}

static void paint_slots(const hectic_timeline *t, const struct picture *p, size_t cap)
{
    const unsigned shift = t->spans.shift;
    for (size_t i = 0; i < p->width; i++) {
        const uint64_t from = edge_of(p, i), to = edge_of(p, i + 1);
        hectic_timeline_column *column = &p->column[cap * p->width + i];
        for (uint64_t slot = from >> shift; slot << shift < to && slot < t->spans.slots; slot++) {
            const uint64_t begin = slot << shift, end = (slot + 1) << shift;
            const uint64_t overlap = (end < to ? end : to) - (begin > from ? begin : from);
            for (hectic_timeline_time k = 0; k < HECTIC_TIMELINE_TIMES; k++)
                column->time[k] +=
                    part_of(hectic_timeline_cap_time(t, cap, k, (size_t)slot), overlap, shift);
        }
    }
}

bool hectic_timeline_columns(hectic_timeline *t, const hectic_timeline_source *source,
                             uint64_t from, uint64_t to, size_t width,
                             hectic_timeline_column *column)
{
    struct picture picture = {column, from, to, width, t->stat->caps};
    struct stat_range range = {t, source};
    memset(column, 0, t->stat->caps * width * sizeof *column);
    if (from >= to || width == 0) return true;
    const bool is_fine = (to - from) / width < UINT64_C(1) << t->spans.shift;
    if (is_fine)
        return stat_marks_watch(t->stat, &(struct stat_reader){&range, read_stat}, from, to,
                                &(struct stat_watch){&picture, paint_span});
    for (size_t i = 0; i < t->stat->caps; i++)
        paint_slots(t, &picture, i);
    return true;
}

unsigned hectic_timeline_shift(const hectic_timeline *t)
{
    return t->spans.shift;
}

size_t hectic_timeline_caps(const hectic_timeline *t)
{
    return t->stat->caps;
}

uint16_t hectic_timeline_cap(const hectic_timeline *t, size_t index)
{
    return t->stat->cap[index]->number;
}

const hectic_stat *hectic_timeline_facts(const hectic_timeline *t)
{
    return t->stat;
}
