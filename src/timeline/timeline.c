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
